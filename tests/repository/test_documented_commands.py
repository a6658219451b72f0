"""The commands that the documents show exist, with the options that they show; the quick starts are run besides."""

import re
import shlex
from pathlib import Path

import click
import pytest

from chronik.cli.main import cli

ROOT = Path(__file__).resolve().parent.parent.parent
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "deploy" / "README.md", *(ROOT / "docs").glob("*.md")]
COMMAND = re.compile(r"^(?:.*[|;] *)?(?: {4})?(?:\.venv/bin/)?chronik ([a-z].*?)(?: *[|;&<>#].*)?$", re.MULTILINE)
FENCED = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
INDENTED = re.compile(r"^ {4}.+$", re.MULTILINE)


def shown() -> list[str]:
    """The commands in fenced and indented blocks, without what the shell makes of them."""
    texts = [document.read_text(encoding="utf-8") for document in DOCUMENTS]
    blocks = [block for text in texts for block in (*FENCED.findall(text), *INDENTED.findall(text))]
    return sorted({command for block in blocks for command in COMMAND.findall(block)})


def resolve(words: list[str]) -> tuple[click.Command, list[str]]:
    """The command that the words name, and what follows it."""
    command: click.Command = cli
    rest = list(words)
    while isinstance(command, click.Group) and not (command.invoke_without_command and rest[0].startswith("-")):
        found = command.get_command(click.Context(command), rest[0])
        assert found is not None, f"no such command: {' '.join(words)}"
        command, rest = found, rest[1:]
    return command, rest


def test_the_documents_show_commands() -> None:
    assert len(shown()) >= 10


@pytest.mark.parametrize("line", shown())
def test_a_command_in_a_document_exists_with_its_options(line: str) -> None:
    command, rest = resolve(shlex.split(line))
    known = {option for parameter in command.params for option in parameter.opts}
    assert [word for word in rest if word.startswith("-") and word not in known] == []


def test_a_command_that_does_not_exist_would_be_seen() -> None:
    with pytest.raises(AssertionError, match="no such command"):
        resolve(["topic", "explode"])
