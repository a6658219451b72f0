"""A broker's data directory: its identity, its lock, its partitions, its checkpoints, and the clean-shutdown mark."""

import json
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple
from uuid import UUID

from chronik.model.ids import TopicId, TopicPartition
from chronik.storage.checkpoints import parse_offsets, write_offsets
from chronik.storage.disk import Disk, File, Lock, write_all, write_atomically
from chronik.storage.errors import DirectoryInUseError, WrongDirectoryError

LOCK: Final = ".lock"
META_PROPERTIES: Final = "meta.properties"
CLEAN_SHUTDOWN: Final = ".kafka_cleanshutdown"
PARTITION_METADATA: Final = "partition.metadata"
DELETED_SUFFIX: Final = "-delete"
DIRECTORY_NAME_BYTES_MAX: Final = 255

_PARTITION_NAME: Final = re.compile(r"(.+)-(\d+)")


class DirectoryIdentity(NamedTuple):
    """The content of ``meta.properties``."""

    cluster_id: str
    node_id: int
    directory_id: UUID


class StoredPartition(NamedTuple):
    """A partition's directory; without a readable ``partition.metadata`` its topic is unknown."""

    path: str
    topic_id: TopicId | None


class CleanMark(NamedTuple):
    """The clean-shutdown mark: the epoch of the broker that closed everything."""

    broker_epoch: int


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Offsets by partition, and the problem of the file if it could not be read."""

    offsets: Mapping[TopicPartition, int]
    problem: str | None = None


class DataDirectory:
    """The directory of one broker, locked from ``hold`` to ``release``."""

    def __init__(self, disk: Disk, path: str, lock: Lock) -> None:
        self.disk = disk
        self.path = path
        self._lock = lock

    @classmethod
    def hold(cls, disk: Disk, path: str, *, holder: str) -> "DataDirectory":
        """Lock the directory, creating it if necessary; raise ``DirectoryInUseError`` if another process has it."""
        disk.make_directory(path)
        lock = disk.lock(f"{path}/{LOCK}", holder)
        if isinstance(lock, str):
            raise DirectoryInUseError(path, lock)
        return cls(disk, path, lock)

    def release(self) -> None:
        """Release the lock."""
        self._lock.release()

    # -- identity ------------------------------------------------------------------------------------------------

    def identity(self) -> DirectoryIdentity | None:
        """The directory's identity; None if it is new."""
        data = self._read(META_PROPERTIES)
        return None if data is None else self._parse_identity(data)

    def adopt(self, identity: DirectoryIdentity) -> DirectoryIdentity:
        """Set the identity of a new directory, or check it; raise ``WrongDirectoryError`` if it belongs to another
        broker.
        """
        found = self.identity()
        if found is None:
            write_atomically(self.disk, f"{self.path}/{META_PROPERTIES}", _spell_identity(identity))
            return identity
        for name, theirs, ours in (
            ("cluster.id", found.cluster_id, identity.cluster_id),
            ("node.id", found.node_id, identity.node_id),
        ):
            if theirs != ours:
                raise WrongDirectoryError(f"{self.path} belongs to {name} {theirs}, this broker has {ours}")
        return found

    def _parse_identity(self, data: bytes) -> DirectoryIdentity:
        lines = [line.partition("=") for line in data.decode(errors="replace").splitlines()]
        values = {key.strip(): value.strip() for key, _, value in lines if not key.startswith("#")}
        try:
            if values["version"] != "1":
                raise ValueError(f"version {values['version']} is not known")
            return DirectoryIdentity(values["cluster.id"], int(values["node.id"]), parse_uuid(values["directory.id"]))
        except (KeyError, ValueError) as error:
            raise WrongDirectoryError(f"{self.path}/{META_PROPERTIES} is damaged: {error}") from error

    # -- the clean-shutdown mark ---------------------------------------------------------------------------------

    def take_clean_mark(self) -> CleanMark | None:
        """Read the mark and remove it durably, so that a later crash is seen as one."""
        data = self._read(CLEAN_SHUTDOWN)
        if data is None:
            return None
        self.disk.unlink(f"{self.path}/{CLEAN_SHUTDOWN}")
        self.disk.sync_directory(self.path)
        try:
            return CleanMark(int(json.loads(data)["brokerEpoch"]))
        except (ValueError, KeyError, TypeError):
            return None

    def write_clean_mark(self, broker_epoch: int) -> None:
        """Record that every log was closed and every checkpoint written."""
        mark = json.dumps({"version": 0, "brokerEpoch": broker_epoch}).encode()
        write_atomically(self.disk, f"{self.path}/{CLEAN_SHUTDOWN}", mark)

    # -- checkpoints ---------------------------------------------------------------------------------------------

    def read_checkpoint(self, name: str) -> Checkpoint:
        """Read a checkpoint; a damaged file counts as empty, with its problem."""
        data = self._read(name)
        if data is None:
            return Checkpoint({})
        try:
            return Checkpoint(parse_offsets(data))
        except ValueError as error:
            return Checkpoint({}, f"{self.path}/{name} is damaged and not used: {error}")

    def write_checkpoint(self, name: str, offsets: Mapping[TopicPartition, int]) -> None:
        """Replace a checkpoint; from any thread, one write per name at a time."""
        write_offsets(self.disk, f"{self.path}/{name}", offsets)

    # -- partitions ----------------------------------------------------------------------------------------------

    def partitions(self) -> dict[TopicPartition, StoredPartition]:
        found = {}
        for name in self.disk.list_directory(self.path):
            match = _PARTITION_NAME.fullmatch(name)
            path = f"{self.path}/{name}"
            if match and self.disk.is_directory(path):
                found[TopicPartition(match[1], int(match[2]))] = StoredPartition(path, _topic_id_in(self.disk, path))
        return found

    def create_partition(self, topic_partition: TopicPartition, topic_id: TopicId) -> str:
        """Create one partition directory and return its path, or raise the error."""
        created = self.create_partitions([(topic_partition, topic_id)])[0]
        if isinstance(created, Exception):
            raise created
        return created

    def create_partitions(
        self, wanted: Sequence[tuple[TopicPartition, TopicId]]
    ) -> list[str | OSError | WrongDirectoryError]:
        """Create directories durably and return a path or an error for each; an existing one of the same topic is kept.

        Everything is written before anything is synced: the file system then needs a few journal commits, not several
        for each directory.
        """
        paths = [f"{self.path}/{topic_partition}" for topic_partition, _ in wanted]
        births = [_Birth(self.disk, path, topic_id) for path, (_, topic_id) in zip(paths, wanted, strict=True)]
        for step in (_Birth.write, _Birth.sync, _Birth.name, _Birth.sync_name):
            for birth in births:
                birth.take(step)
        if any(birth.failure is None for birth in births):
            self.disk.sync_directory(self.path)
        return [birth.failure or path for birth, path in zip(births, paths, strict=True)]

    def retire_partition(self, topic_partition: TopicPartition, mark: UUID) -> str:
        """Rename a partition's directory so that no restart finds it, and return the path for ``remove_retired``."""
        suffix = f".{mark.hex}{DELETED_SUFFIX}"
        name = str(topic_partition)[: DIRECTORY_NAME_BYTES_MAX - len(suffix)] + suffix
        self.disk.rename(f"{self.path}/{topic_partition}", f"{self.path}/{name}")
        self.disk.sync_directory(self.path)
        return f"{self.path}/{name}"

    def retired(self) -> list[str]:
        """Return the directories whose removal an earlier run did not finish."""
        names = [name for name in self.disk.list_directory(self.path) if name.endswith(DELETED_SUFFIX)]
        return [f"{self.path}/{name}" for name in names]

    def remove_retired(self, path: str) -> None:
        """Remove a retired partition; for a thread."""
        assert path.endswith(DELETED_SUFFIX), f"{path} was not retired"
        self.disk.remove_directory(path)

    # -- space ---------------------------------------------------------------------------------------------------

    def free_bytes(self) -> int:
        return self.disk.free_bytes(self.path)

    def total_bytes(self) -> int:
        return self.disk.total_bytes(self.path)

    def _read(self, name: str) -> bytes | None:
        try:
            return self.disk.read_bytes(f"{self.path}/{name}")
        except FileNotFoundError:
            return None


class _Birth:
    """The creation of one partition's directory, step by step; a failure ends it and is kept."""

    def __init__(self, disk: Disk, path: str, topic_id: TopicId) -> None:
        self._disk = disk
        self._path = path
        self._topic_id = topic_id
        self._file: File | None = None
        self.failure: OSError | WrongDirectoryError | None = None

    def take(self, step: "Callable[[_Birth], None]") -> None:
        """Run a step, unless an earlier one has failed."""
        if self.failure is not None:
            return
        try:
            step(self)
        except (OSError, WrongDirectoryError) as failure:
            self.failure = failure
            if self._file is not None:
                self._file.close()

    def write(self) -> None:
        """Create the directory, and write its metadata to a temporary file."""
        self._disk.make_directory(self._path)
        stored_id = _topic_id_in(self._disk, self._path)
        if stored_id == self._topic_id:
            return
        if stored_id is not None:
            raise WrongDirectoryError(f"{self._path} belongs to another topic of that name, {spell_uuid(stored_id)}")
        content = f"version: 0\ntopic_id: {spell_uuid(self._topic_id)}".encode()
        self._file = self._disk.open(self._temporary, create=True)
        write_all(self._file, content)
        self._file.truncate(len(content))
        self._file.start_writeback(0, len(content))

    def sync(self) -> None:
        """Sync the temporary file."""
        if self._file is not None:
            self._file.sync()

    def name(self) -> None:
        """Rename the file, now that its content is durable."""
        if self._file is not None:
            self._file.close()
            self._disk.rename(self._temporary, f"{self._path}/{PARTITION_METADATA}")

    def sync_name(self) -> None:
        if self._file is not None:
            self._disk.sync_directory(self._path)

    @property
    def _temporary(self) -> str:
        return f"{self._path}/{PARTITION_METADATA}.tmp"


def _topic_id_in(disk: Disk, path: str) -> TopicId | None:
    try:
        data = disk.read_bytes(f"{path}/{PARTITION_METADATA}")
        fields = dict(line.split(": ", 1) for line in data.decode().splitlines())
        return parse_uuid(fields["topic_id"])
    except (FileNotFoundError, ValueError, KeyError):
        return None


def spell_uuid(value: UUID) -> str:
    """Encode an id as Kafka does: URL-safe base64 without padding."""
    return urlsafe_b64encode(value.bytes).rstrip(b"=").decode()


def parse_uuid(text: str) -> UUID:
    """Decode an id in Kafka's form; raise ``ValueError`` if it is none."""
    return UUID(bytes=urlsafe_b64decode(text.strip() + "=="))


def _spell_identity(identity: DirectoryIdentity) -> bytes:
    return (
        f"cluster.id={identity.cluster_id}\n"
        f"directory.id={spell_uuid(identity.directory_id)}\n"
        f"node.id={identity.node_id}\n"
        "version=1\n"
    ).encode()
