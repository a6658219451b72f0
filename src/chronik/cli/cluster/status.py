"""``chronik cluster status``: brokers, controller, leaders, in-sync sets, and what is wrong with them."""

import asyncio
from pathlib import Path

import click

from chronik.cli import exits
from chronik.cli.cluster.layout import LaidOutBroker, nodes_in
from chronik.cli.cluster.observation import observed
from chronik.cli.cluster.report import ClusterReport, print_brokers, print_partitions, report_of
from chronik.cli.cluster.start import data_option
from chronik.cli.shell.options import failure_of
from chronik.cli.shell.output import print_json
from chronik.client.cluster import Cluster
from chronik.client.errors import ClientError


@click.command()
@data_option
@click.option(
    "-b",
    "--bootstrap",
    "--bootstrap-server",
    "bootstrap",
    metavar="HOST:PORT,...",
    help="A cluster anywhere, instead of a directory's.",
)
@click.option("--check", is_flag=True, help="End with code 1 if a broker or a replica is missing.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of tables.")
@click.option("--watch", "is_watched", is_flag=True, help="Stay and show it live; q or Ctrl-C leaves.")
@click.option("--interval", type=click.FloatRange(0.1), default=1.0, show_default=True, help="Seconds between looks.")
def status(data: Path, bootstrap: str | None, check: bool, as_json: bool, is_watched: bool, interval: float) -> int:
    """Show running brokers, leaders, ISRs, and how far log ends are ahead of watermarks.

    With --watch also faults in words, rates, memory and groups, as far as the brokers' HTTP server can be reached.
    """
    if is_watched:
        return _watch(data.absolute(), bootstrap, interval, is_alone=not (check or as_json))
    report = _local(data.absolute()) if bootstrap is None else _remote(bootstrap)
    if as_json:
        print_json(report.document())
    else:
        _print(report)
    return exits.FAILED if check and not _is_well(report) else exits.OK


def _watch(directory: Path, bootstrap: str | None, interval_s: float, *, is_alone: bool) -> int:
    if not is_alone:
        raise exits.Failure("--watch shows, and neither judges nor prints JSON", code=exits.WRONG_USE)
    from chronik.cli.cluster.watch import watch
    from chronik.cli.cluster.watch_status import Watch

    return watch(Watch(() if bootstrap else _nodes(directory), bootstrap), interval_s)


def _local(directory: Path) -> ClusterReport:
    return asyncio.run(observed(_nodes(directory)))


def _nodes(directory: Path) -> list[LaidOutBroker]:
    nodes = nodes_in(directory)
    if not nodes:
        raise exits.Failure(
            f"there is no cluster in {directory}",
            "--data names another directory, --bootstrap any cluster.",
            exits.UNKNOWN,
        )
    return nodes


def _remote(bootstrap: str) -> ClusterReport:
    async def ask() -> ClusterReport:
        async with Cluster(bootstrap) as cluster:
            return await report_of(cluster)

    try:
        return asyncio.run(ask())
    except ClientError as error:
        raise failure_of(error) from error


def _is_well(report: ClusterReport) -> bool:
    are_running = all(row.state == "running" for row in report.brokers)
    return are_running and report.is_known and not (report.under_replicated or report.offline)


def _print(report: ClusterReport) -> None:
    controller = "no controller is known" if report.controller is None else f"broker {report.controller} controls"
    print_brokers(report, f"cluster {report.cluster_id or '(no broker answers)'}, {controller}")
    if report.partitions:
        click.echo()
        print_partitions(report)
    for title, names in (("under-replicated", report.under_replicated), ("offline", report.offline)):
        click.echo(f"{title}: {', '.join(names) or 'none' if report.is_known else 'not known'}")
