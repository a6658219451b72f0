"""``chronik audit``: the table of its commands."""

from typing import Final

import click

from chronik.cli.lazy import Entry, LazyGroup

COMMANDS: Final = {
    "run": Entry("chronik.cli.audit.run", "run", "Send and read messages with real clients, and account for each."),
    "verify": Entry("chronik.cli.audit.verify", "verify", "Judge ledgers that exist."),
    "topic": Entry("chronik.cli.audit.topic", "topic", "Examine a topic whose producers know nothing of Chronik."),
    "explain": Entry("chronik.cli.audit.explain", "explain", "Show everything that is known of one message."),
    "report": Entry("chronik.cli.audit.report", "report", "Show the report of a run again, in any form."),
    "compare": Entry("chronik.cli.audit.compare", "compare", "Put runs side by side, and name what became worse."),
    "phases": Entry("chronik.cli.audit.phases", "phases", "Go through the three-phase plan, and say what to do next."),
    "matrix": Entry("chronik.cli.audit.matrix", "matrix", "Run with many client settings, and say what differs."),
    "watch": Entry("chronik.cli.audit.watch", "watch", "Watch a live topic: rolling verdicts, findings as they arise."),
    "publish": Entry("chronik.cli.audit.publish", "publish", "Publish ledgers to a topic, for a watch elsewhere."),
    "accident": Entry("chronik.cli.audit.accident", "accident", "Replay the accident, with or without its defects."),
}


@click.group(cls=LazyGroup, entries=COMMANDS)
def audit() -> None:
    """Account for every message: one verdict each, and the cause with its evidence, on any Kafka-compatible cluster."""
