"""What a cluster tells scrapers: well formed, documented, true, and every series by one broker only."""

import socket
import struct
import subprocess
from collections import Counter

import pytest
from confluent_kafka import Consumer, KafkaError, Producer, TopicPartition

from chronik.observability.request_times import STAGES
from chronik.server.metrics.catalogue import ALL, MetricType
from chronik.server.metrics.families import SLICE_LINES, Families
from chronik.server.metrics.series_heads import SeriesHeads
from tests.metrics.conftest import COMMITTED, LAGS, LOG_STARTS, QUIET, SENT, Watched
from tests.metrics.scraping import Samples, families, parse, samples, scrape, series, wait_for

# The cluster is shared with what Prometheus is asked.
pytestmark = pytest.mark.xdist_group("metrics")

# Names and labels that dashboards know, and that promtool would have spelt otherwise.
NAMED_BY_OTHERS = (
    "kafka_server_socket_server_metrics_connection_count",
    "kafka_consumergroup_current_offset_sum",
    "kafka_consumergroup_lag_sum",
    "kafka_server_delayedoperationpurgatory_purgatorysize",
)
ONCE = ("chronik_partition_", "chronik_follower_", "kafka_topic_partition_", "kafka_consumergroup_", "kafka_cluster_")


def joined(watched: Watched) -> Samples:
    """What all brokers tell together; what more than one tells is added up."""
    whole: Counter[object] = Counter()
    for address in watched.addresses:
        whole.update(samples(address))
    return dict(whole)  # type: ignore[arg-type]


def test_an_independent_parser_reads_every_line(watched: Watched, promtool: str) -> None:
    for address in watched.addresses:
        text = scrape(address)
        done = subprocess.run([promtool, "check", "metrics"], input=text, capture_output=True, text=True, check=False)
        complaints = [line for line in done.stderr.splitlines() if not line.startswith(NAMED_BY_OTHERS)]
        assert done.returncode in (0, 3), done.stderr
        assert complaints == []
        assert len(parse(text)) > 500


def test_what_is_told_is_in_the_catalogue_and_all_of_the_catalogue_is_told(watched: Watched) -> None:
    told: dict[str, str] = {}
    for address in watched.addresses:
        text = scrape(address)
        told |= families(text)
        for one in parse(text):
            family = next(
                (one.name.removesuffix(end) for end in ("_bucket", "_sum", "_count") if _is_part(one.name, end)),
                one.name,
            )
            own = {name for name, _ in one.labels} - {"le", "quantile"}
            assert own <= set(ALL[family].labels), one
    assert told == {name: each.kind.value for name, each in ALL.items()}


def _is_part(name: str, end: str) -> bool:
    family = ALL.get(name.removesuffix(end))
    return name.endswith(end) and family is not None and family.kind in (MetricType.HISTOGRAM, MetricType.SUMMARY)


def test_a_series_of_a_partition_or_group_is_told_by_one_broker_only(watched: Watched) -> None:
    by_series: Counter[object] = Counter()
    for address in watched.addresses:
        told = [
            one for one in samples(address) if one.name.startswith(ONCE) and one.name != "chronik_partition_offline"
        ]
        by_series.update(told)
    assert by_series, "there are partitions"
    assert {one: count for one, count in by_series.items() if count > 1} == {}


def test_offsets_and_counts_are_those_of_the_messages_that_were_sent(watched: Watched) -> None:
    whole = joined(watched)
    for partition, count in SENT.items():
        where = {"topic": watched.topic, "partition": partition}
        assert whole[series("chronik_partition_log_end_offset", **where)] == count
        assert whole[series("chronik_partition_high_watermark", **where)] == count
        assert whole[series("kafka_topic_partition_current_offset", **where)] == count
        assert whole[series("kafka_topic_partition_oldest_offset", **where)] == LOG_STARTS[partition]
        assert whole[series("kafka_topic_partition_in_sync_replica", **where)] == 3
        assert whole[series("kafka_log_log_logendoffset", **where)] == 3 * count, "three copies"
    assert whole[series("kafka_server_brokertopicmetrics_messagesin_total", topic=watched.topic)] == sum(SENT.values())
    assert whole[series("kafka_topic_partitions", topic=watched.topic)] == len(SENT)
    assert whole[series("kafka_brokers")] == 3
    assert whole[series("kafka_controller_kafkacontroller_activecontrollercount")] == 1
    assert whole[series("kafka_server_replicamanager_underreplicatedpartitions")] == 0


def test_bytes_go_to_followers_twice_for_every_byte_that_comes_in(watched: Watched) -> None:
    topic = watched.cluster.create_topic("bytes", 1)
    before = traffic(watched)
    assert send(watched, topic, bytes(10_000), acks="all") is None

    def difference() -> tuple[float, ...]:
        return tuple(now - was for now, was in zip(traffic(watched), before, strict=True))

    # What a broker tells, and when another is asked, are moments apart: a group's record may be on its way.
    wait_for(
        lambda: (told := difference())[0] > 10_000 and told[1:] == (2 * told[0],) * 2, "every byte was copied twice"
    )


def traffic(watched: Watched) -> tuple[float, float, float]:
    whole = joined(watched)
    names = ("bytesin", "replicationbytesout", "replicationbytesin")
    taken, given, copied = (whole[series(f"kafka_server_brokertopicmetrics_{name}_total")] for name in names)
    return taken, given, copied


def test_lag_counts_from_the_log_start_where_the_position_has_expired(watched: Watched) -> None:
    whole = joined(watched)
    for partition, lag in LAGS.items():
        where = {"consumergroup": watched.group, "topic": watched.topic, "partition": partition}
        assert whole[series("kafka_consumergroup_current_offset", **where)] == COMMITTED[partition]
        assert whole[series("kafka_consumergroup_lag", **where)] == lag
    of_topic = {"consumergroup": watched.group, "topic": watched.topic}
    assert whole[series("kafka_consumergroup_lag_sum", **of_topic)] == sum(LAGS.values())


def test_histograms_rise_with_their_bounds_and_end_with_all(watched: Watched) -> None:
    for address in watched.addresses:
        told = samples(address)
        for one, value in told.items():
            if not one.name.endswith("_bucket") or one.label("le") != "+Inf":
                continue
            rest = {name: text for name, text in one.labels if name != "le"}
            bounds = sorted(
                (float(each.label("le") or "inf"), count) for each, count in told.items() if _is_of(each, one)
            )
            assert [count for _, count in bounds] == sorted(count for _, count in bounds)
            assert value == told[series(one.name.replace("_bucket", "_count"), **rest)]


def _is_of(each: object, one: object) -> bool:
    rest = {pair for pair in one.labels if pair[0] != "le"}  # type: ignore[attr-defined]
    return bool(each.name == one.name and rest <= each.labels)  # type: ignore[attr-defined]


def test_every_stage_counts_every_request(watched: Watched) -> None:
    for address in watched.addresses:
        told = samples(address)
        for one, count in told.items():
            if one.name == "chronik_request_seconds_count" and one.label("api") == "Produce":
                whole = told[series("chronik_request_seconds_count", api="Produce", stage="total")]
                assert count == whole


def test_a_version_that_is_not_served_and_a_malformed_request_are_counted(watched: Watched) -> None:
    first = str(watched.cluster.brokers[1].http_address)
    refused = series("chronik_requests_refused_total", api="Produce", error="UNSUPPORTED_VERSION")
    malformed = series("chronik_requests_refused_total", api="ListOffsets", error="INVALID_REQUEST")
    before = samples(first)
    assert answer_to(watched, struct.pack(">hhih", 0, 0, 1, -1)) == b"", "version 0 of Produce has no answer"
    assert answer_to(watched, struct.pack(">hhih", 2, 1, 1, -1) + b"\xff") == b""
    after = samples(first)
    assert after[refused] - before.get(refused, 0) == 1
    assert after[malformed] - before.get(malformed, 0) == 1


def answer_to(watched: Watched, frame: bytes) -> bytes:
    """Send a frame to broker 1 and give the first byte that comes back, or none where it closes the connection."""
    host, _, port = watched.cluster.address_of(1).rpartition(":")
    with socket.create_connection((host, int(port)), timeout=30) as connection:
        connection.sendall(struct.pack(">i", len(frame)) + frame)
        return connection.recv(1)


def send(watched: Watched, topic: str, value: bytes, partition: int = 0, **settings: object) -> KafkaError | None:
    """Send one message and give what became of it."""
    outcomes: list[KafkaError | None] = []
    producer = Producer({**QUIET, "bootstrap.servers": watched.cluster.bootstrap_servers, **settings})
    producer.produce(topic, value, partition=partition, on_delivery=lambda error, _: outcomes.append(error))
    producer.flush(60)
    (outcome,) = outcomes
    return outcome


def test_errors_in_answers_are_counted_by_api_and_name(watched: Watched) -> None:
    small = watched.cluster.create_topic("small", 1, {"max.message.bytes": 100})
    before = joined(watched)
    error = send(watched, small, bytes(5_000))
    assert error is not None
    assert error.code() == KafkaError.MSG_SIZE_TOO_LARGE
    assert fetched_beyond_the_end(watched, small) == KafkaError._AUTO_OFFSET_RESET
    after = joined(watched)
    for api, name in (("Produce", "MESSAGE_TOO_LARGE"), ("Fetch", "OFFSET_OUT_OF_RANGE")):
        refused = series("chronik_requests_refused_total", api=api, error=name)
        assert after[refused] - before.get(refused, 0) == 1, name
        same = series("kafka_network_requestmetrics_errors_total", request=api, error=name)
        assert after[same] == after[refused]


def fetched_beyond_the_end(watched: Watched, topic: str) -> int | None:
    settings = {"group.id": "beyond", "auto.offset.reset": "error"}
    consumer = Consumer({**QUIET, "bootstrap.servers": watched.cluster.bootstrap_servers, **settings})
    try:
        consumer.assign([TopicPartition(topic, 0, 1_000_000)])
        message = consumer.poll(60)
        assert message is not None
        error = message.error()
        return None if error is None else error.code()
    finally:
        consumer.close()


def test_what_is_written_at_once_was_local_and_what_waits_for_followers_was_remote(watched: Watched) -> None:
    alone = watched.cluster.create_topic("alone", 1, replicas=1)
    copied = watched.cluster.create_topic("copied", 1)
    assert produce_stages(watched, alone, acks="1")["remote"] == 0
    assert produce_stages(watched, copied, acks="all")["remote"] > 0


def produce_stages(watched: Watched, topic: str, **settings: object) -> dict[str, float]:
    """Send one message; how long it was in each stage."""

    def sums() -> dict[str, float]:
        whole = joined(watched)
        return {stage: _produce_sum(whole, stage) for stage in STAGES}

    before = sums()
    assert send(watched, topic, b"x", **settings) is None
    after = wait_for(lambda: (now := sums())["total"] > before["total"] and now, "the request is counted")
    return {stage: after[stage] - before[stage] for stage in STAGES}


def _produce_sum(whole: Samples, stage: str) -> float:
    return whole.get(series("chronik_request_seconds_sum", api="Produce", stage=stage), 0.0)


def test_a_coordinator_knows_the_lag_of_partitions_that_it_holds_no_copy_of(watched: Watched) -> None:
    single = watched.cluster.create_topic("single", 3, replicas=1)
    leaders = {partition.leader for partition in watched.cluster.view().topics[single].partitions.values()}
    assert len(leaders) == 3, "no broker has more than one of them"
    for partition in range(3):
        assert send(watched, single, b"x", partition) is None
    consumer = Consumer({**QUIET, "bootstrap.servers": watched.cluster.bootstrap_servers, "group.id": "singles"})
    consumer.commit(offsets=[TopicPartition(single, each, 0) for each in range(3)], asynchronous=False)
    consumer.close()
    of_group = {"consumergroup": "singles", "topic": single}
    wanted = [series("kafka_consumergroup_lag", **of_group, partition=each) for each in range(3)]
    # It asks whoever leads them, who may not answer at once.
    wait_for(lambda: list(map(joined(watched).get, wanted)) == [1, 1, 1], "the lag of every partition is known")


def test_flushes_store_round_trips_and_waits_for_followers_are_timed(watched: Watched) -> None:
    whole = joined(watched)
    assert whole[series("chronik_flush_seconds_count")] > 0
    assert whole[series("chronik_store_round_trip_seconds_count", operation="transact")] > 0
    assert whole[series("chronik_watermark_commit_seconds_count")] > 0
    assert whole[series("chronik_watermark_propagation_seconds_count")] > 0
    assert whole[series("process_resident_memory_bytes")] > 3 * 10_000_000


def test_a_second_scrape_tells_what_has_changed_since_the_first(watched: Watched) -> None:
    address = watched.addresses[0]
    beats = series("chronik_event_loop_delay_seconds_count")
    first = samples(address)[beats]
    wait_for(lambda: samples(address)[beats] > first, "the event loop beats on")


def test_labels_that_hold_any_character_are_written_so_that_they_can_be_read() -> None:
    odd = 'a"b\\c\nd{}é, x="y"'
    gathered = Families(SeriesHeads())
    gathered.add("kafka_consumergroup_members", 3, odd)
    text = "".join(gathered.slices())
    (told,) = parse(text)
    assert (told.label("consumergroup") or "").replace("\\n", "\n").replace('\\"', '"').replace("\\\\", "\\") == odd


def test_text_is_joined_in_bounded_slices() -> None:
    gathered = Families(SeriesHeads())
    for partition in range(2 * SLICE_LINES + 1):
        gathered.add("chronik_partition_lag", partition, "t", partition)
    assert max(text.count("\n") for text in gathered.slices()) <= SLICE_LINES
    assert len(parse("".join(gathered.slices()))) == 2 * SLICE_LINES + 1


def test_heads_of_series_that_are_gone_are_forgotten() -> None:
    heads = SeriesHeads()
    Families(heads).add("chronik_partition_lag", 1, "t", 0)
    heads.begin_scrape()
    assert heads.get(("chronik_partition_lag", "t", 0)) is not None
    heads.begin_scrape()
    heads.begin_scrape()
    assert heads.get(("chronik_partition_lag", "t", 0)) is None
