"""``chronik topic``: the table of its commands."""

from typing import Final

import click

from chronik.cli.lazy import Entry, LazyGroup

COMMANDS: Final = {
    "create": Entry("chronik.cli.topic.admin", "create", "Create topics."),
    "list": Entry("chronik.cli.topic.admin", "list_topics", "List topics."),
    "describe": Entry("chronik.cli.topic.describe", "describe", "Show leaders, replicas, offsets and configs."),
    "alter": Entry("chronik.cli.topic.admin", "alter", "More partitions, other configs, fewer records."),
    "delete": Entry("chronik.cli.topic.admin", "delete", "Delete topics and all of their records."),
    "produce": Entry("chronik.cli.topic.produce", "produce", "Send lines as records."),
    "consume": Entry("chronik.cli.topic.consume", "consume", "Print records."),
}


@click.group(cls=LazyGroup, entries=COMMANDS)
def topic() -> None:
    """Create, list, describe, alter and delete topics; produce to them and consume them."""
