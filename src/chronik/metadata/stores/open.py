"""Open the metadata store of a URL."""

from urllib.parse import unquote

from chronik.metadata.stores.port import Store, StoreError


async def open_store(url: str) -> Store:
    """Open a store: ``sqlite:///path``, ``sqlite:path``, ``etcd://host,…`` or ``memory:``."""
    # Imported here, so that a broker loads only the engine that it uses.
    if url == "memory:":
        from chronik.metadata.stores.memory.store import MemoryStore

        return MemoryStore()
    if url.startswith("sqlite:"):
        from chronik.metadata.stores.sqlite.store import SqliteStore

        return await SqliteStore.open(sqlite_path(url))
    if url.startswith("etcd:"):
        from chronik.metadata.stores.etcd.store import EtcdStore

        return await EtcdStore.open(url)
    raise StoreError(
        f"unknown metadata store {url!r}: use sqlite:///path/to/metadata.db, etcd://host:2379, or memory: for a trial"
    )


def sqlite_path(url: str) -> str:
    rest = url.removeprefix("sqlite:")
    path = unquote(rest.removeprefix("//") if rest.startswith("//") else rest)
    if not path or path.endswith("/"):
        raise StoreError(f"the metadata store {url!r} names no file: use sqlite:///path/to/metadata.db")
    return path
