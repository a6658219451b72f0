"""How a command ends: exit codes as verdicts, and errors that say what happened, where, and what to do."""

from typing import IO, Any, Final

import click

OK: Final = 0
FAILED: Final = 1
UNKNOWN: Final = 2
WRONG_USE: Final = 3
INTERRUPTED: Final = 130
PIPE_CLOSED: Final = 141
TERMINATED: Final = 143

EXIT_CODES_HELP: Final = """\b
Exit codes:
  0    done; nothing wrong
  1    failed, refused, or a negative verdict
  2    could not tell: the cluster or file could not be reached
  3    wrong use: an option, argument or setting
  130  interrupted (Ctrl-C)
  143  ended by SIGTERM"""


class Failure(click.ClickException):
    """An end other than success, with its message for people."""

    def __init__(self, what: str, advice: str = "", code: int = FAILED) -> None:
        super().__init__(what)
        self.advice = advice
        self.code = code

    def show(self, file: IO[Any] | None = None) -> None:
        """Print what happened, and below it what to do."""
        click.echo(f"chronik: {self.message}", file=file, err=file is None)
        if self.advice:
            click.echo(f"  {self.advice}", file=file, err=file is None)
