"""The archive of Spark's classes: used where it exists, and kept apart for every Java."""

from pathlib import Path

import pytest

from chronik.spark.sessions.class_archive import archive_path, class_archive_options


def test_sessions_use_an_archive_only_where_it_exists(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    java, other = tmp_path / "java", tmp_path / "other"
    java.touch()
    other.touch()
    assert class_archive_options(str(java)) == ""
    archive = archive_path(str(java))
    archive.touch()
    assert class_archive_options(str(java)) == f"-XX:SharedArchiveFile={archive} -Xlog:disable"
    assert class_archive_options(str(other)) == ""
