"""Bugs about topics that are made again under their name, and about produces that are passed on."""

from collections.abc import Callable, Iterator
from typing import Any

from chronik.coordinator.responses import CoordinatorResult
from chronik.coordinator.shard import GroupShard
from chronik.model.errors import ErrorCode
from chronik.records.batch import Sequences
from chronik.server.produce import forwarding, in_flight_guard
from chronik.server.produce.forwarding import ForwardedRequest, Forwarder, _Part, _Target
from chronik.server.produce.in_flight_guard import InFlightGuard
from chronik.server.replicas.leader import LeaderReplica
from chronik.server.replicas.removal import PartitionRemoval
from chronik.server.replicas.replica import Replica
from chronik.server.replicas.table import PartitionTable
from chronik.simulation.simulated_forwarding import _SimulatedTarget
from chronik.storage.directory import DataDirectory
from tests.simulation.mutations.registry import Patch, mutation


@mutation("17: files of a deleted topic stay")
def files_stay(patch: Patch) -> None:
    """A broker that was away takes what it has on disk for the topic that has the name now."""
    create = DataDirectory.create_partitions

    def create_or_take(self: DataDirectory, wanted: Any) -> Any:
        [(where, _)] = wanted
        path = f"{self.path}/{where}"
        return [path] if self.disk.is_directory(path) else create(self, wanted)

    patch.setattr(PartitionTable, "delete_strays", lambda self: None)
    patch.setattr(DataDirectory, "create_partitions", create_or_take)


@mutation("17: a parked produce outlives its topic")
def parked_outlives_the_topic(patch: Patch) -> None:
    """The end of a topic is not told to those who wait for it."""
    end_term = Replica.end_term

    def end_silently(self: Replica, error: ErrorCode) -> None:
        if error is ErrorCode.UNKNOWN_TOPIC_OR_PARTITION and isinstance(self.role, LeaderReplica):
            self.is_closed = True
        else:
            end_term(self, error)

    patch.setattr(Replica, "end_term", end_silently)


@mutation("17: checkpoints remember deleted topics")
def checkpoints_remember(patch: Patch) -> None:
    """What was written down of a deleted topic is believed of the next of its name."""
    patch.setattr(PartitionRemoval, "forget_offsets", lambda self, gone: None)


@mutation("17: committed offsets outlive their topic")
def committed_offsets_outlive_the_topic(patch: Patch) -> None:
    """Groups keep committed offsets of deleted topics."""
    patch.setattr(GroupShard, "forget_topics", lambda self, is_gone, now: CoordinatorResult())


@mutation("17: a topic is known by its name")
def known_by_name(patch: Patch) -> None:
    """A leader takes what is meant for another topic of the same name."""
    find = PartitionTable.led_by_id

    def find_any(self: PartitionTable, topic_id: Any, index: int) -> Any:
        found = find(self, topic_id, index)
        if found is not ErrorCode.UNKNOWN_TOPIC_ID:
            return found
        return next((led for led in self.led() if led.topic_partition.partition == index), found)

    patch.setattr(PartitionTable, "led_by_id", find_any)


@mutation("18: a forward that was sent counts as not sent")
def sent_counts_as_unsent(patch: Patch) -> None:
    """A forward without an answer is refused as if nobody could have written it."""
    reject = _Part.reject

    def reject_as_unsent(self: _Part, error: ErrorCode, message: str) -> None:
        reject(self, ErrorCode.NOT_LEADER_OR_FOLLOWER, message)

    patch.setattr(_Part, "reject", reject_as_unsent)


@mutation("18: a forward is tried again")
def tried_again(patch: Patch) -> None:
    """A forward without an answer is sent once more."""
    settling = _Target._settling

    def settle_or_repeat(self: _Target, part: _Part) -> Callable[[Any], None]:
        settle = settling(self, part)

        def on_answer(answer: Any) -> None:
            if answer.exception() is None:
                settle(answer)
            else:
                self._queued.append(part)
                self._connecting = self._connect()  # type: ignore[assignment]

        return on_answer

    patch.setattr(_Target, "_settling", settle_or_repeat)


@mutation("18: a forward is forwarded")
def forwarded_again(patch: Patch) -> None:
    """A broker that does not lead passes on what was passed on to it."""
    patch.setattr(forwarding, "is_forwarded", lambda client_id: False)


@mutation("18: each forward takes a way of its own")
def no_order(patch: Patch) -> None:
    """Forwards to one leader may overtake each other."""
    ask = _SimulatedTarget.ask

    def ask_later(self: Any, request: Any, done: Any, timeout_us: int) -> None:
        delay_us = self._network._rng.randint(0, 2_000)
        self._process.later(delay_us, lambda: ask(self, request, done, timeout_us))

    patch.setattr(_SimulatedTarget, "ask", ask_later)


@mutation("18: a request has one leader")
def not_split(patch: Patch) -> None:
    """All batches of a request go where the first of them is led."""
    add = ForwardedRequest.add

    def add_to_first(self: ForwardedRequest, topic: Any, index: int, records: Any, outcome: Any) -> None:
        add(self, topic, index, records, outcome)
        first, *others = self._parts
        for other in others:
            for batch in self._parts.pop(other).batches:
                self._parts[first].add(batch)

    patch.setattr(ForwardedRequest, "add", add_to_first)


@mutation("18: clients are never told")
def never_told(patch: Patch) -> None:
    """Whoever sends to the wrong broker is served for ever, at twice the cost."""
    patch.setattr(Forwarder, "_is_overdue", lambda self, peer: False)


@mutation("18: a flight goes to whoever leads")
def flight_is_split(patch: Patch) -> None:
    """What is passed on goes to the leader of the moment, whoever was sent the beginning of the flight."""
    rejection_of = InFlightGuard.rejection_of

    def rejection_for_any_leader(self: InFlightGuard, topic_id: Any, index: int, *args: Any) -> Any:
        for stream, opened in self._open.items():
            if args[2:] and stream[:2] == (topic_id, index):
                opened.leader = args[2]
        return rejection_of(self, topic_id, index, *args)

    patch.setattr(InFlightGuard, "rejection_of", rejection_for_any_leader)
    patch.setattr(InFlightGuard, "follows_open", lambda self, batch: False)


@mutation("16: a producer is known by what the log holds of it")
def known_by_the_log(patch: Patch) -> None:
    """At the end of a term a flight counts as sent as far as the log goes, although it is being sent again."""

    def uncommitted(self: LeaderReplica) -> Iterator[Sequences]:
        return self.log.producers.sequences_at(range(self.leader.high_watermark, self.log.log_end_offset))

    patch.setattr(LeaderReplica, "waiting_producers", uncommitted)
    _blame_at_once(patch)


@mutation("16: the rest of a flight is judged by itself")
def flights_are_forgotten(patch: Patch) -> None:
    """A batch is taken, or told of a gap, whatever became of the one before it."""
    patch.setattr(InFlightGuard, "rejection_of", lambda self, *args: None)
    patch.setattr(InFlightGuard, "follows_open", lambda self, batch: False)
    _blame_at_once(patch)


def _blame_at_once(patch: Patch) -> None:
    """Take the second guard away, which would hide for some seconds that the first one is gone."""
    patch.setattr(in_flight_guard, "YOUNG_TERM_MS", 0)
