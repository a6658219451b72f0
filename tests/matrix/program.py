"""A client as a program of its own: asked by lines of JSON, and killed where a crash is wanted."""

import json
import selectors
import subprocess
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

PROGRAMS: Final = Path(__file__).parent / "programs"
ANSWER_SECONDS_MAX: Final = 200.0
BYTES_MAX: Final = 1_000_000
_STDERR_SHOWN: Final = 3000


class ClientError(AssertionError):
    """The client said that it failed, in its own words; the message holds its log as well."""

    def __init__(self, words: str, log: str = "") -> None:
        super().__init__(f"{words}\n--- what the client wrote ---\n{log}" if log else words)


@dataclass(frozen=True, slots=True)
class Sent:
    """A record as a test sends it and expects it back."""

    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes], ...] = ()


@dataclass(frozen=True, slots=True)
class MemberState:
    """What a member of a group holds, has been through and has read."""

    assigned: tuple[int, ...]
    history: tuple[tuple[str, tuple[int, ...]], ...]
    values: tuple[str, ...]


class MatrixClient(Protocol):
    """What the scenarios ask of every client; `ClientProgram` and kcat answer."""

    def ask(self, do: str, **arguments: Any) -> Any:
        """Do one thing and give its result; a `ClientError` holds the client's own words."""

    def produce(
        self,
        topic: str,
        records: Sequence[Sent],
        *,
        codec: str = "none",
        idempotent: bool = False,
        bytes_max: int = BYTES_MAX,
    ) -> list[int]:
        """Send to a topic of one partition and give the offsets that were acknowledged."""

    def consume(self, topic: str, count: int) -> list[Sent]:
        """Read partition 0 from its beginning."""

    def member(self, name: str) -> MemberState:
        """What a member that joined is and was."""

    def kill(self) -> None:
        """End it as the kernel would."""

    def close(self) -> None:
        """End it and free what it held."""


class ClientProgram:
    """One running program of the matrix."""

    def __init__(self, command: Sequence[str], bootstrap: str, log: Path, environment: Mapping[str, str]) -> None:
        self._log = log
        with log.open("ab") as errors:
            self._process = subprocess.Popen(
                [*command, bootstrap],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=dict(environment),
            )

    @property
    def is_running(self) -> bool:
        return self._process.poll() is None

    def ask(self, do: str, **arguments: Any) -> Any:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps({"do": do, **arguments}).encode() + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise self._failure(f"ended before it was asked: {do}") from None
        answer = json.loads(self._answer(do))
        if "error" in answer:
            raise self._failure(f"{do}: {answer['error']}")
        return answer.get("ok")

    def produce(
        self,
        topic: str,
        records: Sequence[Sent],
        *,
        codec: str = "none",
        idempotent: bool = False,
        bytes_max: int = BYTES_MAX,
    ) -> list[int]:
        options = {"codec": codec, "idempotent": idempotent, "bytes_max": bytes_max}
        return list(self.ask("produce", topic=topic, records=[_shown(record) for record in records], **options))

    def consume(self, topic: str, count: int) -> list[Sent]:
        return [record_read(record) for record in self.ask("consume", topic=topic, count=count)]

    def member(self, name: str) -> MemberState:
        shown = self.ask("member", member=name)
        if shown.get("error"):
            raise self._failure(f"member {name}: {shown['error']}")
        history = tuple((kind, tuple(partitions)) for kind, partitions in shown["history"])
        return MemberState(tuple(sorted(shown["assigned"])), history, tuple(shown["values"]))

    def kill(self) -> None:
        self._process.kill()
        self._process.wait(10)

    def close(self) -> None:
        """End it: every test has left its groups by now."""
        self.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()

    def _answer(self, do: str) -> bytes:
        """One line, waited for with a bound."""
        output = self._process.stdout
        assert output is not None
        with selectors.DefaultSelector() as selector:
            selector.register(output, selectors.EVENT_READ)
            # A line may be long, and only its beginning is waited for: a program writes it in one go.
            if not selector.select(ANSWER_SECONDS_MAX):
                raise self._failure(f"no answer within {ANSWER_SECONDS_MAX} s to: {do}")
        if not (line := output.readline()):
            raise self._failure(f"ended instead of answering: {do}")
        return line

    def _failure(self, words: str) -> ClientError:
        return ClientError(words, self._log.read_text(errors="replace")[-_STDERR_SHOWN:])


def _shown(record: Sent) -> dict[str, Any]:
    headers = [[name, b64encode(value).decode()] for name, value in record.headers]
    return {"key": _text(record.key), "value": _text(record.value), "headers": headers}


def record_read(record: Mapping[str, Any]) -> Sent:
    """A record as a program shows it."""
    headers = tuple((name, b64decode(value)) for name, value in record["headers"])
    return Sent(_bytes(record["key"]), _bytes(record["value"]), headers)


def _text(data: bytes | None) -> str | None:
    return None if data is None else b64encode(data).decode()


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else b64decode(text)
