"""How far a long command is, on stderr and only for a person who looks."""

from types import TracebackType
from typing import Self

from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bars

from cli.output import errors


class Progress:
    """A context. One line of progress at a time; nothing is shown where stderr is no terminal."""

    def __init__(self) -> None:
        self._bars = Bars(
            TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
            console=errors, transient=True, disable=not errors.is_terminal,
        )  # fmt: skip
        self._task: TaskID | None = None

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bars.stop()

    def begin(self, what: str, total: int) -> None:
        """``what`` is being done from now on, in ``total`` steps."""
        if self._task is not None:
            self._bars.remove_task(self._task)
        self._task = self._bars.add_task(what, total=total)

    def reach(self, done: int) -> None:
        assert self._task is not None
        self._bars.update(self._task, completed=done)
