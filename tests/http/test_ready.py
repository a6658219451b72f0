"""A broker is ready when it has joined and can serve what it leads; otherwise it says why not."""

import shutil

from chronik.testing.topics import create_topic
from tests.conftest import StartBroker
from tests.http.asking import document, get

SECONDS_MAX = 60.0


def test_a_broker_that_cannot_open_what_it_leads_is_not_ready_and_says_why(start_broker: StartBroker) -> None:
    broker = start_broker(http=True)
    create_topic(broker.bootstrap, "orders", 2, {}, SECONDS_MAX)
    assert get(broker.http, "/ready").document == {"ready": True, "why_not": []}
    broker.stop()
    segment = broker.data / "orders-1" / "00000000000000000000.log"
    segment.unlink()
    segment.mkdir()
    broker.start()
    told = get(broker.http, "/ready")
    assert told.status == 503
    assert told.document == {"ready": False, "why_not": ["partition orders-1 is led by this broker and offline"]}
    assert get(broker.http, "/live").status == 200
    cluster = document(broker.http, "/api/cluster")
    (fault,) = [fault for fault in cluster["faults"] if fault["kind"] == "partition_offline"]
    assert fault["text"].startswith("partition orders-1: broker 1 leads it and cannot: ")
    assert cluster["totals"]["offline"] == 1
    lost = document(broker.http, "/api/topics/orders/1")
    assert (lost["role"], lost["log_end"], lost["lag"]) == ("offline", None, None)
    assert document(broker.http, "/api/topics/orders/0")["role"] == "leader"
    shutil.rmtree(segment)
