"""The command ``chronik``: finds the subcommand, loads only its module, and turns its end into an exit code."""

import os
import sys
from collections.abc import Sequence
from typing import Any, Final

import click

from chronik.cli import exits
from chronik.cli.lazy import Entry, LazyGroup

COMMANDS: Final = {
    "serve": Entry("chronik.cli.serve", "serve", "Run a broker in the foreground."),
    "cluster": Entry("chronik.cli.cluster.commands", "cluster", "Start, inspect and stop a cluster on this machine."),
    "topic": Entry(
        "chronik.cli.topic.commands", "topic", "Create, list, alter, delete, produce to and consume topics."
    ),
    "group": Entry("chronik.cli.group.commands", "group", "List, describe, delete groups; move committed offsets."),
    "config": Entry("chronik.cli.config", "config", "Get and set configs of topics and brokers."),
    "trace": Entry("chronik.cli.trace.commands", "trace", "Follow requests, watermarks and leaders, event by event."),
    "log": Entry("chronik.cli.log", "log", "Dump or verify a partition's files, without a broker."),
    "archive": Entry("chronik.cli.archive.commands", "archive", "Archive a topic as Delta or Parquet, exactly once."),
    "audit": Entry("chronik.cli.audit.commands", "audit", "Account for every message, and name the cause of a loss."),
    "sql": Entry("chronik.cli.sql", "sql", "Ask topics and archives in SQL."),
    "doctor": Entry("chronik.cli.doctor.checks", "doctor", "Check this machine for a broker's needs."),
    "simulate": Entry("chronik.cli.simulate", "simulate", "Try the cluster's promises in simulated time, from a seed."),
    "scripts": Entry("chronik.cli.scripts", "scripts", "Install Kafka's tools by name (kafka-topics.sh ...)."),
    "completion": Entry("chronik.cli.shell.completion", "completion", "Print the completion script of a shell."),
    "version": Entry("chronik.cli.version", "version", "Print the version."),
}


_WITHOUT_SETTINGS: Final = frozenset({"audit", "log", "simulate", "scripts", "completion", "version"})

_COMPLETING: Final = "_CHRONIK_COMPLETE"
"""Set by the shell while it completes a line; click answers in place of a command."""


class OutputClosed(click.ClickException):
    """The reader of the output has closed it: exit without an error message."""


class Commands(LazyGroup):
    """The commands of the program."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the subcommand; a closed pipe is taken here, before click makes a failure of it."""
        try:
            code = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError as error:
            raise OutputClosed("") from error
        return code


@click.group(
    cls=Commands,
    entries=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=exits.EXIT_CODES_HELP,
)
@click.option("-X", "overrides", multiple=True, metavar="KEY=VALUE", help="A setting, as with each command.")
@click.pass_context
def cli(ctx: click.Context, overrides: tuple[str, ...]) -> None:
    """Chronik: a Kafka-compatible event log that accounts for every message."""
    if overrides and ctx.invoked_subcommand in _WITHOUT_SETTINGS:
        raise click.UsageError(f"'chronik {ctx.invoked_subcommand}' has no settings: leave out -X")
    ctx.obj = overrides


def run(args: Sequence[str]) -> int:
    """Run one command and give its exit code."""
    if _COMPLETING in os.environ:
        from chronik.cli.shell.completion import offer_names

        offer_names()
    try:
        code = cli.main(args=list(args), prog_name="chronik", standalone_mode=False)
    except click.UsageError as error:
        error.show()
        return exits.WRONG_USE
    except OutputClosed:
        _silence_output()
        return exits.PIPE_CLOSED
    except click.ClickException as error:
        error.show()
        return error.code if isinstance(error, exits.Failure) else exits.FAILED
    except (click.Abort, KeyboardInterrupt):
        return exits.INTERRUPTED
    return code if isinstance(code, int) else exits.OK


def _silence_output() -> None:
    """Keep the interpreter from complaining, at its end, that the reader of our output has gone."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def main() -> None:
    """Enter from the shell."""
    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
