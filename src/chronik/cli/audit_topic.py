"""``chronik audit topic``: a topic whose producers know nothing of Chronik, as far as it speaks for itself."""

from typing import TYPE_CHECKING, Final

import click

from chronik.cli import exits
from chronik.cli.archive_options import open_table, read_rules
from chronik.cli.options import ClientOptions, client_options, examples, with_cluster
from chronik.cli.output import print_json, print_table, progress
from chronik.cli.spark_extra import spark_failures
from chronik.client.cluster import Cluster

if TYPE_CHECKING:
    from chronik.audit.topic_audit import ReplicaFacts, TopicAudit

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
        from chronik.audit.topic_audit import audit_topic

        with progress("examining") as advance:
            examined = 0

            def on_progress(records: int) -> None:
                nonlocal examined
                examined += records
                advance(examined)

            found.append(await audit_topic(cluster, topic, chosen, on_progress))
        return exits.OK

    with spark_failures():
        with_cluster(options, work)
        archive = None if url is None else _compare_archive(options, topic, url)
        _print_json(found[0], archive) if options.as_json else _print(found[0], archive)
    return max(found[0].exit_code, 0) or (exits.FAILED if archive else exits.OK)


def _compare_archive(options: ClientOptions, topic: str, url: str) -> list[str]:
    """Say what is wrong with an archive of the topic."""
    from chronik.spark.archive.topic_state import ask_topic
    from chronik.spark.archive.verify import verify

    table = open_table(url, None, ())
    snapshot = table.snapshot()
    rules = read_rules(options, committed=snapshot is None or snapshot.identity.is_read_committed)
    verdict = verify(table, ask_topic(topic, rules), rules, allows_lag=True)
    return [
        f"{finding.kind}: partition {finding.partition}"
        + (f", offsets {finding.offsets.start:,} to {finding.offsets.end:,}" if finding.offsets else "")
        + (f": {finding.detail}" if finding.detail else "")
        for finding in verdict.findings
    ]


def _print_json(audit: "TopicAudit", archive: list[str] | None) -> None:
    from chronik.audit.topic_audit import as_json

    print_json({**as_json(audit), "archive": archive})


def _print(audit: "TopicAudit", archive: list[str] | None) -> None:
    click.echo(_headline(audit))
    click.echo()
    print_table(_COLUMNS, [_row(replica) for replica in audit.replicas])
    for replica in audit.replicas:
        if replica.problem:
            click.echo(f"partition {replica.partition} at broker {replica.node} was not read: {replica.problem}")
    _print_findings(audit)
    if archive is not None:
        click.echo(f"\nArchive: {'whole' if not archive else ''}")
        for line in archive[:_FINDINGS_SHOWN_MAX]:
            click.echo(f"  {line}")
    click.echo("\nCannot be known without ledgers:")
    for line in audit.unknowable():
        click.echo(f"  - {line}")


def _headline(audit: "TopicAudit") -> str:
    examined = [replica.examination for replica in audit.leaders() if replica.examination is not None]
    records = sum(one.records for one in examined)
    words = {
        0: "nothing is wrong that can be seen",
        1: "something is wrong",
        2: "it cannot be told whether all is right",
    }
    return f"{audit.topic}: {records:,} records in {len(audit.leaders())} partitions; {words[audit.exit_code]}."


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
