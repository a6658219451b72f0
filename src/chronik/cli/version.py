"""``chronik version``."""

import platform

import click

from chronik import __version__

KAFKA_BASELINE = "4.1.0"


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def version(as_json: bool) -> None:
    """Print the versions of Chronik, of the Kafka protocol and of Python."""
    if as_json:
        from chronik.cli.shell.output import print_json

        facts = {"chronik": __version__, "kafka_protocol": KAFKA_BASELINE, "python": platform.python_version()}
        print_json(facts)
        return
    click.echo(f"chronik {__version__} (protocol of Kafka {KAFKA_BASELINE}, Python {platform.python_version()})")
