"""``chronik trace export``: convert trace files to one Parquet file."""

from pathlib import Path

import click

from chronik.cli import exits
from chronik.cli.shell.options import examples
from chronik.cli.shell.output import print_json
from chronik.cli.shell.spark_extra import spark_failures


@click.command(
    epilog=examples("chronik trace export chronik-data --to trace.parquet", "chronik trace export a/traces b/traces")
)
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True))
@click.option(
    "--to", "target", type=click.Path(path_type=Path, dir_okay=False), default="trace.parquet", show_default=True
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def export(paths: tuple[Path, ...], target: Path, as_json: bool) -> int:
    """Convert trace files to one Parquet file. Of a directory, all trace files below it are read."""
    with spark_failures():
        from chronik.spark.traces import export_traces

        try:
            made = export_traces(paths, target)
        except FileNotFoundError as error:
            raise exits.Failure(
                str(error), "chronik trace on --files makes brokers write them.", exits.UNKNOWN
            ) from error
        except OSError as error:
            raise exits.Failure(f"{target} cannot be written: {error}") from error
    if as_json:
        print_json({"target": str(target), **made._asdict()})
    else:
        lost = f", {made.damaged_lines} damaged lines left out" if made.damaged_lines else ""
        click.echo(f"{target}: {made.events:,} events of {made.files} files{lost}")
    return exits.OK
