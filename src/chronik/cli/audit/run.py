"""``chronik audit run``: real clients send and read, and every message gets its verdict."""

import asyncio
import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from chronik.cli import exits
from chronik.cli.audit.engines import ChosenEngine, EngineName, engine_options
from chronik.cli.audit.verify import show_judged
from chronik.cli.shell.options import BOOTSTRAP_OPTION, examples, failure_of
from chronik.cli.shell.settings_pairs import pairs
from chronik.cli.shell.spark_extra import spark_failures
from chronik.cli.shell.times import duration_ms_of
from chronik.client.errors import ClientError

if TYPE_CHECKING:
    from chronik.audit.capture.run import Progress
    from chronik.audit.capture.settings import RunSettings

_MODULES: Final = {"confluent": "confluent_kafka", "kafka-python": "kafka", "aiokafka": "aiokafka"}
_PACKAGES: Final = {"confluent": "confluent-kafka", "kafka-python": "kafka-python", "aiokafka": "aiokafka"}
_PLAIN_PERIOD_S: Final = 2.0
_EXAMPLES: Final = examples(
    "chronik audit run --topic audited",
    "chronik audit run --topic audited --messages 100000 --acks all --idempotent --label 'after the upgrade'",
    "chronik audit run --topic orders --existing --rate 500 --duration 10m --client kafka-python --tap",
    "chronik audit run --topic audited --keep runs/today --json",
)


def _duration(ctx: click.Context, param: click.Parameter, text: str | None) -> float | None:
    if text is None:
        return None
    try:
        return float(text) if text.replace(".", "", 1).isdigit() else duration_ms_of(text) / 1000
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


def _keys(ctx: click.Context, param: click.Parameter, text: str) -> int:
    if text == "none":
        return 0
    if not text.isdigit() or int(text) < 1:
        raise click.BadParameter(f"{text!r} is neither 'none' nor how many keys there are")
    return int(text)


def run_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add what says how a run sends and reads; ``settings_of`` makes its settings of them."""
    for option in reversed(_RUN_OPTIONS):
        command = option(command)
    return command


_RUN_OPTIONS: Final = (
    BOOTSTRAP_OPTION,
    click.option("--topic", required=True, metavar="TOPIC", help="Where to; it is made where it does not exist."),
    click.option(
        "-n", "--messages", type=click.IntRange(1), help="How many.  [default: 5000, or what --duration allows]"
    ),
    click.option("--size", type=click.IntRange(1), default=100, show_default=True, metavar="BYTES", help="Of a value."),
    click.option("--partitions", type=click.IntRange(1), default=3, show_default=True, help="Of a topic that is made."),
    click.option(
        "--replication", type=click.IntRange(1), default=3, show_default=True, help="Of a topic that is made."
    ),
    click.option("--acks", type=click.Choice(["0", "1", "all"]), default="1", show_default=True),
    click.option("--in-flight", type=click.IntRange(1), default=5, show_default=True, help="Requests per connection."),
    click.option("--idempotent", is_flag=True, help="Let the producers be idempotent; that needs --acks all."),
    click.option("--keys", callback=_keys, default="none", show_default=True, metavar="none|N", help="How many keys."),
    click.option("--client", type=click.Choice(list(_MODULES)), default="confluent", show_default=True),
    click.option("--producers", type=click.IntRange(1), default=1, show_default=True, help="Producer processes."),
    click.option("--consumers", type=click.IntRange(0), default=1, show_default=True, help="Consumer processes."),
    click.option("--group", default="", metavar="GROUP", help="Of the consumers.  [default: one of the run's own]"),
    click.option("--isolation", type=click.Choice(["read_uncommitted", "read_committed"]), default="read_uncommitted"),
    click.option("--max-poll-records", type=click.IntRange(1), default=500, show_default=True, metavar="N"),
    click.option("--fetch-max-bytes", type=click.IntRange(1), metavar="BYTES", help="How much a fetch may bring."),
    click.option(
        "--timeout",
        "timeout_s",
        callback=_duration,
        default="60",
        show_default=True,
        metavar="TIME",
        help="Within which everything must come, once all is sent.",
    ),
    click.option(
        "--delivery-timeout",
        "delivery_timeout_s",
        callback=_duration,
        metavar="TIME",
        help="How long a producer tries.  [default: as --timeout]",
    ),
    click.option(
        "--stall",
        "stall_s",
        callback=_duration,
        default="5",
        show_default=True,
        metavar="TIME",
        help="A silence of this length is a stall.",
    ),
    click.option(
        "--rate",
        type=click.FloatRange(min=0.001),
        metavar="N",
        help="Messages per second.  [default: as fast as it goes]",
    ),
    click.option("--duration", "duration_s", callback=_duration, metavar="TIME", help="How long to send, such as 10m."),
    click.option("--fresh", "existence", flag_value="fresh", help="Only if the topic does not exist."),
    click.option("--existing", "existence", flag_value="existing", help="Only if it does."),
    click.option("--config", "topic_configs", multiple=True, metavar="KEY=VALUE", help="Of a topic that is made."),
    click.option("--label", default="", metavar="TEXT", help="What was changed, for later comparisons."),
)


def settings_of(chosen: dict[str, Any]) -> "RunSettings":
    """Make the settings of a run out of the options, and refuse what contradicts itself."""
    from chronik.audit.capture.settings import MESSAGES, RunSettings

    client = chosen["client"]
    if importlib.util.find_spec(_MODULES[client]) is None:
        raise exits.Failure(
            f"{_PACKAGES[client]} is not installed", f"pip install {_PACKAGES[client]}", exits.WRONG_USE
        )
    if chosen["idempotent"] and chosen["acks"] != "all":
        raise click.UsageError("--idempotent needs --acks all: no other promise can be kept without doubles")
    if chosen["messages"] is None and chosen["duration_s"] is None:
        chosen["messages"] = MESSAGES
    configs = pairs(chosen.pop("topic_configs"), "--config")
    existence = chosen.pop("existence") or "either"
    return RunSettings(**chosen, topic_configs=configs, existence=existence)


@click.command(epilog=_EXAMPLES)
@run_options
@click.option("--tap", is_flag=True, help="Record what goes over the wire, by a proxy before every broker.")
@click.option("--trace", is_flag=True, help="Trace the topic in the brokers (Chronik's own), and keep the trace.")
@click.option("--http", metavar="HOST:PORT", help="With --trace: a broker's HTTP server, where no setting names it.")
@click.option("--keep", type=click.Path(path_type=Path, file_okay=False), metavar="DIR", help="Where to keep the run.")
@engine_options("none")
@click.option("--strict", is_flag=True, help="Count also what the settings allow.")
@click.option("--redact", is_flag=True, help="Keep keys and values out of reports.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of tables.")
def run(
    keep: Path | None,
    tap: bool,
    trace: bool,
    engine: EngineName,
    master: str | None,
    verbose: bool,
    strict: bool,
    redact: bool,
    as_json: bool,
    **chosen: Any,
) -> int:
    """Send messages with real clients, read them back, and give every one its verdict."""
    if keep is not None and (keep / "run.json").exists():
        raise click.UsageError(f"{keep} holds a run already: give another directory")
    with spark_failures():
        from chronik.audit.ledger.directory import default_directory, new_run_id

        settings = settings_of({**chosen, "has_tap": tap, "has_trace": trace, "redact": redact})
        number = new_run_id()
        place = keep or default_directory(settings.topic, number)
        judge = ChosenEngine(engine, master, is_verbose=verbose)
        record_run(settings, place, number)
        click.echo(f"recorded in {place}", err=True)
        if engine == "none":
            return exits.OK
        return show_judged(place, judge, strict=strict, redact=redact, as_json=as_json)


def record_run(settings: "RunSettings", place: Path, number: int | None = None) -> None:
    """Record a run, with progress on a terminal; a failure of the cluster becomes a message."""
    from chronik.audit.pipeline import record

    try:
        with ProgressLine() as line:
            asyncio.run(record(settings, place, run=number, on_progress=line.show))
    except ClientError as error:
        raise failure_of(error) from error


class ProgressLine:
    """Prints how far a run has come: on a terminal in one line that changes, else in a line now and then."""

    def __init__(self) -> None:
        self._is_terminal = sys.stderr.isatty()
        self._said_at = -_PLAIN_PERIOD_S
        self._phase = ""
        self._has_ended = False
        self._before: tuple[float, int, int] = (0.0, 0, 0)

    def __enter__(self) -> "ProgressLine":
        return self

    def __exit__(self, *reason: object) -> None:
        self.end()

    def end(self) -> None:
        """Clear the line: something else is printed from now on."""
        if self._is_terminal and not self._has_ended:
            click.echo("\r\x1b[K", err=True, nl=False)
        self._has_ended = True

    def show(self, progress: "Progress") -> None:
        """Print the progress, where it is time to."""
        if self._is_terminal:
            click.echo(f"\r\x1b[K{self._text(progress)}", err=True, nl=False)
        elif progress.phase != self._phase or progress.seconds - self._said_at >= _PLAIN_PERIOD_S:
            click.echo(self._text(progress), err=True)
            self._said_at = progress.seconds
        self._phase = progress.phase

    def _text(self, progress: "Progress") -> str:
        of_all = "" if progress.total is None else f" of {progress.total:,}"
        failed = f", {progress.failed:,} without acknowledgement" if progress.failed else ""
        return (
            f"{progress.seconds:6.1f} s  {progress.phase:<12} sent {progress.sent:,}{of_all}, acknowledged "
            f"{progress.acked:,}{failed}, delivered {progress.delivered:,}{self._rates(progress)}"
        )

    def _rates(self, progress: "Progress") -> str:
        """Return both rates over the time since they were last given."""
        seconds, sent, delivered = self._before
        past_s = progress.seconds - seconds
        if past_s <= 0:
            return ""
        self._before = (progress.seconds, progress.sent, progress.delivered)
        return (
            f"  ({(progress.sent - sent) / past_s:,.0f}/s out, {(progress.delivered - delivered) / past_s:,.0f}/s in)"
        )
