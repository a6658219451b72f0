"""The parts that Kafka's tools share: connecting by their flags, settings from files, and exit codes."""

import asyncio
import signal
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from chronik.cli.kafka_scripts.flags import HELP, VERSION, Flag, Given, UsageError, parse, usage
from chronik.client.cluster import Cluster
from chronik.client.errors import ClientError, SettingsRefusedError
from chronik.client.groups.settings import GROUP_SETTINGS
from chronik.client.kafka_settings import LIBRDKAFKA_NAMES, GivenSettings, given_settings
from chronik.client.settings import KNOWN
from chronik.server.settings.properties_file import decode_properties, parse_properties

T = TypeVar("T")

_USED: Final = frozenset(
    {*KNOWN, *GROUP_SETTINGS, *LIBRDKAFKA_NAMES, "bootstrap.servers", "group.id", "security.protocol"}
)
FAILED: Final = 1
INTERRUPTED: Final = 130
TERMINATED: Final = 143


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool: its flags, and the work that they ask for; the work gives the exit code."""

    name: str
    purpose: str
    flags: Sequence[Flag]
    work: Callable[[Given], int]


def run_tool(tool: Tool, arguments: Sequence[str]) -> int:
    """Run a tool as its script does."""
    table = [*tool.flags, HELP, VERSION]
    if "--version" in arguments:
        return _print_version()
    if "--help" in arguments or not arguments:
        complain(tool.purpose)
        usage(table, complain)
        return FAILED if not arguments else 0
    try:
        return tool.work(parse(table, arguments))
    except UsageError as error:
        complain(str(error))
        complain(f"'{tool.name} --help' lists the options.")
        return FAILED
    except ClientError as error:
        complain_of(error)
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED
    except asyncio.CancelledError:
        return TERMINATED


def _print_version() -> int:
    from chronik import __version__

    say(f"{__version__} (Chronik; the tools of Apache Kafka 4.1)")
    return 0


def say(text: str = "") -> None:
    """Print a line of the tool's output."""
    sys.stdout.write(f"{text}\n")


def complain(text: str = "") -> None:
    """Print a line for people."""
    sys.stdout.flush()
    sys.stderr.write(f"{text}\n")


def complain_of(error: ClientError) -> None:
    """Print what happened, and what to do."""
    complain(f"Error: {error.what}")
    if error.advice:
        complain(f"  {error.advice}")


def properties_of(given: Given, files: Sequence[str] = (), pairs: Sequence[str] = ()) -> dict[str, str]:
    """Read settings from the files and KEY=VALUE pairs that these flags name; pairs win over files."""
    settings: dict[str, str] = {}
    for flag in files:
        for path in given.many(flag):
            settings.update(_file(path))
    for flag in pairs:
        settings.update(key_values(given.many(flag), flag))
    return settings


def key_values(texts: Sequence[str], flag: str) -> dict[str, str]:
    """Read KEY=VALUE; a key alone has an empty value, as with Kafka's tools."""
    split = [text.partition("=") for text in texts]
    if any(not key for key, _, _ in split):
        raise UsageError(f"Invalid command line properties: --{flag} {' '.join(texts)}")
    return {key: text for key, _, text in split}


def _file(path: str) -> dict[str, str]:
    try:
        with open(path, "rb") as file:
            return {found.name: found.value for found in parse_properties(decode_properties(file.read()))}
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
    except ValueError as error:
        raise UsageError(f"{path}: {error}") from None


def settings_of(properties: Mapping[str, str], defaults: Mapping[str, str] | None = None) -> GivenSettings:
    """Make settings; like a Java client, name those that are not used and go on."""
    unused = sorted(name for name in properties if name not in _USED)
    if unused:
        complain(f"WARN: not used by this client: {', '.join(unused)}")
    used = {name: text for name, text in properties.items() if name in _USED}
    try:
        return given_settings(used, defaults)
    except SettingsRefusedError as error:
        raise UsageError(error.what) from None


def ask(given: Given, work: Callable[[Cluster], Awaitable[T]], settings: GivenSettings | None = None) -> T:
    """Connect as the flags say, and do the work; SIGTERM ends it in order, as Ctrl-C does."""
    known = settings or settings_of(properties_of(given, files=["command-config"]))
    bootstrap = given.one("bootstrap-server") or known.bootstrap
    if not bootstrap:
        raise UsageError("--bootstrap-server must be specified")

    async def session() -> T:
        task = asyncio.current_task()
        assert task is not None
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
        async with Cluster(bootstrap, known.client) as cluster:
            return await work(cluster)

    return asyncio.run(session())
