"""``chronik audit watch``: the audit of a live topic, without an end."""

import asyncio
import queue
import re
import signal
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, Final

import click

from chronik.cli import exits
from chronik.cli.archive.options import read_rules
from chronik.cli.audit.watch_output import Alerts, Display, Metrics
from chronik.cli.shell.options import ClientOptions, client_options, examples, with_cluster
from chronik.cli.shell.spark_extra import master_option, spark_failures
from chronik.cli.shell.times import duration_ms_of
from chronik.client.cluster import Cluster
from chronik.client.errors import ClientError

if TYPE_CHECKING:
    from chronik.audit.ledger.tails import LedgerPlace
    from chronik.audit.watch.audit import ContinuousAudit, WatchRules, WatchStep
    from chronik.audit.watch.report import AuditStatus
    from chronik.spark.restarting_query import RestartingQuery

_EXAMPLES: Final = examples(
    "chronik audit watch --topic orders --ledger /shared/orders",
    "chronik audit watch --topic orders --ledger s3://audit/orders --horizon 5m --alert-command 'notify --stdin'",
    "chronik audit watch --topic orders --ledger-topic orders-audit --metrics-port 9400",
    "chronik audit watch --topic orders",
)
_LOOK_SECONDS: Final = 1


class _Duration(click.ParamType[int]):
    name = "DURATION"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return microseconds."""
        if isinstance(value, int):
            return value
        try:
            return duration_ms_of(value) * 1000
        except ValueError as error:
            self.fail(str(error), param, ctx)


@click.command(epilog=f"{_EXAMPLES}\n\n{exits.EXIT_CODES_HELP}")
@click.option("-t", "--topic", required=True, metavar="TOPIC", help="The topic.")
@click.option("--ledger", metavar="DIR|URL", help="Where its clients record: a directory or an object store.")
@click.option("--ledger-topic", metavar="TOPIC", help="Where 'chronik audit publish' puts them, instead.")
@click.option("--group", "groups", multiple=True, metavar="GROUP", help="Judge for these groups.  [default: all]")
@click.option(
    "--horizon",
    type=_Duration(),
    default="10m",
    show_default=True,
    help="When a verdict is final; longer than deliveries, retries and copies of ledgers may take.",
)
@click.option("--late-after", type=_Duration(), help="When a delivery is late.  [default: as the run says, or 60s]")
@click.option("--interval", type=_Duration(), default="5s", show_default=True, help="How often to look.")
@click.option(
    "--checkpoint",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Where its state is kept.  [default: by topic, where runs are kept]",
)
@click.option("--latest", is_flag=True, help="Without ledgers: begin at the end of the log.")
@click.option("--strict", is_flag=True, help="Count also what the settings allow.")
@click.option("--alert-command", metavar="COMMAND", help="Run it for each new finding, with JSON at its input.")
@click.option("--metrics-port", type=click.IntRange(0, 65535), metavar="PORT", help="Answer Prometheus at this port.")
@click.option("--metrics-host", default="127.0.0.1", show_default=True, metavar="HOST", help="At this address.")
@click.option("--duration", type=_Duration(), help="End after so long.")
@click.option("--once", is_flag=True, help="End when everything that is there has been read.")
@click.option("--final", is_flag=True, help="As --once, and judge everything: nothing more will come.")
@master_option
@client_options  # fmt: skip
def watch(
    options: ClientOptions, topic: str, ledger: str | None, ledger_topic: str | None, master: str | None, **chosen: Any
) -> int:
    """Watch a topic: rolling verdicts for every message, final after a horizon, and findings as they arise.

    Ledgers say what was sent and what was delivered. Without them offsets, checksums, times and the sequences of
    idempotent producers are watched. What is known is kept after every step: a watch that was killed goes on.
    """
    has_ledgers = ledger is not None or ledger_topic is not None
    if ledger is not None and ledger_topic is not None:
        raise click.UsageError("ledgers come either from a place (--ledger) or from a topic (--ledger-topic)")
    if has_ledgers and chosen["latest"]:
        raise click.UsageError("--latest leaves out messages that are in the ledgers")
    if not has_ledgers and (chosen["final"] or chosen["groups"]):
        raise click.UsageError("--final and --group are about messages, which only ledgers know (--ledger)")
    with spark_failures():
        return _watch(options, topic, ledger, ledger_topic, master, chosen)


def _watch(
    options: ClientOptions,
    topic: str,
    ledger: str | None,
    ledger_topic: str | None,
    master: str | None,
    chosen: dict[str, Any],
) -> int:
    from chronik.audit.ledger.tails import LedgerPlace
    from chronik.spark.audit.watch_query import open_watch, start_watch
    from chronik.spark.sessions.session import session

    directory = (chosen["checkpoint"] or _default_directory(topic)).absolute()
    spool = directory / "ledgers"
    url = str(spool) if ledger_topic is not None else None if ledger is None else _absolute(ledger)
    rules = _rules(topic, _configs(options, topic), chosen)
    place = None if url is None else LedgerPlace(url)
    reading = read_rules(options, committed=True)
    spark = session(master, app_name=f"chronik audit watch {topic}")
    audit = _opened(lambda: open_watch(spark, directory, rules, place, reading))
    steps: queue.SimpleQueue[tuple[WatchStep, AuditStatus]] = queue.SimpleQueue()
    outputs = _Outputs(audit, place, directory, options.as_json, chosen)
    running = start_watch(
        spark, audit, directory, reading, lambda step: steps.put((step, outputs.status(step.waits_for))),
        interval_s=chosen["interval"] / 1_000_000, is_once=chosen["once"] or chosen["final"], is_last=chosen["final"],
        refresh=(lambda: "") if ledger_topic is None else lambda: _received(options, ledger_topic, spool),
    )  # fmt: skip
    code = _followed(running, steps, outputs, chosen["duration"])
    return code or outputs.end()


def _received(options: ClientOptions, ledger_topic: str, spool: Path) -> str:
    """Bring the ledgers up to date from their topic, and say what is missing where that cannot be done now."""
    from chronik.audit.ledger.topic import receive

    async def work() -> None:
        async with Cluster(options.bootstrap, options.settings) as cluster:
            await receive(cluster, ledger_topic, spool)

    try:
        asyncio.run(work())
    except ClientError as error:
        return f"the ledgers in topic {ledger_topic}: {error.what}"
    return ""


def _opened(open_it: "Callable[[], ContinuousAudit]") -> "ContinuousAudit":
    from chronik.audit.watch.files import StateRefusedError

    try:
        return open_it()
    except (StateRefusedError, ValueError) as error:
        raise exits.Failure(str(error), "Another --checkpoint begins a new one.", code=exits.WRONG_USE) from None


def _rules(topic: str, configs: dict[str, str], chosen: dict[str, Any]) -> "WatchRules":
    from chronik.audit.watch.audit import WatchRules
    from chronik.audit.watch.context import WatchScope

    scope = WatchScope(tuple(chosen["groups"]), chosen["late_after"], configs)
    return WatchRules(topic, chosen["horizon"], scope, chosen["strict"], chosen["latest"])


def _configs(options: ClientOptions, topic: str) -> dict[str, str]:
    """Ask for the topic's settings, which also shows that it can be reached."""
    found: dict[str, str] = {}

    async def work(cluster: Cluster) -> None:
        from chronik.audit.capture.topic import configs_of

        found.update(await configs_of(cluster, topic))

    with_cluster(options, work)
    return found


def _default_directory(topic: str) -> Path:
    from chronik.audit.ledger.directory import state_directory

    return state_directory() / "watch" / re.sub(r"[^\w.-]", "_", topic)


def _absolute(url: str) -> str:
    return url if "://" in url else str(Path(url).absolute())


class _Outputs:
    """Shows every step: on the terminal, as metrics, and to the alert command."""

    def __init__(
        self,
        audit: "ContinuousAudit",
        place: "LedgerPlace | None",
        directory: Path,
        as_json: bool,
        chosen: dict[str, Any],
    ) -> None:
        self._audit = audit
        self._has_ledgers = place is not None
        self._display = Display(as_json=as_json)
        self._alerts = Alerts(chosen["alert_command"], directory)
        self._metrics = Metrics()
        if chosen["metrics_port"] is not None:
            port = self._metrics.serve(chosen["metrics_host"], chosen["metrics_port"])
            click.echo(f"metrics: http://{chosen['metrics_host']}:{port}/metrics", err=True)
        self._last = self.status()
        # Found before a kill, and not handed to the alert command yet.
        self._alerts.raise_for(audit.state.incidents.open.values())

    def status(self, waits_for: str = "") -> "AuditStatus":
        """Return the status now; to be called in the thread that changes it."""
        from chronik.audit.watch.report import status_of

        now_us = time.time_ns() // 1000
        return status_of(self._audit.state, now_us, has_ledgers=self._has_ledgers, waits_for=waits_for)

    def step(self, step: "WatchStep", status: "AuditStatus") -> None:
        self._last = self._metrics.status = status
        self._display.show(status, step.new)
        self._alerts.raise_for(step.new)

    def end(self) -> int:
        self._display.end(self._last)
        return int(self._last.exit_code)


def _followed(
    running: "RestartingQuery",
    steps: "queue.SimpleQueue[tuple[WatchStep, AuditStatus]]",
    outputs: _Outputs,
    duration_us: int | None,
) -> int:
    """Show every step until the query ends, the time is over, or a signal comes."""

    def end(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt(number)

    before = signal.signal(signal.SIGTERM, end)
    until = None if duration_us is None else time.monotonic() + duration_us / 1_000_000
    try:
        while not running.wait(_LOOK_SECONDS):
            _show_steps(steps, outputs)
            if until is not None and time.monotonic() >= until:
                break
        running.stop()
        _show_steps(steps, outputs)
    except KeyboardInterrupt as error:
        running.stop()
        _show_steps(steps, outputs)
        outputs.end()
        return exits.TERMINATED if error.args == (signal.SIGTERM,) else exits.INTERRUPTED
    finally:
        signal.signal(signal.SIGTERM, before)
    return exits.OK


def _show_steps(steps: "queue.SimpleQueue[tuple[WatchStep, AuditStatus]]", outputs: _Outputs) -> None:
    while not steps.empty():
        outputs.step(*steps.get())
