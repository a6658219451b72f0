"""The account of a round finds what it must, and excuses nothing that was promised."""

from collections.abc import Mapping, Sequence

from nemesis.account import Account, Producer, account_of
from nemesis.load import Acknowledged, Sent, Stored


def producer(
    names: Sequence[str], acknowledged: Mapping[str, int], *, for_all: bool = True, idempotent: bool = True
) -> Producer:
    """A producer on partition 0 that was told these offsets."""
    return Producer(
        "some",
        for_all,
        idempotent,
        {name.encode(): Sent(name.encode(), 0, 0.0) for name in names},
        {name.encode(): Acknowledged(0, offset, 0.0, 0.0) for name, offset in acknowledged.items()},
    )


def stored(*names: str, first: int = 0) -> list[Stored]:
    return [Stored(0, offset, name.encode()) for offset, name in enumerate(names, first)]


def findings(sender: Producer, log: Sequence[Stored], read: Sequence[Stored] | None = None) -> tuple[Account, str]:
    account = account_of([sender], log, log if read is None else read)
    return account, "; ".join(account.findings)


def test_nothing_is_found_where_everything_is_as_it_was_promised() -> None:
    account, found = findings(producer(["a", "b", "c"], {"a": 0, "b": 1}), stored("a", "b", "c"))
    assert (found, dict(account.allowed)) == ("", {})
    assert (account.sent, account.acknowledged, account.stored) == (3, 2, 3)


def test_a_lost_message_is_named() -> None:
    _, found = findings(producer(["a", "b"], {"a": 0, "b": 1}), stored("a"))
    assert found == "1 some: acknowledged and lost: b"


def test_the_loss_of_what_only_the_leader_had_is_counted_and_allowed() -> None:
    account, found = findings(producer(["a"], {"a": 0}, for_all=False, idempotent=False), stored())
    assert (found, dict(account.allowed)) == ("", {"some: acknowledged and lost": 1})


def test_a_message_that_is_not_where_it_was_said_to_be_is_found() -> None:
    _, found = findings(producer(["a", "b"], {"a": 0, "b": 0}), stored("a", "b"))
    assert found == "1 some: not where the acknowledgement said: b"


def test_a_duplicate_of_an_idempotent_producer_is_found_and_another_ones_allowed() -> None:
    _, found = findings(producer(["a"], {"a": 0}), stored("a", "a"))
    assert found == "1 some: stored more than once: a"
    account, found = findings(producer(["a"], {"a": 0}, idempotent=False), stored("a", "a"))
    assert (found, dict(account.allowed)) == ("", {"some: stored more than once": 1})


def test_what_overtook_an_earlier_message_of_an_idempotent_producer_is_found() -> None:
    _, found = findings(producer(["a", "b"], {}), stored("b", "a"))
    assert found == "1 some: out of order: a"


def test_a_message_that_nobody_sent_is_found() -> None:
    _, found = findings(producer(["a"], {}), stored("a", "x"))
    assert found == "1 stored, and sent by nobody: x"


def test_what_a_reader_saw_and_is_no_longer_there_is_found() -> None:
    _, found = findings(producer(["a", "b"], {}), stored("a", "b"), [*stored("a"), Stored(0, 1, b"c")])
    assert found == "1 read along, and not there at the end: c"


def test_an_offset_without_a_message_is_found() -> None:
    _, found = findings(producer(["a", "b"], {}), [*stored("a"), *stored("b", first=2)])
    assert found == "1 partition 0 has offsets without a message: 1"
