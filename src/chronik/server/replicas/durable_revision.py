"""The highest revision of the metadata store that this broker has applied, kept beside its data.

A store that has fewer revisions than the broker has seen is an older copy or another store: serving on it could give
one leader epoch to two leaders.
"""

from typing import Final

from chronik.storage.directory import DataDirectory
from chronik.storage.disk import write_atomically

FILE_NAME: Final = "chronik-metadata-revision"


def read_revision(directory: DataDirectory) -> int:
    """Read it; 0 where there is none."""
    try:
        return int(directory.disk.read_bytes(f"{directory.path}/{FILE_NAME}"))
    except (FileNotFoundError, ValueError):
        return 0


def write_revision(directory: DataDirectory, revision: int) -> None:
    """Keep it durably."""
    write_atomically(directory.disk, f"{directory.path}/{FILE_NAME}", f"{revision}\n".encode())
