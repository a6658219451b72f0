"""What commands read and print."""

import asyncio
import os
import random

import pytest

from chronik.cli.serve import default_settings, option_overrides
from chronik.cli.shell.line_feed import lines_of, split_lines
from chronik.cli.shell.output import print_table
from chronik.cli.shell.settings_pairs import pairs
from chronik.cli.topic.reading_range import Bound, FromStored, ReadingRange, Until, bound_of, range_of
from chronik.client.consumer import FromEarliest, FromLatest, FromOffset, FromTime


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("earliest", FromEarliest()),
        ("latest", FromLatest()),
        ("beginning", FromEarliest()),
        ("end", FromLatest()),
        ("stored", FromStored()),
        ("s@1763280000000", FromTime(1763280000000)),
        ("e@1763280000000", Until(1763280000000)),
        ("e@2026-11-16T08:30:00Z", Until(1794817800000)),
        ("0", FromOffset(0)),
        ("-5", FromOffset(-5)),
        ("@1763280000000", FromTime(1763280000000)),
        ("2026-11-16T08:30:00+00:00", FromTime(1794817800000)),
        ("2026-11-16T08:30:00Z", FromTime(1794817800000)),
    ],
)
def test_start_is_a_word_an_offset_or_a_time(text: str, expected: Bound) -> None:
    assert bound_of(text) == expected


def test_start_and_end_are_given_one_by_one() -> None:
    assert range_of([]) == ReadingRange()
    assert range_of(["e@9", "s@5"]) == ReadingRange(FromTime(5), 9)
    for wrong in (["0", "5"], ["e@1", "e@2"]):
        with pytest.raises(ValueError, match="one start and one end"):
            range_of(wrong)


def test_value_of_a_pair_may_hold_equals_signs_and_the_last_of_a_name_wins() -> None:
    assert pairs(["a=1", "b=x=y", "a=2", "c="]) == {"a": "2", "b": "x=y", "c": ""}


def test_lines_are_the_same_however_the_input_is_cut() -> None:
    dice = random.Random(11)
    text = b"one\ntwo\r\n\nfour with spaces \nlast without an end"
    for _ in range(50):
        truncation = sorted(dice.sample(range(len(text)), 4))
        pieces = [text[begin:end] for begin, end in zip([0, *truncation], [*truncation, len(text)], strict=True)]
        lines: list[bytes] = []
        pending = b""
        for piece in pieces:
            found, pending = split_lines(pending, piece)
            lines += found
        assert [*lines, pending] == [b"one", b"two", b"", b"four with spaces ", b"last without an end"]


def test_lines_may_end_with_another_text_and_keep_their_carriage_returns() -> None:
    assert split_lines(b"a", b"b\r;;c\nd;", b";;") == ([b"ab\r"], b"c\nd;")


def test_lines_of_a_pipe_come_as_they_are_written() -> None:
    async def scenario() -> list[bytes]:
        reading, writing = os.pipe()
        feed = lines_of(reading)
        os.write(writing, b"first\n")
        seen = await asyncio.wait_for(anext(feed), 30)
        os.write(writing, b"second\nthird")
        os.close(writing)
        async for lines in feed:
            seen += lines
        os.close(reading)
        return seen

    assert asyncio.run(scenario()) == [b"first", b"second", b"third"]


def test_table_in_a_pipe_is_aligned_and_never_cut(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(("name", "count", "on"), [("x" * 200, 1234567, True), ("y", 1, False)])
    head, first, second = capsys.readouterr().out.splitlines()
    assert first == f"{'x' * 200}  1,234,567  yes"
    assert second.split() == ["y", "1", "no"]
    assert head.index("count") + len("count") == first.index("1,234,567") + len("1,234,567")


def test_numbers_stand_to_the_right_also_where_some_are_missing(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(("lag", "none"), [(None, None), (1234, None)])
    assert capsys.readouterr().out.splitlines() == ["  lag  none", "    -  -", "1,234  -"]


def test_options_of_serve_stand_for_settings() -> None:
    assert option_overrides("127.0.0.1:0", "/data", 0) == {
        "listeners": "PLAINTEXT://127.0.0.1:0",
        "log.dirs": "/data",
        "node.id": "0",
    }
    assert option_overrides(None, None, None) == {}


def test_plain_serve_listens_on_this_machine_only_and_keeps_data_with_the_user() -> None:
    assert default_settings("/xdg")["log.dirs"] == "/xdg/chronik"
    assert default_settings("relative")["log.dirs"] == os.path.expanduser("~/.local/share/chronik")
    assert default_settings(None)["listeners"] == "PLAINTEXT://127.0.0.1:9092"
