"""``chronik topic``: the table of its commands."""

from typing import Final

import click

from chronik.cli.lazy import Entry, LazyGroup

COMMANDS: Final = {
    "create": Entry("chronik.cli.topic_admin", "create", "Create topics."),
    "list": Entry("chronik.cli.topic_admin", "list_topics", "List topics."),
    "describe": Entry("chronik.cli.topic_describe", "describe", "Show leaders, replicas, offsets and configs."),
    "alter": Entry("chronik.cli.topic_admin", "alter", "More partitions, other configs, fewer records."),
    "delete": Entry("chronik.cli.topic_admin", "delete", "Delete topics and all of their records."),
    "produce": Entry("chronik.cli.topic_produce", "produce", "Send lines as records."),
    "consume": Entry("chronik.cli.topic_consume", "consume", "Print records."),
}


@click.group(cls=LazyGroup, entries=COMMANDS)
def topic() -> None:
    """Create, list, describe, alter and delete topics; produce to them and consume them."""
