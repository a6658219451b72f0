"""A real Spark cluster: a master and two workers, processes with directories of their own, and Chronik as a wheel.

The Python of the cluster has what Chronik needs and not Chronik itself, so that what runs there came with the job.
"""

import json
import os
import re
import signal
import subprocess
import sys
import sysconfig
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pyspark
import pytest
from deltalake import DeltaTable

from tests.spark.topics import Topics

# With sessions of its own, it need not wait for the tests that share one.
pytestmark = pytest.mark.xdist_group("spark cluster")

ROOT = Path(__file__).resolve().parent.parent.parent
HOME = Path(pyspark.__file__).parent
PROGRAM = Path(__file__).parent / "programs" / "cluster_job.py"
START_SECONDS_MAX = 90
JOB_SECONDS_MAX = 500
TEST_SECONDS_MAX = 700
"""Ten Python processes and five JVMs are started one after the other, for each of which a busy machine needs long."""
RECORDS = (300, 200)


@pytest.fixture
def packages(tmp_path: Path) -> Path:
    """Chronik's wheel under a name that Spark takes for Python packages."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path / "wheel")]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=100)
    wheel = next((tmp_path / "wheel").glob("chronik-*.whl"))
    return wheel.rename(tmp_path / "chronik.zip")


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """A Python with all packages of the tests but this project, and small JVMs."""
    python = tmp_path / "python"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(python)], check=True, timeout=60)
    site = next((python / "lib").glob("python3*/site-packages"))
    # A path that is named in such a file is searched, and files of its kind that lie there are not read.
    (site / "others.pth").write_text(sysconfig.get_path("purelib") + "\n")
    hidden = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return {
        **hidden,
        "SPARK_HOME": str(HOME),
        "PYSPARK_PYTHON": str(python / "bin" / "python"),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_DAEMON_MEMORY": "200m",
        "SPARK_DAEMON_JAVA_OPTS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "SPARK_NO_DAEMONIZE": "1",
    }


class Cluster:
    """The processes of a standalone cluster."""

    def __init__(self, directory: Path, environment: dict[str, str]) -> None:
        self._directory = directory
        self._environment = environment
        self._processes: list[subprocess.Popen[bytes]] = []

    def start(self) -> str:
        """Start a master and two workers that know it, and give its address."""
        log = self._run("master", "master.Master", "--host", "127.0.0.1", "--port", "0", "--webui-port", "0")
        master = self._await(log, r"Starting Spark master at (spark://\S+)")
        for name in ("one", "two"):
            own = self._directory / name
            arguments = ["--cores", "1", "--memory", "600m", "--work-dir", str(own / "work"), "--host", "127.0.0.1"]
            log = self._run(name, "worker.Worker", *arguments, "--webui-port", "0", master)
            self._await(log, r"Successfully registered with master")
        return master

    def stop(self) -> None:
        for process in reversed(self._processes):
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGTERM)
        for process in self._processes:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait(20)

    def _run(self, name: str, main: str, *arguments: str) -> Path:
        own = self._directory / name
        own.mkdir(parents=True)
        command = [str(HOME / "bin" / "spark-class"), f"org.apache.spark.deploy.{main}", *arguments]
        with (own / "log").open("wb") as log:
            process = subprocess.Popen(
                command, cwd=own, env=self._environment, stdout=log, stderr=log, start_new_session=True
            )
        self._processes.append(process)
        return own / "log"

    def _await(self, log: Path, pattern: str) -> str:
        deadline = time.monotonic() + START_SECONDS_MAX
        while True:
            text = log.read_text(errors="replace")
            if found := re.search(pattern, text):
                return found.group(found.re.groups)
            assert time.monotonic() < deadline, f"{pattern} is not in {log}:\n{text[-3000:]}"
            time.sleep(0.1)


@pytest.fixture
def master(tmp_path: Path, environment: dict[str, str]) -> Iterator[str]:
    cluster = Cluster(tmp_path / "cluster", environment)
    try:
        yield cluster.start()
    finally:
        cluster.stop()


@pytest.mark.timeout(TEST_SECONDS_MAX)
def test_source_sink_and_archive_run_on_a_cluster_with_chronik_from_its_wheel(
    master: str, environment: dict[str, str], packages: Path, topics: Topics, topic_name: str, tmp_path: Path
) -> None:
    topics.make(topic_name, *RECORDS)
    targets = [f"{topic_name}-copy", f"{topic_name}-stream"]
    for target in targets:
        topics.create(target)
    archive = tmp_path / "archive"
    settings = {
        "spark.executor.memory": "512m",
        "spark.executor.cores": "1",
        "spark.driver.memory": "512m",
        "spark.driver.host": "127.0.0.1",
        "spark.sql.shuffle.partitions": "1",
        "spark.ui.enabled": "false",
        "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    }
    options = [part for name, value in settings.items() for part in ("--conf", f"{name}={value}")]
    command = [str(HOME / "bin" / "spark-submit"), "--master", master, "--py-files", str(packages), *options]
    job = [str(PROGRAM), topics.bootstrap, topic_name, *targets, str(archive)]
    log = tmp_path / "job.log"
    with log.open("wb") as errors:
        place = {"cwd": tmp_path, "env": environment, "stdout": subprocess.PIPE, "stderr": errors}
        done = subprocess.run([*command, *job], timeout=JOB_SECONDS_MAX, check=False, **place)
    assert done.returncode == 0, f"{done.stdout.decode()}\n{log.read_text(errors='replace')[-3000:]}"
    said = json.loads(done.stdout.splitlines()[-1])
    assert "chronik.zip" in said["driver"]
    assert {Path(directory).relative_to(tmp_path / "cluster").parts[0] for directory, _ in said["workers"]} == {
        "one",
        "two",
    }
    assert all(file.endswith("chronik.zip/chronik/__init__.py") for _, file in said["workers"])
    assert said["rows"] == sum(RECORDS)
    sent = Counter(b"v%d" % (1000 * number + each) for number, count in enumerate(RECORDS) for each in range(count))
    for target in targets:
        assert Counter(record.value for record in topics.wire.read_all(target)) == sent
    archived = DeltaTable(archive).to_pyarrow_table(columns=["partition", "offset", "value"])
    assert Counter(archived["value"].to_pylist()) == sent
