"""The judge: checks the promises of replication after every event of every broker.

The judge knows what no broker knows: every log, the store, and all that was ever shown or acknowledged to anybody. It
changes nothing. What it finds, it says in a sentence, by raising ``Broken``.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Final

from chronik.metadata.image.keys import PartitionState
from chronik.model.ids import BrokerId
from chronik.records.batch import crc_is_right, walk
from chronik.records.iterate import StoredRecord, records_of
from chronik.server.replicas.leader import LeaderReplica
from chronik.server.replicas.replica import Replica
from chronik.simulation.replicas import Key
from chronik.simulation.simulated_broker import Listed, SimulatedBroker
from chronik.storage.errors import CorruptBatchError
from chronik.storage.log import Log

READ_BYTES: Final = 1 << 20
BELOW_START: Final = ""
"""The name of a record below the log start."""
UNREADABLE: Final = "?"
"""The name of a record that cannot be read: it may not be served, and other replicas have it."""
EXCUSED: Final = (BELOW_START, UNREADABLE)


class Broken(Exception):  # noqa: N818 -- what it says is a promise, not an error of this program
    """A promise is broken."""


class Shown:
    """The records of one partition that were below a leader's high watermark, by offset."""

    def __init__(self) -> None:
        self.records: list[str] = []
        self.offset_of: dict[str, int] = {}
        self.watermarks: dict[int, int] = defaultdict(int)
        """The highest by leader epoch."""
        self.lost: set[str] = set()
        """Committed records that are lost, because every replica that held them lost data."""
        self.losses = 0
        """How often something was lost."""
        self.is_reported = False
        """Whether a broker has said that acknowledged records may be lost."""
        self.kept_end = 0
        """Up to where everything outlived the last loss."""

    def lose_from(self, offset: int) -> None:
        """Forget the records that no replica holds any more."""
        self.losses += 1
        self.lost.update(self.records[offset:])
        for record in self.records[offset:]:
            self.offset_of.pop(record, None)
        del self.records[offset:]
        self.kept_end = offset


class Copy:
    """The records of one replica, read again when its log changes."""

    def __init__(self) -> None:
        self.records: list[str] = []
        self.log: Log | None = None
        self.is_trusted = True
        """False after a lossy restart: nothing is expected of the replica until it is in sync again."""
        self.high_watermark = 0
        self.replica: Replica | None = None
        self.agreed_end = 0
        """Up to where it was found to hold what was shown."""

    def sync(self, log: Log) -> None:
        """Read what is new, or everything where it is another log, or one that was cut; nothing while it is offline."""
        if log.offline is not None:
            return
        if log is not self.log or log.log_end_offset < len(self.records):
            self.log = log
            kept = 0
        else:
            kept = len(self.records)
        if log.log_end_offset != kept or kept == 0:
            self.records[kept:] = records_in(log, kept)
        self.agreed_end = min(self.agreed_end, kept)

    def first_difference(self, shown: list[str], end: int) -> int | None:
        """Find the first offset below ``end`` where it holds something else than was shown, or nothing."""
        start = min(self.agreed_end, end)
        if self.records[start:end] == shown[start:end]:
            self.agreed_end = end
            return None
        for offset in range(start, end):
            if offset >= len(self.records):
                return offset
            if shown[offset] != UNREADABLE and self.records[offset] not in (shown[offset], *EXCUSED):
                return offset
        self.agreed_end = end
        return None


def records_in(log: Log, start: int) -> list[str]:
    """Name the records of a log from an offset on; below its start nothing is known."""
    found = [BELOW_START] * (max(log.log_start_offset, start) - start)
    offset = max(start, log.log_start_offset)
    while offset < log.log_end_offset:
        try:
            data = memoryview(log.read(offset, READ_BYTES, log.log_end_offset).data)
        except CorruptBatchError:
            found.append(UNREADABLE)
            offset += 1
            continue
        for position, header in walk(data):
            batch = data[position : position + header.size_bytes]
            if crc_is_right(data, position, header.size_bytes):
                found += [_name(record) for record in records_of(batch) if record.offset >= offset]
            else:
                found += [UNREADABLE] * (header.next_offset - offset)
            offset = header.next_offset
    return found


def _name(record: StoredRecord) -> str:
    """Name a record by its value; what a coordinator writes may be written again, which ``~`` says."""
    value = record.value or b""
    return value.decode() if record.key is None else f"~{record.key.hex()}={value.hex()}"


class Judge:
    """Checks every promise after every event."""

    def __init__(self, brokers: Iterable[SimulatedBroker]) -> None:
        self._brokers = tuple(brokers)
        self.shown: dict[Key, Shown] = defaultdict(Shown)
        self._copies: dict[tuple[BrokerId, Key], Copy] = defaultdict(Copy)
        self._states: dict[Key, PartitionState] = {}
        self._lossy: set[tuple[BrokerId, Key]] = set()
        self._damaged: set[tuple[BrokerId, Key]] = set()
        """Whose bytes have changed, which it need not know before it reads them."""
        self._must_leave: set[tuple[BrokerId, Key]] = set()
        self._lossy_hosts: set[BrokerId] = set()
        """Brokers that the store marks as lossy: they cannot be elected, and leave their in-sync sets."""

    # --- what is lost by right

    def on_loss(self, broker: BrokerId) -> None:
        """A broker restarts lossily: nothing is expected of its copies until they are in sync again."""
        for key in self._held_by(broker):
            self._lossy.add((broker, key))
            self._copies[broker, key].is_trusted = False
            self._copies[broker, key].log = None
            self._copies[broker, key].records = []
            self._copies[broker, key].agreed_end = 0

    def on_reported(self, key: Key) -> None:
        """A broker says that acknowledged records of a partition may be lost."""
        self.shown[key].is_reported = True

    def _on_last_known(self, key: Key, leader: BrokerId, last_known: Iterable[BrokerId]) -> None:
        """Unclean recovery: the replica with the highest log end leads, and the records that it lacks are lost."""
        shown = self.shown[key]
        kept = self._kept_of(leader, key)
        for other in last_known:
            if self._kept_of(other, key) > kept:
                raise Broken(f"broker {leader} leads with {kept} of what was shown, and broker {other} has more of it")
        if kept < len(shown.records):
            shown.lose_from(kept)
        for broker in self._brokers:
            self._copies[broker.id, key].is_trusted = False
            self._copies[broker.id, key].agreed_end = 0

    def _kept_of(self, broker: BrokerId, key: Key) -> int:
        """How much of what was shown a broker holds, from the beginning on."""
        self._sync(broker, key)
        shown = self.shown[key].records
        offset = self._copies[broker, key].first_difference(shown, len(shown))
        return len(shown) if offset is None else offset

    def on_damage(self, broker: BrokerId) -> None:
        """Bytes of a broker's disk changed: until it is in sync again, no other broker may lose the same records."""
        for key in self._held_by(broker):
            self._damaged.add((broker, key))
            self._copies[broker, key].log = None

    def _held_by(self, broker: BrokerId) -> list[Key]:
        return [key for key, state in self._states.items() if broker in state.replicas]

    def lossy_brokers(self) -> set[BrokerId]:
        """Return the brokers that lost data and have not caught up, or hold unreadable records."""
        unreadable = {broker for (broker, _), copy in self._copies.items() if UNREADABLE in copy.records}
        return unreadable | {broker for broker, _ in self._lossy | self._damaged}

    def on_deleted(self, key: Key) -> None:
        """A topic is deleted: nothing is expected of it any more."""
        self._states.pop(key, None)
        self._lossy = {one for one in self._lossy if one[1] != key}
        self._damaged = {one for one in self._damaged if one[1] != key}
        for broker in self._brokers:
            self._copies.pop((broker.id, key), None)

    # --- after every event

    def look_at_store(self, states: Iterable[tuple[Key, PartitionState]], lossy_hosts: set[BrokerId]) -> None:
        """Look at what the store has come to hold."""
        self._lossy_hosts = lossy_hosts
        for key, state in states:
            if self._states.get(key) is not state:
                self._on_state(key, state)

    def look_at_broker(self, broker: SimulatedBroker) -> None:
        """Look at everything that a broker may have done."""
        if self._must_leave and broker.is_serving:
            self._expect_left(broker.id)
        if broker.table is not None:
            for replica in broker.table.all():
                key = (replica.topic_id, replica.topic_partition.partition)
                if self._concerns(broker.id, key, replica):
                    self._look_at(broker.id, key, replica)

    def _concerns(self, broker: BrokerId, key: Key, replica: Replica) -> bool:
        """Whether it is a replica, or leads without knowing yet that its replica has been moved away."""
        state = self._states.get(key)
        return state is not None and (broker in state.replicas or isinstance(replica.role, LeaderReplica))

    def _on_state(self, key: Key, state: PartitionState) -> None:
        before = self._states.get(key)
        self._states[key] = state
        for gone in set(before.replicas if before else ()).difference(state.replicas):
            self._lossy.discard((gone, key))
            self._damaged.discard((gone, key))
            self._copies.pop((gone, key), None)
        if before is not None and _was_leaderless(before) and state.leader >= 0:
            self._on_last_known(key, state.leader, before.last_known)
        joined = set(state.isr).difference(before.isr if before else ())
        for member in joined:
            if (member, key) in self._lossy and self._is_down(member):
                # Added for what it had before it went down: its next life must leave the set before it serves.
                self._must_leave.add((member, key))
                continue
            self._lossy.discard((member, key))
            if not self._is_down(member):
                self._damaged.discard((member, key))
            self._copies[member, key].is_trusted = True
        if before is not None and before.leader_epoch == state.leader_epoch and before.leader != state.leader >= 0:
            raise Broken(f"epoch {state.leader_epoch} was given to {before.leader} and to {state.leader}")
        for member in (*state.isr, *state.elr):
            self._expect_all_shown(member, key, "in sync or eligible")

    def _expect_left(self, broker: BrokerId) -> None:
        for member, key in sorted(self._must_leave):
            if member == broker:
                self._must_leave.discard((member, key))
                if self._is_member(member, key):
                    raise Broken(f"broker {broker} has lost data and serves in the set that it was added to before")

    def _is_down(self, broker: BrokerId) -> bool:
        return any(each.is_down for each in self._brokers if each.id == broker)

    def _look_at(self, broker: BrokerId, key: Key, replica: Replica) -> None:
        copy, log = self._copies[broker, key], replica.log
        if copy.log is None and log.offline is not None:
            # A replica that was reassigned away and failed before it was removed: nothing can be read of it.
            return
        if log is not copy.log or log.log_end_offset != len(copy.records):
            is_shorter = log.log_end_offset < len(copy.records)
            copy.sync(log)
            if is_shorter and self._is_member(broker, key):
                self._expect_all_shown(broker, key, "in sync or eligible, after it was cut")
        high_watermark = replica.high_watermark
        if high_watermark > log.log_end_offset:
            raise Broken(f"broker {broker} has its watermark {high_watermark} above its log end {log.log_end_offset}")
        if replica is copy.replica and high_watermark < copy.high_watermark and copy.is_trusted:
            raise Broken(f"broker {broker} cut what it knew as committed: {high_watermark} to {copy.high_watermark}")
        if high_watermark != copy.high_watermark or replica is not copy.replica:
            self._expect_leader_has_all(broker, key, replica)
            self._on_watermark(broker, key, replica, copy)

    def _is_member(self, broker: BrokerId, key: Key) -> bool:
        state = self._states.get(key)
        return state is not None and (broker in state.isr or broker in state.elr)

    def _expect_all_shown(self, broker: BrokerId, key: Key, why: str) -> None:
        """Check that a broker that may be elected holds every record that was shown."""
        copy, shown = self._copies[broker, key], self.shown[key].records
        if not copy.is_trusted or broker in self._lossy_hosts or (copy.log is None and not shown):
            return
        offset = copy.first_difference(shown, len(shown))
        if offset is not None:
            held = copy.records[offset] if offset < len(copy.records) else "nothing"
            raise Broken(
                f"record {shown[offset]} was shown at offset {offset}, and broker {broker}, {why}, holds {held} there: "
                "acknowledged data is lost"
            )

    def _expect_leader_has_all(self, broker: BrokerId, key: Key, replica: Replica) -> None:
        """Check that the leader of the store's epoch holds every record that was shown, also after lossy restarts."""
        state = self._states.get(key)
        if state is None or not isinstance(replica.role, LeaderReplica) or replica.is_closed:
            return
        if state.leader == broker and state.leader_epoch == replica.leader_epoch:
            copy, shown = self._copies[broker, key], self.shown[key].records
            offset = copy.first_difference(shown, len(shown))
            if offset is not None:
                raise Broken(f"broker {broker} leads and lacks {shown[offset]}, shown at offset {offset}: it is lost")

    # --- watermarks

    def _on_watermark(self, broker: BrokerId, key: Key, replica: Replica, copy: Copy) -> None:
        copy.replica = replica
        high_watermark = copy.high_watermark = replica.high_watermark
        shown = self.shown[key]
        if not isinstance(replica.role, LeaderReplica) or replica.is_closed:
            if copy.is_trusted or not shown.lost:
                self._expect_same(broker, copy, shown, min(high_watermark, len(shown.records)))
            return
        epoch = replica.leader_epoch
        if high_watermark < shown.watermarks[epoch]:
            raise Broken(f"the watermark of epoch {epoch} fell from {shown.watermarks[epoch]} to {high_watermark}")
        if high_watermark == shown.watermarks[epoch] and high_watermark <= len(shown.records):
            return
        shown.watermarks[epoch] = high_watermark
        self._expect_same(broker, copy, shown, min(high_watermark, len(shown.records)))
        if high_watermark > len(shown.records):
            self._show(broker, key, copy, shown, high_watermark)

    def _expect_same(self, broker: BrokerId, copy: Copy, shown: Shown, end: int) -> None:
        offset = copy.first_difference(shown.records, end)
        if offset is not None:
            raise Broken(
                f"offset {offset} showed record {shown.records[offset]} before, and broker {broker} has "
                f"{copy.records[offset]} there below its watermark"
            )

    def _show(self, broker: BrokerId, key: Key, copy: Copy, shown: Shown, end: int) -> None:
        """A leader raises its watermark over records that were not shown before."""
        state = self._states[key]
        for offset in range(len(shown.records), end):
            record = self._readable(key, state, offset, copy.records[offset])
            if record in shown.offset_of and not record.startswith("~"):
                raise Broken(f"record {record} stands at offsets {shown.offset_of[record]} and {offset}: written twice")
            shown.offset_of[record] = offset
            shown.records.append(record)
            # Who held it all the time was not there when it was given up, and leads since.
            shown.lost.discard(record)
        for member in (*state.isr, *state.elr):
            self._sync(member, key)
            self._expect_all_shown(member, key, f"in sync or eligible when broker {broker} showed it")

    def _readable(self, key: Key, state: PartitionState, offset: int, record: str) -> str:
        """Return the name of a record that the leader cannot read, from another replica that can."""
        for member in state.isr if record == UNREADABLE else ():
            self._sync(member, key)
            records = self._copies[member, key].records
            if offset < len(records) and records[offset] not in EXCUSED:
                return records[offset]
        return record

    def _sync(self, broker: BrokerId, key: Key) -> None:
        """Read a copy now: another of the same event may have changed it."""
        replicas = next(each.replicas for each in self._brokers if each.id == broker)
        replica = None if replicas is None else replicas.find(key)
        if replica is not None:
            self._copies[broker, key].sync(replica.log)

    # --- answers

    def on_acknowledged(self, key: Key, offset: int, record: str) -> None:
        """A produce with acks=all is answered with success only when its own record is shown at its own offset."""
        shown = self.shown[key].records
        if record in self.shown[key].lost:
            return
        if offset >= len(shown) or shown[offset] not in (record, UNREADABLE):
            there = shown[offset] if offset < len(shown) else "nothing"
            raise Broken(f"record {record} was acknowledged at offset {offset}, where {there} is shown")

    def on_listed(self, key: Key, answer: Listed) -> None:
        """The leader of the store's epoch never says "latest" below what was shown before it answered."""
        if answer.leader_epoch == self._states[key].leader_epoch and answer.offset < len(self.shown[key].records):
            raise Broken(
                f"latest is {answer.offset} in the store's epoch, after {len(self.shown[key].records)} was shown"
            )

    # --- the end

    def check_end(self) -> None:
        """Check that all in-sync replicas hold the same records and watermark, and that losses were reported."""
        for key, state in self._states.items():
            shown = self.shown[key].records
            if self.shown[key].lost and not self.shown[key].is_reported:
                raise Broken(f"{len(self.shown[key].lost)} records are lost, and no broker reported it")
            for member in state.isr:
                self._sync(member, key)
                if self._copies[member, key].first_difference(shown, len(shown)) is not None:
                    raise Broken(f"broker {member} is in sync and does not hold what was shown")

    @property
    def committed_total(self) -> int:
        return sum(len(shown.records) for shown in self.shown.values())

    def states(self) -> Iterator[tuple[Key, PartitionState]]:
        return iter(self._states.items())


def _was_leaderless(state: PartitionState) -> bool:
    return state.leader < 0 and not state.isr and not state.elr and bool(state.last_known)
