"""Pages to print: pairings by name and by table, result slips, final standings.

Each is one file that needs no other: no script, no picture, no font from anywhere, and every text that came from
somebody is escaped. A4 with room for a punch; a table of the list never breaks over two pages, nor does a slip.
"""

from collections.abc import Sequence
from html import escape
from typing import Final

from tavolata.tournament.v1 import tournament_pb2 as pb

from engine.games import all_games
from services.kit.paper.figures import by_name, figures_shown, keys_shown, quality_text, stages_shown, standings_title

STYLE: Final = """
@page { size: A4; margin: 14mm 12mm 14mm 18mm }
* { box-sizing: border-box }
body { font: 11pt/1.35 "Liberation Sans", Arial, Helvetica, sans-serif; color: #000; background: #fff; margin: 0 auto;
  max-width: 180mm }
h1 { font-size: 17pt; margin: 0 0 1mm }
h2 { font-size: 13pt; margin: 7mm 0 2mm; break-after: avoid }
p { margin: 0 0 2mm; color: #333; overflow-wrap: anywhere }
table { border-collapse: collapse; width: 100% }
thead { display: table-header-group }
tr { break-inside: avoid }
th { text-align: left; border-bottom: 1.5pt solid #000; padding: 1mm 2mm; font-size: 9pt }
td { border-bottom: .4pt solid #999; padding: 1mm 2mm; vertical-align: top; overflow-wrap: anywhere }
tbody tr:nth-child(even) td { background: #f1f1f1; print-color-adjust: exact; -webkit-print-color-adjust: exact }
.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; width: 1% }
.names { columns: 2; column-gap: 8mm }
.names div { display: flex; justify-content: space-between; gap: 3mm; border-bottom: .4pt solid #bbb; padding: .6mm 0;
  break-inside: avoid }
.names b { white-space: nowrap }
.names + p, table + p { margin-top: 3mm }
.page { break-before: page }
.slips { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 6mm }
.slip { border: 1pt solid #000; padding: 3mm; break-inside: avoid }
.slip h3 { margin: 0 0 2mm; font-size: 12pt; display: flex; justify-content: space-between }
.slip th, .slip td { border: .4pt solid #777; padding: 1.2mm 1.5mm; background: none !important }
.slip td { height: 10mm; vertical-align: middle }
.slip .w { width: 13mm }
.slip .sign { width: 22mm }
.slip p { margin: 3mm 0 0; font-size: 9pt }
footer { margin-top: 6mm; font: 7.5pt/1.4 "Liberation Mono", monospace; color: #555; overflow-wrap: anywhere }
@media screen { body { padding: 8mm } }
"""


def round_page(event: pb.Tournament, found: pb.GetRoundResponse) -> str:
    """Pairings by name, by table, and a result slip for each table, each part on a page of its own."""
    title = f"{event.name}, round {found.round}"
    parts = [
        f"<h1>{escape(title)}</h1>",
        f"<p>{escape(_title_of(found.game))} · {len(found.tables)} tables · {escape(found.phase)}</p>",
        "<h2>By name</h2>",
        _by_name(found),
        _people("Bye", found.byes),
        _people("Absent", found.absent),
        '<h2 class="page">By table</h2>',
        _by_table(found),
        f"<p>{escape(quality_text(found.quality))}</p>",
        '<h2 class="page">Result slips</h2>',
        f'<div class="slips">{"".join(_slip(event, found, table) for table in found.tables)}</div>',
        f"<footer>seed {escape(found.seed)} · pods by {escape(found.engine)}: whoever has the log can draw them again: "
        f"tavolata tournament verify-pairing {escape(event.tournament_id)} {found.round}</footer>",
    ]
    return document(title, parts)


def standings_page(event: pb.Tournament, found: pb.GetStandingsResponse) -> str:
    """The standings; the keys in the order of their weight."""
    heading = standings_title(found)
    keys = keys_shown(found)
    stages = [f'<td class="n">{stage}</td>' if stage else "" for stage in stages_shown(found)]
    head = ('<th class="n">stage</th>' if any(stages) else "") + "".join(
        f'<th class="n">{escape(key)}</th>' for key in keys
    )
    left = any(line.standing != "in" for line in found.lines)
    rows = "".join(
        f'<tr><td class="n">{line.place or "–"}</td><td>{escape(line.name)}</td>{stage}'
        + "".join(f'<td class="n">{escape(figures_shown(line, found.keys)[key])}</td>' for key in keys)
        + (f"<td>{escape('' if line.standing == 'in' else line.standing)}</td>" if left else "")
        + "</tr>"
        for line, stage in zip(found.lines, stages, strict=True)
    )
    head = f'<tr><th class="n">place</th><th>name</th>{head}{"<th>standing</th>" if left else ""}</tr>'
    table = f"<table><thead>{head}</thead><tbody>{rows}</tbody></table>"
    return document(f"{event.name}, {heading}", [f"<h1>{escape(event.name)}</h1>", f"<p>{escape(heading)}</p>", table])


def document(title: str, parts: Sequence[str]) -> str:
    """``parts`` are HTML already."""
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n"
        + "\n".join(part for part in parts if part)
        + "\n</main>\n</body>\n</html>\n"
    )


def _by_name(found: pb.GetRoundResponse) -> str:
    rows = (
        f"<div><span>{escape(name)}</span><b>{f'table {table} · seat {seat}' if seat else table}</b></div>"
        for name, table, seat in by_name(found)
    )
    return f'<div class="names">{"".join(rows)}</div>'


def _by_table(found: pb.GetRoundResponse) -> str:
    width = max((len(table.places) for table in found.tables), default=0)
    head = "".join(f"<th>seat {seat}</th>" for seat in range(width))
    rows = "".join(
        f'<tr><td class="n"><b>{table.number}</b></td>'
        + "".join(f"<td>{_person(place)}</td>" for place in table.places)
        + "<td></td>" * (width - len(table.places))
        + "</tr>"
        for table in found.tables
    )
    return f'<table><thead><tr><th class="n">table</th>{head}</tr></thead><tbody>{rows}</tbody></table>'


def _person(place: pb.Place) -> str:
    name = escape(place.name or place.player)
    if place.no_show:
        return f"<s>{name}</s>"
    return f"{name}<br><small>{place.place}. with {place.score}</small>" if place.place else name


def _slip(event: pb.Tournament, found: pb.GetRoundResponse, table: pb.Table) -> str:
    rows = "".join(
        f'<tr><td>{escape(place.name or place.player)}</td><td class="w"></td><td class="w"></td>'
        '<td class="sign"></td></tr>'
        for place in table.places
    )
    return (
        f'<div class="slip"><h3><span>Table {table.number}</span><span>Round {found.round}</span></h3>'
        f"<table><thead><tr><th>{escape(_title_of(found.game))}</th><th>score</th><th>place</th><th>signature</th></tr></thead>"
        f"<tbody>{rows}</tbody></table><p>{escape(event.name)}</p></div>"
    )


def _people(label: str, people: Sequence[pb.Entrant]) -> str:
    names = ", ".join(escape(each.name or each.player) for each in people)
    return f"<p><b>{label}:</b> {names}</p>" if names else ""


def _title_of(game: str) -> str:
    """As it stands on the box; the key of a game that this house does not have."""
    known = all_games().get(game)
    return known.title if known else game
