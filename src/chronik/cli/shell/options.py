"""Options that the commands share, and how a command talks to a cluster."""

import asyncio
import signal
import threading
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, Final, TypeVar

import click

from chronik.cli import exits
from chronik.cli.shell.settings_pairs import overrides_of
from chronik.client.cluster import Cluster
from chronik.client.errors import ClientError, SettingsRefusedError, UnreachableError
from chronik.client.kafka_settings import GivenSettings, given_settings
from chronik.client.settings import ClientSettings

F = TypeVar("F", bound=Callable[..., Any])

DEFAULT_BOOTSTRAP: Final = "127.0.0.1:9092"
_REQUEST_TIMEOUT_MS: Final = 30_000
_CONNECT_TIMEOUT_MS: Final = 5_000


@dataclass(frozen=True, slots=True)
class ClientOptions:
    """Where the cluster is, and how to speak with it and with the user."""

    bootstrap: str
    as_json: bool
    settings: ClientSettings
    given: GivenSettings


def client_options(command: F) -> F:
    """Add --bootstrap, --json, --timeout and -X; the command gets them as ``options``."""

    @click.pass_context
    @wraps(command)
    def with_options(
        ctx: click.Context,
        /,
        *args: Any,
        bootstrap: str,
        as_json: bool,
        timeout: float,
        overrides: tuple[str, ...],
        **others: Any,
    ) -> Any:
        try:
            given = given_settings(overrides_of(ctx, overrides), _times(timeout))
        except SettingsRefusedError as error:
            raise failure_of(error) from error
        options = ClientOptions(given.bootstrap or bootstrap, as_json, given.client, given)
        return command(*args, options=options, **others)

    wrapped: Any = with_options
    for option in reversed(_CLIENT_OPTIONS):
        wrapped = option(wrapped)
    return wrapped  # type: ignore[no-any-return]


BOOTSTRAP_OPTION: Final = click.option(
    "-b",
    "--bootstrap",
    "--bootstrap-server",
    "bootstrap",
    metavar="HOST:PORT,...",
    envvar="CHRONIK_BOOTSTRAP",
    default=DEFAULT_BOOTSTRAP,
    show_default=True,
    show_envvar=True,
    help="Brokers to begin with.",
)
_CLIENT_OPTIONS: Final = (
    BOOTSTRAP_OPTION,
    click.option("--json", "as_json", is_flag=True, help="Print JSON instead of tables."),
    click.option(
        "--timeout",
        type=click.FloatRange(min=0.001),
        default=30.0,
        show_default=True,
        metavar="SECONDS",
        help="How long to keep trying.",
    ),
    click.option(
        "-X",
        "overrides",
        multiple=True,
        metavar="KEY=VALUE",
        help="A client setting, by its Kafka or librdkafka name; it wins.",
    ),
)


def examples(*commands: str) -> str:
    """Return the text that shows commands below a command's help; their lines are kept as they are."""
    return "\n".join(("\b", "Examples:", *(f"  {command}" for command in commands)))


def _times(timeout_s: float) -> dict[str, str]:
    total_ms = max(1, int(timeout_s * 1000))
    return {
        "default.api.timeout.ms": str(total_ms),
        "delivery.timeout.ms": str(total_ms),
        "request.timeout.ms": str(min(total_ms, _REQUEST_TIMEOUT_MS)),
        "socket.connection.setup.timeout.ms": str(min(total_ms, _CONNECT_TIMEOUT_MS)),
    }


def with_cluster(options: ClientOptions, work: Callable[[Cluster], Awaitable[int | None]]) -> int:
    """Connect, do the work, and turn what the client raises into a message and an exit code."""

    async def session() -> int | None:
        _cancel_on_sigterm()
        async with Cluster(options.bootstrap, options.settings) as cluster:
            return await work(cluster)

    try:
        return asyncio.run(session()) or exits.OK
    except ClientError as error:
        raise failure_of(error) from error
    except asyncio.CancelledError:
        return exits.TERMINATED


def _cancel_on_sigterm() -> None:
    """End as on Ctrl-C, so that a member leaves its group and commits before it goes."""
    task = asyncio.current_task()
    assert task is not None
    if threading.current_thread() is threading.main_thread():
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)


def failure_of(error: ClientError) -> exits.Failure:
    """Turn what the client raised into a message and an exit code."""
    if isinstance(error, SettingsRefusedError):
        code = exits.WRONG_USE
    else:
        code = exits.UNKNOWN if isinstance(error, UnreachableError) else exits.FAILED
    return exits.Failure(error.what, error.advice, code)
