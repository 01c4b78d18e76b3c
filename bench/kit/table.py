"""The table of a run: one line a finding, the ratio and what is wanted of it last; notes below."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from bench.kit.figures import Finding, Outcome, Skipped, spread

MARKS = {Outcome.MET: "[green]met[/]", Outcome.MISSED: "[red]missed[/]", Outcome.TOLD: ""}


def show(found: Sequence[Finding | Skipped], console: Console | None = None) -> None:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("#", justify="right")
    for name in ("work", "ours", "against"):
        table.add_column(name, overflow="fold")
    table.add_column("ratio (min-max)", justify="right", no_wrap=True)
    table.add_column("wanted", no_wrap=True)
    for line in found:
        table.add_row(*_cells(line))
    console = console or Console()
    console.print(table)
    for line in found:
        if isinstance(line, Finding) and line.note:
            console.print(f"[dim]{line.row}. {line.what}: {line.note}[/]")


def _cells(line: Finding | Skipped) -> tuple[str, ...]:
    if isinstance(line, Skipped):
        return (str(line.row), line.what, "[dim]not measured[/]", f"[dim]{line.reason}[/]", "", "")
    ours = f"{number(spread(line.ours)[0])} {line.unit}"
    theirs = f"{line.against}\n{number(spread(line.theirs)[0])} {line.unit}" if line.theirs else line.against
    middle, least, most = (number(each) for each in spread(line.compared))
    ratio = f"{middle} ({least}-{most})"
    wanted = "" if line.wanted is None else f"{line.wanted} {MARKS[line.outcome]}"
    return (str(line.row), line.what, ours, theirs, ratio, wanted)


def number(value: float) -> str:
    """Three digits that matter, thousands with commas."""
    if value == 0:
        return "0"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"
