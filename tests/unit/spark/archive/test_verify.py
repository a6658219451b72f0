"""Verification finds what is wrong with an archive, and explains what is right although it looks wrong."""

import json
import random
import shutil
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from chronik.spark.archive.coverage import OffsetRange
from chronik.spark.archive.delta_table import DeltaArchive
from chronik.spark.archive.offset_runs import common, doubled, gaps, joined, runs_of, union, without
from chronik.spark.archive.plain_parquet import ParquetArchive
from chronik.spark.archive.table import ArchiveError, Commit, WrittenFile
from chronik.spark.archive.verify import ArchiveFault, VerifyResult, verify
from tests.unit.spark.made_topic import OTHER_ID, RULES, MadeTopic, archive, opened

R = OffsetRange
both = pytest.mark.parametrize("form", ["delta", "parquet"])


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "orders"


def judged(form: str, place: Path, topic: MadeTopic, **chosen: bool) -> VerifyResult:
    return verify(opened(form, place), topic.state(), RULES, read=topic.read, **chosen)


def found(verdict: VerifyResult) -> list[tuple[ArchiveFault, int | None, OffsetRange | None]]:
    return [(finding.kind, finding.partition, finding.offsets) for finding in verdict.findings]


def first_file(form: str, place: Path) -> str:
    table = opened(form, place)
    table.snapshot()
    return min(file.path for file in table.files())


@both
def test_a_whole_archive_is_sound(form: str, place: Path) -> None:
    topic = MadeTopic(
        {0: 300, 1: 20, 2: 0},
        starts={1: 5},
        control=frozenset({(0, 17), (0, 299)}),
        compacted=frozenset({(0, 40), (0, 42)}),
    )
    archive(opened(form, place), topic, commit_records_max=90)
    verdict = judged(form, place, topic)
    assert verdict.is_sound
    assert [(account.archived, account.control, account.compacted) for account in verdict.accounts] == [
        (296, 2, 2), (15, 0, 0), (0, 0, 0),
    ]  # fmt: skip


@both
def test_records_that_have_expired_since_are_no_finding(form: str, place: Path) -> None:
    topic = MadeTopic({0: 30})
    archive(opened(form, place), topic)
    topic.starts, topic.ends = {0: 40}, {0: 50}
    archive(opened(form, place), topic, accepts_loss=True)
    verdict = judged(form, place, topic)
    assert verdict.is_sound
    assert [(account.archived, account.expired) for account in verdict.accounts] == [(40, 10)]


@both
def test_a_missing_file_is_found(form: str, place: Path) -> None:
    topic = MadeTopic({0: 30, 1: 10})
    archive(opened(form, place), topic)
    lost = first_file(form, place)
    (place / lost).unlink()
    verdict = judged(form, place, topic)
    assert found(verdict) == [(ArchiveFault.MISSING_FILE, None, None), (ArchiveFault.MISSING, 0, R(0, 30))]
    assert verdict.findings[0].detail == lost


@both
def test_a_damaged_file_is_found(form: str, place: Path) -> None:
    topic = MadeTopic({0: 30})
    archive(opened(form, place), topic)
    (place / first_file(form, place)).write_bytes(b"PAR1")
    assert found(judged(form, place, topic)) == [
        (ArchiveFault.DAMAGED_FILE, None, None),
        (ArchiveFault.MISSING, 0, R(0, 30)),
    ]


def test_a_doubled_file_in_a_delta_table_is_found(place: Path) -> None:
    """Somebody commits a copy of a file, by the ways of Delta and behind the archive's back."""
    topic = MadeTopic({0: 30})
    table = DeltaArchive(str(place))
    archive(table, topic)
    table.snapshot()
    (file,) = table.files()
    copy = file.path.replace(".parquet", "0.parquet")
    shutil.copy(place / file.path, place / copy)
    doubled_file = WrittenFile(copy, 0, "2023-11-14", 0, 30, 30, file.size_bytes or 0, 0, 0)
    table.commit(Commit("orders", topic.topic_id, {}, {}, [doubled_file]))
    assert found(judged("delta", place, topic)) == [(ArchiveFault.DOUBLED, 0, R(0, 30))]


def test_a_doubled_file_among_plain_ones_is_found(place: Path) -> None:
    topic = MadeTopic({0: 30})
    archive(ParquetArchive(str(place)), topic)
    path = first_file("parquet", place)
    shutil.copy(place / path, place / path.replace("0-0-30", "0-0-31"))
    assert found(judged("parquet", place, topic)) == [
        (ArchiveFault.FOREIGN_FILE, None, None),
        (ArchiveFault.DOUBLED, 0, R(0, 30)),
    ]


@both
def test_a_foreign_file_is_found(form: str, place: Path) -> None:
    topic, other = MadeTopic({0: 30}), MadeTopic({0: 10}, topic_id=OTHER_ID)
    archive(opened(form, place), topic)
    elsewhere = place.parent / "other"
    archive(opened(form, elsewhere), other)
    path = first_file(form, elsewhere)
    (place / path).parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(elsewhere / path, place / path)
    if form == "delta":
        table = DeltaArchive(str(place))
        table.snapshot()
        size = (place / path).stat().st_size
        foreign = WrittenFile(path, 0, "2023-11-14", 0, 10, 10, size, 0, 0)
        table.commit(Commit("orders", topic.topic_id, {}, {}, [foreign]))
    verdict = judged(form, place, topic)
    assert found(verdict) == [(ArchiveFault.FOREIGN_FILE, None, None)]
    assert path in verdict.findings[0].detail


def test_a_file_that_nobody_has_committed_does_not_count_in_a_delta_table(place: Path) -> None:
    topic = MadeTopic({0: 30})
    archive(DeltaArchive(str(place)), topic)
    path = first_file("delta", place)
    shutil.copy(place / path, place / path.replace(".parquet", "0.parquet"))
    assert judged("delta", place, topic).is_sound


@both
def test_a_file_with_fewer_records_than_were_archived_is_found(form: str, place: Path) -> None:
    topic = MadeTopic({0: 30})
    archive(opened(form, place), topic)
    path = place / first_file(form, place)
    table = pq.read_table(path, partitioning=None)
    pq.write_table(table.take([n for n in range(30) if n not in (4, 5, 20)]), path)
    assert found(judged(form, place, topic)) == [
        (ArchiveFault.MISSING, 0, R(4, 6)),
        (ArchiveFault.MISSING, 0, R(20, 21)),
    ]


@both
def test_what_is_not_archived_yet_is_told_unless_lag_is_allowed(form: str, place: Path) -> None:
    topic = MadeTopic({0: 30})
    archive(opened(form, place), topic)
    topic.ends = {0: 35, 1: 3}
    assert found(judged(form, place, topic)) == [(ArchiveFault.BEHIND, 0, R(30, 35)), (ArchiveFault.BEHIND, 1, R(0, 3))]
    verdict = judged(form, place, topic, allows_lag=True)
    assert verdict.is_sound
    assert [account.behind for account in verdict.accounts] == [5, 3]


@both
def test_a_topic_that_took_over_the_name_is_verified_and_the_old_one_as_far_as_possible(form: str, place: Path) -> None:
    archive(opened(form, place), MadeTopic({0: 30}))
    new = MadeTopic({0: 10}, topic_id=OTHER_ID)
    with pytest.raises(ArchiveError, match="nothing to compare"):
        judged(form, place, new)
    archive(opened(form, place), new, accepts_new_topic=True)
    verdict = judged(form, place, new)
    assert verdict.is_sound
    assert [account.archived for account in verdict.accounts] == [30, 10]


def test_a_journal_that_cannot_be_read_is_named(place: Path) -> None:
    archive(ParquetArchive(str(place)), MadeTopic({0: 30}))
    entry = max((place / "_chronik" / "journal").glob("*.json"))
    assert json.loads(entry.read_text())["version"] == 1
    entry.write_text("{")
    with pytest.raises(ArchiveError, match="cannot be read"):
        judged("parquet", place, MadeTopic({0: 30}))


@pytest.mark.parametrize("seed", range(30))
def test_runs_agree_with_sets_of_offsets(seed: int) -> None:
    dice = random.Random(seed)
    files = [[dice.randrange(60) for _ in range(dice.randrange(1, 20))] for _ in range(dice.randrange(5))]
    runs = joined(runs_of(np.array(offsets, np.int64)) for offsets in files)
    everything = [offset for offsets in files for offset in offsets]
    assert runs.size == len(everything)
    assert offsets_of(doubled(runs)) == sorted({offset for offset in everything if everything.count(offset) > 1})
    within = R(10, 50)
    assert offsets_of(gaps(runs, within)) == sorted(set(range(10, 50)) - set(everything))
    left, right = union(runs.ranges()), union(runs_of(np.array([dice.randrange(60) for _ in range(15)])).ranges())
    assert offsets_of(left) == sorted(set(everything))
    assert offsets_of(common(left, right)) == sorted(set(offsets_of(left)) & set(offsets_of(right)))
    assert offsets_of(without(left, right)) == sorted(set(offsets_of(left)) - set(offsets_of(right)))


def offsets_of(ranges: list[OffsetRange]) -> list[int]:
    return [offset for part in ranges for offset in range(part.start, part.end)]
