"""Putting compacted segments in the place of the old ones, so that a crash at any point leaves a readable log.

The child process leaves the new files as ``<base>.log.cleaned``, ``.index.cleaned``, ``.timeindex.cleaned`` and,
last, ``<base>.manifest.cleaned``, which names the segments that they replace; all of them synced. Then the broker:

1. ``commit_swap`` (any thread): renames the data files to ``.swap``, then the manifest. **The manifest's rename
   is the decision**: before it, leftovers are thrown away; after it, the swap is carried through.
2. ``finish_swap`` (where the log lives): renames the old files to ``.deleted`` and the new ones to their names.
3. ``seal_swap`` (any thread): makes that durable, then removes the manifest.

``recover_leftovers`` does steps 2 and 3 again after a crash, with the same functions; they may run any number
of times. The caller unlinks ``.deleted`` files when it likes. Groups are swapped in the order of their offsets:
a tombstone must not go before the older values that it hides.
"""

import json
from dataclasses import asdict, dataclass
from typing import Final

from chronik.storage.disk import Disk, write_file
from chronik.storage.segment import (
    DELETED_SUFFIX,
    INDEX_SUFFIX,
    LOG_SUFFIX,
    TIME_INDEX_SUFFIX,
    file_stem,
)

CLEANED_SUFFIX: Final = ".cleaned"
SWAP_SUFFIX: Final = ".swap"
MANIFEST_SUFFIX: Final = ".manifest"
_DATA_SUFFIXES: Final = (LOG_SUFFIX, INDEX_SUFFIX, TIME_INDEX_SUFFIX)


@dataclass(frozen=True, slots=True)
class Manifest:
    """The segments that a new one replaces; its own base offset is the first of them."""

    base_offset: int
    replaces: tuple[int, ...]

    def to_bytes(self) -> bytes:
        return json.dumps(asdict(self)).encode()

    @classmethod
    def from_bytes(cls, data: bytes) -> "Manifest":
        fields = json.loads(data)
        return cls(int(fields["base_offset"]), tuple(int(base) for base in fields["replaces"]))


def log_path(directory: str, base_offset: int) -> str:
    """Return the path of a segment's file."""
    return f"{directory}/{file_stem(base_offset)}{LOG_SUFFIX}"


def cleaned_path(directory: str, base_offset: int, suffix: str) -> str:
    """Return the path of a new segment's file before the swap is committed."""
    return f"{directory}/{file_stem(base_offset)}{suffix}{CLEANED_SUFFIX}"


def _swap_path(directory: str, base_offset: int, suffix: str) -> str:
    return f"{directory}/{file_stem(base_offset)}{suffix}{SWAP_SUFFIX}"


def write_manifest(disk: Disk, directory: str, manifest: Manifest) -> None:
    """Write the manifest of the cleaned files, which must be synced before."""
    write_file(disk, cleaned_path(directory, manifest.base_offset, MANIFEST_SUFFIX), manifest.to_bytes())
    disk.sync_directory(directory)


def commit_swap(disk: Disk, directory: str, base_offset: int) -> Manifest:
    """Commit the swap: from here on, recovery completes it."""
    manifest = Manifest.from_bytes(disk.read_bytes(cleaned_path(directory, base_offset, MANIFEST_SUFFIX)))
    for suffix in _DATA_SUFFIXES:
        _name_for_swap(disk, directory, base_offset, suffix)
    # The manifest must not become durable before the names in it.
    disk.sync_directory(directory)
    _name_for_swap(disk, directory, base_offset, MANIFEST_SUFFIX)
    disk.sync_directory(directory)
    return manifest


def _name_for_swap(disk: Disk, directory: str, base_offset: int, suffix: str) -> None:
    disk.rename(cleaned_path(directory, base_offset, suffix), _swap_path(directory, base_offset, suffix))


def finish_swap(disk: Disk, directory: str, manifest: Manifest) -> list[str]:
    """Rename the old files away and the new ones in; return the paths that may now be unlinked."""
    moved = []
    for base_offset in manifest.replaces:
        if base_offset != manifest.base_offset:
            moved += _set_aside(disk, directory, base_offset)
    for suffix in _DATA_SUFFIXES:
        moved += _move_in(disk, directory, manifest.base_offset, suffix)
    return moved


def _set_aside(disk: Disk, directory: str, base_offset: int) -> list[str]:
    stem = f"{directory}/{file_stem(base_offset)}"
    moved = []
    for suffix in _DATA_SUFFIXES:
        if disk.exists(stem + suffix):
            disk.rename(stem + suffix, stem + suffix + DELETED_SUFFIX)
            moved.append(stem + suffix + DELETED_SUFFIX)
    return moved


def _move_in(disk: Disk, directory: str, base_offset: int, suffix: str) -> list[str]:
    new = _swap_path(directory, base_offset, suffix)
    if not disk.exists(new):
        return []
    target = f"{directory}/{file_stem(base_offset)}{suffix}"
    moved = []
    if disk.exists(target):
        disk.rename(target, target + DELETED_SUFFIX)
        moved.append(target + DELETED_SUFFIX)
    disk.rename(new, target)
    return moved


def seal_swap(disk: Disk, directory: str, manifest: Manifest) -> None:
    """Make the swap durable and remove its manifest."""
    disk.sync_directory(directory)
    disk.unlink(_swap_path(directory, manifest.base_offset, MANIFEST_SUFFIX))
    disk.sync_directory(directory)


def discard(disk: Disk, directory: str, *suffixes: str) -> list[str]:
    """Remove new files whose swap was not committed; return their names."""
    names = [name for name in disk.list_directory(directory) if name.endswith(suffixes)]
    for name in names:
        disk.unlink(f"{directory}/{name}")
    return names


def recover_leftovers(disk: Disk, directory: str) -> list[str]:
    """Complete or undo an interrupted swap, before any other code reads the directory; return what was done."""
    report = []
    for name in disk.list_directory(directory):
        if name.endswith(MANIFEST_SUFFIX + SWAP_SUFFIX):
            manifest = Manifest.from_bytes(disk.read_bytes(f"{directory}/{name}"))
            finish_swap(disk, directory, manifest)
            seal_swap(disk, directory, manifest)
            report.append(f"finished the compaction of segments {', '.join(map(str, manifest.replaces))}")
    report += [
        f"threw away {name} of an unfinished compaction"
        for name in discard(disk, directory, CLEANED_SUFFIX, SWAP_SUFFIX)
    ]
    return report
