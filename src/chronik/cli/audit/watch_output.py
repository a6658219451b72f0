"""What ``chronik audit watch`` shows while it runs, tells Prometheus, and hands to an alert command."""

import json
import shlex
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from chronik.cli.shell.output import print_json_line, print_table

if TYPE_CHECKING:
    from prometheus_client.core import Metric

    from chronik.audit.watch.incidents import WatchFinding
    from chronik.audit.watch.report import AuditStatus

ALERT_SECONDS_MAX: Final = 30
_US: Final = 1_000_000
_LINE_SECONDS: Final = 10
"""How often a line tells how it goes, where it cannot be written over."""


class Alerts:
    """Runs a command for each new finding, once; which one was the last is kept beside the state."""

    def __init__(self, command: str | None, directory: Path) -> None:
        self._command = command
        self._path = directory / "alerted.json"
        self._last = json.loads(self._path.read_text())["finding"] if self._path.exists() else 0

    def raise_for(self, findings: "Iterable[WatchFinding]") -> None:
        """Hand over what nobody was told of; a command that fails is told of, and does not end the audit."""
        for finding in sorted(findings, key=lambda one: one.number):
            if finding.number > self._last and self._command is not None:
                self._run(self._command, finding)
                self._last = finding.number
                self._path.write_text(json.dumps({"finding": self._last}))

    def _run(self, command: str, finding: "WatchFinding") -> None:
        text = json.dumps(finding.as_json(), ensure_ascii=False)
        try:
            done = subprocess.run(
                shlex.split(command), input=text.encode(), timeout=ALERT_SECONDS_MAX, check=False, capture_output=True
            )
        except (OSError, ValueError, subprocess.TimeoutExpired) as error:
            click.echo(f"chronik: the alert command failed: {error}", err=True)
            return
        if done.returncode:
            said = done.stderr.decode(errors="replace").strip()
            click.echo(f"chronik: the alert command ended with {done.returncode}: {said}", err=True)


class Display:
    """Findings as they arise, and a line that tells how it goes."""

    def __init__(self, *, as_json: bool) -> None:
        self._as_json = as_json
        self._is_live = sys.stdout.isatty() and not as_json
        self._before: AuditStatus | None = None
        self._told_us = 0

    def show(self, picture: "AuditStatus", new: "Iterable[WatchFinding]") -> None:
        """Show a step: what is new at once, the rest as often as it can be read."""
        for finding in new:
            if self._as_json:
                print_json_line({"finding": finding.as_json()})
            else:
                self._clear()
                click.echo(f"{'WRONG' if finding.is_wrong else 'UNCLEAR'}  {finding.sentence}")
        if self._as_json:
            print_json_line({"state": picture.as_json()})
        elif self._is_live:
            self._clear()
            click.echo(self._line(picture)[: _width()], nl=False)
        elif picture.at_us - self._told_us >= _LINE_SECONDS * _US:
            click.echo(self._line(picture))
            self._told_us = picture.at_us
        sys.stdout.flush()
        self._before = picture

    def end(self, picture: "AuditStatus") -> None:
        """Tell all of it."""
        if self._as_json:
            print_json_line({"end": picture.as_json()})
            return
        self._clear()
        _print_end(picture)

    def _clear(self) -> None:
        if self._is_live:
            click.echo("\r\x1b[2K", nl=False)

    def _line(self, picture: "AuditStatus") -> str:
        if picture.waits_for:
            return f"{picture.topic}: waits for {picture.waits_for}"
        rates = ", ".join(f"{side} {rate:,.0f}/s" for side, rate in self._rates(picture))
        if not picture.has_ledgers:
            odd = sum(picture.oddities.values())
            return f"{picture.topic}: {picture.rows.get('stored', 0):,} records read, {odd:,} oddities; {rates}"
        return f"{picture.topic}: {_state_text(picture)}; {_findings(picture)}; {rates}"

    def _rates(self, picture: "AuditStatus") -> Iterator[tuple[str, float]]:
        before = self._before
        seconds = 0 if before is None else (picture.at_us - before.at_us) / _US
        for side, count in sorted(picture.rows.items()):
            known = 0 if before is None else before.rows.get(side, 0)
            yield side, (count - known) / seconds if seconds else 0.0


def _findings(picture: "AuditStatus") -> str:
    count = picture.findings_ever
    return f"{count:,} finding" if count == 1 else f"{count:,} findings"


def _state_text(picture: "AuditStatus") -> str:
    not_delivered = {
        group: counts["sent"] - counts["delivered"] for group, counts in picture.open.items() if counts["sent"]
    }
    waiting = max(not_delivered.values(), default=0)
    sent = max((counts["sent"] for counts in picture.open.values()), default=0)
    return f"{picture.final:,} final, {sent:,} open ({max(waiting, 0):,} not delivered yet)"


def _width() -> int:
    from chronik.cli.shell.screen import size

    return size()[0] - 1


def _print_end(picture: "AuditStatus") -> None:
    rows = [(one.group, one.verdict, one.count, one.count - one.allowed) for one in picture.totals]
    if rows:
        print_table(("group", "verdict", "messages", "not allowed"), rows, title="Final")
    for group, counts in sorted(picture.open.items()):
        if counts["sent"]:
            click.echo(
                f"Not final yet, {group or 'no group'}: {counts['sent']:,} sent, {counts['stored']:,} stored, "
                f"{counts['delivered']:,} delivered."
            )
    if picture.oddities:
        print_table(("batches", "times"), sorted(picture.oddities.items()))
    for side, count in sorted(picture.after_closing.items()):
        click.echo(f"After their verdict was final, {count:,} rows came of messages: {side}.")
    if picture.unknowable:
        click.echo("Cannot be known without ledgers:")
        for line in picture.unknowable:
            click.echo(f"  - {line}")
    words = {0: "nothing that is not allowed", 1: "something is wrong", 2: "it cannot be told"}
    click.echo(f"{picture.topic}: {words[int(picture.exit_code)]}; {_findings(picture)} in all.")


class Metrics:
    """The picture for Prometheus, as it was after the last step."""

    def __init__(self) -> None:
        self.picture: AuditStatus | None = None

    def collect(self) -> "Iterator[Metric]":
        """Return every family; Prometheus's client asks for this."""
        if self.picture is not None:
            yield from _families(self.picture)

    def serve(self, host: str, port: int) -> int:
        """Answer scrapers from a thread, and say at which port."""
        from prometheus_client import CollectorRegistry, start_http_server

        registry = CollectorRegistry()
        registry.register(self)
        server, _ = start_http_server(port, host, registry)
        return int(server.server_port)


def _families(picture: "AuditStatus") -> "Iterator[Metric]":
    from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

    def counter(name: str, text: str, labels: tuple[str, ...], samples: Iterable[tuple[Any, ...]]) -> "Metric":
        family = CounterMetricFamily(f"chronik_audit_{name}", text, labels=("topic", *labels))
        for *values, count in samples:
            family.add_metric([picture.topic, *map(str, values)], count)
        return family

    def gauge(name: str, text: str, labels: tuple[str, ...], samples: Iterable[tuple[Any, ...]]) -> "Metric":
        family = GaugeMetricFamily(f"chronik_audit_{name}", text, labels=("topic", *labels))
        for *values, count in samples:
            family.add_metric([picture.topic, *map(str, values)], count)
        return family

    of_verdict = ("group", "verdict")
    totals = picture.totals
    yield counter("messages", "Messages by final verdict, and by flag (+).", of_verdict,
                  [(one.group, one.verdict, one.count) for one in totals])  # fmt: skip
    yield counter("disallowed", "Those of them that break a promise.", of_verdict,
                  [(one.group, one.verdict, one.count - one.allowed) for one in totals])  # fmt: skip
    yield gauge("open_messages", "Messages without a final verdict, by what each side has.", ("group", "side"),
                [(group, side, n) for group, own in picture.open.items() for side, n in own.items()])  # fmt: skip
    yield counter("rows", "Rows read of each side.", ("side",), picture.rows.items())
    yield counter(
        "after_horizon", "Rows of messages whose verdict was final.", ("side",), picture.after_closing.items()
    )
    yield counter("oddities", "What batches say by themselves, by kind.", ("kind",), picture.oddities.items())
    yield counter("findings", "Findings, each once.", (), [(picture.findings_ever,)])
    yield gauge("findings_open", "Findings that were seen within the horizon.", (), [(len(picture.findings),)])
    yield gauge("latency_seconds", "From send to delivery.", ("group", "quantile"),
                [(group, share, value / _US) for group, own in picture.latencies_us.items()
                 for share, value in own.items()])  # fmt: skip
    yield gauge("caught_up_timestamp_seconds", "Everything in the log at this time was read.", (),
                [(picture.caught_up_us / _US,)])  # fmt: skip
    yield gauge("state_cells", "Sums that are held.", (), [(picture.cells,)])
