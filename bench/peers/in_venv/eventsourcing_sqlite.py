"""eventsourcing on an SQLite file: one aggregate of 300 events rebuilt, and a projection of all of them.

    python -m bench.peers.in_venv.eventsourcing_sqlite SECONDS FOLDER AGGREGATES

The file is filled when it is not there. The projection reads notifications in batches, as the library's own runner
does, and folds each into its aggregate; nothing of it is stored.
"""

import json
import sys
from pathlib import Path
from uuid import UUID, uuid5

from eventsourcing.application import Application
from eventsourcing.domain import Aggregate, event

from bench.peers.in_venv.clocked import clocked

EVENTS = 300
BATCH = 500
SPACE = UUID(int=1)


class Sheet(Aggregate):
    """Events of about the size of ours."""

    @classmethod
    def create_id(cls, number: int) -> UUID:
        return uuid5(SPACE, str(number))

    @event("Begun")
    def __init__(self, number: int) -> None:
        self.number = number
        self.cells: dict[int, int] = {}
        self.score = 0

    @event("Written")
    def write(self, seat: int, cell: int, value: int, score: int, command: str, actor: str) -> None:
        self.cells[cell] = value
        self.score = score


class Sheets(Application[UUID]):
    pass


def main(seconds: float, folder: Path, aggregates: int) -> None:
    file = folder / "eventsourcing.sqlite"
    is_new = not file.exists()
    env = {"PERSISTENCE_MODULE": "eventsourcing.sqlite", "SQLITE_DBNAME": str(file)}
    app = Sheets(env)
    if is_new:
        fill(app, aggregates)
    asked = 0

    def rebuild() -> int:
        nonlocal asked
        asked += 1
        sheet = app.repository.get(Sheet.create_id(asked % aggregates))
        assert sheet.version == EVENTS
        return 1

    def project() -> int:
        sheets: dict[UUID, Sheet | None] = {}
        done, start = 0, 1
        while batch := app.recorder.select_notifications(start, BATCH):
            for notification in batch:
                told = app.mapper.to_domain_event(notification)
                sheets[told.originator_id] = told.mutate(sheets.get(told.originator_id))
            done += len(batch)
            start = batch[-1].id + 1
        assert len(sheets) == aggregates
        return done

    rebuilt = clocked(rebuild, seconds / 2)
    projected = clocked(project, seconds / 2)
    print(
        json.dumps(
            {
                "rebuild_ms": 1e3 / rebuilt["per_second"],
                "rebuild_cpu_ms": 1e3 / rebuilt["per_cpu_second"],
                "rebuild_per_second": EVENTS * rebuilt["per_second"],
                "rebuild_per_cpu_second": EVENTS * rebuilt["per_cpu_second"],
                "projection_per_second": projected["per_second"],
                "projection_per_cpu_second": projected["per_cpu_second"],
            }
        )
    )


def fill(app: Sheets, aggregates: int) -> None:
    for number in range(aggregates):
        sheet = Sheet(number=number)
        for cell in range(EVENTS - 1):
            sheet.write(
                seat=cell % 4,
                cell=cell,
                value=cell % 12,
                score=cell * 3,
                command=f"command-{number:06d}-{cell:06d}",
                actor=f"player:p{cell % 4:06d}",
            )
        app.save(sheet)


if __name__ == "__main__":
    main(float(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
