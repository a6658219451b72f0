"""``chronik cluster stop``: all brokers of a directory, or one, ended in good order."""

from pathlib import Path

import click

from chronik.cli import exits
from chronik.cli.cluster.layout import nodes_in
from chronik.cli.cluster.processes import STOP_S_MAX, end_all, pid_of
from chronik.cli.cluster.start import data_option
from chronik.cli.shell.output import print_json


@click.command()
@data_option
@click.option("--node", type=click.IntRange(0), help="Only this broker; the others take over what it leads.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
def stop(data: Path, node: int | None, as_json: bool) -> int:
    """Stop the brokers and return when they have ended; those that do not run are left alone."""
    nodes = [each for each in nodes_in(data.absolute()) if node in (None, each.node_id)]
    if not nodes:
        what = "no cluster" if node is None else f"no broker {node}"
        raise exits.Failure(f"there is {what} in {data.absolute()}", code=exits.WRONG_USE)
    running = [each.node_id for each in nodes if pid_of(each) is not None]
    late = [each.node_id for each in end_all(nodes)]
    if as_json:
        print_json({"stopped": sorted(set(running) - set(late)), "not_ended": late})
    else:
        click.echo(f"stopped: {', '.join(map(str, sorted(set(running) - set(late)))) or 'none was running'}")
    if late:
        raise exits.Failure(
            f"not ended after {STOP_S_MAX:.0f} s: broker {', '.join(map(str, late))}",
            "Its log says what it waits for; a paused process (SIGSTOP) needs SIGCONT first.",
        )
    return exits.OK
