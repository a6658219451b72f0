"""What a ledger leaves behind: readable at every moment, whatever became of the process that wrote it."""

import threading
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pytest

from chronik.audit import ConsumerLedger, Evidence, ProducerLedger
from chronik.audit.ledger.clients.wrapping import promises_of
from chronik.audit.ledger.directory import note_facts, run_of, settle_facts, take_number
from chronik.audit.ledger.outcomes import outcome_of_code
from chronik.audit.ledger.reservation import BLOCK_MAX, BLOCK_MIN, Reservation, next_block
from chronik.audit.ledger.writing import BATCH_ROWS_MAX, Row, RowStream, rows_to_batch
from chronik.audit.tables.evidence import read_reserved, read_streams
from chronik.audit.tables.ids import encode_header
from chronik.audit.tables.run_facts import read_run_facts
from chronik.audit.tables.schemas import DELIVERED, EPOCHS, SENDS, EventKind, SendOutcome
from chronik.audit.tables.stream_files import stream_batches
from chronik.model.errors import ErrorCode


def send_all(ledger: ProducerLedger, count: int) -> None:
    """Send so many messages, each acknowledged at an offset that is its sequence."""
    for _ in range(count):
        with ledger.lock:
            stamped = ledger.header(b"value", None)
        assert stamped is not None
        ledger.acked(stamped[1], 0, stamped[1][0])


def test_file_that_is_cut_anywhere_is_read_up_to_its_last_whole_batch(tmp_path: Path) -> None:
    whole = tmp_path / "whole.arrows"
    stream = RowStream(whole, EPOCHS)
    ends = []
    for number in range(5):
        stream.rows.extend((number, row, 0, 1) for row in range(3))
        stream.write_waiting()
        ends.append(whole.stat().st_size)
    stream.close()
    content = whole.read_bytes()
    cut = tmp_path / "cut.arrows"
    for size in range(0, len(content) + 1, 7):
        cut.write_bytes(content[:size])
        rows = read_streams([cut], EPOCHS).num_rows
        assert rows == 3 * sum(end <= size for end in ends), f"cut at byte {size} of {len(content)}"


def test_rows_are_on_disk_within_a_moment_and_without_a_close(tmp_path: Path) -> None:
    ledger = ProducerLedger(tmp_path)
    send_all(ledger, 20)
    assert ledger._thread.wait_until(lambda: not len(ledger._streams[0]))
    assert sorted(Evidence(tmp_path).sends["sequence"].to_pylist()) == list(range(20))
    ledger.close()


def test_every_sequence_that_is_used_was_reserved_on_disk_before(tmp_path: Path) -> None:
    ledger = ProducerLedger(tmp_path)
    reserved = tmp_path / "sends" / "0.reserved"
    for _ in range(3 * BLOCK_MIN):
        with ledger.lock:
            stamped = ledger.header(None, b"k")
        assert stamped is not None
        if stamped[1][0] % 1000 == 0 or stamped[1][0] + 1 >= ledger._reservation.end:
            ends = read_reserved([reserved])["end_sequence"].to_pylist()
            assert stamped[1][0] < max(ends)
    ledger.close()


def test_close_says_where_the_sequences_stopped(tmp_path: Path) -> None:
    with ProducerLedger(tmp_path) as ledger:
        send_all(ledger, 5)
    [block] = Evidence(tmp_path).reserved.to_pylist()
    assert (block["first_sequence"], block["end_sequence"], block["is_closed"]) == (0, 5, True)


def test_next_incarnation_takes_no_sequence_that_one_before_it_reserved(tmp_path: Path) -> None:
    first = ProducerLedger(tmp_path, producer=4)
    send_all(first, 3)
    reserved_end = first._reservation.end
    # Killed, as far as the files know: nothing says where it stopped.
    first._thread.close()
    with ProducerLedger(tmp_path, producer=4) as second:
        assert (second.incarnation, second.next_sequence) == (1, reserved_end)
        send_all(second, 2)
    rows = {(row["incarnation"], row["sequence"]) for row in Evidence(tmp_path).sends.to_pylist()}
    assert rows == {(0, 0), (0, 1), (0, 2), (1, reserved_end), (1, reserved_end + 1)}


def test_line_that_was_torn_by_a_kill_reserves_nothing_and_is_written_over(tmp_path: Path) -> None:
    path = tmp_path / "0.reserved"
    path.write_text("reserve 0 0 0 8192\nreserve 0 0 8192 163")
    reservation = Reservation(path, 0)
    assert (reservation.incarnation, reservation.first) == (1, 8192)
    reservation.close(8192)
    lines = path.read_text().splitlines()
    assert lines[0] == "reserve 0 0 0 8192"
    assert lines[1] == f"reserve 0 1 8192 {8192 + 2 * BLOCK_MIN}"


def test_blocks_grow_while_they_are_used_up_fast_and_shrink_again() -> None:
    assert next_block(BLOCK_MIN, 0.01) == 2 * BLOCK_MIN
    assert next_block(BLOCK_MAX, 0.01) == BLOCK_MAX
    assert next_block(BLOCK_MAX, 1.0) == BLOCK_MAX
    assert next_block(BLOCK_MAX, 10.0) == BLOCK_MAX // 2
    assert next_block(BLOCK_MIN, 10.0) == BLOCK_MIN


def test_sequences_of_several_threads_are_all_different(tmp_path: Path) -> None:
    with ProducerLedger(tmp_path) as ledger:
        threads = [threading.Thread(target=send_all, args=(ledger, 2000)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(Evidence(tmp_path).sends["sequence"].to_pylist()) == list(range(8000))


def test_acknowledgement_without_an_offset_proves_nothing(tmp_path: Path) -> None:
    with ProducerLedger(tmp_path) as ledger:
        stamped = ledger.header(b"a", None)
        assert stamped is not None
        ledger.acked(stamped[1], 0, -1)
    assert Evidence(tmp_path).sends["outcome"].to_pylist() == [SendOutcome.UNKNOWN]


@pytest.mark.parametrize(
    ("code", "is_retried", "outcome"),
    [
        (ErrorCode.MESSAGE_TOO_LARGE, True, SendOutcome.REFUSED),
        (ErrorCode.NOT_LEADER_OR_FOLLOWER, False, SendOutcome.REFUSED),
        (ErrorCode.NOT_LEADER_OR_FOLLOWER, True, SendOutcome.UNKNOWN),
        (ErrorCode.NOT_ENOUGH_REPLICAS, False, SendOutcome.REFUSED),
        (ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND, False, SendOutcome.UNKNOWN),
        (ErrorCode.REQUEST_TIMED_OUT, False, SendOutcome.UNKNOWN),
        (-192, False, SendOutcome.UNKNOWN),
        (-152, False, SendOutcome.REFUSED),
        (-152, True, SendOutcome.UNKNOWN),
    ],
)
def test_error_is_a_refusal_only_where_no_attempt_can_have_been_appended(
    code: int, is_retried: bool, outcome: SendOutcome
) -> None:
    assert outcome_of_code(code, is_retried=is_retried) is outcome


def test_ledger_that_cannot_be_written_lets_messages_pass_without_an_id(tmp_path: Path) -> None:
    ledger = ProducerLedger(tmp_path)
    ledger._streams[0]._file.close()
    send_all(ledger, 1)
    assert not ledger._thread.wait_until(lambda: False)
    assert ledger.failure is not None
    ledger.next_sequence = ledger._reservation.end
    assert ledger.header(b"value", None) is None
    with pytest.raises(type(ledger.failure)):
        ledger.close()


def test_record_is_intact_only_if_its_checksum_is_right_and_ours_only_with_an_id(tmp_path: Path) -> None:
    with ConsumerLedger(tmp_path, group="g") as ledger:
        header = encode_header(ledger.run, 2, 9, 5, 77)
        for offset, (found, crc) in enumerate([(header, 77), (header, 78), (None, 0), (header[:-1], 77)]):
            ledger.rows.append((-1, 1, 6, 0, offset, 4, found, crc))
        ledger.event(EventKind.POSITION, 0, 4)
    rows = Evidence(tmp_path).delivered.to_pylist()
    assert [(row["is_ours"], row["is_intact"]) for row in rows] == [
        (True, True),
        (True, False),
        (False, False),
        (False, False),
    ]
    assert (rows[0]["group"], rows[0]["producer"], rows[0]["sequence"], rows[0]["sent_us"]) == ("g", 2, 9, 5)
    assert [row["kind"] for row in Evidence(tmp_path).events.to_pylist()] == ["position", "end"]


def test_directory_has_one_run_whoever_comes_first(tmp_path: Path) -> None:
    numbers: list[int] = []
    threads = [threading.Thread(target=lambda: numbers.append(run_of(tmp_path, None))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(numbers) == 8
    assert len(set(numbers)) == 1
    with pytest.raises(ValueError, match="belongs to run"):
        run_of(tmp_path, numbers[0] ^ 1)


def test_number_is_taken_once(tmp_path: Path) -> None:
    assert [take_number(tmp_path, ".reserved") for _ in range(3)] == [0, 1, 2]


def test_tables_are_those_of_the_contract(tmp_path: Path) -> None:
    with ProducerLedger(tmp_path) as producer, ConsumerLedger(tmp_path) as consumer:
        send_all(producer, 1)
        consumer.rows.append((-1, 1, 6, 0, 0, 4, None, 0))
    evidence = Evidence(tmp_path)
    assert evidence.sends.schema == SENDS
    assert evidence.delivered.schema == DELIVERED


def test_row_that_comes_while_others_are_written_is_written_next(tmp_path: Path) -> None:
    late = [(9, 9, 9, 9)]

    def to_batch(rows: Sequence[Row]) -> pa.RecordBatch:
        stream.rows.extend(late)
        late.clear()
        return rows_to_batch(EPOCHS)(rows)

    stream = RowStream(tmp_path / "file.arrows", EPOCHS, to_batch)
    stream.rows.append((1, 1, 1, 1))
    stream.write_waiting()
    stream.close()
    written = read_streams([tmp_path / "file.arrows"], EPOCHS)
    assert written["partition"].to_pylist() == [1, 9]


def test_more_rows_than_fit_a_batch_become_several(tmp_path: Path) -> None:
    stream = RowStream(tmp_path / "file.arrows", EPOCHS)
    stream.rows.extend((number, 0, 0, 0) for number in range(BATCH_ROWS_MAX + 1))
    stream.close()
    sizes = [batch.num_rows for batch in stream_batches(tmp_path / "file.arrows")]
    assert sizes == [BATCH_ROWS_MAX, 1]


def test_what_hooked_clients_noted_stays_when_the_run_tells_of_itself_but_not_into_another_run(tmp_path: Path) -> None:
    settle_facts(tmp_path, {"run": f"{7:016x}", "topic": "t"})
    note_facts(tmp_path, producers={"5": {"acks": "all", "transactional": True}})
    settle_facts(tmp_path, {"run": f"{7:016x}", "topic": "t", "end_us": 9})
    facts = read_run_facts(tmp_path)
    assert (facts.end_us, facts.producer(5).is_transactional) == (9, True)
    settle_facts(tmp_path, {"run": f"{8:016x}", "topic": "t"})
    assert (read_run_facts(tmp_path).end_us, read_run_facts(tmp_path).producers) == (-1, {})


def test_processes_add_to_what_is_known_of_a_run_and_change_none_of_it(tmp_path: Path) -> None:
    run = run_of(tmp_path, None)
    numbers = range(8)
    threads = [
        threading.Thread(target=note_facts, args=(tmp_path,), kwargs={"topic": "t", "producers": {str(n): {"acks": n}}})
        for n in numbers
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    note_facts(tmp_path, topic="other", producers={"0": {"acks": 99}})
    facts = Evidence(tmp_path).facts
    assert (facts.run, facts.topic) == (run, "t")
    assert {number: own.acks for number, own in facts.producers.items()} == {n: n for n in numbers}


@pytest.mark.parametrize(
    ("settings", "acks", "is_idempotent", "in_flight"),
    [
        ({"acks": "1", "max.in.flight": 2}, "1", False, 2),
        ({"acks": 0}, "0", False, 5),
        ({"enable.idempotence": True}, "all", True, 5),
        ({"enable.idempotence": "true", "acks": "all"}, "all", True, 5),
        ({"acks": 1, "enable_idempotence": False, "transactional_id": None}, "1", False, 5),
        ({"acks": 1, "transactional_id": "orders"}, "all", True, 5),
        ({}, "all", False, 5),
    ],
)
def test_promises_are_read_from_the_settings_of_a_client(
    settings: dict[str, object], acks: str, is_idempotent: bool, in_flight: int
) -> None:
    promises = promises_of(None, settings)
    assert (promises["acks"], promises["idempotent"], promises["in_flight"]) == (acks, is_idempotent, in_flight)
    assert promises_of(None, None) == {}
