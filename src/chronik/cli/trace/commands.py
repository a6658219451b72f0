"""``chronik trace``: the table of its commands."""

from typing import Final

import click

from chronik.cli.lazy import Entry, LazyGroup

COMMANDS: Final = {
    "on": Entry("chronik.cli.trace.switching", "switch_on", "Trace topics, or everything."),
    "off": Entry("chronik.cli.trace.switching", "switch_off", "Trace topics no more, or nothing at all."),
    "status": Entry("chronik.cli.trace.switching", "status", "Show what is traced, and what brokers hold of it."),
    "tail": Entry("chronik.cli.trace.tail", "tail", "Print the events of all brokers in one order of time."),
    "export": Entry("chronik.cli.trace.export", "export", "Make a Parquet file of trace files, for Spark and others."),
}


@click.group(cls=LazyGroup, entries=COMMANDS)
def trace() -> None:
    """Follow requests, watermarks and leaders of topics, event by event.

    The switch is the config chronik.trace of a topic or of the brokers: every admin tool of Kafka can set it.
    """
