"""``chronik scripts``: Kafka's own tools by their names, written into a directory on request."""

import os
import shlex
import sys
from pathlib import Path
from typing import Final

import click

from chronik.cli import exits
from chronik.cli.kafka_scripts.tools import TOOLS, tool_of

_MARK: Final = "# Written by 'chronik scripts install'."
_MODE: Final = 0o755


@click.group()
def scripts() -> None:
    """Kafka's tools under their own names (kafka-topics.sh and others), without a JVM."""


@scripts.command("list")
def list_scripts() -> None:
    """Name the scripts that there are."""
    for name in TOOLS:
        click.echo(f"{name:<32}{tool_of(name).purpose}")


@scripts.command()
@click.argument("directory", type=click.Path(file_okay=False, path_type=Path))
@click.option("--force", is_flag=True, help="Replace files that were not written by this command.")
def install(directory: Path, force: bool) -> int:
    """Write the scripts into DIRECTORY, which is made where it does not exist.

    Scripts that this command wrote before are replaced; other files of the same names only with --force.
    """
    try:
        directory.mkdir(parents=True, exist_ok=True)
        foreign = [name for name in TOOLS if _is_foreign(directory / name)]
        if foreign and not force:
            raise exits.Failure(
                f"{directory}: not written by this command, and nothing was changed: {', '.join(foreign)}",
                "Choose another directory, or replace them with --force.",
            )
        for name in TOOLS:
            _write(directory / name, script_text(name))
    except OSError as error:
        raise exits.Failure(f"{error.filename}: {error.strerror}", "Check the path and its permissions.") from error
    click.echo(f"{len(TOOLS)} scripts written to {directory}")
    if str(directory.resolve()) not in os.environ.get("PATH", "").split(os.pathsep):
        click.echo(f'To find them by name: export PATH="{directory.resolve()}:$PATH"')
    return exits.OK


def script_text(name: str) -> str:
    """Return a script that runs its tool with the interpreter of this installation."""
    # -P: what lies in the caller's directory must not stand in for a module.
    command = f"exec {shlex.quote(sys.executable)} -P -m chronik.cli.kafka_scripts {name}"
    return f'#!/bin/sh\n{_MARK}\n{command} "$@"\n'


def _is_foreign(path: Path) -> bool:
    if not path.is_symlink() and not path.exists():
        return False
    return not path.is_file() or path.is_symlink() or _MARK not in path.read_text(errors="replace")


def _write(path: Path, text: str) -> None:
    """Put a script in place in one step, also where another is being run."""
    draft = path.with_name(f".{path.name}.new")
    draft.write_text(text)
    draft.chmod(_MODE)
    draft.replace(path)
