"""Running a framework's program as a process, and reading what it wrote to a topic."""

import json
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from confluent_kafka import Consumer, Producer, TopicPartition

from chronik.testing import Broker

PROGRAMS = Path(__file__).parent / "programs"
RESULT_SECONDS_MAX = 100.0
STOP_SECONDS_MAX = 60.0
# Two starts of a program, each within its bounds.
TEST_SECONDS_MAX = 2 * (RESULT_SECONDS_MAX + STOP_SECONDS_MAX) + 60
LOOK_AGAIN_S = 0.05
# What a JVM gives as its exit code when SIGTERM ended it in good order.
JVM_TERMINATED = 128 + signal.SIGTERM

LINES = (
    ("the log is the truth", "a log is a list", "the truth is in the log"),
    ("a list of lines", "the lines of the log", "the last line is the truth"),
)


class Program:
    """A framework's program that runs, with its output in a file."""

    def __init__(self, process: "subprocess.Popen[bytes]", log_path: Path) -> None:
        self._process = process
        self._log_path = log_path

    def await_result(self, is_there: Callable[[], bool], describe: Callable[[], object]) -> None:
        """Wait until the result is there, for as long as the program runs and within the bound."""
        deadline = time.monotonic() + RESULT_SECONDS_MAX
        while not is_there():
            assert self._process.poll() is None, f"it ended with {self._process.returncode}:\n{self.log_tail()}"
            assert time.monotonic() < deadline, f"no result in time; so far {describe()}:\n{self.log_tail()}"
            time.sleep(LOOK_AGAIN_S)

    def stop(self, exit_code: int = 0) -> None:
        """End it in good order, as an operator would."""
        self._process.send_signal(signal.SIGTERM)
        assert self._process.wait(STOP_SECONDS_MAX) == exit_code, self.log_tail()

    def log_tail(self) -> str:
        return "\n".join(self._log_path.read_text(errors="replace").splitlines()[-60:])


@contextmanager
def running(command: Sequence[str], log_path: Path) -> Iterator[Program]:
    """Run a program inside the block; nothing of it runs afterwards."""
    with log_path.open("ab") as log:
        process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)
    try:
        yield Program(process, log_path)
    finally:
        process.kill()
        process.wait()


def send_lines(broker: Broker, topic: str, lines: Sequence[str]) -> None:
    outcomes: list[object] = []
    producer = Producer(broker.properties())
    for number, line in enumerate(lines):
        producer.produce(topic, line, key=str(number), on_delivery=lambda error, _: outcomes.append(error))
    producer.flush(RESULT_SECONDS_MAX)
    assert outcomes == [None] * len(lines)


class Counts:
    """The word counts that a topic tells: the latest of each word, and how often each was told."""

    def __init__(self, broker: Broker, topic: str) -> None:
        self._consumer = Consumer(broker.properties({"group.id": "counts", "enable.auto.commit": False}))
        self._consumer.assign([TopicPartition(topic, 0, 0)])
        self.latest: dict[str, int] = {}
        self.told: Counter[tuple[str, int]] = Counter()

    def become(self, expected: Counter[str]) -> bool:
        """Read what is there; whether the latest counts are the expected ones."""
        for message in self._consumer.consume(1000, timeout=0.1):
            assert message.error() is None
            said = json.loads(message.value() or b"{}")
            self.latest[said["word"]] = said["count"]
            self.told[said["word"], said["count"]] += 1
        return self.latest == expected

    def close(self) -> None:
        self._consumer.close()


def words_of(lines: Sequence[str]) -> Counter[str]:
    return Counter(word for line in lines for word in line.split())


def every_count(words: Counter[str]) -> Counter[tuple[str, int]]:
    """What a count without loss or repetition tells: each number of each word, once."""
    return Counter((word, number) for word, total in words.items() for number in range(1, total + 1))


def check_counting_over_a_restart(
    broker: Broker, topic: str, command: Sequence[str], tmp_path: Path, code: int
) -> None:
    """Count lines, stop program and broker, and count on from the changelog alone, its local state being gone."""
    broker.create_topic("lines", partitions=2)
    broker.create_topic(topic)
    sent: list[str] = []
    for start, lines in enumerate(LINES):
        send_lines(broker, "lines", lines)
        sent += lines
        with running([*command, broker.bootstrap_servers, f"{tmp_path}/state-{start}"], tmp_path / "log") as program:
            await_counts(program, broker, topic, words_of(sent))
            program.stop(code)
        broker.restart()


def await_counts(program: Program, broker: Broker, topic: str, words: Counter[str]) -> None:
    """Wait for the counts of all words, each of which must have been told once."""
    counts = Counts(broker, topic)
    program.await_result(lambda: counts.become(words), lambda: counts.latest)
    counts.close()
    assert counts.told == every_count(words)
