"""The members of a SQLite store, as several threads of one process see them."""

import threading
from pathlib import Path

from chronik.metadata.stores.sqlite.presence import Members, Presence

TIMES = 5_000


def test_threads_that_list_the_members_together_each_find_all(tmp_path: Path) -> None:
    """Whoever is missed once is not told of a change, and goes on with old facts until the next one."""
    members = Members(str(tmp_path / "members"))
    present = [Presence(members) for _ in range(3)]
    expected = sorted(each.name for each in present)
    wrong: list[list[str]] = []

    def look() -> None:
        wrong.extend(names for names in (members.names() for _ in range(TIMES)) if names != expected)

    threads = [threading.Thread(target=look) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    for each in present:
        each.close()
    members.close()
