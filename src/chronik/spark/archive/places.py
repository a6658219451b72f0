"""Directories and object stores as file systems."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pyarrow.fs as pafs


def local_path(url: str) -> Path | None:
    """Return the path of a local directory; ``None`` for the URL of an object store."""
    parts = urlsplit(url)
    if parts.scheme == "file":
        return Path(unquote(parts.path))
    return None if "://" in url else Path(url)


def absolute(url: str) -> str:
    """Make a relative directory absolute, because tasks have other working directories."""
    path = local_path(url)
    return url.rstrip("/") if path is None else str(path.absolute())


def open_place(url: str, storage_options: Mapping[str, str]) -> pafs.FileSystem:
    """Open a directory or URL as a file system with relative paths."""
    path = local_path(url)
    if path is not None:
        return pafs.SubTreeFileSystem(str(path), pafs.LocalFileSystem())
    from deltalake.fs import DeltaStorageHandler

    return pafs.PyFileSystem(DeltaStorageHandler(url, dict(storage_options)))


@contextmanager
def new_file(url: str, storage_options: Mapping[str, str], path: str) -> Iterator[Any]:
    """Write a file that is durable when the block ends; create its directories."""
    directory = local_path(url)
    if directory is None:
        with open_place(url, storage_options).open_output_stream(path) as stream:
            yield stream
        return
    target = directory / path
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("xb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())
