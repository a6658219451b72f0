"""``chronik audit topic``: a topic whose producers know nothing of Chronik, as far as it speaks for itself."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import click

from chronik.cli import exits
from chronik.cli.archive.options import open_table, read_rules
from chronik.cli.shell.options import ClientOptions, client_options, examples, with_cluster
from chronik.cli.shell.output import print_json, print_table, progress
from chronik.cli.shell.spark_extra import spark_failures
from chronik.client.cluster import Cluster

if TYPE_CHECKING:
    from chronik.audit.topic.audit import ReplicaFacts, TopicAudit
    from chronik.spark.archive.verify import VerifyResult

_COLUMNS: Final = (
    "partition", "broker", "role", "start", "watermark", "end", "read to", "batches", "records", "idempotent",
    "producers",
)  # fmt: skip
_FINDINGS_SHOWN_MAX: Final = 40
_EXAMPLES: Final = examples(
    "chronik audit topic --topic orders",
    "chronik audit topic --topic orders --partition 3 --json",
    "chronik audit topic --topic orders --archive lake/orders",
)


@click.command(epilog=f"{_EXAMPLES}\n\n{exits.EXIT_CODES_HELP}")
@click.option("--topic", required=True, metavar="TOPIC", help="Which one.")
@click.option("-p", "--partition", "chosen", type=click.IntRange(0), multiple=True, metavar="N", help="Only these.")
@click.option("--archive", "url", metavar="URL", help="Compare an archive of it too.")
@client_options
def topic(options: ClientOptions, topic: str, chosen: tuple[int, ...], url: str | None) -> int:
    """Examine a topic: offsets, checksums, times, producers' sequences, and replica against replica.

    Nothing needs to be recorded for it, and so it cannot know everything: it says what it cannot.
    """
    found: list[TopicAudit] = []

    async def work(cluster: Cluster) -> int:
        from chronik.audit.topic.audit import audit_topic

        with progress("examining") as advance:
            examined = 0

            def on_progress(records: int) -> None:
                nonlocal examined
                examined += records
                advance(examined)

            found.append(await audit_topic(cluster, topic, chosen, on_progress))
        return exits.OK

    with spark_failures():
        compare = None if url is None else _archive_to_compare(options, topic, url)
        with_cluster(options, work)
        archive = None if compare is None else compare()
        _print_json(found[0], archive) if options.as_json else _print(found[0], archive)
    return _exit_code(found[0], archive)


def _exit_code(audit: "TopicAudit", archive: "VerifyResult | None") -> int:
    """Return 1 where anything is wrong, be it in the archive only."""
    return exits.FAILED if archive is not None and not archive.is_sound else audit.exit_code


def _archive_to_compare(options: ClientOptions, topic: str, url: str) -> "Callable[[], VerifyResult]":
    """Open an archive, before anything else takes its time, and give what compares it with the topic."""
    from chronik.spark.archive.table import ArchiveError
    from chronik.spark.archive.topic_state import ask_topic
    from chronik.spark.archive.verify import verify

    table = open_table(url, None, ())
    snapshot = table.snapshot()
    if snapshot is None:
        raise ArchiveError(f"{url} holds no archive", f"Make one: chronik archive --topic {topic} --to {url}")
    rules = read_rules(options, committed=snapshot.identity.is_read_committed)

    def compare() -> "VerifyResult":
        with progress("comparing files") as advance:
            return verify(table, ask_topic(topic, rules), rules, allows_lag=True, on_file=advance)

    return compare


def _print_json(audit: "TopicAudit", archive: "VerifyResult | None") -> None:
    from chronik.audit.topic.audit import as_json
    from chronik.cli.archive.care import verdict_document

    document = None if archive is None else verdict_document(archive)
    print_json({**as_json(audit), "archive": document, "exit_code": _exit_code(audit, archive)})


def _print(audit: "TopicAudit", archive: "VerifyResult | None") -> None:
    click.echo(_headline(audit, archive))
    click.echo()
    print_table(_COLUMNS, [_row(replica) for replica in audit.replicas])
    for replica in audit.replicas:
        if replica.problem:
            click.echo(f"partition {replica.partition} at broker {replica.node} was not read: {replica.problem}")
    _print_findings(audit)
    if archive is not None:
        _print_archive(archive)
    click.echo("\nCannot be known without ledgers:")
    for line in audit.unknowable():
        click.echo(f"  - {line}")


def _headline(audit: "TopicAudit", archive: "VerifyResult | None") -> str:
    from chronik.audit.tables.words import counted

    examined = [replica.examination for replica in audit.leaders() if replica.examination is not None]
    records = counted(sum(one.records for one in examined), "record")
    words = {
        exits.OK: "nothing is wrong that can be seen",
        exits.FAILED: "something is wrong",
        exits.UNKNOWN: "it is not known whether all is right",
    }
    partitions = counted(len(audit.leaders()), "partition")
    return f"{audit.topic}: {records} in {partitions}; {words[_exit_code(audit, archive)]}."


def _print_archive(archive: "VerifyResult") -> None:
    """Print whether an archive has every offset once, up to where it was written."""
    from chronik.audit.tables.words import counted

    archived = counted(sum(account.archived for account in archive.accounts), "record")
    behind = sum(account.behind for account in archive.accounts)
    word = "has every record once" if archive.is_sound else "is not what the topic is"
    later = f"; {counted(behind, 'offset')} of the topic came later and must still be archived" if behind else ""
    click.echo(f"\nThe archive, with {archived} in {counted(archive.files, 'file')}, {word}{later}.")
    for finding in archive.findings[:_FINDINGS_SHOWN_MAX]:
        places = [] if finding.partition is None else [f"partition {finding.partition}"]
        if finding.offsets:
            places.append(f"offsets {finding.offsets.start:,} to {finding.offsets.end - 1:,}")
        click.echo(f"  {': '.join(filter(None, (', '.join(places), str(finding.kind), finding.detail)))}")
    if len(archive.findings) > _FINDINGS_SHOWN_MAX:
        click.echo(f"  ... and {len(archive.findings) - _FINDINGS_SHOWN_MAX:,} more: --json gives them")


def _print_findings(audit: "TopicAudit") -> None:
    if not audit.findings:
        return
    order = ["wrong", "unexplained", "shown"]
    found = sorted(audit.findings, key=lambda finding: (order.index(finding.weight), finding.partition))
    click.echo()
    rows = [
        (one.weight, one.kind, one.partition, one.node, one.first_offset if one.first_offset >= 0 else None, one.text)
        for one in found[:_FINDINGS_SHOWN_MAX]
    ]
    print_table(("", "what", "partition", "broker", "offset", "which is"), rows)
    if len(found) > _FINDINGS_SHOWN_MAX:
        click.echo(f"... and {len(found) - _FINDINGS_SHOWN_MAX:,} more: --json gives them")


def _row(replica: "ReplicaFacts") -> tuple[object, ...]:
    role = "leader" if replica.is_leader else "in sync" if replica.is_in_sync else "behind"
    bounds = (replica.log_start, replica.high_watermark, replica.log_end)
    examined = replica.examination
    counts = (None,) * 5 if examined is None else (
        replica.read_end, examined.batches, examined.records, examined.idempotent_batches, examined.producers
    )  # fmt: skip
    return (replica.partition, replica.node, role, *(b if b >= 0 else None for b in bounds), *counts)
