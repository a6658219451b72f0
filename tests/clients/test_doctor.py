"""``chronik doctor`` as a process: its exit codes, beside a broker and without one."""

import json
import socket
import subprocess
from pathlib import Path
from typing import Any

from tests.brokers import CHRONIK, BrokerProcess

# Another test's doctor may hold the usual one for a moment.
NO_FIXED_PORT = ("-X", "chronik.http.listener=127.0.0.1:0")


def examine(*arguments: str) -> tuple[int, dict[str, dict[str, str]], list[dict[str, Any]]]:
    ended = subprocess.run(
        [str(CHRONIK), "doctor", "--json", *NO_FIXED_PORT, *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    report = json.loads(ended.stdout)
    return ended.returncode, {finding["check"]: finding for finding in report["findings"]}, report["brokers"]


def test_machine_that_can_run_a_broker_is_fine(tmp_path: Path) -> None:
    code, findings, brokers = examine("--data", str(tmp_path / "data"), "--listen", "127.0.0.1:0")
    wrong = [finding for finding in findings.values() if finding["verdict"] not in ("fine", "hint")]
    assert (code, wrong, brokers) == (0, [], [])
    assert not (tmp_path / "data").exists()


def test_broker_that_runs_is_recognised_by_its_answers(shared_broker: BrokerProcess) -> None:
    code, findings, brokers = examine("--data", str(shared_broker.data), "--listen", shared_broker.bootstrap)
    assert code == 0, findings
    assert "a broker answers" in findings["port PLAINTEXT"]["found"]
    assert "is reached" in findings["advertised PLAINTEXT"]["found"]
    (broker,) = brokers
    assert broker["cluster_id"] == shared_broker.ready["cluster_id"]
    assert broker["apis"]["API_VERSIONS"] == [0, 4]


def test_a_running_broker_is_found_by_its_data_directory(shared_broker: BrokerProcess) -> None:
    code, findings, brokers = examine("--data", str(shared_broker.data))
    assert code == 0, findings
    assert f"a broker answers at {shared_broker.bootstrap}" in findings["port PLAINTEXT"]["found"]
    assert [broker["cluster_id"] for broker in brokers] == [shared_broker.ready["cluster_id"]]


def test_address_that_misleads_clients_is_wrong(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as unused:
        port = unused.getsockname()[1]
    code, findings, _ = examine(
        *("--data", str(tmp_path), "-X", f"listeners=PLAINTEXT://:{port}"),
        *("-X", f"advertised.listeners=PLAINTEXT://127.0.0.1:{port}"),
    )
    assert code == 1
    assert findings["advertised PLAINTEXT"]["verdict"] == "wrong"
    assert "advertised.listeners=" in findings["advertised PLAINTEXT"]["advice"]


def test_settings_that_cannot_be_used_are_findings_and_the_rest_is_still_examined(tmp_path: Path) -> None:
    file = tmp_path / "server.properties"
    file.write_text("log.dirz=/data\n")
    code, findings, _ = examine("--config", str(file))
    assert code == 1
    assert "log.dirz" in findings["settings"]["found"]
    assert "clock" in findings


def test_table_for_people_says_what_to_do(tmp_path: Path) -> None:
    ended = subprocess.run(
        [str(CHRONIK), "doctor", "--data", "/proc/nowhere", "--listen", "127.0.0.1:0"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode == 1
    (line,) = [line for line in ended.stdout.splitlines() if line.startswith("disk writes")]
    assert "wrong" in line
    assert "choose another with --data" in line


def test_wrong_use_has_its_own_code() -> None:
    ended = subprocess.run([str(CHRONIK), "doctor", "--no-such"], capture_output=True, timeout=60, check=False)
    assert ended.returncode == 3


def test_the_http_port_and_the_store_of_a_cluster_that_runs_are_recognised(tmp_path: Path) -> None:
    broker = BrokerProcess(tmp_path, http=True)
    broker.start()
    try:
        http = f"chronik.http.listener={broker.http}"
        code, findings, _ = examine("--data", str(broker.data), "--listen", broker.bootstrap, "-X", http)
        assert code == 0, findings
        assert f"broker {broker.ready['node_id']} answers at {broker.http}" in findings["port HTTP"]["found"]
        assert "is there and can be read" in findings["store"]["found"]
    finally:
        broker.kill()


def test_a_taken_http_port_and_a_store_that_does_not_answer_are_wrong(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, findings, _ = examine(
            *("--data", str(tmp_path), "--listen", "127.0.0.1:0"),
            *("-X", f"chronik.http.listener=127.0.0.1:{port}"),
            *("-X", "chronik.metadata.store=etcd://127.0.0.1:1,127.0.0.1:2"),
        )
    assert code == 1
    assert "which is no broker" in findings["port HTTP"]["found"]
    assert "chronik.http.listener" in findings["port HTTP"]["advice"]
    assert findings["store"]["verdict"] == "wrong"
    assert "127.0.0.1:1" in findings["store"]["found"]
    assert "chronik.metadata.store" in findings["store"]["advice"]
