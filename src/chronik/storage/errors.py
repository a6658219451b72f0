"""The errors of a partition's log."""


class StorageError(Exception):
    """The base of all errors of storage."""


class OffsetOutOfRangeError(StorageError):
    """The offset is outside ``[log start, log end]``."""

    def __init__(self, offset: int, log_start_offset: int, log_end_offset: int) -> None:
        super().__init__(f"offset {offset} is outside the log [{log_start_offset}, {log_end_offset}]")
        self.offset = offset
        self.log_start_offset = log_start_offset
        self.log_end_offset = log_end_offset


class CorruptBatchError(StorageError):
    """The batch that should hold ``offset`` fails its checks.

    The damage begins at ``first_offset``; the next good batch begins at ``next_good_offset``, -1 if none is known.
    """

    def __init__(
        self, offset: int, file: str, position: int, reason: str, next_good_offset: int, first_offset: int
    ) -> None:
        goes_on = f"; offsets are readable again from {next_good_offset} on" if next_good_offset >= 0 else ""
        super().__init__(f"offset {offset} is damaged in {file} at position {position}: {reason}{goes_on}")
        self.first_offset = first_offset
        self.offset = offset
        self.file = file
        self.position = position
        self.reason = reason
        self.next_good_offset = next_good_offset


class LogOfflineError(StorageError):
    """The log stopped after a failed write or flush and is not served until it is opened again."""

    def __init__(self, directory: str, cause: OSError) -> None:
        super().__init__(f"the log {directory} is offline after a disk error: {cause}")
        self.directory = directory
        self.cause = cause


class DirectoryInUseError(StorageError):
    """Another process holds the data directory."""

    def __init__(self, path: str, holder: str) -> None:
        super().__init__(
            f"the data directory {path} is in use by process {holder}:"
            " stop that broker, or use another directory for this one"
        )
        self.path = path
        self.holder = holder


class WrongDirectoryError(StorageError):
    """The data directory belongs to another broker or cluster, or has no readable identity."""
