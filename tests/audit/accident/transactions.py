"""A user's producer with transactions, hooked into a run: half of them are aborted, with and without waiting first."""

from dataclasses import dataclass, field
from pathlib import Path

from confluent_kafka import Producer

from chronik.audit import ProducerLedger
from chronik.audit.capture.settings import RunSettings

PRODUCER = 5
ROUNDS = 4
IN_ONE = 10
SECONDS_MAX = 60.0


@dataclass
class Transacted:
    """Which sequences were sent in transactions that ended how."""

    committed: set[int] = field(default_factory=set)
    aborted: set[int] = field(default_factory=set)
    """Aborted when all of them were acknowledged."""
    dropped: set[int] = field(default_factory=set)
    """Aborted while they were on their way: the client may never have sent them."""

    @property
    def total(self) -> int:
        return len(self.committed) + len(self.aborted) + len(self.dropped)


def transact(settings: RunSettings, directory: Path, run: int) -> Transacted:
    """Run transactions; the last one commits a message in every partition."""
    own = {"bootstrap.servers": settings.bootstrap, "transactional.id": settings.topic}
    done = Transacted()
    with ProducerLedger(directory, producer=PRODUCER, run=run) as ledger:
        producer = ledger.wrap(Producer(own), own)
        producer.init_transactions(SECONDS_MAX)

        def send(into: set[int], partitions: list[int]) -> None:
            producer.begin_transaction()
            for partition in partitions:
                into.add(ledger.next_sequence)
                producer.produce(settings.topic, b"in a transaction", partition=partition)

        everywhere = [number % settings.partitions for number in range(IN_ONE)]
        for _ in range(ROUNDS):
            send(done.committed, everywhere)
            producer.commit_transaction(SECONDS_MAX)
            send(done.aborted, everywhere)
            assert producer.flush(SECONDS_MAX) == 0
            producer.abort_transaction(SECONDS_MAX)
            send(done.dropped, everywhere)
            producer.abort_transaction(SECONDS_MAX)
        send(done.committed, everywhere)
        producer.commit_transaction(SECONDS_MAX)
    return done
