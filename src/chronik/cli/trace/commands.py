"""``chronik trace``: the table of its commands."""

from typing import Final

import click

from chronik.cli.lazy import Entry, LazyGroup

COMMANDS: Final = {
    "on": Entry("chronik.cli.trace.switching", "switch_on", "Trace topics, or everything."),
    "off": Entry("chronik.cli.trace.switching", "switch_off", "Stop tracing topics, or everything."),
    "status": Entry(
        "chronik.cli.trace.switching", "status", "Show the trace rules, and the events that each broker holds."
    ),
    "tail": Entry("chronik.cli.trace.tail", "tail", "Print the trace events of all brokers, ordered by time."),
    "export": Entry("chronik.cli.trace.export", "export", "Convert trace files to one Parquet file."),
}


@click.group(cls=LazyGroup, entries=COMMANDS)
def trace() -> None:
    """Follow requests, watermarks and leaders of topics, event by event.

    The switch is the config chronik.trace of a topic or of the brokers: every Kafka admin tool can set it.
    """
