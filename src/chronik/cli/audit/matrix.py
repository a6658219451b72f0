"""``chronik audit matrix``: the same run with many client settings, and what the bad ones have in common."""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from chronik.cli import exits
from chronik.cli.audit.engines import ChosenEngine, EngineName, engine_options
from chronik.cli.shell.options import examples, failure_of
from chronik.cli.shell.output import print_json, print_table
from chronik.cli.shell.spark_extra import spark_failures
from chronik.client.errors import ClientError
from chronik.testing.process import BrokerError

if TYPE_CHECKING:
    from chronik.audit.capture.settings import RunSettings
    from chronik.audit.trials.matrix import Axis, CellOutcome

_CLIENTS: Final = ("confluent", "kafka-python", "aiokafka")
_EXAMPLES: Final = examples(
    "chronik audit matrix --acks 0,1,all --in-flight 1,5 --forwarding on,off",
    "chronik audit matrix --bootstrap kafka1:9092,kafka2:9092 --addresses one,all --client confluent,kafka-python",
    "chronik audit matrix --max-poll-records 50,500 --fetch-max-bytes default,65536 --timeout 10,60 -n 20000",
)


Reading = Callable[[click.Context, click.Parameter, str | None], tuple[Any, ...] | None]


def _list_of(read: Callable[[str], Any]) -> Reading:
    """Make the callback of an option that takes values with commas between them."""

    def values(ctx: click.Context, param: click.Parameter, text: str | None) -> tuple[Any, ...] | None:
        if text is None:
            return None
        try:
            return tuple(dict.fromkeys(read(one.strip()) for one in text.split(",")))
        except ValueError as error:
            raise click.BadParameter(str(error)) from None

    return values


def _one_of(*allowed: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text not in allowed:
            raise ValueError(f"{text!r} is none of {', '.join(allowed)}")
        return text

    return read


def _count(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise ValueError(f"{text!r} is not a number above 0")
    return int(text)


def _count_or_default(text: str) -> int | None:
    return None if text == "default" else _count(text)


def _seconds(text: str) -> float:
    number = float(text)
    if number <= 0:
        raise ValueError(f"{text!r} is not a time above 0")
    return number


def _is(yes: str, no: str) -> Callable[[str], bool]:
    read = _one_of(yes, no)
    return lambda text: read(text) == yes


_AXES: Final = (
    ("acks", "acks", _one_of("0", "1", "all"), "What producers wait for."),
    ("in-flight", "in_flight", _count, "Requests per connection."),
    ("addresses", "bootstrap_list", _one_of("one", "all"), "How many bootstrap addresses clients are given."),
    ("partitions", "partitions", _count, "Of the topics that are made."),
    ("max-poll-records", "max_poll_records", _count, "Records per poll."),
    ("fetch-max-bytes", "fetch_max_bytes", _count_or_default, "Bytes per fetch, or default."),
    ("timeout", "timeout_s", _seconds, "Seconds within which everything must come."),
    ("topics", "is_fresh", _is("fresh", "existing"), "fresh: a topic for each cell; existing: one for all."),
    ("client", "client", _one_of(*_CLIENTS), "Whose client."),
)
"""Option, field of the settings, reader, help."""


def _axis_options(command: Callable[..., Any]) -> Callable[..., Any]:
    for name, field, read, text in reversed(_AXES):
        command = click.option(f"--{name}", field, callback=_list_of(read), metavar="A,B,...", help=text)(command)
    return command


@click.command(epilog=f"{_EXAMPLES}\n\n{exits.EXIT_CODES_HELP}")
@click.option(
    "-b", "--bootstrap", default="", metavar="HOST:PORT,...", help="A cluster.  [default: three brokers of its own]"
)
@click.option("--topic", default="audit-matrix", show_default=True, help="What the names of its topics begin with.")
@click.option("-n", "--messages", type=click.IntRange(1), default=1000, show_default=True, help="In each cell.")
@_axis_options
@click.option("--forwarding", callback=_list_of(_is("on", "off")), metavar="on,off", help="Of brokers of its own.")
@click.option("--keep", type=click.Path(path_type=Path, file_okay=False), metavar="DIR", help="Where to keep the runs.")
@engine_options()
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of tables.")
def matrix(
    bootstrap: str,
    topic: str,
    messages: int,
    forwarding: tuple[bool, ...] | None,
    keep: Path | None,
    engine: EngineName,
    master: str | None,
    verbose: bool,
    as_json: bool,
    **given: tuple[Any, ...] | None,
) -> None:
    """Run with every combination of the settings that are given, and say what differs between good and bad cells."""
    if bootstrap and forwarding:
        raise click.UsageError("--forwarding is a setting of brokers: leave out --bootstrap, and it starts its own")
    with spark_failures():
        axes, base = _axes(given), _base(bootstrap, topic, messages)
        _refuse_too_many(axes, forwarding or ())
        judge = ChosenEngine(engine, master, is_verbose=verbose)
        outcomes = _run(base, axes, keep, forwarding or (), judge)
    _print_json(outcomes) if as_json else _print(outcomes)
    click.get_current_context().exit(_code(outcomes))


def _axes(given: dict[str, tuple[Any, ...] | None]) -> list["Axis"]:
    from chronik.audit.trials.matrix import Axis

    return [Axis(name, field, values) for name, field, *_ in _AXES if (values := given[field]) is not None]


def _base(bootstrap: str, topic: str, messages: int) -> "RunSettings":
    from chronik.audit.capture.settings import RunSettings

    return RunSettings(bootstrap=bootstrap, topic=topic, messages=messages)


def _refuse_too_many(axes: Sequence["Axis"], forwarding: Sequence[bool]) -> None:
    from chronik.audit.trials.matrix import CELLS_MAX, cells_of

    count = len(cells_of(axes)) * max(len(forwarding), 1)
    if count > CELLS_MAX:
        raise click.UsageError(f"these are {count} cells, and {CELLS_MAX} are the most: leave some values out")


def _run(
    base: "RunSettings", axes: Sequence["Axis"], keep: Path | None, forwarding: Sequence[bool], engine: ChosenEngine
) -> list["CellOutcome"]:
    from chronik.audit.ledger.directory import default_directory, new_run_id
    from chronik.audit.trials.matrix_runs import run_cells

    place = keep or default_directory(base.topic, new_run_id())
    try:
        return asyncio.run(run_cells(base, axes, place, forwarding, engine, _show_cell))
    except ClientError as error:
        raise failure_of(error) from error
    except BrokerError as error:
        raise exits.Failure(str(error)) from error


def _show_cell(number: int, total: int, outcome: "CellOutcome") -> None:
    click.echo(f"{number} of {total}  {outcome.cell.label}: {outcome.summary}", err=True)


def _code(outcomes: Sequence["CellOutcome"]) -> int:
    if any(not outcome.is_good and not outcome.problem for outcome in outcomes):
        return exits.FAILED
    return exits.UNKNOWN if any(outcome.problem for outcome in outcomes) else exits.OK


def _print(outcomes: Sequence["CellOutcome"]) -> None:
    from chronik.audit.trials.matrix import common_verdict, differences, shown

    names = [name for name, _ in outcomes[0].cell.choices]
    rows = [
        [
            *(shown(value) for _, value in one.cell.choices),
            one.sent,
            one.delivered,
            _word(one),
            one.cause or one.summary,
        ]
        for one in outcomes
    ]
    print_table([*names, "sent", "delivered", "verdict", "what"], rows)
    found = differences(outcomes)
    if found:
        click.echo("What differs:")
        for one in found:
            click.echo(f"  {one}")
    elif verdict := common_verdict(outcomes):
        click.echo(f"{verdict[0].upper()}{verdict[1:]}.")
    else:
        click.echo("None of these settings separates good cells from bad ones.")


def _word(outcome: "CellOutcome") -> str:
    if outcome.problem:
        return "no run"
    return "good" if outcome.is_good else "bad"


def _print_json(outcomes: Sequence["CellOutcome"]) -> None:
    from chronik.audit.trials.matrix import differences

    print_json(
        {
            "cells": [
                {
                    "settings": dict(one.cell.choices),
                    "sent": one.sent,
                    "delivered": one.delivered,
                    "is_good": one.is_good,
                    "verdicts": {name: count for name, (count, _) in one.verdicts.items()},
                    "cause": one.cause,
                    "problem": one.problem,
                    "directory": str(one.directory),
                }
                for one in outcomes
            ],
            "differences": [str(one) for one in differences(outcomes)],
        }
    )
