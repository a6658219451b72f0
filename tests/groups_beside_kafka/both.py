"""Two brokers that are asked the same, step by step, and whose answers are compared field by field.

Whatever each broker makes up for itself (member ids, addresses) has a name here that is the same for both: ``<a>`` in a
request is the id that the broker gave to ``a`` last, ``<a.1>`` the first one it gave.
"""

import re
import select
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from chronik.protocol.apis import ApiKey
from chronik.protocol.generated.list_groups import ListGroupsRequest
from chronik.protocol.wire import Message, Struct
from tests.regressions.wire import Wire

ANSWER_SECONDS_MAX: Final = 60.0
AGREE_SECONDS_MAX: Final = 20.0
"""How long one broker may be silent where the other has answered."""
QUIET_SECONDS: Final = 0.04
"""How long both must be silent, and answer others meanwhile, before what is unanswered counts as waiting."""
AWAKE_SECONDS_MAX: Final = 0.2
"""Silence that took longer to look at is that of a machine which stood still, and is looked at again."""
LOOKS_MAX: Final = 8

_PLACEHOLDER: Final = re.compile(r"<(\w+)(?:\.(\d+))?>")
_UUID: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$")
_OWN: Final = {"throttle_time_ms", "host", "port", "node_id"}
"""Fields in which two brokers differ by nature; who coordinates is one broker anyway."""
_UNORDERED: Final = {
    ApiKey.JOIN_GROUP: ("members",),
    ApiKey.DESCRIBE_GROUPS: ("groups", "members"),
    ApiKey.OFFSET_COMMIT: ("topics", "partitions"),
    ApiKey.OFFSET_DELETE: ("topics", "partitions"),
    ApiKey.DELETE_GROUPS: ("results",),
    ApiKey.LIST_GROUPS: ("groups",),
}
"""Lists that come in whatever order a broker keeps them; who reads them goes by the names."""
_MOVES_OTHERS: Final = (ApiKey.JOIN_GROUP, ApiKey.SYNC_GROUP, ApiKey.LEAVE_GROUP)
"""Requests after which others may be answered that have been waiting."""


class DifferenceError(AssertionError):
    """The brokers do not answer alike; the message holds the whole history."""


class Line(Wire):
    """A connection that can be looked at without waiting."""

    def fileno(self) -> int:
        return self._socket.fileno()


@dataclass
class Side:
    """One of the brokers, and how it names the members."""

    name: str
    bootstrap: str
    given: dict[str, list[str]] = field(default_factory=dict)
    """The ids that were given to each client, in order."""
    free: list[Line] = field(default_factory=list)

    def line(self) -> Line:
        return self.free.pop() if self.free else Line(self.bootstrap, ANSWER_SECONDS_MAX)

    def learn(self, who: str, answer: Any) -> None:
        member_id = getattr(answer, "member_id", "")
        if _UUID.search(member_id) and not any(member_id in ids for ids in self.given.values()):
            self.given.setdefault(who, []).append(member_id)

    def named(self, text: str) -> str:
        """An id of this broker by its common name."""
        for who, ids in self.given.items():
            if text in ids:
                return _UUID.sub(f"<{who}.{ids.index(text) + 1}>", text)
        return _UUID.sub("<somebody>", text)

    def meant(self, text: str) -> str:
        """A common name as this broker's id."""
        return _PLACEHOLDER.sub(self._id, text)

    def _id(self, match: "re.Match[str]") -> str:
        ids = self.given.get(match[1])
        if not ids:
            return "nobody"
        return ids[-1] if match[2] is None else ids[int(match[2]) - 1]


@dataclass
class Asked:
    """A request to both brokers and what came back."""

    who: str
    key: ApiKey
    version: int
    request: Message
    lines: dict[str, Line]
    raw: dict[str, Any] = field(default_factory=dict)
    answers: dict[str, Any] = field(default_factory=dict)
    """By broker, in common names."""
    unlike: str = ""
    """Why the answers are expected to differ."""
    left_open: str = ""
    """Why Kafka is expected to leave it without an answer, where Chronik gives one."""

    @property
    def is_answered(self) -> bool:
        return len(self.raw) == len(self.lines)

    @property
    def is_answered_by_chronik_alone(self) -> bool:
        return bool(self.left_open) and list(self.raw) == ["Chronik"]

    @property
    def answer(self) -> Any:
        """What both said, as plain data."""
        assert self.answers, f"{self} is not answered"
        return next(iter(self.answers.values()))

    def __str__(self) -> str:
        return f"{self.who}: {self.key.name} v{self.version} {shown(self.request)}"


class Both:
    """Asks two brokers in step: no request goes out before both have said to the last one what they have to say."""

    def __init__(self, kafka: str, chronik: str, prefix: str) -> None:
        self.sides = (Side("Kafka", kafka), Side("Chronik", chronik))
        self.prefix = prefix
        self.waiting: list[Asked] = []
        self.history: list[str] = []
        self.exceptions: list[str] = []

    def close(self) -> None:
        for side in self.sides:
            lines = [*side.free, *(asked.lines[side.name] for asked in self.waiting)]
            for line in lines:
                line.__exit__(None, None, None)

    # Asking

    def send(
        self, who: str, key: ApiKey, version: int, request: Message, *, unlike: str = "", left_open: str = ""
    ) -> Asked:
        """Ask both, and take whatever they have to say then, be it to this or to an earlier request."""
        asked = self._sent(who, key, version, request)
        asked.unlike, asked.left_open = unlike, left_open
        self.settle()
        return asked

    def ask(self, who: str, key: ApiKey, version: int, request: Message, *, unlike: str = "") -> Any:
        """Ask both for something that is answered at once, and give the answer.

        Where ``unlike`` gives a reason, the answers must differ, and Chronik's is given.
        """
        asked = self._sent(who, key, version, request)
        asked.unlike = unlike
        self.until(asked)
        return asked.answers["Chronik"]

    def _sent(self, who: str, key: ApiKey, version: int, request: Message) -> Asked:
        asked = Asked(who, key, version, request, {side.name: side.line() for side in self.sides})
        self.history.append(f"  {asked}")
        for side in self.sides:
            asked.lines[side.name].send(key, version, _translated(request, side.meant))
        self.waiting.append(asked)
        return asked

    def until(self, *wanted: Asked, seconds_max: float = ANSWER_SECONDS_MAX) -> None:
        """Wait for the answers to these."""
        deadline = time.monotonic() + seconds_max
        while not all(asked.is_answered or asked.is_answered_by_chronik_alone for asked in wanted):
            if time.monotonic() > deadline:
                late = [f"{asked}: answered by {sorted(asked.raw) or 'nobody'}" for asked in wanted]
                self._fail(f"not answered within {seconds_max:g} s: {late}")
            self._receive(0.05)
        if any(asked.key in _MOVES_OTHERS for asked in wanted):
            self.settle()
        else:
            self._compare()

    def settle(self) -> None:
        """Wait until both have answered the same requests and are silent, then compare."""
        agreed_by = time.monotonic() + AGREE_SECONDS_MAX
        while not all(asked.is_answered for asked in self.waiting):
            has_come = self._comes_anything()
            torn = [asked for asked in self.waiting if asked.raw and not asked.is_answered and not asked.left_open]
            if not (has_come or torn):
                break
            if torn and time.monotonic() > agreed_by:
                self._fail(f"only {sorted(torn[0].raw)} answered to: {torn[0]}\n    {torn[0].raw}")
        for asked in [asked for asked in self.waiting if asked.is_answered_by_chronik_alone]:
            self._take_alone(asked)
        self._compare()

    def _comes_anything(self) -> bool:
        """Whether an answer comes; silence counts where both brokers were seen to be at work all the while."""
        for _ in range(LOOKS_MAX):
            began = time.monotonic()
            self.on_each(_knock)
            if self._receive(QUIET_SECONDS):
                return True
            self.on_each(_knock)
            if time.monotonic() - began < AWAKE_SECONDS_MAX:
                break
        return self._receive(0)

    def on_each(self, act: Callable[[Wire], object]) -> None:
        """Prepare both in the same way, where it is not groups that are compared."""
        for side in self.sides:
            line = side.line()
            act(line)
            side.free.append(line)

    def _take_alone(self, asked: Asked) -> None:
        self.exceptions.append(asked.left_open)
        self.waiting.remove(asked)
        asked.lines["Kafka"].__exit__(None, None, None)
        asked.answers["Chronik"] = self._normal(asked, asked.raw["Chronik"], self.sides[1])
        self.history.append(f"    -> {asked.who}, by Chronik alone: {shown(asked.answer)}")

    def await_on(self, side: Side, is_so: Callable[[Any], bool], key: ApiKey, version: int, request: Message) -> None:
        """Ask one broker until it is so: what happens in its own time."""
        deadline = time.monotonic() + ANSWER_SECONDS_MAX
        line = side.line()
        while not is_so(answer := _plain(line.call(key, version, request), side.named)):
            if time.monotonic() > deadline:
                self._fail(f"{side.name} still says {shown(answer)}")
            time.sleep(QUIET_SECONDS)
        side.free.append(line)

    def hang_up(self, asked: Asked) -> None:
        """Close the connection on which an answer is awaited."""
        self.history.append(f"  {asked.who}: hangs up")
        self.waiting.remove(asked)
        for line in asked.lines.values():
            line.__exit__(None, None, None)
        # Whoever has answered twice since has seen it: a broker that stood still may find it beside the next request.
        for _ in range(2):
            self.on_each(_knock)

    def _receive(self, seconds: float) -> bool:
        """Take what comes within the time; says whether anything did."""
        open_lines = {
            asked.lines[side.name]: (asked, side)
            for asked in self.waiting
            for side in self.sides
            if side.name not in asked.raw
        }
        ready, _, _ = select.select(list(open_lines), [], [], seconds)
        for line in ready:
            asked, side = open_lines[line]
            asked.raw[side.name] = self._taken(line, asked, side)
        return bool(ready)

    @staticmethod
    def _taken(line: Line, asked: Asked, side: Side) -> Any:
        try:
            _, answer = line.receive()
        except (EOFError, ConnectionResetError):
            line.__exit__(None, None, None)
            return "the connection was closed"
        side.free.append(line)
        side.learn(asked.who, answer)
        return answer

    # Comparing

    def _compare(self) -> None:
        done = [asked for asked in self.waiting if asked.is_answered]
        self.waiting = [asked for asked in self.waiting if not asked.is_answered]
        for asked in done:
            for side in self.sides:
                asked.answers[side.name] = self._normal(asked, asked.raw[side.name], side)
        for asked in done:
            self._judge(asked)

    def _judge(self, asked: Asked) -> None:
        kafka, chronik = asked.answers["Kafka"], asked.answers["Chronik"]
        if kafka == chronik:
            self.history.append(f"    -> {asked.who}: {shown(kafka)}")
            if asked.unlike:
                self._fail(f"an exception is stated, but the answers are the same: {asked.unlike}")
            return
        self.history.append(f"    -> {asked.who}, by Kafka:   {shown(kafka)}")
        self.history.append(f"    -> {asked.who}, by Chronik: {shown(chronik)}")
        if not asked.unlike:
            self._fail(f"{asked}\n  differs in " + "; ".join(differences(kafka, chronik)))
        self.exceptions.append(asked.unlike)

    def _normal(self, asked: Asked, answer: Any, side: Side) -> Any:
        plain = _plain(answer, side.named)
        if not isinstance(plain, dict):
            return plain
        if asked.key is ApiKey.LIST_GROUPS:
            plain["groups"] = [group for group in plain["groups"] if group["group_id"].startswith(self.prefix)]
        elif asked.key is ApiKey.DESCRIBE_GROUPS:
            _leave_out_old_assignments(plain)
        elif asked.key in (ApiKey.OFFSET_COMMIT, ApiKey.OFFSET_DELETE):
            # A topic of which nothing was asked is repeated by the one and not by the other: there is nothing to read.
            plain["topics"] = [topic for topic in plain["topics"] if topic["partitions"]]
        _sort(plain, ("topics", "partitions") if _asks_for_all(asked.request) else _UNORDERED.get(asked.key, ()))
        return plain

    def _fail(self, reason: str) -> None:
        raise DifferenceError("\n".join([reason, "after:", *self.history]))


def _knock(wire: Wire) -> None:
    """Ask for something that is answered at once and changes nothing."""
    wire.call(ApiKey.LIST_GROUPS, 4, ListGroupsRequest())


def _leave_out_old_assignments(plain: Any) -> None:
    """What a group between two generations shows as assigned is of the past.

    Chronik shows what the last whole generation assigned. Kafka does too, but forgets it where one rebalance breaks
    into another, and hands it to the new life of a static member. No member is served from it.
    """
    for group in plain["groups"]:
        if group["group_state"] != "Stable":
            for member in group["members"]:
                member["member_assignment"] = "of the past"


def _asks_for_all(request: Message) -> bool:
    topics = getattr(request, "topics", ())
    groups = getattr(request, "groups", ())
    return topics is None or any(getattr(group, "topics", ()) is None for group in groups)


def _sort(plain: Any, names: Sequence[str]) -> None:
    """Put the lists of these names in an order, the innermost first."""
    for name, value in plain.items():
        if isinstance(value, list):
            for item in value:
                if isinstance(item, dict):
                    _sort(item, names)
            if name in names:
                value.sort(key=repr)


def _translated(value: Any, meant: Callable[[str], str]) -> Any:
    """A request with common names replaced by a broker's own."""
    if isinstance(value, str):
        return meant(value)
    if isinstance(value, list):
        return [_translated(item, meant) for item in value]
    if isinstance(value, Struct):
        return type(value)(*(_translated(getattr(value, name), meant) for name in value.__slots__))
    return value


def _plain(value: Any, named: Callable[[str], str]) -> Any:
    """An answer as plain data, with a broker's own names replaced by common ones."""
    if isinstance(value, str):
        return named(value)
    if isinstance(value, memoryview | bytearray):
        return bytes(value)
    if isinstance(value, list):
        return [_plain(item, named) for item in value]
    if not isinstance(value, Struct):
        return value
    plain = {name: _plain(getattr(value, name), named) for name in value.__slots__ if name not in _OWN}
    if "error_message" in plain:
        # Prose: it only matters that there is some where something is wrong.
        plain["error_message"] = bool(plain["error_message"]) if plain["error_code"] else None
    return plain


def differences(left: Any, right: Any, path: str = "") -> list[str]:
    """Where two answers differ, field by field."""
    if isinstance(left, dict) and isinstance(right, dict):
        return [
            found
            for name in left.keys() | right.keys()
            for found in differences(left.get(name), right.get(name), f"{path}.{name}" if path else name)
        ]
    if isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
        return [
            found
            for index, (one, other) in enumerate(zip(left, right, strict=True))
            for found in differences(one, other, f"{path}[{index}]")
        ]
    return [] if left == right else [f"{path}: Kafka {shown(left)}, Chronik {shown(right)}"]


def shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 600 else f"{text[:600]}... ({len(text)} characters)"
