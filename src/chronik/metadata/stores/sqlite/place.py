"""Where a SQLite store may be: on a local file system, because locks and shared memory of others cannot be trusted."""

import os
from typing import Final

from chronik.metadata.stores.port import StoreError

MOUNTS: Final = "/proc/self/mountinfo"
REMOTE: Final = frozenset(
    {"afs", "ceph", "cifs", "fuse.ceph", "fuse.glusterfs", "fuse.s3fs", "fuse.sshfs", "glusterfs", "gpfs", "lustre"}
    | {"nfs", "nfs4", "smb3", "smbfs"}
)


def check_local(path: str) -> None:
    """Refuse a file on a network file system."""
    kind = file_system_of(os.path.dirname(os.path.realpath(path)))
    if kind in REMOTE:
        raise StoreError(
            f"the metadata store {path} is on a network file system ({kind}), where SQLite's locks cannot be trusted: "
            "put it on a local disk, or use etcd://"
        )


def file_system_of(directory: str) -> str:
    """Find the kind of file system that a directory is on; empty where that cannot be said."""
    best, kind = "", ""
    for mounted_at, found in _mounts():
        is_above = directory == mounted_at or directory.startswith(mounted_at.rstrip("/") + "/")
        # Of two at the same place the later hides the earlier.
        if is_above and len(mounted_at) >= len(best):
            best, kind = mounted_at, found
    return kind


def _mounts() -> list[tuple[str, str]]:
    try:
        with open(MOUNTS, encoding="utf-8", errors="surrogateescape") as table:
            lines = [line.partition(" - ") for line in table]
    except OSError:
        return []
    return [(_unescaped(left.split()[4]), right.split()[0]) for left, _, right in lines if right]


def _unescaped(path: str) -> str:
    """Put back the four characters that the kernel writes in octal."""
    for escaped, character in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        path = path.replace(escaped, character)
    return path
