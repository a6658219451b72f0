"""The outputs of ``chronik audit watch``: the terminal, Prometheus, and the alert command."""

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
"""How often a line with the status is printed, where it cannot be written over."""


class Alerts:
    """Runs a command for each new finding, once; which one was the last is kept beside the state."""

    def __init__(self, command: str | None, directory: Path) -> None:
        self._command = command
        self._path = directory / "alerted.json"
        self._last = json.loads(self._path.read_text())["finding"] if self._path.exists() else 0

    def raise_for(self, findings: "Iterable[WatchFinding]") -> None:
        """Hand over each finding once; a command that fails is reported, and does not end the audit."""
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
    """Findings as they arise, and a line with the status."""

    def __init__(self, *, as_json: bool) -> None:
        self._as_json = as_json
        self._is_live = sys.stdout.isatty() and not as_json
        self._before: AuditStatus | None = None
        self._printed_us = 0

    def show(self, status: "AuditStatus", new: "Iterable[WatchFinding]") -> None:
        """Show a step: what is new at once, the rest as often as it can be read."""
        for finding in new:
            if self._as_json:
                print_json_line({"finding": finding.as_json()})
            else:
                self._clear()
                click.echo(f"{'WRONG' if finding.is_wrong else 'UNCLEAR'}  {finding.sentence}")
        if self._as_json:
            print_json_line({"state": status.as_json()})
        elif self._is_live:
            self._clear()
            click.echo(self._line(status)[: _width()], nl=False)
        elif status.at_us - self._printed_us >= _LINE_SECONDS * _US:
            click.echo(self._line(status))
            self._printed_us = status.at_us
        sys.stdout.flush()
        self._before = status

    def end(self, status: "AuditStatus") -> None:
        """Print everything."""
        if self._as_json:
            print_json_line({"end": status.as_json()})
            return
        self._clear()
        _print_end(status)

    def _clear(self) -> None:
        if self._is_live:
            click.echo("\r\x1b[2K", nl=False)

    def _line(self, status: "AuditStatus") -> str:
        if status.waits_for:
            return f"{status.topic}: waits for {status.waits_for}"
        rates = ", ".join(f"{side} {rate:,.0f}/s" for side, rate in self._rates(status))
        if not status.has_ledgers:
            odd = sum(status.oddities.values())
            return f"{status.topic}: {status.rows.get('stored', 0):,} records read, {odd:,} oddities; {rates}"
        return f"{status.topic}: {_state_text(status)}; {_findings(status)}; {rates}"

    def _rates(self, status: "AuditStatus") -> Iterator[tuple[str, float]]:
        before = self._before
        seconds = 0 if before is None else (status.at_us - before.at_us) / _US
        for side, count in sorted(status.rows.items()):
            known = 0 if before is None else before.rows.get(side, 0)
            yield side, (count - known) / seconds if seconds else 0.0


def _findings(status: "AuditStatus") -> str:
    count = status.findings_ever
    return f"{count:,} finding" if count == 1 else f"{count:,} findings"


def _state_text(status: "AuditStatus") -> str:
    not_delivered = {
        group: counts["sent"] - counts["delivered"] for group, counts in status.open.items() if counts["sent"]
    }
    waiting = max(not_delivered.values(), default=0)
    sent = max((counts["sent"] for counts in status.open.values()), default=0)
    return f"{status.final:,} final, {sent:,} open ({max(waiting, 0):,} not delivered yet)"


def _width() -> int:
    from chronik.cli.shell.screen import size

    return size()[0] - 1


def _print_end(status: "AuditStatus") -> None:
    rows = [(one.group, one.verdict, one.count, one.count - one.allowed) for one in status.totals]
    if rows:
        print_table(("group", "verdict", "messages", "not allowed"), rows, title="Final")
    for group, counts in sorted(status.open.items()):
        if counts["sent"]:
            click.echo(
                f"Not final yet, {group or 'no group'}: {counts['sent']:,} sent, {counts['stored']:,} stored, "
                f"{counts['delivered']:,} delivered."
            )
    if status.oddities:
        print_table(("batches", "times"), sorted(status.oddities.items()))
    for side, count in sorted(status.after_closing.items()):
        click.echo(f"After their verdict was final, {count:,} rows came of messages: {side}.")
    if status.unknowable:
        click.echo("Cannot be known without ledgers:")
        for line in status.unknowable:
            click.echo(f"  - {line}")
    words = {0: "nothing that is not allowed", 1: "something is wrong", 2: "it is not known whether all is right"}
    click.echo(f"{status.topic}: {words[int(status.exit_code)]}; {_findings(status)} in all.")


class Metrics:
    """The status for Prometheus, as it was after the last step."""

    def __init__(self) -> None:
        self.status: AuditStatus | None = None

    def collect(self) -> "Iterator[Metric]":
        """Return every family; Prometheus's client asks for this."""
        if self.status is not None:
            yield from _families(self.status)

    def serve(self, host: str, port: int) -> int:
        """Answer scrapers from a thread, and say at which port."""
        from prometheus_client import CollectorRegistry, start_http_server

        registry = CollectorRegistry()
        registry.register(self)
        server, _ = start_http_server(port, host, registry)
        return int(server.server_port)


def _families(status: "AuditStatus") -> "Iterator[Metric]":
    from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

    def counter(name: str, text: str, labels: tuple[str, ...], samples: Iterable[tuple[Any, ...]]) -> "Metric":
        family = CounterMetricFamily(f"chronik_audit_{name}", text, labels=("topic", *labels))
        for *values, count in samples:
            family.add_metric([status.topic, *map(str, values)], count)
        return family

    def gauge(name: str, text: str, labels: tuple[str, ...], samples: Iterable[tuple[Any, ...]]) -> "Metric":
        family = GaugeMetricFamily(f"chronik_audit_{name}", text, labels=("topic", *labels))
        for *values, count in samples:
            family.add_metric([status.topic, *map(str, values)], count)
        return family

    of_verdict = ("group", "verdict")
    totals = status.totals
    yield counter("messages", "Messages by final verdict, and by flag (+).", of_verdict,
                  [(one.group, one.verdict, one.count) for one in totals])  # fmt: skip
    yield counter("disallowed", "Those of them that break a promise.", of_verdict,
                  [(one.group, one.verdict, one.count - one.allowed) for one in totals])  # fmt: skip
    yield gauge("open_messages", "Messages without a final verdict, by what each side has.", ("group", "side"),
                [(group, side, n) for group, own in status.open.items() for side, n in own.items()])  # fmt: skip
    yield counter("rows", "Rows read of each side.", ("side",), status.rows.items())
    yield counter("after_horizon", "Rows of messages whose verdict was final.", ("side",), status.after_closing.items())
    yield counter("oddities", "What batches say by themselves, by kind.", ("kind",), status.oddities.items())
    yield counter("findings", "Findings, each once.", (), [(status.findings_ever,)])
    yield gauge("findings_open", "Findings that were seen within the horizon.", (), [(len(status.findings),)])
    yield gauge("latency_seconds", "From send to delivery.", ("group", "quantile"),
                [(group, share, value / _US) for group, own in status.latencies_us.items()
                 for share, value in own.items()])  # fmt: skip
    yield gauge("caught_up_timestamp_seconds", "Everything in the log at this time was read.", (),
                [(status.caught_up_us / _US,)])  # fmt: skip
    yield gauge("state_cells", "Sums that are held.", (), [(status.cells,)])
