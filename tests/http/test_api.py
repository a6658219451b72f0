"""The facts of one broker over HTTP: they fit their description, and they are what the broker does."""

import json
import time
from typing import Any

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient
from openapi_schema_validator import OAS31Validator
from openapi_spec_validator import validate

from chronik.server.http.routes import Route
from chronik.server.http.site import all_routes
from chronik.server.status.cluster import SHARED_MS
from chronik.testing.topics import create_topic
from tests.brokers import BrokerProcess
from tests.http.asking import document, get

SECONDS_MAX = 30.0


@pytest.fixture(scope="session")
def description(http_broker: BrokerProcess) -> Any:
    """What the broker says of its own API."""
    return document(http_broker.http, "/api/openapi.json")


@pytest.fixture(scope="session")
def used_broker(http_broker: BrokerProcess) -> BrokerProcess:
    """The broker, with a topic that has messages, a group that has read some of them, and a trace."""
    create_topic(http_broker.bootstrap, "used", 2, {"chronik.trace": "on"}, SECONDS_MAX)
    produce(http_broker, "used", 20, partition=0)
    commit(http_broker, "readers of/used", [TopicPartition("used", 0, 7)])
    return http_broker


def produce(broker: BrokerProcess, topic: str, count: int, partition: int) -> None:
    producer = Producer({"bootstrap.servers": broker.bootstrap, "acks": "all"})
    for number in range(count):
        producer.produce(topic, f"message {number}".encode(), partition=partition)
    assert producer.flush(SECONDS_MAX) == 0


def commit(broker: BrokerProcess, group: str, positions: list[TopicPartition]) -> None:
    consumer = Consumer({"bootstrap.servers": broker.bootstrap, "group.id": group, "enable.auto.commit": False})
    try:
        consumer.commit(offsets=positions, asynchronous=False)
    finally:
        consumer.close()


def fresh_document(address: str, target: str) -> Any:
    """Ask when nothing is shared any more that was known before."""
    time.sleep(SHARED_MS / 1000)
    return document(address, target)


TARGETS = {
    "/live": "/live",
    "/ready": "/ready",
    "/api/broker": "/api/broker",
    "/api/cluster": "/api/cluster",
    "/api/topics": "/api/topics",
    "/api/topics/{topic}": "/api/topics/used",
    "/api/topics/{topic}/{partition}": "/api/topics/used/0",
    "/api/topics/{topic}/{partition}/watermarks": "/api/topics/used/0/watermarks",
    "/api/partitions": "/api/partitions?sort=lag&limit=5",
    "/api/groups": "/api/groups",
    "/api/groups/{group}": "/api/groups/readers%20of%2Fused",
    "/api/requests": "/api/requests",
    "/api/traces": "/api/traces?limit=20",
    "/api/openapi.json": "/api/openapi.json",
}


def test_the_description_is_valid_and_names_every_route(description: Any) -> None:
    validate(description)
    assert set(description["paths"]) == {route.path for route in routes()}
    json_paths = {path for path, item in description["paths"].items() if is_json(item)}
    assert json_paths == set(TARGETS)


def routes() -> tuple[Route, ...]:
    """The table as the broker has it, made without a broker behind it."""

    class Nothing:
        def __getattr__(self, name: str) -> Any:
            return lambda *arguments: None if name == "subscribe" else Nothing()

    class Sources:
        catalog = Nothing()

    return all_routes(Sources())  # type: ignore[arg-type]


def is_json(path_item: Any) -> bool:
    return "application/json" in path_item["get"]["responses"]["200"]["content"]


@pytest.mark.parametrize("path", TARGETS)
def test_an_answer_fits_its_description(used_broker: BrokerProcess, description: Any, path: str) -> None:
    answer = document(used_broker.http, TARGETS[path])
    shape = description["paths"][path]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
    check(description, shape, answer)


def check(description: Any, shape: Any, answer: Any) -> None:
    OAS31Validator({**shape, "components": description["components"]}).validate(answer)


@pytest.mark.parametrize(
    ("target", "status"),
    [
        ("/nothing", 404),
        ("/page/../side.py", 404),
        ("/page/%2e%2e%2fside.py", 404),
        ("/api/topics/unknown", 404),
        ("/api/topics/used/9", 404),
        ("/api/topics/used/x", 404),
        ("/api/topics/used/9/watermarks", 404),
        ("/api/groups/unknown", 404),
        ("/api/requests?node=7", 404),
        ("/api/traces?node=leader", 404),
        ("/api/partitions?sort=size", 400),
        ("/api/partitions?limit=many", 400),
        ("/api/partitions?unknown=1", 400),
        ("/api/traces?after=" + "9" * 40, 400),
    ],
)
def test_an_error_fits_its_description(used_broker: BrokerProcess, description: Any, target: str, status: int) -> None:
    told = get(used_broker.http, target)
    assert told.status == status
    check(description, {"$ref": "#/components/schemas/Error"}, told.document)


def test_a_partition_is_told_with_its_offsets(used_broker: BrokerProcess) -> None:
    told = document(used_broker.http, "/api/topics/used/0")
    assert (told["role"], told["leader"], told["isr"], told["replicas"]) == ("leader", 1, [1], [1])
    assert (told["log_start"], told["high_watermark"], told["log_end"], told["lag"]) == (0, 20, 20, 0)
    assert told["replica_ends"] == {"1": 20}
    assert told["size_bytes"] > 20 * len("message 0")


def test_the_watermarks_history_ends_where_the_watermark_stands(used_broker: BrokerProcess) -> None:
    told = document(used_broker.http, "/api/topics/used/0/watermarks")
    assert told["advances"][0]["from"] == 0
    assert told["advances"][-1]["to"] == told["high_watermark"] == 20
    for before, after in zip(told["advances"], told["advances"][1:], strict=False):
        assert before["to"] == after["from"] < after["to"]


def test_partitions_are_given_a_page_at_a_time(used_broker: BrokerProcess) -> None:
    first = document(used_broker.http, "/api/partitions?topic=used&limit=1")
    second = document(used_broker.http, "/api/partitions?topic=used&limit=1&offset=1")
    assert first["total"] == second["total"] == 2
    assert [page["partitions"][0]["partition"] for page in (first, second)] == [0, 1]
    assert document(used_broker.http, "/api/partitions?topic=used&fault=1")["total"] == 0
    assert document(used_broker.http, "/api/partitions?contains=se")["total"] >= 2
    assert document(used_broker.http, "/api/partitions?contains=nowhere")["total"] == 0


def test_lines_hold_what_the_document_holds(used_broker: BrokerProcess) -> None:
    whole = document(used_broker.http, "/api/broker")
    told = get(used_broker.http, "/api/broker?form=lines")
    assert told.headers["content-type"] == "application/x-ndjson"
    lines = [json.loads(line) for line in told.body.splitlines()]
    partitions = [line["partition"] for line in lines if "partition" in line]
    assert sorted(map(name_of, partitions)) == sorted(map(name_of, whole["partitions"]))
    assert [line["group"]["group"] for line in lines if "group" in line] == [each["group"] for each in whole["groups"]]


def name_of(partition: Any) -> tuple[str, int]:
    return partition["topic"], partition["partition"]


def test_a_groups_lag_is_counted_from_its_position(used_broker: BrokerProcess) -> None:
    told = document(used_broker.http, "/api/groups/readers%20of%2Fused")
    position = {"topic": "used", "partition": 0, "committed": 7, "log_start": 0, "end": 20, "lag": 13, "why": None}
    assert told["offsets"] == [position]
    assert (told["state"], told["members"], told["lag"], told["coordinator"]) == ("Empty", [], 13, 1)


def test_a_groups_lag_is_counted_from_the_log_start_where_its_position_is_deleted(http_broker: BrokerProcess) -> None:
    create_topic(http_broker.bootstrap, "cut", 1, {}, SECONDS_MAX)
    produce(http_broker, "cut", 30, partition=0)
    commit(http_broker, "late", [TopicPartition("cut", 0, 4)])
    where = TopicPartition("cut", 0, 25)
    admin = AdminClient({"bootstrap.servers": http_broker.bootstrap})
    admin.delete_records([where])[where].result(SECONDS_MAX)
    (position,) = fresh_document(http_broker.http, "/api/groups/late")["offsets"]
    assert (position["committed"], position["log_start"], position["end"]) == (4, 25, 30)
    assert (position["lag"], position["why"]) == (5, "expired: counted from log start")


def test_a_group_that_reads_is_told_with_its_members_and_their_partitions(used_broker: BrokerProcess) -> None:
    consumer = Consumer(
        {
            "bootstrap.servers": used_broker.bootstrap,
            "group.id": "live",
            "client.id": "reader",
            "auto.offset.reset": "earliest",
        }
    )
    try:
        consumer.subscribe(["used"])
        message = consumer.poll(SECONDS_MAX)
        assert message is not None
        told = fresh_document(used_broker.http, "/api/groups/live")
        (member,) = told["members"]
        assert (told["state"], member["client_id"], member["host"]) == ("Stable", "reader", "127.0.0.1")
        assert sorted(member["partitions"]) == ["used-0", "used-1"]
    finally:
        consumer.close()


def test_traces_are_given_in_parts_that_fit_together(used_broker: BrokerProcess) -> None:
    wanted = "/api/traces?topic=used&event=produce_received,produce_acknowledged"
    whole = document(used_broker.http, wanted)["events"]
    assert {event["event"] for event in whole} == {"produce_received", "produce_acknowledged"}
    parts: list[Any] = []
    after = -1
    while len(parts) < len(whole):
        part = document(used_broker.http, f"{wanted}&limit=3&after={after}")
        assert 0 < len(part["events"]) <= 3
        parts += part["events"]
        after = part["next"] - 1
    assert [event["seq"] for event in parts] == [event["seq"] for event in whole]


def test_requests_are_counted_by_api_with_their_times(used_broker: BrokerProcess) -> None:
    told = {api["api"]: api for api in document(used_broker.http, "/api/requests")["apis"]}
    assert told["Produce"]["count"] > 0
    assert set(told["Produce"]["stages"]) == {"queue", "local", "remote", "response", "total"}


def test_the_page_and_its_files_are_served(http_broker: BrokerProcess) -> None:
    page = get(http_broker.http, "/")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert get(http_broker.http, "/page/app.js").headers["content-type"] == "text/javascript; charset=utf-8"


def test_metrics_are_served(http_broker: BrokerProcess) -> None:
    told = get(http_broker.http, "/metrics")
    assert told.status == 200
    assert told.headers["content-type"].startswith("text/plain")
