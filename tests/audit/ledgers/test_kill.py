"""kill -9 of a process that records, at any moment: nothing that was sent is a phantom, and no acknowledgement is lost
that was written down."""

import random
import subprocess
import sys
import time
from pathlib import Path

from chronik.audit import Evidence
from chronik.audit.tables.ids import AuditId
from chronik.audit.tables.schemas import SendOutcome
from chronik.testing.topics import create_topic
from tests.audit.ledgers.topic_contents import end_offsets, read_all
from tests.brokers import BrokerProcess

SEED = 20
ROUNDS = 3
WAIT_S_MAX = 60.0

PROGRAM = """
import sys, confluent_kafka
from chronik.audit import ProducerLedger
bootstrap, topic, directory = sys.argv[1:]
ledger = ProducerLedger(directory, producer=0)
producer = ledger.wrap(confluent_kafka.Producer({"bootstrap.servers": bootstrap, "linger.ms": 1}))
number = 0
while True:
    try:
        producer.produce(topic, b"value %d" % number, partition=number % 2)
        number += 1
    except BufferError:
        pass
    producer.poll(0)
"""


def test_no_message_of_a_killed_producer_is_a_phantom(
    shared_broker: BrokerProcess, topic_name: str, tmp_path: Path
) -> None:
    create_topic(shared_broker.bootstrap, topic_name, 2, {}, WAIT_S_MAX)
    dice = random.Random(SEED)
    for number in range(ROUNDS):
        before = sum(end_offsets(shared_broker.bootstrap, topic_name, 2).values())
        messages = before + dice.randrange(1, 4_000)
        # The last one lives until acknowledgements are on the disk; the others may die before that.
        rows = 1 if number == ROUNDS - 1 else 0
        _send_and_kill(shared_broker.bootstrap, topic_name, tmp_path, messages, rows)
    evidence = Evidence(tmp_path)
    stored = read_all(shared_broker.bootstrap, topic_name, 2)
    blocks = [(row["first_sequence"], row["end_sequence"]) for row in evidence.reserved.to_pylist()]
    numbers = [one.audit_id.sequence for one in stored]
    assert {one.audit_id.run for one in stored} == {evidence.facts.run}
    assert [n for n in numbers if not any(first <= n < end for first, end in blocks)] == []
    assert len(set(numbers)) == len(numbers), "no sequence was used twice"
    _assert_acknowledged_is_stored(evidence, {(one.audit_id, one.partition, one.offset) for one in stored})
    assert set(evidence.sends["incarnation"].to_pylist()) <= set(range(ROUNDS))


def _assert_acknowledged_is_stored(evidence: Evidence, stored: set[tuple[AuditId, int, int]]) -> None:
    run = evidence.facts.run
    acked = [row for row in evidence.sends.to_pylist() if row["outcome"] == SendOutcome.ACKED]
    assert acked
    missing = {(AuditId(run, 0, row["sequence"]), row["partition"], row["offset"]) for row in acked} - stored
    assert missing == set()


def _send_and_kill(bootstrap: str, topic: str, directory: Path, messages: int, rows: int) -> None:
    """Let a program send at full speed, and kill it once the topic holds so many messages, and the ledger rows."""
    program = subprocess.Popen([sys.executable, "-c", PROGRAM, bootstrap, topic, str(directory)])
    try:
        until = time.monotonic() + WAIT_S_MAX
        while sum(end_offsets(bootstrap, topic, 2).values()) < messages or Evidence(directory).sends.num_rows < rows:
            assert program.poll() is None, "it ended by itself"
            assert time.monotonic() < until, f"{messages} messages did not come"
    finally:
        program.kill()
        program.wait()
