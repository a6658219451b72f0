"""The steps of these tests are many and small."""

import pytest


@pytest.fixture(autouse=True)
def quick_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do not wait for the disk: nothing here cuts the power."""
    monkeypatch.setattr("chronik.audit.watch.files.os.fsync", lambda handle: None)
