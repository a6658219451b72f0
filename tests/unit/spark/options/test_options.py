"""Options are read all at once: each by Spark's name and meaning, and every problem in one error."""

import re

import pytest

from chronik.model.ids import TopicPartition
from chronik.spark.options.bounds import AtOffsets, AtTime, AtTimes, Earliest, Latest
from chronik.spark.options.options import OptionsRefusedError, SourceOptions, sink_options, source_options
from chronik.spark.options.parsers import Assigned, Everything, Matching, Subscribed, View
from chronik.spark.options.table import OPTIONS, Where

LEAST = {"kafka.bootstrap.servers": "127.0.0.1:9092", "subscribe": "orders"}
ORDERS_0, ORDERS_1 = TopicPartition("orders", 0), TopicPartition("orders", 1)


def read(streaming: bool = False, **more: str) -> SourceOptions:
    return source_options({**LEAST, **more}, streaming=streaming)


def refusal(streaming: bool = False, **options: str) -> str:
    given = {name.replace("__", "."): text for name, text in options.items()}
    with pytest.raises(OptionsRefusedError) as caught:
        source_options({**LEAST, **given}, streaming=streaming)
    return str(caught.value)


def test_a_batch_begins_at_the_earliest_offset_and_a_stream_at_the_latest() -> None:
    assert (read().starting, read().ending) == (Earliest(), Latest())
    assert read(streaming=True).starting == Latest()


def test_names_of_options_are_compared_without_case() -> None:
    assert read(INCLUDEHEADERS="true", FailOnDataLoss="False").include_headers
    assert not read(FailOnDataLoss="False").fail_on_data_loss


@pytest.mark.parametrize(
    ("name", "text", "choice"),
    [
        ("subscribe", "b, a,,b", Subscribed(("a", "b"))),
        ("subscribePattern", "or.*", Matching("or.*")),
        ("assign", '{"orders": [1, 0]}', Assigned(frozenset({ORDERS_0, ORDERS_1}))),
    ],
)
def test_topics_are_chosen_in_one_of_three_ways(name: str, text: str, choice: object) -> None:
    given = {"kafka.bootstrap.servers": "h:1", name: text}
    assert source_options(given, streaming=False).choice == choice


def test_a_time_for_all_comes_before_times_and_those_before_offsets() -> None:
    offsets = {"startingOffsets": '{"orders": {"0": 5, "1": -2}}'}
    times = {"startingOffsetsByTimestamp": '{"orders": {"0": 700}}', **offsets}
    assert read(**offsets).starting == AtOffsets({ORDERS_0: 5, ORDERS_1: -2})
    assert read(**times).starting == AtTimes({ORDERS_0: 700})
    assert read(**times, startingTimestamp="900").starting == AtTime(900)


def test_ends_are_given_in_the_same_ways() -> None:
    assert read(endingOffsets='{"orders": {"0": -1}}').ending == AtOffsets({ORDERS_0: -1})
    assert read(endingTimestamp="5").ending == AtTime(5)


@pytest.mark.parametrize(
    ("text", "milliseconds"), [("15m", 900_000), ("250", 250), ("250ms", 250), ("3s", 3_000), ("2h", 7_200_000)]
)
def test_a_delay_has_the_units_that_spark_has(text: str, milliseconds: int) -> None:
    assert read(streaming=True, maxTriggerDelay=text).trigger_delay_ms_max == milliseconds


def test_segment_files_need_no_broker_and_hold_all_their_topics() -> None:
    options = source_options({"path": "/data", "view": "Problems"}, streaming=False)
    assert (options.choice, options.path, options.view) == (Everything(), "/data", View.PROBLEMS)


def test_settings_of_kafka_are_passed_on_and_those_without_effect_are_not() -> None:
    options = source_options(
        {**LEAST, "kafka.fetch.max.bytes": "1000", "kafka.max.poll.records": "5", "kafka.group.id": "g"},
        streaming=True,
    )
    assert options.client_options == {"fetch.max.bytes": "1000"}


def test_the_isolation_level_is_kafkas() -> None:
    assert source_options({**LEAST, "kafka.isolation.level": "read_committed"}, streaming=True).read_committed


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"kafka__bootstrap__servers": "nowhere:port"}, "'nowhere:port' is not HOST:PORT"),
        ({"subscribe": " , "}, "subscribe=' , ': name one topic"),
        ({"assign": '{"orders": [0]}'}, "only one of them may be given"),
        ({"startingOffsets": "newest"}, "use earliest, latest, or offsets as JSON"),
        ({"startingOffsets": "{'orders': 1}"}, "not JSON"),
        ({"startingOffsets": '{"orders": {"zero": 1}}'}, "'zero' is not a partition"),
        ({"startingOffsets": '{"orders": {"0": -3}}'}, "-3 is not a whole number of at least -2"),
        ({"startingOffsets": "latest"}, "a batch query cannot begin at the latest offset"),
        ({"startingOffsets": '{"orders": {"0": -1}}'}, "a batch query cannot begin at the latest offset"),
        ({"endingOffsets": "earliest"}, "a query cannot end at the earliest offset"),
        ({"startingTimestamp": "yesterday"}, "startingTimestamp='yesterday': use a whole number of at least 0"),
        ({"startingOffsetsByTimestampStrategy": "first"}, "use error or latest"),
        ({"failOnDataLoss": "yes"}, "failOnDataLoss='yes': use true or false"),
        ({"minPartitions": "0"}, "use a whole number of at least 1"),
        ({"view": "rows"}, "use one of records, batches, ranges, problems"),
        ({"startingOffset": "earliest"}, "unknown option 'startingoffset': did you mean startingOffsets?"),
        ({"path": "/data"}, "path and kafka.bootstrap.servers: give one of them"),
        ({"kafka__fetch__max__byte": "1"}, "did you mean kafka.fetch.max.bytes?"),
        ({"kafka__fetch__max__bytes": "many"}, "kafka.fetch.max.bytes=many"),
        ({"kafka__isolation__level": "none"}, "use read_committed or read_uncommitted"),
        ({"kafka__auto__offset__reset": "earliest"}, "kafka.auto.offset.reset cannot be set"),
        ({"kafka__enable__auto__commit": "true"}, "kafka.enable.auto.commit cannot be set"),
        ({"kafka__key__deserializer": "x"}, "kafka.key.deserializer cannot be set"),
        ({"kafka__value__deserializer": "x"}, "kafka.value.deserializer cannot be set"),
        ({"kafka__interceptor__classes": "x"}, "kafka.interceptor.classes cannot be set"),
        ({"kafka__security__protocol": "SASL_SSL"}, "TLS and SASL are not supported yet"),
        ({"kafka__ssl__truststore__location": "/x"}, "kafka.ssl.truststore.location: TLS and SASL"),
    ],
)
def test_a_bad_option_is_named_with_its_remedy(options: dict[str, str], said: str) -> None:
    assert said in refusal(**options)


def test_plaintext_is_what_the_client_speaks() -> None:
    assert source_options({**LEAST, "kafka.security.protocol": "plaintext"}, streaming=True)


def test_all_problems_are_told_at_once() -> None:
    said = refusal(view="rows", minPartitions="few", startingOffsets="soon")
    assert all(name in said for name in ("view=", "minPartitions=", "startingOffsets="))


def test_what_is_missing_is_told() -> None:
    with pytest.raises(OptionsRefusedError, match=r"kafka\.bootstrap\.servers is missing.*one of them must be given"):
        source_options({}, streaming=False)


def test_a_stream_refuses_ends_and_files_and_limits_that_contradict_each_other() -> None:
    assert "endingOffsets: a stream has no end" in refusal(streaming=True, endingOffsets="latest")
    assert "batch queries only" in refusal(streaming=True, path="/data")
    said = refusal(streaming=True, minOffsetsPerTrigger="9", maxOffsetsPerTrigger="8")
    assert "minOffsetsPerTrigger=9 is more than maxOffsetsPerTrigger=8" in said


def test_a_sink_writes_each_record_once_even_if_it_is_sent_again() -> None:
    address = {"kafka.bootstrap.servers": "h:1"}
    assert sink_options(address).client_options == {"enable.idempotence": "true"}
    assert sink_options({**address, "kafka.acks": "1"}).client_options == {"acks": "1"}
    assert sink_options({**address, "kafka.enable.idempotence": "false"}).client_options == {
        "enable.idempotence": "false"
    }


def test_a_sink_takes_what_spark_puts_among_its_options() -> None:
    options = sink_options(
        {"kafka.bootstrap.servers": "h:1", "topic": "t", "checkpointLocation": "/c", "replayHeaders": "true"}
    )
    assert (options.topic, options.replay_headers) == ("t", True)


@pytest.mark.parametrize("name", ["key.serializer", "value.serializer", "transactional.id"])
def test_a_sink_refuses_what_it_cannot_follow(name: str) -> None:
    with pytest.raises(OptionsRefusedError, match=re.escape(f"kafka.{name} cannot be set")):
        sink_options({"kafka.bootstrap.servers": "h:1", f"kafka.{name}": "x"})


VALUES = {
    "kafka.bootstrap.servers": "h:1",
    "subscribe": "orders",
    "startingOffsets": "earliest",
    "startingOffsetsByTimestamp": '{"orders": {"0": 1}}',
    "startingOffsetsByTimestampStrategy": "latest",
    "endingOffsetsByTimestamp": '{"orders": {"0": 1}}',
    "view": "records",
    "maxTriggerDelay": "1s",
    "kafka.isolation.level": "read_committed",
    "groupIdPrefix": "prefix",
    "endingOffsets": "latest",
    "topic": "orders",
}
FLAGS = {"failOnDataLoss", "includeHeaders", "replayHeaders"}
ALONE = {"subscribePattern", "assign", "path"}


@pytest.mark.parametrize("where", [Where.BATCH, Where.STREAM, Where.WRITE])
def test_every_option_of_the_table_is_read(where: Where) -> None:
    names = [option.name for option in OPTIONS if where in option.where and option.name not in ALONE]
    given = {name: VALUES.get(name, "true" if name in FLAGS else "7") for name in names}
    if where is Where.WRITE:
        assert sink_options(given)
    else:
        assert source_options(given, streaming=where is Where.STREAM)
