"""What all pictures are made with: words are escaped, the frame says its language, lines break where they must."""

from engine.kernel.picture import circle, frame, group, path, rect, text, wrapped


def test_words_are_escaped_wherever_they_stand() -> None:
    assert text(0, 50, "<b> & 'c'", size=20).endswith(">&lt;b&gt; &amp; &#x27;c&#x27;</text>")
    assert group("g", "a < b", "<g/>", "<g/>") == '<g id="g"><title>a &lt; b</title><g/><g/></g>'


def test_the_capitals_of_a_text_stand_centred() -> None:
    assert text(10, 50, "A", size=20).startswith('<text x="10" y="57" font-size="20"')


def test_the_frame_says_which_language_it_speaks() -> None:
    picture = frame(30, 20, "ko", "Title", "What is seen", "<g/>")
    assert 'viewBox="0 0 30 20" role="img" lang="ko"' in picture
    assert picture.endswith("<title>Title</title><desc>What is seen</desc><g/></svg>")
    assert 'lang="en"' in frame(30, 20, '"><script>', "Title", "What is seen")


def test_a_shape_without_an_edge_says_nothing_of_one() -> None:
    for shape in (rect(0, 0, 9, 9, 2, "#ffffff"), circle(0, 0, 9, "#ffffff"), path("M0 0H9", "#ffffff")):
        assert "stroke" not in shape
    for shape in (
        rect(0, 0, 9, 9, 2, "none", "red", 3),
        circle(0, 0, 9, "none", "red", 3),
        path("M0 0H9", "", "red", 3),
    ):
        assert 'stroke="red" stroke-width="3"' in shape


def test_words_break_into_lines_that_fit_but_no_word_breaks() -> None:
    assert wrapped("one two  three extraordinary", lambda line: len(line) <= 9) == ["one two", "three", "extraordinary"]
    assert wrapped("", lambda line: False) == [""]
