"""``corpus``: what a release is checked with. Does this build make the same of every match that was ever played?"""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import msgspec
import typer

from cli.cores import BATCH, over_all_cores
from cli.output import FAILED, Json, console, print_json, print_table
from cli.progress import Progress
from engine.kernel.value import clip

if TYPE_CHECKING:
    from cli.corpus_files import Source
    from cli.corpus_replay import Verdict

TOLD_LENGTH_MAX: Final = 1_000
"""Of one line: a file may say anything of itself, to a terminal, too."""


def add_to(app: typer.Typer) -> None:
    app.command()(corpus)


def corpus(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Exports and lines of backups, in files *.jsonl.")],
    as_json: Json = False,
) -> None:
    """Replay stored matches and events with this build: same, migratable, differs or unreadable.

    Exit code 1 if any differs or cannot be read.
    """
    from cli.corpus_files import sources
    from cli.corpus_replay import Sort

    found = sources(folder)
    verdicts: list[Verdict] = []
    with Progress() as progress:
        progress.begin("replaying", len(found))
        for number, some in enumerate(over_all_cores(judge, found), 1):
            verdicts.extend(some)
            progress.reach(min(number * BATCH, len(found)))
    counts = Counter(verdict.sort for verdict in verdicts)
    others = [(source, verdict) for source, verdict in zip(found, verdicts, strict=True) if verdict.sort != Sort.SAME]
    if as_json:
        print_json({sort.value: counts[sort] for sort in Sort} | {"others": [_fields(*each) for each in others]})
    else:
        _print(verdicts, others)
    if counts[Sort.DIFFERS] or counts[Sort.UNREADABLE]:
        raise typer.Exit(FAILED)


def judge(some: "Sequence[Source]") -> "list[Verdict]":
    """The verdicts on a batch, in order. Runs in a process of its own."""
    from cli.corpus_replay import sort_lines

    return [sort_lines(source.lines()) for source in some]


def _fields(source: "Source", verdict: "Verdict") -> dict[str, Any]:
    return {"file": source.file, "thing": source.thing, **msgspec.to_builtins(verdict)}


def _print(verdicts: "Sequence[Verdict]", others: "Sequence[tuple[Source, Verdict]]") -> None:
    from cli.corpus_replay import Sort

    by_rules: dict[str, Counter[Sort]] = {}
    for verdict in verdicts:
        by_rules.setdefault(verdict.rules, Counter())[verdict.sort] += 1
    rows = [(rules or "unknown", *(counts[sort] for sort in Sort)) for rules, counts in sorted(by_rules.items())]
    print_table("By rules", ("rules", *(sort.value for sort in Sort)), rows)
    for source, verdict in others:
        where = f"{source.file}, {source.thing or 'no match'}, revision {verdict.revision}"
        told = clip(f"{verdict.sort.value}: {where}: {verdict.what}", TOLD_LENGTH_MAX)[1:-1]
        console.print(told, markup=False, soft_wrap=True)
