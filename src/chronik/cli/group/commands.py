"""``chronik group``: the table of its commands."""

from typing import Final

import click

from chronik.cli.lazy import Entry, LazyGroup

COMMANDS: Final = {
    "list": Entry("chronik.cli.group.listing", "list_groups", "List groups with state, type and number of members."),
    "describe": Entry("chronik.cli.group.describe", "describe", "Show offsets, lag and members of groups."),
    "seek": Entry("chronik.cli.group.seek", "seek", "Move the committed offsets of a group (a dry run by itself)."),
    "delete": Entry("chronik.cli.group.delete", "delete", "Delete groups, or their offsets of some topics."),
}


@click.group(cls=LazyGroup, entries=COMMANDS)
def group() -> None:
    """List, describe and delete consumer groups; move their committed offsets."""
