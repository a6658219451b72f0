"""Groups of commands that load a command's module when it is used, so that every command starts fast."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import click
from click.shell_completion import CompletionItem

from chronik.model.lazy import load


class Entry(NamedTuple):
    """Where a command lives, and one line about it, known without loading it."""

    module: str
    attribute: str
    help_line: str


class LazyGroup(click.Group):
    """A group over a table of entries."""

    def __init__(self, *args: Any, entries: Mapping[str, Entry], **options: Any) -> None:
        super().__init__(*args, **options)
        self._entries = entries

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Name the commands in the order of the table."""
        return list(self._entries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load one command."""
        entry = self._entries.get(cmd_name)
        if entry is None:
            return None
        command: click.Command = load(entry.module, entry.attribute)
        return command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[str]]:
        """Offer commands without loading them, and options."""
        commands = [
            CompletionItem(name, help=entry.help_line)
            for name, entry in self._entries.items()
            if name.startswith(incomplete)
        ]
        return [*commands, *click.Command.shell_complete(self, ctx, incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without loading them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.help_line) for name, entry in self._entries.items()])
