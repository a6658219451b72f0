"""Ledgers that grow are read once and wholly, whatever their tail looks like; events are kept in few."""

import os
import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from chronik.audit.judge.classify.context import _group
from chronik.audit.ledger.tails import LedgerPlace, Tail, new_lines, new_splits
from chronik.audit.ledger.writing import StreamFile
from chronik.audit.tables.schemas import DELIVERED, EVENTS
from chronik.audit.watch.events import reduced


def batch(group: str, first: int, count: int) -> pa.RecordBatch:
    rows = [
        {
            **{field.name: 0 for field in DELIVERED},
            "group": group,
            "sequence": first + number,
            "is_ours": True,
            "is_intact": True,
        }
        for number in range(count)
    ]
    return pa.RecordBatch.from_pylist(rows, DELIVERED)


def sequences(place: LedgerPlace, path: str, tail: Tail) -> tuple[list[tuple[str, int]], Tail]:
    splits, tail = new_splits(place, path, tail)
    rows = [row for split in splits for one in split.batches(place) for row in one.to_pylist()]
    return [(row["group"], row["sequence"]) for row in rows], tail


def test_a_file_that_is_cut_anywhere_gives_every_row_once_when_it_is_whole(tmp_path: Path) -> None:
    whole, part = tmp_path / "whole.arrows", tmp_path / "polls" / "0.arrows"
    part.parent.mkdir()
    file = StreamFile(whole, DELIVERED)
    expected = []
    for number, group in enumerate(["a", "a", "b", "b", "a", "c"]):
        file.write(batch(group, number * 10, 3))
        expected += [(group, number * 10 + one) for one in range(3)]
    file.close()
    content = whole.read_bytes()
    for seed in range(6):
        dice = random.Random(seed)
        place, tail, found = LedgerPlace(str(tmp_path)), Tail(), []
        cuts = sorted(dice.sample(range(1, len(content)), 8))
        for cut in [*cuts, len(content), len(content)]:
            part.write_bytes(content[:cut])
            rows, tail = sequences(place, "polls/0.arrows", tail)
            found += rows
        assert found == expected, f"seed {seed}"


def test_a_place_is_a_directory_or_a_url_and_lists_only_what_is_there(tmp_path: Path) -> None:
    (tmp_path / "sends").mkdir()
    (tmp_path / "sends" / "1.arrows").touch()
    (tmp_path / "sends" / "1.reserved").write_text("reserve 1 0 0 10\nreserve 1 0 10")
    for url in (str(tmp_path), f"file://{tmp_path}"):
        place = LedgerPlace(url)
        assert place.files("sends", ".arrows") == ["sends/1.arrows"]
        assert place.files("polls", ".arrows") == []
        assert new_splits(place, "sends/1.arrows", Tail()) == ([], Tail())
        assert new_lines(place, "sends/1.reserved", 0) == (["reserve 1 0 0 10"], 17)
        assert place.size("run.json") == -1


def test_lines_that_were_not_whole_are_read_when_they_are(tmp_path: Path) -> None:
    place = LedgerPlace(str(tmp_path))
    (tmp_path / "a").write_text("one\ntw")
    lines, position = new_lines(place, "a", 0)
    with (tmp_path / "a").open("a") as file:
        file.write("o\nthree\n")
    assert lines == ["one"]
    assert new_lines(place, "a", position) == (["two", "three"], os.path.getsize(tmp_path / "a"))


KINDS = ["start", "assigned", "revoked", "seek", "poll", "empty", "position", "committed", "error", "end"]


def some_events(dice: random.Random, count: int) -> list[dict[str, Any]]:
    return [
        {
            "consumer": dice.randrange(2),
            "group": "readers",
            "at_us": at_us,
            "kind": (kind := dice.choice(KINDS)),
            "partition": dice.randrange(3),
            "offset": dice.randrange(-1, 50),
            "generation": 1,
            "count": 0,
            "text": '{"reset": "latest"}' if kind == "start" and dice.random() < 0.5 else "",
        }
        for at_us in range(count)
    ]


def told(events: list[dict[str, Any]]) -> dict[str, Any]:
    """What a group's scope is, out of its events."""
    group = _group("readers", events, {})
    causes = {partition: times.tolist() for partition, times in group.causes.items()}
    return {**{name: getattr(group, name) for name in group.__slots__}, "causes": causes}


@pytest.mark.parametrize("seed", range(8))
def test_events_that_are_reduced_in_parts_tell_the_same_of_a_group_as_all_of_them(seed: int) -> None:
    dice = random.Random(seed)
    events = some_events(dice, 300)
    cut = dice.randrange(1, 299)
    in_parts = reduced([*reduced(events[:cut], 0), *events[cut:]], 0)
    assert in_parts == reduced(events, 0)
    assert told(in_parts) == told(events)
    few = reduced(events, 290)
    assert len(few) < 40
    assert {**told(few), "causes": {}} == {**told(events), "causes": {}}
    assert pa.Table.from_pylist(few, EVENTS).num_rows == len(few)
