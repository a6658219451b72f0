"""``chronik cluster``: the table of its commands."""

from typing import Final

import click

from chronik.cli.lazy import Entry, LazyGroup

COMMANDS: Final = {
    "start": Entry("chronik.cli.cluster.start", "start", "Start brokers on this machine, or those that do not run."),
    "status": Entry("chronik.cli.cluster.status", "status", "Show brokers, leaders, in-sync sets and what lags."),
    "stop": Entry("chronik.cli.cluster.stop", "stop", "Stop the brokers, or one of them, in good order."),
}


@click.group(cls=LazyGroup, entries=COMMANDS)
def cluster() -> None:
    """Start, look at and stop a cluster of brokers on this machine."""
