"""Fixtures that several kinds of tests share: broker processes, programs from outside, names."""

import logging
import os
import re
import shutil
import signal
from collections.abc import Callable, Generator, Iterator, Mapping
from pathlib import Path
from uuid import uuid4

import pytest

from tests import kafka_tools
from tests.brokers import BrokerProcess

LOG_LINES_SHOWN = 60
BROKERS: pytest.StashKey[list[BrokerProcess]] = pytest.StashKey()

StartBroker = Callable[..., BrokerProcess]

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell without job control starts `make test &` with SIGINT ignored, and children inherit that. With a handler,
    # this process goes on ignoring the signal, and its children have the default disposition.
    signal.signal(signal.SIGINT, lambda *_: None)


@pytest.fixture
def start_broker(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[StartBroker]:
    """Start brokers of the test's own: ``start_broker({"log.segment.bytes": 1048576})``."""
    brokers = request.node.stash.setdefault(BROKERS, [])

    def start(
        settings: Mapping[str, object] | None = None, *, node_id: int | None = None, http: bool = False
    ) -> BrokerProcess:
        broker = BrokerProcess(tmp_path / f"broker-{len(brokers)}", settings, node_id=node_id, http=http)
        brokers.append(broker)
        return broker.start()

    yield start
    _end_all(brokers)


@pytest.fixture
def broker(start_broker: StartBroker) -> BrokerProcess:
    """A broker with default settings for this test alone: it may be killed and restarted."""
    return start_broker()


@pytest.fixture(scope="session")
def session_broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrokerProcess]:
    """The broker behind ``shared_broker``."""
    broker = BrokerProcess(tmp_path_factory.mktemp("shared-broker"))
    yield broker.start()
    _end_all([broker])


@pytest.fixture
def shared_broker(request: pytest.FixtureRequest, session_broker: BrokerProcess) -> BrokerProcess:
    """One broker for many tests, which keep apart by ``topic_name``. It must be left running."""
    request.node.stash.setdefault(BROKERS, []).append(session_broker)
    if not session_broker.is_running:
        session_broker.start()
        pytest.fail(f"the shared broker had ended before this test:\n{session_broker.log_text[-4000:]}")
    return session_broker


@pytest.fixture
def topic_name(request: pytest.FixtureRequest) -> str:
    """A topic name that no other test uses, and that says which test it belongs to."""
    words = re.sub(r"[^A-Za-z0-9-]+", "-", request.node.name)[:80]
    return f"{words}-{uuid4().hex[:8]}"


@pytest.fixture(scope="session")
def kcat() -> str:
    """The path of kcat."""
    return _program("kcat", "apt-get install kcat")


@pytest.fixture(scope="session")
def run_kafka_tool() -> Callable[..., object]:
    """``tests.kafka_tools.run_tool``, once Java and Kafka's jars are known to be there."""
    _program("java", "apt-get install default-jdk-headless")
    _kafka_jars()
    return kafka_tools.run_tool


@pytest.fixture(scope="session")
def kafka_clients_jar() -> Path:
    """The jar that holds Kafka's message definitions."""
    _kafka_jars()
    return kafka_tools.CLIENTS_JAR


@pytest.fixture
def own_logging() -> Iterator[None]:
    """For what sets logging up: later tests log as if it had not been, and not to a stream that is closed by then."""
    root = logging.getLogger()
    before = root.level, root.handlers[:]
    root.handlers[:] = []
    yield
    root.level, root.handlers[:] = before


def _program(name: str, remedy: str) -> str:
    path = shutil.which(name)
    if path is None:
        missing(f"{name} is not installed: {remedy}")
    assert path is not None
    return path


def _kafka_jars() -> None:
    if not kafka_tools.CLIENTS_JAR.exists():
        missing("Apache Kafka's jars are not there: make .cache/kafka-4.1.0/libs")


def missing(reason: str) -> None:
    """Skip what needs a missing program; where nothing may be missing, fail."""
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


def _end_all(brokers: list[BrokerProcess]) -> None:
    for broker in brokers:
        if broker.is_running:
            broker.kill()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Show what the brokers said beside a failure."""
    report = yield
    if report.failed:
        for broker in item.stash.get(BROKERS, []):
            tail = "\n".join(broker.log_text.splitlines()[-LOG_LINES_SHOWN:])
            report.sections.append((f"broker log {broker.log_path}", tail))
    return report
