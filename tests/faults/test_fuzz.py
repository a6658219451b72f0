"""Frames and records made of nonsense: an error or a closed connection, no crash, no growth, and good clients go on."""

import time
from collections.abc import Iterator
from random import Random
from zlib import compressobj

import pytest
from crc32c import crc32c

from chronik.model.errors import ErrorCode
from chronik.protocol.apis import SERVED, ApiKey
from chronik.protocol.generated.list_offsets import ListOffsetsPartition, ListOffsetsRequest, ListOffsetsTopic
from chronik.records.batch import CRC, CRC_POSITION, CRC_START, HEADER_BYTES, LOG_OVERHEAD_BYTES
from chronik.records.build import Record, build_batch
from chronik.records.codecs import Codec
from tests.brokers import BrokerProcess
from tests.faults.fuzzing import SIZE, fuzzed, outcome
from tests.regressions.librdkafka import send_all
from tests.regressions.processes import memory_bytes, open_descriptors, wait_until
from tests.regressions.wire import Wire, values_of

FRAMES_PER_API = 300
ANSWER_SECONDS_MAX = 60.0
GROWTH_BYTES_MAX = 40 * 1024 * 1024


@pytest.fixture(scope="module")
def fuzzed_broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrokerProcess]:
    broker = BrokerProcess(tmp_path_factory.mktemp("fuzzed"))
    try:
        yield broker.start()
    finally:
        if broker.is_running:
            broker.kill()


@pytest.fixture
def sound_broker(fuzzed_broker: BrokerProcess, topic_name: str) -> Iterator[BrokerProcess]:
    """The broker that is attacked; afterwards it must be as it was."""
    if not fuzzed_broker.is_running:
        fuzzed_broker.start()
    before, descriptors = memory_bytes(fuzzed_broker.pid), open_descriptors(fuzzed_broker.pid)
    pid, said = fuzzed_broker.pid, len(fuzzed_broker.log_text)
    yield fuzzed_broker
    news = fuzzed_broker.log_text[said:]
    assert fuzzed_broker.is_running, news[-3000:]
    assert fuzzed_broker.pid == pid
    assert " died" not in news
    assert "Traceback" not in news, news[news.index("Traceback") - 300 :][:3000]
    good = f"{topic_name}-good"
    with Wire(fuzzed_broker.bootstrap) as wire:
        wire.create_topic(good)
        assert wire.append(good, b"a", b"b") == 0
        assert values_of(wire.read_all(good)) == [b"a", b"b"]
    assert send_all(fuzzed_broker.bootstrap, good, [b"c"]) == {b"c": 2}
    grown = memory_bytes(fuzzed_broker.pid) - before
    assert grown < GROWTH_BYTES_MAX, f"{grown} bytes more than before"
    # Partitions that a lucky frame created keep files open; connections must not.
    wait_until(lambda: _sockets(fuzzed_broker) <= descriptors, 60, "connections are closed")


def _sockets(broker: BrokerProcess) -> int:
    partitions = sum(1 for path in broker.data.iterdir() if path.is_dir())
    return open_descriptors(broker.pid) - partitions


@pytest.mark.parametrize("key", [ApiKey(key) for key in SERVED], ids=lambda key: key.name)
def test_mutated_requests_get_an_error_or_a_closed_connection(
    sound_broker: BrokerProcess, topic_name: str, key: ApiKey
) -> None:
    """Rule 50."""
    with Wire(sound_broker.bootstrap) as wire:
        topic_id = wire.create_topic(topic_name, 2)
        wire.append(topic_name, b"one", b"two")
    for raw in fuzzed(key, topic_name, topic_id, Random(f"fuzz {key.name}"), FRAMES_PER_API):
        _check_answer(outcome(sound_broker.bootstrap, raw, ANSWER_SECONDS_MAX))


def _check_answer(answer: bytes) -> None:
    """Nothing before the connection was closed, or one whole frame."""
    if answer:
        assert SIZE.unpack_from(answer)[0] == len(answer) - SIZE.size


@pytest.mark.parametrize("seed", [1, 2])
def test_random_bytes_close_the_connection(sound_broker: BrokerProcess, seed: int) -> None:
    """Rule 50."""
    dice = Random(seed)
    for _ in range(200):
        content = dice.randbytes(dice.randrange(1, 300))
        sized = SIZE.pack(len(content)) + content if dice.random() < 0.5 else content
        _check_answer(outcome(sound_broker.bootstrap, sized, ANSWER_SECONDS_MAX))
    for text in (b"GET / HTTP/1.1\r\nHost: here\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"\0"):
        assert outcome(sound_broker.bootstrap, text, ANSWER_SECONDS_MAX) == b""


def test_announced_but_unsent_frames_hold_no_memory(sound_broker: BrokerProcess) -> None:
    """Rule 50: memory is lent to bytes, not to promises of bytes."""
    before = memory_bytes(sound_broker.pid)
    wires = [Wire(sound_broker.bootstrap) for _ in range(40)]
    for wire in wires:
        wire.send_bytes(SIZE.pack(90 * 1024 * 1024) + bytes(100))
    with Wire(sound_broker.bootstrap) as wire:
        wire.create_topic(f"announced-{before}")
        assert wire.append(f"announced-{before}", bytes(900_000)) == 0
    assert memory_bytes(sound_broker.pid) - before < GROWTH_BYTES_MAX
    for wire in wires:
        wire._socket.close()


def _with_crc(batch: bytearray) -> bytes:
    CRC.pack_into(batch, CRC_POSITION, crc32c(bytes(batch[CRC_START:])))
    return bytes(batch)


def _nonsense_batches(dice: Random, count: int) -> Iterator[bytes]:
    """Batches with a right CRC whose records, or whose header, make no sense."""
    for _ in range(count):
        records = [Record(b"k%d" % index, dice.randbytes(20), (("h", b"v"),), 1_700_000_000_000) for index in range(4)]
        batch = bytearray(build_batch(records, codec=dice.choice(list(Codec))))
        for _ in range(dice.randrange(1, 4)):
            first = HEADER_BYTES if dice.random() < 0.7 else CRC_START
            batch[dice.randrange(first, len(batch))] = dice.choice([0, 1, 0x7F, 0x80, 0xFF, dice.randrange(256)])
        if dice.random() < 0.3:
            batch[HEADER_BYTES:] = dice.randbytes(dice.randrange(0, 60))
            SIZE.pack_into(batch, 8, len(batch) - LOG_OVERHEAD_BYTES)
        yield _with_crc(batch)


@pytest.mark.parametrize("policy", ["delete", "compact"])
def test_nonsense_records_with_a_right_crc_do_no_harm(
    sound_broker: BrokerProcess, topic_name: str, policy: str
) -> None:
    """What is taken is stored as it is; whatever looks inside it later meets an error, not a crash."""
    with Wire(sound_broker.bootstrap) as wire:
        wire.create_topic(topic_name, 1, cleanup_policy=policy)
        end = 0
        for batch in _nonsense_batches(Random(policy), 400):
            answer = wire.produce(topic_name, batch)
            if answer.error_code == ErrorCode.NONE:
                assert answer.base_offset == end
                end = wire.end_offset(topic_name)
            else:
                assert answer.base_offset == -1
                assert ErrorCode(answer.error_code) is not ErrorCode.UNKNOWN_SERVER_ERROR, answer
        assert wire.end_offset(topic_name) == end
    with Wire(sound_broker.bootstrap) as wire:
        sound = build_batch([Record(b"key", b"sound", (), time.time_ns() // 1_000_000)])
        assert wire.produce(topic_name, sound).base_offset == end
        assert values_of(wire.read_all(topic_name, offset=end)) == [b"sound"]


def test_looking_up_times_among_nonsense_records_is_an_error_not_a_crash(
    sound_broker: BrokerProcess, topic_name: str
) -> None:
    with Wire(sound_broker.bootstrap) as wire:
        wire.create_topic(topic_name)
        for batch in _nonsense_batches(Random(5), 100):
            wire.produce(topic_name, batch)
        errors = {_error_of_lookup(wire, topic_name, at) for at in (0, 1_700_000_000_000, 2**60, -3)}
    assert ErrorCode.CORRUPT_MESSAGE in errors
    assert errors <= {ErrorCode.NONE, ErrorCode.CORRUPT_MESSAGE}


def _error_of_lookup(wire: Wire, topic: str, timestamp: int) -> int:
    request = ListOffsetsRequest(-1, 0, [ListOffsetsTopic(topic, [ListOffsetsPartition(0, -1, timestamp)])])
    error: int = wire.call(ApiKey.LIST_OFFSETS, 7, request).topics[0].partitions[0].error_code
    return error


def test_a_small_batch_that_grows_without_end_is_refused(sound_broker: BrokerProcess, topic_name: str) -> None:
    """A compacted topic looks inside: what it unpacks is bounded."""
    packer = compressobj(6, wbits=31)
    megabyte = bytes(1024 * 1024)
    bomb = b"".join(packer.compress(megabyte) for _ in range(200)) + packer.flush()
    assert len(bomb) < 1_000_000
    batch = bytearray(build_batch([Record(b"k", b"v", (), 1_700_000_000_000)], codec=Codec.GZIP))
    batch[HEADER_BYTES:] = bomb
    SIZE.pack_into(batch, 8, len(batch) - LOG_OVERHEAD_BYTES)
    with Wire(sound_broker.bootstrap) as wire:
        wire.create_topic(topic_name, 1, cleanup_policy="compact")
        answer = wire.produce(topic_name, _with_crc(batch))
        assert answer.error_code in (ErrorCode.CORRUPT_MESSAGE, ErrorCode.INVALID_RECORD), answer
        assert wire.end_offset(topic_name) == 0
