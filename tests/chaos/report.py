"""What a run says when it is over: faults by kind, how play went on, and every sentence that is not true."""

from collections import Counter
from pathlib import Path

from tests.chaos.checkers import BORROWED, CHECKERS
from tests.chaos.faults import KINDS
from tests.chaos.picture import timeline
from tests.chaos.run import Run

SENTENCES = len(BORROWED) + len(CHECKERS)


def report(run: Run) -> str:
    """Text for people, some lines long."""
    notes, left = run.aftermath.notes, run.aftermath.matches
    silence, began = notes.silence
    hit = next((each for each in reversed(notes.strikes) if each.began <= began + 1), None)
    lines = [
        f"seed {run.event.seed}: {run.event.tables} tables of {run.event.game}, {notes.seconds:.0f} s",
        f"{'fault':<26}{'times':>6}{'longest until well again':>28}",
    ]
    for kind, said in KINDS.items():
        strikes = [each for each in notes.strikes if each.fault.kind == kind]
        if strikes:
            longest = max(each.ended - each.began for each in strikes)
            lines.append(f"{said:<26}{len(strikes):>6}{longest:>26.1f} s")
    because = f", in the course of: {KINDS[hit.fault.kind]}, {hit.target}" if hit is not None else ""
    lines += [
        f"moves           {len(notes.told)} acknowledged, {sum(map(len, left.lines.values()))} commits in the log",
        f"retries         {len(notes.retries)} calls had no answer; {sum(each.repeat for each in notes.told)} moves "
        "were in the log already when they were sent again",
        f"watchers        {len(notes.sights)}, who came again {notes.resumed} times and read "
        f"{sum(len(sight.facts) for sight in notes.sights)} facts",
        f"longest silence {silence:.1f} s{because}",
    ]
    lines += [f"{copy.stream} on {copy.node}: {copy.last} lines, {copy.digest[:16]}"
              for copy in run.aftermath.copies]  # fmt: skip
    for violation in run.violations:
        lines.append(f"FALSE {violation.checker.name}: {violation.checker.sentence}")
        lines += [f"      {found}" for found in violation.found]
    held = SENTENCES - len(run.violations)
    lines.append(f"{held} of {SENTENCES} sentences hold")
    return "\n".join(lines)


def write(run: Run, labels: tuple[str, ...], folder: Path) -> Path:
    """The picture. Returns its file."""
    notes = run.aftermath.notes
    verdict = "every sentence holds" if not run.violations else f"{len(run.violations)} sentences are false"
    kinds = Counter(each.fault.kind for each in notes.strikes)
    told = (
        f"{len(notes.told)} moves, {sum(kinds.values())} faults, {len(notes.retries)} calls asked again, "
        f"longest silence {notes.silence[0]:.1f} s; {verdict}"
    )
    title = f"{run.event.tables} tables in a storm, seed {run.event.seed}"
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"seed-{run.event.seed}.svg"
    file.write_text(timeline(title, told, notes, labels))
    return file
