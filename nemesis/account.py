"""The account of a round: every id that was sent, acknowledged, read along and found at the end, and what is wrong."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from nemesis.load import UNTOLD, Acknowledged, Sent, Stored

SHOWN_MAX = 5


@dataclass(frozen=True, slots=True)
class Producer:
    """What one producer knows at the end."""

    kind: str
    is_for_all: bool
    is_idempotent: bool
    sent: Mapping[bytes, Sent]
    acknowledged: Mapping[bytes, Acknowledged]


@dataclass(slots=True)
class Account:
    """What was found; ``findings`` break a promise, ``allowed`` are counted only."""

    sent: int = 0
    acknowledged: int = 0
    stored: int = 0
    findings: list[str] = field(default_factory=list)
    repeated: list[bytes] = field(default_factory=list)
    """What is stored more than once though it was promised not to be."""
    allowed: Counter[str] = field(default_factory=Counter)


def account_of(producers: Sequence[Producer], stored: Sequence[Stored], read_along: Sequence[Stored]) -> Account:
    """Compare what was promised with what is there."""
    account = Account(
        sum(len(producer.sent) for producer in producers),
        sum(len(producer.acknowledged) for producer in producers),
        len(stored),
    )
    at = {(each.partition, each.offset): each.id for each in stored}
    copies = Counter(each.id for each in stored)
    for producer in producers:
        _judge(account, producer, at, copies)
    _find_phantoms(account, producers, copies)
    _find_changed(account, at, read_along)
    _find_holes(account, stored)
    return account


def _judge(account: Account, producer: Producer, at: Mapping[tuple[int, int], bytes], copies: Counter[bytes]) -> None:
    lost = [one for one in producer.acknowledged if not copies[one]]
    moved = [
        one
        for one, ack in producer.acknowledged.items()
        if copies[one] and ack.offset != UNTOLD and at.get((ack.partition, ack.offset)) != one
    ]
    twice = [one for one in producer.sent if copies[one] > 1]
    _note(account, f"{producer.kind}: acknowledged and lost", lost, is_promised=producer.is_for_all)
    _note(account, f"{producer.kind}: not where the acknowledgement said", moved, is_promised=producer.is_for_all)
    _note(account, f"{producer.kind}: stored more than once", twice, is_promised=producer.is_idempotent)
    if producer.is_idempotent:
        account.repeated += twice
        _note(account, f"{producer.kind}: out of order", _out_of_order(producer, at))


def _out_of_order(producer: Producer, at: Mapping[tuple[int, int], bytes]) -> list[bytes]:
    """Name what stands behind something that the same producer sent later to that partition."""
    numbers = {one: number for number, one in enumerate(producer.sent)}
    latest: dict[int, int] = defaultdict(lambda: -1)
    wrong = []
    for (partition, _), one in sorted(at.items()):
        number = numbers.get(one)
        if number is not None and number < latest[partition]:
            wrong.append(one)
        elif number is not None:
            latest[partition] = number
    return wrong


def _find_phantoms(account: Account, producers: Sequence[Producer], copies: Iterable[bytes]) -> None:
    known = {one for producer in producers for one in producer.sent}
    _note(account, "stored, and sent by nobody", [one for one in copies if one not in known])


def _find_changed(account: Account, at: Mapping[tuple[int, int], bytes], read: Sequence[Stored]) -> None:
    """What a reader has once seen at an offset stays there: only what is committed is shown."""
    changed = [each.id for each in read if at.get((each.partition, each.offset)) != each.id]
    _note(account, "read along, and not there at the end", changed)


def _find_holes(account: Account, stored: Sequence[Stored]) -> None:
    offsets: dict[int, list[int]] = defaultdict(list)
    for each in stored:
        offsets[each.partition].append(each.offset)
    for partition, found in sorted(offsets.items()):
        missing = sorted(set(range(max(found) + 1)) - set(found))
        _note(account, f"partition {partition} has offsets without a message", [b"%d" % one for one in missing])


def _note(account: Account, what: str, ids: Sequence[bytes], *, is_promised: bool = True) -> None:
    if not ids:
        return
    if is_promised:
        shown = ", ".join(one.rstrip(b".").decode(errors="replace") for one in ids[:SHOWN_MAX])
        account.findings.append(f"{len(ids)} {what}: {shown}{' ...' if len(ids) > SHOWN_MAX else ''}")
    else:
        account.allowed[what] += len(ids)
