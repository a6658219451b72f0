"""``chronik log``: look into a partition's files without a broker."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from chronik.cli import exits
from chronik.cli.shell.output import print_json, print_json_line, print_table, progress
from chronik.storage.inspect import BatchRow, DamageRow, VerifyReport, jsonable, partition_directories
from chronik.storage.inspect import dump as dump_rows
from chronik.storage.inspect import verify as verify_partition
from chronik.storage.inspect_files import LogFinding

_path = click.argument("path", type=click.Path())
_json = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")


@click.group()
def log() -> None:
    """Dump or verify a partition's files; no broker is needed, and a running one is not disturbed."""


@log.command()
@_path
@click.option("--records", "with_records", is_flag=True, help="Show the records of each batch.")
@click.option("--from", "from_offset", type=click.IntRange(0), default=0, help="Begin at this offset.")
@click.option("--to", "end_offset", type=click.IntRange(0), help="End before this offset.")
@_json
def dump(path: str, with_records: bool, from_offset: int, end_offset: int | None, as_json: bool) -> int:
    """Show the batches of a partition's directory, or of one .log file."""
    is_damaged = False
    with _readable(path):
        for row in dump_rows(path, with_records=with_records, from_offset=from_offset, end_offset=end_offset):
            is_damaged |= isinstance(row, DamageRow)
            if as_json:
                print_json_line(_typed(row))
            else:
                _echo(row)
    return exits.FAILED if is_damaged else exits.OK


def _typed(row: BatchRow | DamageRow) -> dict[str, Any]:
    return {"type": "batch" if isinstance(row, BatchRow) else "damage", **jsonable(row)}


def _echo(row: BatchRow | DamageRow) -> None:
    if isinstance(row, DamageRow):
        span = f"{row.file}:{row.position}-{row.end_position}"
        click.echo(f"DAMAGE {span} expected offset {row.expected_offset}: {row.reason}")
        return
    click.echo(
        f"{row.file}:{row.position} offsets {row.base_offset}-{row.last_offset} records {row.record_count} "
        f"bytes {row.size_bytes} epoch {row.leader_epoch} codec {row.codec} {row.timestamp_type} {row.max_timestamp}"
        + _producer(row)
    )
    for record in row.records or ():
        click.echo(f"  {record.offset} {record.timestamp} key={record.key!r} value={record.value!r}{_headers(record)}")
    if row.records_error:
        click.echo(f"  RECORDS UNREADABLE: {row.records_error}")


def _producer(row: BatchRow) -> str:
    marks = (" transactional" if row.is_transactional else "") + (" control" if row.is_control else "")
    if row.producer_id < 0:
        return marks
    return f" producer {row.producer_id}/{row.producer_epoch} sequence {row.base_sequence}-{row.last_sequence}{marks}"


def _headers(record: Any) -> str:
    return f" headers={dict(record.headers)!r}" if record.headers else ""


@log.command()
@_path
@click.option("--records", "with_records", is_flag=True, help="Decompress and read every record too.")
@click.option("--gapless", is_flag=True, help="Holes between offsets are damage (not for compacted topics).")
@_json
def verify(path: str, with_records: bool, gapless: bool, as_json: bool) -> int:
    """Check a partition's directory, or every partition in a data directory; exit code 1 where one is damaged."""
    with _readable(path):
        directories = partition_directories(path)
        if not directories:
            raise exits.Failure(f"{path}: there is no partition in it", "Name a data directory.", exits.UNKNOWN)
        reports = list(_verified(directories, with_records, gapless))
    if as_json:
        print_json([{"is_sound": report.is_sound, **jsonable(report)} for report in reports])
    else:
        _print(reports)
    return exits.OK if all(report.is_sound for report in reports) else exits.FAILED


def _verified(directories: list[str], with_records: bool, gapless: bool) -> Iterator[VerifyReport]:
    with progress("verifying", len(directories)) as advance:
        for done, directory in enumerate(directories):
            advance(done)
            yield verify_partition(directory, with_records=with_records, gapless=gapless)


def _print(reports: list[VerifyReport]) -> None:
    columns = ("partition", "segments", "batches", "records", "bytes", "start", "end", "verdict")
    rows = [
        (
            report.directory,
            report.segments,
            report.batches,
            report.records,
            report.size_bytes,
            report.start_offset,
            report.end_offset,
            "sound" if report.is_sound else "DAMAGED",
        )
        for report in reports
    ]
    print_table(columns, rows)
    for report in reports:
        for finding in report.findings:
            click.echo(f"{finding.severity} {report.directory}/{finding.file}{_place(finding)}: {finding.message}")


def _place(finding: LogFinding) -> str:
    position = "" if finding.position is None else f":{finding.position}"
    return position + ("" if finding.offset is None else f" offset {finding.offset}")


@contextmanager
def _readable(path: str) -> Iterator[None]:
    try:
        yield
    except (FileNotFoundError, NotADirectoryError, PermissionError) as error:
        raise exits.Failure(
            f"{path}: {error.strerror}", "Check the path and who may read it.", exits.UNKNOWN
        ) from error
