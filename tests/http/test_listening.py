"""Where the HTTP server listens: refused with the setting's name where it cannot, in a row for a cluster's brokers."""

import os
import resource
import subprocess
import time
from pathlib import Path

import pytest
from click.exceptions import ClickException

from chronik.cli.cluster.layout import CONFIG, LaidOutBroker, nodes_in
from chronik.cli.cluster.start import Ports, prepared_nodes
from chronik.metadata.image.keys import Endpoint, Registration, decode_registration, encode_registration
from chronik.model.ids import BrokerId
from chronik.testing import Broker
from tests.brokers import CHRONIK, BrokerProcess
from tests.conftest import StartBroker
from tests.http.asking import RawConnection, get

SECONDS_MAX = 60


def test_a_second_broker_on_one_port_is_refused_with_the_setting(http_broker: BrokerProcess, tmp_path: Path) -> None:
    listener = f"chronik.http.listener={http_broker.http}"
    second = subprocess.run(
        [str(CHRONIK), "serve", "--listen", "127.0.0.1:0", "--data", str(tmp_path), "-X", listener],
        capture_output=True,
        text=True,
        timeout=SECONDS_MAX,
        check=False,
    )
    assert second.returncode == 1
    assert http_broker.http in second.stderr
    assert "chronik.http.listener" in second.stderr
    assert get(http_broker.http, "/ready").status == 200


def test_a_broker_without_descriptors_goes_on_and_serves_http_when_there_are_some(start_broker: StartBroker) -> None:
    broker = start_broker(http=True)
    allowed = resource.prlimit(broker.pid, resource.RLIMIT_NOFILE)
    used = len(os.listdir(f"/proc/{broker.pid}/fd"))
    resource.prlimit(broker.pid, resource.RLIMIT_NOFILE, (used + 2, allowed[1]))
    held = [RawConnection(broker.http) for _ in range(10)]
    await_words(broker, "cannot accept an HTTP connection")
    assert broker.is_running
    resource.prlimit(broker.pid, resource.RLIMIT_NOFILE, allowed)
    for each in held:
        each.close()
    assert get(broker.http, "/ready").status == 200
    assert broker.is_running
    assert broker.stop() == 0


def test_open_connections_do_not_keep_a_broker_from_stopping(start_broker: StartBroker) -> None:
    broker = start_broker(http=True)
    silent, half, idle = (RawConnection(broker.http) for _ in range(3))
    half.send(b"GET /api/cluster HTTP/1.1\r\n")
    idle.send(b"GET /live HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert idle.answers(1)[0].status == 200
    assert broker.stop() == 0
    assert [each.read_to_end() for each in (silent, half, idle)] == [b"", b"", b""]
    assert "Traceback" not in broker.log_text


def await_words(broker: BrokerProcess, words: str) -> None:
    deadline = time.monotonic() + SECONDS_MAX
    while words not in broker.log_text:
        assert time.monotonic() < deadline, broker.log_text
        time.sleep(0.05)


def test_a_broker_of_a_test_serves_http_only_when_asked() -> None:
    with Broker() as quiet:
        assert quiet.http_address is None
    with Broker({"chronik.http.listener": "127.0.0.1:0"}) as told:
        assert told.http_address is not None
        assert get(told.http_address, "/ready").document == {"ready": True, "why_not": []}
        before = told.http_address
        assert told.restart().http_address == before


def test_a_registration_tells_where_http_is_and_an_older_one_need_not() -> None:
    registration = Registration(BrokerId(1), (Endpoint("PLAINTEXT", "a", 1),), http="a:9644")
    written = encode_registration(registration)
    assert decode_registration(written) == registration
    older = written.replace(b',"http":"a:9644"', b"")
    assert older != written
    assert decode_registration(older) == registration._replace(http=None)
    newer = written.replace(b'"http"', b'"something_new":1,"http"')
    assert decode_registration(newer) == registration


# --- a cluster's ports


def prepared(
    directory: Path, brokers: int | None, ports: Ports, settings: dict[str, str] | None = None
) -> list[LaidOutBroker]:
    return prepared_nodes(directory, brokers, ports, None, settings or {})


def test_brokers_of_a_cluster_have_their_http_sides_in_a_row(tmp_path: Path) -> None:
    nodes = prepared(tmp_path, 3, Ports())
    assert [node.http for node in nodes] == ["127.0.0.1:9644", "127.0.0.1:9645", "127.0.0.1:9646"]
    assert [node.http for node in nodes_in(tmp_path)] == [node.http for node in nodes]
    more = prepared(tmp_path, 4, Ports())
    assert more[3].http == "127.0.0.1:9647"


def test_the_first_port_can_be_chosen_and_stays(tmp_path: Path) -> None:
    nodes = prepared(tmp_path, 2, Ports(http=12_000))
    assert [node.http for node in nodes] == ["127.0.0.1:12000", "127.0.0.1:12001"]
    assert prepared(tmp_path, None, Ports(http=12_000)) == nodes
    with pytest.raises(ClickException, match=r"serves HTTP at 127\.0\.0\.1:12000, not at port 13000"):
        prepared(tmp_path, None, Ports(http=13_000))


@pytest.mark.parametrize("ports", [Ports(kafka=0), Ports(kafka=0, http=0), Ports(http=0)])
def test_free_ports_are_all_different(tmp_path: Path, ports: Ports) -> None:
    nodes = prepared(tmp_path, 5, ports)
    numbers = [int(str(address).rpartition(":")[2]) for node in nodes for address in (node.address, node.http)]
    assert len(set(numbers)) == 10
    assert not {9644, 9645, 9646, 9647, 9648} & set(numbers)


def test_all_brokers_can_be_told_to_serve_no_http_and_none_a_port_of_one(tmp_path: Path) -> None:
    nodes = prepared(tmp_path / "none", 2, Ports(), {"chronik.http.listener": ""})
    assert [node.http for node in nodes] == [None, None]
    assert [node.http for node in prepared(tmp_path / "none", 3, Ports())] == [None, None, None]
    with pytest.raises(ClickException, match="--http-port"):
        prepared(tmp_path / "one", 2, Ports(), {"chronik.http.listener": "127.0.0.1:9644"})


def test_brokers_whose_files_name_no_port_are_given_some(tmp_path: Path) -> None:
    """A directory that was made before there was an HTTP server would have all of them on one port."""
    for node in prepared(tmp_path, 3, Ports(kafka=0)):
        lines = node.config.read_text().splitlines()
        node.config.write_text("\n".join(line for line in lines if "http" not in line))
    assert {node.http for node in nodes_in(tmp_path)} == {"127.0.0.1:9644"}
    found = prepared(tmp_path, None, Ports())
    assert [node.http for node in found] == ["127.0.0.1:9644", "127.0.0.1:9645", "127.0.0.1:9646"]
    assert nodes_in(tmp_path) == found
    assert (tmp_path / "broker-1" / CONFIG).read_text().count("chronik.http.listener") == 1
