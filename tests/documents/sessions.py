"""Reads the sessions of a document and runs them as a reader would: the same blocks, in order, in an empty directory.

A block of ``sh`` is run by bash; one that begins with ``chronik serve`` is a terminal of its own, left running to the
end of the session. A cluster that a block has started is stopped with the session. A block of ``python`` that begins
with the name of a file in a comment is saved under that name; any other is run. A block of ``text`` shows lines of what
the block before it printed; numbers may differ, and ``…`` stands for the rest of a line. A comment that begins with the
name of a language, as ``<!-- sh``, is a block that readers do not see: it makes what the others show. Only the ports
are others (in the text, and for commands that take 9092 for granted), so that tests can run beside each other and
beside a broker at home.
"""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

WRITTEN_PORTS = ("9092", "9093", "9094", "9644", "9645", "9646")
SECTION = re.compile(r"^### (.+?)\n(.*?)(?=^###? |\Z)", re.MULTILINE | re.DOTALL)
BLOCK = re.compile(r"^(?:```|<!-- )(\w+)\n(.*?)^(?:```|-->)$", re.MULTILINE | re.DOTALL)
CLUSTER = re.compile(r"chronik cluster start --data (\S+)")
SERVER = re.compile(r"chronik serve --data \S+\n")
FILE_NAME = re.compile(r"^# ([\w./-]+\.py)\n")
NUMBER = re.compile(r"\d[\d,.:]*")
SPARK_BIN = Path(__file__).resolve().parent.parent.parent / ".cache" / "clients" / "spark" / "bin"
SPARK_JARS = SPARK_BIN.parent.parent / "spark-jars"
START_SECONDS_MAX = 60.0
BLOCK_SECONDS_MAX = 120.0


class Block(NamedTuple):
    """One fenced block: its language and its text."""

    language: str
    text: str


@dataclass(frozen=True, slots=True)
class Session:
    """What a reader types, from an empty directory on."""

    title: str
    blocks: tuple[Block, ...]

    @property
    def needs_spark_submit(self) -> bool:
        return any("spark-submit" in block.text for block in self.blocks)


def session(document: str, title: str) -> Session:
    """Return one chapter as a session, the blocks of its sections included."""
    return Session(title, _blocks(_chapter(document, title)))


def sections(document: str, title: str) -> list[Session]:
    """Return the sections of one chapter, each as a session."""
    return [Session(name, _blocks(text)) for name, text in SECTION.findall(_chapter(document, title))]


def _chapter(document: str, title: str) -> str:
    found = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", document, re.MULTILINE | re.DOTALL)
    assert found is not None, f"no chapter is called {title}"
    return found.group(1)


def _blocks(text: str) -> tuple[Block, ...]:
    return tuple(Block(*block) for block in BLOCK.findall(text))


def follow(start: Session, directory: Path) -> str:
    """Run a session and return everything that its commands wrote.

    A command that fails, and a shown line that was not printed, raise AssertionError.
    """
    written = [""]
    port = _free_port()
    with ExitStack() as stack:
        for block in start.blocks:
            text = _with_ports(block.text, port)
            for directory_name in CLUSTER.findall(text):
                stack.callback(_stop_cluster, directory / directory_name, port)
            if block.language == "python":
                written.append(_python(text, directory, port))
            elif block.language == "sh" and SERVER.fullmatch(text):
                stack.enter_context(_serving(text.strip(), directory, port))
            elif block.language == "sh":
                written.append(_run(["bash", "-euo", "pipefail", "-c", text], directory, port))
            elif block.language == "text":
                check_output(text, written[-1])
    return "\n".join(written)


def check_output(shown: str, printed: str) -> None:
    """Raise AssertionError for lines that were not printed, whatever their numbers and however they were wrapped."""
    there = _without_numbers(printed)
    missing = [line for line in shown.splitlines() if _without_numbers(line.removesuffix("…")) not in there]
    assert not missing, "shown, and not printed:\n" + "\n".join(missing) + "\n--- printed:\n" + printed


def _without_numbers(text: str) -> str:
    return NUMBER.sub("0", " ".join(text.split()))


def _with_ports(text: str, first: int) -> str:
    for number, written in enumerate(WRITTEN_PORTS):
        text = text.replace(written, str(first + number))
    return re.sub(rf"--port {first}\b", f"--port {first} --http-port {first + 3}", text)


def _stop_cluster(data: Path, port: int) -> None:
    _run(["chronik", "cluster", "stop", "--data", str(data)], data.parent, port)


def _python(text: str, directory: Path, port: int) -> str:
    named = FILE_NAME.match(text)
    if named is None:
        return _run([sys.executable, "-c", text], directory, port)
    (directory / named.group(1)).write_text(text)
    return ""


def _run(command: list[str], directory: Path, port: int) -> str:
    # Spark's own commands run the Python beside them; Chronik's run theirs.
    more = {"PYSPARK_PYTHON": str(SPARK_BIN / "python")} if "spark-submit" in command[-1] else {}
    own = {"CHRONIK_BOOTSTRAP": f"127.0.0.1:{port}", "XDG_STATE_HOME": str(directory / "state")}
    done = subprocess.run(
        command,
        cwd=directory,
        env=_environment() | own | more,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=BLOCK_SECONDS_MAX,
        check=False,
    )
    assert done.returncode == 0, f"exit code {done.returncode} from\n{command[-1]}\n{done.stdout}\n{done.stderr}"
    return done.stdout + done.stderr


@contextmanager
def _serving(command: str, directory: Path, port: int) -> Iterator[None]:
    with (directory / "serve.log").open("wb") as log:
        process = subprocess.Popen(
            ["bash", "-c", f"exec {command} --listen 127.0.0.1:{port} -X chronik.http.listener=127.0.0.1:{port + 3}"],
            cwd=directory,
            env=_environment(),
            stdout=log,
            stderr=log,
        )
        try:
            _await_port(process, port, directory / "serve.log")
            yield
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(START_SECONDS_MAX)


def _await_port(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS_MAX
    while time.monotonic() < deadline and process.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
    raise AssertionError(f"the broker of the session did not start:\n{log.read_text(errors='replace')}")


def _environment() -> dict[str, str]:
    """The shell of a user who has activated the environment, and has Spark if the tests have fetched it."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"], str(SPARK_BIN)])
    jars = ",".join(str(jar) for jar in sorted(SPARK_JARS.glob("*.jar")))
    return {
        **os.environ,
        "PATH": path,
        "COLUMNS": "120",
        "SPARK_KAFKA_JARS": jars,
        "SPARK_LOCAL_IP": "127.0.0.1",
    }


def _free_port() -> int:
    """A port that is free, and as many after it as the text uses."""
    while True:
        with ExitStack() as stack:
            first = stack.enter_context(socket.socket())
            first.bind(("127.0.0.1", 0))
            port = int(first.getsockname()[1])
            if all(_is_free(stack, port + number) for number in range(1, len(WRITTEN_PORTS))):
                return port


def _is_free(stack: ExitStack, port: int) -> bool:
    try:
        stack.enter_context(socket.socket()).bind(("127.0.0.1", port))
    except (OSError, OverflowError):
        return False
    return True
