"""kcat in the place of a program: each request is a command line, each member of a group a process."""

import re
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

from tests.matrix.program import BYTES_MAX, ClientError, MemberState, Sent

_SECONDS_MAX: Final = 90
_KEY_MARK: Final = "\x1f"
# Eager: "(memberid ...): assigned: topic [0], ..."; cooperative: "incremental assignment of 2 ... : topic [0], ...".
_REBALANCED: Final = re.compile(r"% Group \S+ rebalanced.*?\b(assign|revoke)(.*)")
_PARTITION: Final = re.compile(r"\[(\d+)\]")


class KcatClient:
    """Command lines against one broker."""

    def __init__(self, bootstrap: str, log: Path) -> None:
        self._bootstrap = bootstrap
        self._log = log
        self._members: dict[str, _KcatMember] = {}

    @property
    def is_running(self) -> bool:
        return True

    def ask(self, do: str, **arguments: Any) -> Any:
        match do:
            case "version":
                return _version()
            case "join":
                self._join(**arguments)
            case "leave":
                self._members[arguments["member"]].leave()
            case "transact":
                setting = f"transactional.id={arguments['transactional_id']}"
                self._run("-P", "-t", arguments["topic"], "-X", setting, stdin=b"in a transaction\n")
            case _:
                raise ClientError(f"kcat cannot: {do}")
        return None

    def produce(
        self,
        topic: str,
        records: Sequence[Sent],
        *,
        codec: str = "none",
        idempotent: bool = False,
        bytes_max: int = BYTES_MAX,
    ) -> list[int]:
        options = ["-P", "-t", topic, "-p", "0", "-z", codec]
        options += ["-X", f"enable.idempotence={str(idempotent).lower()}", "-X", f"message.max.bytes={bytes_max}"]
        # Headers belong to a whole command line, and one message of any bytes comes from a file.
        if any(record.headers or len(record.value or b"") > 100_000 for record in records):
            for record in records:
                self._produce_file(record, options)
        else:
            lines = [b"%s%s%s\n" % (one.key or b"", _KEY_MARK.encode(), one.value or b"") for one in records]
            self._run(*options, "-Z", "-K", _KEY_MARK, stdin=b"".join(lines))
        return []

    def _produce_file(self, record: Sent, options: list[str]) -> None:
        headers = [part for name, value in record.headers for part in ("-H", f"{name}={value.decode()}")]
        with tempfile.NamedTemporaryFile() as file:
            file.write(record.value or b"")
            file.flush()
            self._run(*options, *headers, file.name)

    def consume(self, topic: str, count: int) -> list[Sent]:
        # Sizes first, so that any bytes may follow: a size of -1 is a null.
        shape = r"%K %S %R %h\n%k%s\n"
        raw = self._run("-C", "-q", "-t", topic, "-p", "0", "-o", "beginning", "-c", str(count), "-e", "-f", shape)
        return _records(raw)

    def member(self, name: str) -> MemberState:
        return self._members[name].state()

    def kill(self) -> None:
        for member in self._members.values():
            member.kill()

    def close(self) -> None:
        self.kill()

    def _join(
        self, member: str, group: str, topic: str, instance: str | None, cooperative: bool, session_ms: int
    ) -> None:
        settings = {
            "session.timeout.ms": session_ms,
            "heartbeat.interval.ms": 300,
            "auto.offset.reset": "earliest",
            "partition.assignment.strategy": "cooperative-sticky" if cooperative else "range",
            **({} if instance is None else {"group.instance.id": instance}),
        }
        options = [part for name, value in settings.items() for part in ("-X", f"{name}={value}")]
        command = ["kcat", "-b", self._bootstrap, *options, "-u", "-G", group, topic]
        self._members[member] = _KcatMember(command, self._log.with_name(f"{self._log.stem}-{uuid4().hex}"))

    def _run(self, *arguments: str, stdin: bytes = b"") -> bytes:
        command = ["kcat", "-b", self._bootstrap, *arguments]
        done = subprocess.run(command, input=stdin, capture_output=True, timeout=_SECONDS_MAX, check=False)
        if done.returncode != 0:
            raise ClientError(done.stderr.decode(errors="replace"))
        return done.stdout


class _KcatMember:
    """A balanced consumer: what it reads and what it says of rebalances are kept in files."""

    def __init__(self, command: list[str], place: Path) -> None:
        self._output = place.with_suffix(".out")
        self._errors = place.with_suffix(".err")
        with self._output.open("wb") as output, self._errors.open("wb") as errors:
            self._process = subprocess.Popen(command, stdout=output, stderr=errors)

    def state(self) -> MemberState:
        assigned: set[int] = set()
        history = []
        said = self._errors.read_text(errors="replace")
        for kind, listed in _REBALANCED.findall(said):
            partitions = tuple(sorted(int(number) for number in _PARTITION.findall(listed)))
            assigned = assigned | set(partitions) if kind == "assign" else assigned - set(partitions)
            history.append(("assigned" if kind == "assign" else "revoked", partitions))
        if self._process.poll() not in (None, 0):
            raise ClientError(said)
        return MemberState(tuple(sorted(assigned)), tuple(history), tuple(self._output.read_text().splitlines()))

    def leave(self) -> None:
        self._process.terminate()
        self._process.wait(_SECONDS_MAX)

    def kill(self) -> None:
        self._process.kill()
        self._process.wait(_SECONDS_MAX)


def _records(raw: bytes) -> list[Sent]:
    found = []
    while raw:
        head, _, rest = raw.partition(b"\n")
        key_size, value_size, _, headers = head.split(b" ", 3)
        key, rest = _take(rest, int(key_size))
        value, rest = _take(rest, int(value_size))
        named = tuple(_header(one) for one in headers.decode().split(",") if one)
        found.append(Sent(key, value, named))
        raw = rest[1:]
    return found


def _take(data: bytes, size: int) -> tuple[bytes | None, bytes]:
    return (None, data) if size < 0 else (data[:size], data[size:])


def _header(shown: str) -> tuple[str, bytes]:
    name, _, value = shown.partition("=")
    return name, value.encode()


def _version() -> str:
    said = subprocess.run(["kcat", "-V"], capture_output=True, text=True, timeout=_SECONDS_MAX, check=True).stdout
    kcat, librdkafka = re.search(r"Version (\S+)", said), re.search(r"librdkafka (\S+)", said)
    assert kcat is not None
    assert librdkafka is not None
    return f"{kcat.group(1)} (librdkafka {librdkafka.group(1)})"
