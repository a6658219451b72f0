"""``chronik serve``: one broker in the foreground, which says in one line when it is ready."""

import json
import logging
import os
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Final

import click

from chronik import __version__
from chronik.cli import exits
from chronik.cli.shell.settings_pairs import overrides_of
from chronik.observability.logs import FORMATS, LogFormat, log_to_stderr, without_secrets

if TYPE_CHECKING:
    from chronik.server.run import Ready

DEFAULT_LISTEN: Final = "127.0.0.1:9092"
_OWN_VARIABLES: Final = frozenset({"CHRONIK_BOOTSTRAP"})
"""Variables of the commands, which are no settings of a broker."""

log_format_option = click.option(
    "--log-format",
    type=click.Choice(FORMATS),
    default="text",
    show_default=True,
    help="Lines of text, or one JSON document per line.",
)


@click.command()
@click.option("--config", "config_file", type=click.Path(dir_okay=False), help="A server.properties file.")
@click.option(
    "--listen", metavar="HOST:PORT", help=f"Where clients connect; port 0 takes a free one.  [{DEFAULT_LISTEN}]"
)
@click.option("--data", type=click.Path(file_okay=False), help="The data directory.  [$XDG_DATA_HOME/chronik]")
@click.option("--node-id", type=click.IntRange(0), help="This broker's number in the cluster.")
@click.option("-X", "overrides", multiple=True, metavar="KEY=VALUE", help="A setting, by Kafka's name; it wins.")
@click.option("--json", "as_json", is_flag=True, help="Print the ready line as JSON.")
@click.option(
    "--log-level",
    type=click.Choice(["debug", "info", "warning", "error"]),
    default="info",
    show_default=True,
    help="What is logged on standard error.",
)
@log_format_option
@click.pass_context
def serve(
    ctx: click.Context,
    config_file: str | None,
    listen: str | None,
    data: str | None,
    node_id: int | None,
    overrides: tuple[str, ...],
    as_json: bool,
    log_level: str,
    log_format: LogFormat,
) -> None:
    """Run a broker until SIGTERM or Ctrl-C.

    Settings come from -X and the options here, the environment (KAFKA_..., CHRONIK_...), the file, and defaults, in
    this order. Without any it serves 127.0.0.1:9092 and keeps its data under the user's data directory.
    """
    from chronik.server.run import BrokerFailedError, run_broker
    from chronik.server.settings.server import SettingsError, load_settings

    given = {**overrides_of(ctx, overrides), **option_overrides(listen, data, node_id)}
    environ = broker_environment(os.environ)
    level = getattr(logging, log_level.upper())
    log_to_stderr(level, log_format)
    try:
        settings = load_settings(config_file, environ, given, default_settings(os.environ.get("XDG_DATA_HOME")))
    except SettingsError as error:
        raise _ended(str(error), log_format, exits.WRONG_USE, "See docs/ or 'chronik serve --help'.") from error
    log_to_stderr(level, log_format, settings.node_id)
    for warning in settings.warnings:
        logging.getLogger(__name__).warning("%s", warning)
    try:
        run_broker(settings, lambda ready: _announce(ready, as_json))
    except BrokerFailedError as error:
        raise _ended(f"the broker cannot go on: {error}", log_format) from error


def _ended(what: str, log_format: LogFormat, code: int = exits.FAILED, advice: str = "") -> Exception:
    """Return why it ended: to a person as any command does, to a machine in the last line of its log."""
    if log_format == "text":
        return exits.Failure(without_secrets(what), advice, code)
    logging.getLogger(__name__).critical("%s", what, extra={"what_to_do": advice, "exit_code": code})
    return click.exceptions.Exit(code)


def broker_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """Leave out the environment variables of other commands."""
    return {name: value for name, value in environ.items() if name not in _OWN_VARIABLES}


def option_overrides(listen: str | None, data: str | None, node_id: int | None) -> dict[str, str]:
    """Return the options as broker settings."""
    wanted = {
        "listeners": None if listen is None else f"PLAINTEXT://{listen}",
        "log.dirs": data,
        "node.id": None if node_id is None else str(node_id),
    }
    return {name: value for name, value in wanted.items() if value is not None}


def default_settings(xdg_data_home: str | None) -> dict[str, str]:
    """Return what makes a plain ``chronik serve`` work on an empty machine: reachable from this machine only."""
    home = xdg_data_home if xdg_data_home and os.path.isabs(xdg_data_home) else os.path.expanduser("~/.local/share")
    return {
        "listeners": f"PLAINTEXT://{DEFAULT_LISTEN}",
        "log.dirs": os.path.join(home, "chronik"),
        "node.id": "1",
    }


def _announce(ready: "Ready", as_json: bool) -> None:
    """Print the ready line; a starter that no longer reads it does not stop the broker."""
    try:
        click.echo(_json_line(ready) if as_json else _sentence(ready))
    except BrokenPipeError:
        logging.getLogger(__name__).warning("the ready line could not be written")


def _json_line(ready: "Ready") -> str:
    return json.dumps({"event": "ready", **asdict(ready), "pid": os.getpid(), "version": __version__})


def _sentence(ready: "Ready") -> str:
    return f"chronik {__version__}: broker {ready.node_id} is ready on {ready.kafka}, data in {ready.data_dir}"
