"""The commands that the README shows exist, with the options that it shows."""

import re
import shlex
from pathlib import Path

import click
import pytest

from chronik.cli.main import cli

README = Path(__file__).resolve().parent.parent.parent / "README.md"
COMMAND = re.compile(r"^ {4}(?:\.venv/bin/)?chronik (.+?)(?: +#.*)?$", re.MULTILINE)


def shown() -> list[str]:
    return COMMAND.findall(README.read_text(encoding="utf-8"))


def resolve(words: list[str]) -> tuple[click.Command, list[str]]:
    """The command that the words name, and what follows it."""
    command: click.Command = cli
    rest = list(words)
    while isinstance(command, click.Group):
        found = command.get_command(click.Context(command), rest[0])
        assert found is not None, f"no such command: {' '.join(words)}"
        command, rest = found, rest[1:]
    return command, rest


def test_the_readme_shows_commands() -> None:
    assert len(shown()) >= 5


@pytest.mark.parametrize("line", shown())
def test_a_command_in_the_readme_exists_with_its_options(line: str) -> None:
    command, rest = resolve(shlex.split(line))
    known = {option for parameter in command.params for option in parameter.opts}
    assert [word for word in rest if word.startswith("-") and word not in known] == []


def test_a_command_that_does_not_exist_would_be_seen() -> None:
    with pytest.raises(AssertionError, match="no such command"):
        resolve(["topic", "explode"])
