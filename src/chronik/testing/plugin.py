"""The pytest plugin: a broker for the whole run, brokers for single tests, topics, and the broker's log on failure.

pytest loads this module in every run, so it imports nothing but pytest until a fixture is used.
"""

import re
import warnings
from collections.abc import Callable, Generator, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

import pytest

if TYPE_CHECKING:
    from chronik.testing.broker import Broker

SETTINGS: Final = "chronik_settings"
LOG_LINES_SHOWN: Final = 60
_SHARED: Final = "chronik_broker"
_TAKES_MARKER: Final = frozenset({"chronik_fresh_broker", "chronik_broker_factory"})
_shared: "pytest.StashKey[Broker]" = pytest.StashKey()
_own: "pytest.StashKey[list[Broker]]" = pytest.StashKey()
_log_start: "pytest.StashKey[int]" = pytest.StashKey()

BrokerFactory = Callable[..., "Broker"]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the setting of the ini file."""
    parser.addini(SETTINGS, "Settings of the brokers of chronik.testing, one KEY=VALUE per line.", type="linelist")


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marker."""
    config.addinivalue_line(
        "markers",
        f"{SETTINGS}(settings): settings of the brokers that chronik_fresh_broker and chronik_broker_factory start, "
        "by Kafka's names",
    )


@pytest.fixture(scope="session")
def chronik_settings(pytestconfig: pytest.Config) -> dict[str, Any]:
    """Settings of all brokers, from ``chronik_settings`` in the ini file; a conftest may define its own."""
    return dict(_pair(line) for line in pytestconfig.getini(SETTINGS))


@pytest.fixture(scope="session")
def chronik_broker(pytestconfig: pytest.Config, chronik_settings: Mapping[str, Any]) -> "Iterator[Broker]":
    """A running broker, one for the whole run (with pytest-xdist: for each worker)."""
    from chronik.testing.broker import Broker

    with Broker(chronik_settings) as broker:
        pytestconfig.stash[_shared] = broker
        yield broker
        del pytestconfig.stash[_shared]


@pytest.fixture
def chronik_topic(request: pytest.FixtureRequest, chronik_broker: "Broker") -> str:
    """The name of a topic of this test's own, with one partition, on ``chronik_broker``."""
    from uuid import uuid4

    words = re.sub(r"[^A-Za-z0-9]+", "-", request.node.name)[:80].strip("-")
    return chronik_broker.create_topic(f"{words}-{uuid4().hex[:8]}")


@pytest.fixture
def chronik_broker_factory(
    request: pytest.FixtureRequest, chronik_settings: Mapping[str, Any]
) -> Iterator[BrokerFactory]:
    """Start brokers of the test's own: ``chronik_broker_factory({"log.segment.bytes": 1048576})``."""
    from chronik.testing.broker import Broker

    brokers = request.node.stash.setdefault(_own, [])
    marked = _marked_settings(request.node)

    def start(settings: Mapping[str, object] | None = None) -> Broker:
        broker = Broker({**chronik_settings, **marked, **(settings or {})})
        brokers.append(broker)
        return broker.start()

    yield start
    for broker in brokers:
        broker.close()


@pytest.fixture
def chronik_fresh_broker(chronik_broker_factory: BrokerFactory) -> "Broker":
    """A broker of the test's own, with the settings of the marker ``chronik_settings``; it may be killed."""
    return chronik_broker_factory()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Refuse a marker without effect, and start the shared broker for the tests that use it."""
    names = set(getattr(item, "fixturenames", ()))
    if not _TAKES_MARKER & names and _SHARED in names and item.get_closest_marker(SETTINGS) is not None:
        pytest.fail(f"the marker {SETTINGS} does not change the shared {_SHARED}: use chronik_fresh_broker")
    broker = item.config.stash.get(_shared, None)
    if broker is not None and _SHARED in names:
        _revive(broker)
        item.stash[_log_start] = broker.log_path.stat().st_size


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Show what the brokers said beside a failure."""
    report = yield
    if report.failed:
        report.sections.extend(_log_sections(item))
    return report


def _log_sections(item: pytest.Item) -> Iterator[tuple[str, str]]:
    shared = item.config.stash.get(_shared, None)
    if shared is not None and _SHARED in getattr(item, "fixturenames", ()):
        said = shared.log_path.read_bytes()[item.stash.get(_log_start, 0) :]
        yield "log of chronik_broker during this test", _tail(said.decode(errors="replace"))
    for number, broker in enumerate(_own_brokers(item)):
        yield f"log of this test's broker {number}", _tail(broker.log_text)


def _own_brokers(item: pytest.Item) -> "list[Broker]":
    brokers: list[Broker] | None = item.stash.get(_own, None)
    return brokers or []


def _tail(text: str) -> str:
    return "\n".join(text.splitlines()[-LOG_LINES_SHOWN:])


def _revive(broker: "Broker") -> None:
    """Start the shared broker again if an earlier test left it dead."""
    if not broker.is_running:
        warnings.warn(f"an earlier test left {_SHARED} ended (exit code {broker.exit_code})", stacklevel=1)
        broker.start()


def _marked_settings(node: Any) -> dict[str, Any]:
    """Merge the markers of the test, its class and its module; the nearest wins."""
    merged: dict[str, Any] = {}
    for mark in reversed(list(node.iter_markers(SETTINGS))):
        for settings in mark.args:
            merged.update(settings)
    return merged


def _pair(line: str) -> tuple[str, str]:
    name, separator, value = line.partition("=")
    if not separator:
        raise pytest.UsageError(f"{SETTINGS}: {line!r} is not KEY=VALUE")
    return name.strip(), value.strip()
