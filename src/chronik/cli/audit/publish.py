"""``chronik audit publish``: ledgers of this machine, published to a topic as they grow."""

import asyncio
from pathlib import Path
from typing import Final

import click

from chronik.cli import exits
from chronik.cli.shell.options import ClientOptions, client_options, examples, with_cluster
from chronik.cli.shell.output import print_json_line
from chronik.cli.shell.spark_extra import spark_failures
from chronik.client.cluster import Cluster

_EXAMPLES: Final = examples(
    "chronik topic create orders-audit --partitions 1",
    "chronik audit publish --ledger runs/orders --ledger-topic orders-audit --follow",
)


@click.command(epilog=f"{_EXAMPLES}\n\n{exits.EXIT_CODES_HELP}")
@click.option(
    "--ledger",
    required=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="The directory into which clients of this machine record.",
)
@click.option("--ledger-topic", required=True, metavar="TOPIC", help="Where to; only its partition 0 is used.")
@click.option("-F", "--follow", is_flag=True, help="Go on with what is recorded later, instead of ending.")
@click.option(
    "--interval",
    type=click.FloatRange(0.1),
    default=1.0,
    show_default=True,
    metavar="SECONDS",
    help="With --follow: how often to look.",
)
@client_options
def publish(options: ClientOptions, ledger: Path, ledger_topic: str, follow: bool, interval: float) -> int:
    """Publish ledgers to a topic, from which 'chronik audit watch --ledger-topic' puts them together again.

    What was published is noted beside the ledgers. After a kill some of it may be published once more: no harm is done.
    """

    async def work(cluster: Cluster) -> int:
        from chronik.audit.ledger.topic import publish as publish_once

        while True:
            count = await publish_once(cluster, ledger_topic, ledger)
            if options.as_json:
                print_json_line({"bytes": count})
            elif count or not follow:
                click.echo(f"{count:,} bytes published to {ledger_topic}", err=True)
            if not follow:
                return exits.OK
            await asyncio.sleep(interval)

    with spark_failures():
        return with_cluster(options, work)
