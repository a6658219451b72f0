"""Both kinds of tables: what is added once stays once, whoever writes, and other topics are refused."""

from pathlib import Path
from typing import Any

import duckdb
import duckdb_extension_delta
import pytest

from chronik.spark.archive.compaction import SmallFile, compact, plan_compaction
from chronik.spark.archive.coverage import OffsetRange
from chronik.spark.archive.delta_table import DeltaArchive
from chronik.spark.archive.json_columns import parsed_columns
from chronik.spark.archive.plain_parquet import ParquetArchive
from chronik.spark.archive.table import ArchiveError, Commit, CommitConflictError
from tests.unit.spark.made_topic import OTHER_ID, TOPIC_ID, MadeTopic, archive, archiver, opened, rows_in, run_here

FORMS = ("delta", "parquet")
both = pytest.mark.parametrize("form", FORMS)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "lake" / "orders"


@both
def test_a_table_holds_the_topic(form: str, place: Path) -> None:
    topic = MadeTopic({0: 350, 1: 20, 2: 0}, starts={1: 5}, control=frozenset({(0, 17)}))
    archive(opened(form, place), topic, commit_records_max=100, file_records_max=60)
    assert rows_in(form, place) == topic.rows()


@both
def test_a_second_run_adds_what_is_new_and_nothing_else(form: str, place: Path) -> None:
    topic = MadeTopic({0: 50, 1: 20})
    archive(opened(form, place), topic)
    before = len(opened(form, place).snapshot() and _files(form, place))
    archive(opened(form, place), topic)
    assert len(_files(form, place)) == before
    topic.ends = {0: 70, 1: 20, 2: 10}
    archive(opened(form, place), topic)
    assert rows_in(form, place) == topic.rows()


def _files(form: str, place: Path) -> list[str]:
    table = opened(form, place)
    table.snapshot()
    return [file.path for file in table.files()]


@both
def test_of_two_who_write_at_once_one_is_refused_and_goes_on_behind_the_other(form: str, place: Path) -> None:
    """The second writer has read and written its files when the first commits the same offsets."""
    topic = MadeTopic({0: 100, 1: 40})
    table = opened(form, place)
    driver = archiver(table, topic)
    state = driver.prepare()
    refused: list[CommitConflictError] = []
    commit = table.commit

    def late(this: Commit) -> None:
        if not refused:
            archive(opened(form, place), MadeTopic({0: 60, 1: 10}))
        try:
            commit(this)
        except CommitConflictError as error:
            refused.append(error)
            raise

    table.commit = late  # type: ignore[method-assign]
    driver.archive_until(state.topic_id, state.ends)
    assert len(refused) == 1
    assert rows_in(form, place) == topic.rows()
    assert table.orphans(0, remove=False) == []


@both
def test_a_topic_that_was_made_anew_is_refused_unless_asked_for(form: str, place: Path) -> None:
    old, new = MadeTopic({0: 30}), MadeTopic({0: 10}, topic_id=OTHER_ID)
    archive(opened(form, place), old)
    with pytest.raises(ArchiveError, match="deleted and created again") as refusal:
        archive(opened(form, place), new)
    assert "--accept-new-topic" in refusal.value.advice
    assert rows_in(form, place) == old.rows()
    archive(opened(form, place), new, accepts_new_topic=True, json_columns=parsed_columns("id:long", ["key"]))
    assert rows_in(form, place) == old.rows() + new.rows()
    new.ends = {0: 15}
    archive(opened(form, place), new)
    assert rows_in(form, place) == old.rows() + new.rows()
    with pytest.raises(ArchiveError, match="since been continued"):
        archive(opened(form, place), old)


@both
def test_a_topic_of_another_name_is_refused(form: str, place: Path) -> None:
    topic = MadeTopic({0: 30})
    archive(opened(form, place), topic)
    driver = archiver(opened(form, place), topic)
    state = topic.state()
    driver.ask_topic = lambda: type(state)("payments", OTHER_ID, {0: 0}, {0: 5})
    with pytest.raises(ArchiveError, match="holds topic 'orders', not 'payments'"):
        driver.prepare()


@both
def test_a_topic_made_anew_while_a_batch_waits_gives_it_nothing(form: str, place: Path) -> None:
    topic = MadeTopic({0: 30})
    driver = archiver(opened(form, place), topic)
    driver.prepare()
    topic.topic_id = OTHER_ID
    driver.archive_until(TOPIC_ID, {0: 30})
    assert rows_in(form, place) == {} if form == "delta" else _files(form, place) == []


@both
def test_records_that_expired_unread_are_refused_unless_accepted(form: str, place: Path) -> None:
    topic = MadeTopic({0: 30})
    archive(opened(form, place), topic)
    held = topic.rows()
    topic.starts, topic.ends = {0: 40}, {0: 50}
    with pytest.raises(ArchiveError, match=r"expired before they were archived: partition 0 \[30, 40\)"):
        archive(opened(form, place), topic)
    archive(opened(form, place), topic, accepts_loss=True)
    assert rows_in(form, place) == held + topic.rows()
    snapshot = opened(form, place).snapshot()
    assert snapshot is not None
    assert snapshot.covers(TOPIC_ID) == {0: OffsetRange(0, 50)}


@both
def test_a_topic_that_lost_what_the_table_holds_is_refused(form: str, place: Path) -> None:
    archive(opened(form, place), MadeTopic({0: 30}))
    with pytest.raises(ArchiveError, match="ends at offset 20, and the table covers it up to 30"):
        archive(opened(form, place), MadeTopic({0: 20}))


@both
def test_a_table_that_begins_at_the_end_has_what_comes_later(form: str, place: Path) -> None:
    topic = MadeTopic({0: 30, 1: 7})
    archiver(opened(form, place), topic, is_from_latest=True).prepare()
    topic.ends = {0: 35, 1: 7, 2: 4}
    archive(opened(form, place), topic, is_from_latest=True)
    topic.starts = {0: 30, 1: 7}
    assert rows_in(form, place) == topic.rows()


@both
def test_a_column_can_be_added_later(form: str, place: Path) -> None:
    topic = MadeTopic({0: 10})
    archive(opened(form, place), topic)
    topic.ends = {0: 20}
    archive(opened(form, place), topic, json_columns=parsed_columns("id:long", ["key"]))
    table = opened(form, place)
    table.snapshot()
    assert {"id", "json_error"} <= set(table.schema().names)
    assert rows_in(form, place) == topic.rows()


def test_a_column_cannot_change_its_type(place: Path) -> None:
    topic = MadeTopic({0: 10})
    archive(DeltaArchive(str(place)), topic, json_columns=parsed_columns("id:long", ["key"]))
    with pytest.raises(ArchiveError, match="column 'id' is"):
        archive(DeltaArchive(str(place)), topic, json_columns=parsed_columns("id:string", ["key"]))


def test_what_is_covered_outlives_the_cleaning_of_the_log(place: Path) -> None:
    topic = MadeTopic({0: 30, 1: 10})
    archive(DeltaArchive(str(place)), topic)
    table = DeltaArchive(str(place))
    table.snapshot()
    table.table.create_checkpoint()
    for entry in sorted((place / "_delta_log").glob("*.json"))[:-1]:
        entry.unlink()
    topic.ends = {0: 33, 1: 10}
    archive(DeltaArchive(str(place)), topic)
    assert rows_in("delta", place) == topic.rows()


def test_a_commit_tells_topic_id_and_ranges_in_the_history(place: Path) -> None:
    archive(DeltaArchive(str(place)), MadeTopic({0: 30, 1: 10}))
    table = DeltaArchive(str(place))
    table.snapshot()
    told: dict[str, Any] = table.table.history(1)[0]["chronik"]
    assert (told["topicId"], told["ranges"], told["records"]) == (TOPIC_ID, {"0": [0, 30], "1": [0, 10]}, 40)


def test_a_delta_table_of_somebody_else_is_refused(place: Path) -> None:
    import pyarrow as pa
    from deltalake import write_deltalake

    place.mkdir(parents=True)
    write_deltalake(str(place), pa.table({"x": [1]}))
    with pytest.raises(ArchiveError, match="no archive of a topic"):
        archive(DeltaArchive(str(place)), MadeTopic({0: 3}))


def test_plain_files_cannot_go_to_an_object_store() -> None:
    with pytest.raises(ArchiveError, match="--format delta"):
        ParquetArchive("s3://lake/orders")


def test_duckdb_reads_the_delta_table(place: Path) -> None:
    topic = MadeTopic({0: 300, 1: 20})
    archive(DeltaArchive(str(place)), topic, commit_records_max=100)
    connection = duckdb.connect(config={"allow_unsigned_extensions": "true"})
    extension = (
        Path(duckdb_extension_delta.__file__).parent / f"extensions/v{duckdb.__version__}/delta.duckdb_extension"
    )
    connection.execute(f"LOAD '{extension}'")
    rows = connection.execute(
        f"""SELECT topic_id, partition, "offset", key, value FROM delta_scan('{place}')"""
    ).fetchall()
    assert sorted(rows) == sorted(topic.rows())
    skipped = connection.execute(f"""SELECT count(*) FROM delta_scan('{place}') WHERE "offset" >= 290""").fetchone()
    assert skipped == (10,)


def test_duckdb_reads_the_plain_files(place: Path) -> None:
    topic = MadeTopic({0: 300, 1: 20})
    archive(ParquetArchive(str(place)), topic, commit_records_max=100)
    rows = (
        duckdb.connect()
        .execute(f"""SELECT topic_id, partition, "offset", key, value FROM '{place}/partition=*/date=*/*.parquet'""")
        .fetchall()
    )
    assert sorted(rows) == sorted(topic.rows())


def test_small_files_are_joined_without_a_change_of_rows(place: Path) -> None:
    topic = MadeTopic({0: 0, 1: 0}, step_ms=3_600_000)
    for end in range(10, 60, 10):
        topic.ends = {0: end, 1: end // 2}
        columns = parsed_columns("id:long", ["key"]) if end > 30 else ()
        archive(DeltaArchive(str(place)), topic, json_columns=columns)
    table = DeltaArchive(str(place))
    before = len(_files("delta", place))
    gone = compact(table, 10_000_000)
    assert len(table.files()) == len(_files("delta", place)) == before - gone < before
    assert rows_in("delta", place) == topic.rows()
    assert compact(table, 10_000_000) == 0
    topic.ends = {0: 70, 1: 30}
    archive(DeltaArchive(str(place)), topic)
    assert rows_in("delta", place) == topic.rows()


def test_of_two_who_join_the_same_files_one_is_refused(place: Path) -> None:
    topic = MadeTopic({0: 10})
    archive(DeltaArchive(str(place)), topic)
    topic.ends = {0: 20}
    archive(DeltaArchive(str(place)), topic)
    late = DeltaArchive(str(place))
    replace = late.replace

    def second(removed: Any, added: Any) -> None:
        compact(DeltaArchive(str(place)), 10_000_000)
        replace(removed, added)

    late.replace = second  # type: ignore[method-assign]
    with pytest.raises(CommitConflictError):
        compact(late, 10_000_000)
    assert rows_in("delta", place) == topic.rows()


def test_files_are_joined_with_their_neighbours_only() -> None:
    def file(group: str, start: int, size: int) -> SmallFile:
        return SmallFile(f"{group}-{start}", (group, 0, "2026-01-31"), start, start + 1, size)

    files = [file("a", 3, 40), file("a", 1, 40), file("a", 2, 40), file("a", 4, 200), file("a", 5, 10), file("b", 1, 1)]
    joined = [[one.path for one in part] for part in plan_compaction(files, 100)]
    assert joined == [["a-1", "a-2"]]


@both
def test_orphans_are_listed_and_removed_and_nothing_else(form: str, place: Path) -> None:
    topic = MadeTopic({0: 30})
    archive(opened(form, place), topic)
    topic.ends = {0: 40}
    lost = archiver(opened(form, place), topic)
    lost.prepare()

    def crash(tasks: Any) -> Any:
        run_here(topic, tasks)
        raise KeyboardInterrupt

    lost.run_tasks = crash
    with pytest.raises(KeyboardInterrupt):
        lost.archive_until(TOPIC_ID, topic.ends)
    archive(opened(form, place), topic)
    table = opened(form, place)
    table.snapshot()
    assert table.orphans(1, remove=True) == []
    (orphan,) = table.orphans(0, remove=False)
    assert (place / orphan).exists()
    assert table.orphans(0, remove=True) == [orphan]
    assert not (place / orphan).exists()
    assert rows_in(form, place) == topic.rows()
