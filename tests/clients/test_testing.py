"""`chronik.testing.Broker`: a broker of a test's own, which is ready soon, restarts, and leaves nothing behind."""

import asyncio
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
import unittest
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Consumer, KafkaError, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, ConfigResource  # type: ignore[attr-defined]

from chronik.client.errors import RefusedError
from chronik.testing import Broker, BrokerError, process
from chronik.testing import broker as broker_module

SECONDS_MAX = 60.0


@pytest.fixture(scope="module")
def running() -> Iterator[Broker]:
    with Broker({"num.partitions": 3, "auto.create.topics.enable": False}) as broker:
        yield broker


def await_that(condition: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + SECONDS_MAX
    while not condition():
        assert time.monotonic() < deadline, f"not within {SECONDS_MAX} s: {what}"
        time.sleep(0.02)


def is_process(pid: int) -> bool:
    """Whether it still does something: not gone, and not a mere entry that waits to be read."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state not in "ZX"


def send(broker: Broker, topic: str, value: bytes) -> None:
    outcomes: list[KafkaError | None] = []
    producer = Producer(broker.properties({"linger.ms": 0, "log.connection.close": False}))
    producer.produce(topic, value, on_delivery=lambda error, message: outcomes.append(error))
    producer.flush(SECONDS_MAX)
    assert outcomes == [None]


def read(broker: Broker, topic: str, count: int) -> list[bytes | None]:
    consumer = Consumer(
        broker.properties({"group.id": "reader", "enable.auto.commit": False, "log.connection.close": False})
    )
    consumer.assign([TopicPartition(topic, 0, 0)])
    messages = consumer.consume(count, SECONDS_MAX)
    consumer.close()
    return [message.value() for message in messages]


def config(broker: Broker, name: str) -> str:
    resource = ConfigResource(ConfigResource.Type.BROKER, "1")
    admin = AdminClient(broker.properties())
    return str(admin.describe_configs([resource], request_timeout=SECONDS_MAX)[resource].result()[name].value)


def test_a_broker_is_a_process_with_the_settings_it_was_given_and_no_delay_for_new_groups(running: Broker) -> None:
    assert is_process(running.pid)
    assert config(running, "num.partitions") == "3"
    assert config(running, "auto.create.topics.enable") == "false"
    assert config(running, "group.initial.rebalance.delay.ms") == "0"


def test_a_created_topic_has_its_partitions_and_configs_and_takes_messages_at_once(running: Broker) -> None:
    name = running.create_topic("created", partitions=2, configs={"retention.ms": 5000, "preallocate": True})
    send(running, name, b"first")
    metadata = AdminClient(running.properties()).list_topics(name, timeout=SECONDS_MAX).topics[name]
    assert len(metadata.partitions) == 2


def test_a_topic_that_cannot_be_created_says_why(running: Broker) -> None:
    running.create_topic("once")
    with pytest.raises(RefusedError, match="TOPIC_ALREADY_EXISTS"):
        running.create_topic("once")


def test_an_event_loop_may_start_a_broker_and_create_topics() -> None:
    async def use() -> tuple[str, int]:
        async with Broker() as broker:
            topic = broker.create_topic("in-a-loop")
            await asyncio.to_thread(send, broker, topic, b"x")
            return topic, broker.pid

    topic, pid = asyncio.run(use())
    assert topic == "in-a-loop"
    assert not is_process(pid)


def test_the_end_of_the_thread_that_started_a_broker_is_not_the_end_of_the_broker() -> None:
    broker = Broker()
    thread = threading.Thread(target=broker.start)
    thread.start()
    thread.join(SECONDS_MAX)
    try:
        send(broker, "after-the-thread", b"x")
    finally:
        broker.close()


def test_several_brokers_at_once_know_nothing_of_each_other() -> None:
    with Broker() as one, Broker() as other:
        assert one.bootstrap_servers != other.bootstrap_servers
        assert one.directory != other.directory
        one.create_topic("only-here")
        assert "only-here" not in AdminClient(other.properties()).list_topics(timeout=SECONDS_MAX).topics


def test_stopped_or_killed_and_started_again_it_has_its_data_and_its_address() -> None:
    with Broker() as broker:
        address = broker.bootstrap_servers
        send(broker, broker.create_topic("kept"), b"before the stop")
        assert broker.stop() == 0
        broker.start()
        send(broker, "kept", b"before the crash")
        broker.kill()
        assert broker.exit_code == -signal.SIGKILL
        broker.restart({"num.partitions": 7})
        assert broker.bootstrap_servers == address
        assert read(broker, "kept", 2) == [b"before the stop", b"before the crash"]
        assert config(broker, "num.partitions") == "7"


def test_nothing_is_left_of_a_broker_after_its_block() -> None:
    with Broker() as broker:
        directory, pid = broker.directory, broker.pid
        assert directory.is_dir()
    assert not directory.exists()
    assert not Path(f"/proc/{pid}").exists()
    broker.close()


def test_a_directory_that_was_given_is_kept(tmp_path: Path) -> None:
    with Broker(directory=tmp_path / "mine") as broker:
        send(broker, broker.create_topic("kept"), b"x")
    assert (tmp_path / "mine" / "data" / "kept-0").is_dir()


def test_a_wrong_setting_is_refused_with_the_brokers_words_and_nothing_is_left() -> None:
    broker = Broker({"log.segment.bites": 1})
    with pytest.raises(BrokerError, match=r"log\.segment\.bites.*log\.segment\.bytes"), broker:
        pass
    assert not broker.is_running


def test_a_broker_that_is_never_ready_fails_within_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(broker_module, "START_SECONDS_MAX", 0.05)
    broker = Broker()
    with pytest.raises(BrokerError, match="not ready in time"), broker:
        pass
    assert not broker.is_running


def raise_once_it_has_logged(broker: Broker, error: Exception) -> None:
    await_that(lambda: "serves" in broker.log_text, "a line in the log")
    raise error


def test_an_error_in_the_block_takes_the_brokers_log_along() -> None:
    with pytest.raises(ZeroDivisionError) as raised, Broker() as broker:
        raise_once_it_has_logged(broker, ZeroDivisionError())
    assert "broker 1 serves 127.0.0.1" in "".join(raised.value.__notes__)


def test_the_environment_of_the_tests_does_not_change_the_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KAFKA_NUM_PARTITIONS", "9")
    with Broker() as broker:
        assert config(broker, "num.partitions") == "1"


STARTS = """
import json, os, time
from chronik.testing import Broker
broker = Broker().start()
started = {"pid": broker.pid, "directory": str(broker.directory)}
"""
TELLS = "print(json.dumps(started), flush=True)\n"
FORKS = "if os.fork() == 0: time.sleep(60)\n"
ENDS = {
    "is killed": TELLS + "time.sleep(300)",
    "is killed while a forked child lives on": FORKS + TELLS + "time.sleep(300)",
    "raises": TELLS + "raise SystemExit('oh')",
    "exits at once": TELLS + "os._exit(3)",
}


@pytest.mark.parametrize("ending", ENDS)
def test_a_broker_ends_and_its_directory_goes_when_the_process_that_started_it(ending: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", STARTS + ENDS[ending]], stdout=subprocess.PIPE, start_new_session=True
    ) as starter:
        started = first_line(starter)
        if "killed" in ending:
            assert is_process(started["pid"])
            os.kill(starter.pid, signal.SIGKILL)
        starter.wait(SECONDS_MAX)
        try:
            await_that(lambda: not is_process(started["pid"]), "the broker ended")
            await_that(lambda: not Path(started["directory"]).exists(), "the directory is removed")
        finally:
            for leftover in processes_of(starter.pid, started["pid"]):
                os.kill(leftover, signal.SIGKILL)


def processes_of(session: int, broker: int) -> list[int]:
    """What is left of a process that was started in a session of its own, and of its broker."""
    running = [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit() and is_process(int(path.name))]
    return [pid for pid in running if pid == broker or session_of(pid) == session]


def session_of(pid: int) -> int | None:
    try:
        return os.getsid(pid)
    except ProcessLookupError:
        return None


def first_line(starter: "subprocess.Popen[bytes]") -> dict[str, Any]:
    assert starter.stdout is not None
    return dict(json.loads(starter.stdout.readline()))


def test_a_broker_whose_parent_died_before_it_began_ends_by_itself(tmp_path: Path) -> None:
    nobody = subprocess.Popen(["true"])
    nobody.wait()
    (tmp_path / "data").mkdir()
    settings = {"listeners": "PLAINTEXT://127.0.0.1:0", "log.dirs": str(tmp_path / "data"), "node.id": "1"}
    job = process.Job(nobody.pid, settings, str(tmp_path / "data"))
    done = subprocess.run(
        [sys.executable, "-m", "chronik.testing.served", job.to_json()],
        capture_output=True,
        timeout=SECONDS_MAX,
        check=False,
    )
    assert done.returncode is not None
    assert not (tmp_path / "data").exists()


def test_unittest_can_use_it_for_a_class() -> None:
    class Usual(unittest.TestCase):
        broker: Broker

        @classmethod
        def setUpClass(cls) -> None:
            cls.broker = cls.enterClassContext(Broker())

        def test_sends(self) -> None:
            send(self.broker, self.broker.create_topic("from-unittest"), b"x")

    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(Usual).run(result)
    assert result.testsRun == 1
    assert result.wasSuccessful(), result.errors + result.failures
    assert not Usual.broker.is_running


def test_worker_processes_may_each_start_their_own() -> None:
    context = multiprocessing.get_context("spawn")
    with context.Pool(2) as pool:
        assert sorted(pool.map(started_and_ended, [1, 2])) == [1, 2]


def started_and_ended(number: int) -> int:
    with Broker() as broker:
        broker.create_topic(f"worker-{number}")
    return number


def test_importing_the_package_loads_neither_client_nor_server() -> None:
    code = textwrap.dedent("""
        import sys, chronik.testing, chronik.testing.plugin
        print(sorted(name for name in sys.modules if name.startswith("chronik")))
    """)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=SECONDS_MAX, check=True)
    loaded = ["chronik", "chronik.model", "chronik.model.lazy", "chronik.testing", "chronik.testing.plugin"]
    assert done.stdout.strip() == str(loaded)
