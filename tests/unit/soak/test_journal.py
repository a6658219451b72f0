"""What a client wrote is read once, and a line that was cut off is not read at all."""

from pathlib import Path

from soak.events import Came, Went, to_line
from soak.journal import Journal, JournalReader


def test_events_are_read_as_they_are_written_and_only_once(tmp_path: Path) -> None:
    path = tmp_path / "a.journal"
    journal, first, second = Journal(path), Came(1.0, "a"), Went(2.0, "a")
    reader = JournalReader(path)
    assert list(reader.read()) == []
    journal.write(first)
    assert list(reader.read()) == [first]
    journal.write(second, first)
    assert list(reader.read()) == [second, first]
    assert list(reader.read()) == []
    reader.close()


def test_half_a_line_waits_for_its_other_half(tmp_path: Path) -> None:
    path = tmp_path / "a.journal"
    line = to_line(Came(1.0, "a"))
    path.write_bytes(line[:9])
    reader = JournalReader(path)
    assert list(reader.read()) == []
    with path.open("ab") as file:
        file.write(line[9:])
    assert list(reader.read()) == [Came(1.0, "a")]
    reader.close()
