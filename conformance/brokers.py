"""The brokers that tests run against: Chronik processes that are started here, one for each scenario."""

import tempfile
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.brokers import BrokerProcess, running_broker

# What librdkafka's own test clusters have, and the rebalance delay of Kafka's quick start.
SETTINGS = {"num.partitions": 4, "group.initial.rebalance.delay.ms": 0}
SCENARIOS: dict[str, dict[str, object]] = {
    "default": {},
    "noautocreate": {"auto.create.topics.enable": "false"},
}


class Brokers:
    """Gives the address of a broker with the settings of a scenario."""

    def __init__(self, directory: Path, stack: ExitStack) -> None:
        self._directory = directory
        self._stack = stack
        self._lock = threading.Lock()
        self._running: dict[str, BrokerProcess] = {}
        self.ended: list[str] = []

    def bootstrap(self, scenario: str) -> str:
        """The address; a broker that has ended is noted and started again."""
        with self._lock:
            return self._started(scenario).bootstrap

    def _started(self, scenario: str) -> BrokerProcess:
        broker = self._running.get(scenario)
        if broker is None:
            settings = SETTINGS | SCENARIOS[scenario]
            broker = self._stack.enter_context(running_broker(self._directory / scenario, settings))
            self._running[scenario] = broker
        elif not broker.is_running:
            self.ended.append(f"the broker ended with code {broker.exit_code}:\n{broker.log_text[-4000:]}")
            broker.start()
        return broker

    def errors(self) -> list[str]:
        """Lines of error that the brokers have logged."""
        lines = (line for broker in self._running.values() for line in broker.log_text.splitlines())
        return [line for line in lines if " ERROR " in line or line.startswith("Traceback")]


@contextmanager
def chronik_brokers() -> Iterator[Brokers]:
    """Brokers on fresh data, ended whatever happens."""
    with tempfile.TemporaryDirectory(prefix="chronik-conformance-") as directory, ExitStack() as stack:
        yield Brokers(Path(directory), stack)
