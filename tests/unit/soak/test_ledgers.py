"""How far the clients of a soak have come is read from their ledgers while they write them."""

from pathlib import Path

from chronik.audit import ConsumerLedger, ProducerLedger
from chronik.audit.tables.schemas import EventKind
from soak.ledgers import Ledgers, run_directory


def send(ledger: ProducerLedger, offset: int) -> None:
    with ledger.lock:
        stamped = ledger.header(b"value", None)
    assert stamped is not None
    ledger.acked(stamped[1], 0, offset)


def deliver(ledger: ConsumerLedger, offset: int) -> None:
    ledger.rows.append((-1, 1, 1, 0, offset, 0, None, 0))


def test_clients_messages_and_deliveries_that_are_still_to_come_are_counted(tmp_path: Path) -> None:
    ledgers = Ledgers(tmp_path, {"g": "t", "other": "t"})
    run = run_directory(tmp_path, "t")
    with ProducerLedger(run, topic="t") as sent, ConsumerLedger(run, topic="t", group="g") as read:
        read.started(group="g", reset="earliest", isolation="", mode="subscribe")
        for offset in range(3):
            send(sent, offset)
        for offset in (0, 1, 1):
            deliver(read, offset)
        assert sent.flush()
        assert read.flush()
        assert ledgers.started() == 2
        assert (ledgers.counts["ACKED"], ledgers.counts["delivered"]) == (3, 3)
        assert (ledgers.missing(), ledgers.redelivered()) == (1 + 3, 1)
        deliver(read, 2)
        read.event(EventKind.ERROR, text="gone")
        assert read.flush()
        ledgers.read()
        assert (ledgers.missing(), ledgers.counts["delivered"], ledgers.complaints) == (3, 4, {"gone": 1})
