"""Every command of the README's quick starts is run, as it stands there."""

from pathlib import Path

import pytest

from tests.conftest import missing
from tests.repository.quick_starts import SPARK_BIN, SPARK_JARS, Block, QuickStart, follow, quick_starts

README = Path(__file__).resolve().parent.parent.parent / "README.md"
STARTS = quick_starts(README.read_text(encoding="utf-8"))


# Some of them start Spark, and each of their commands has its own bound.
@pytest.mark.timeout(400)
@pytest.mark.parametrize("start", STARTS, ids=lambda start: start.title)
def test_the_commands_of_a_quick_start_do_what_they_say(start: QuickStart, tmp_path: Path) -> None:
    assert any(block.language in ("sh", "python") for block in start.blocks)
    if start.needs_spark and not (SPARK_BIN.exists() and SPARK_JARS.exists()):
        missing("Spark is not there: sh tools/prerequisites.sh java maven spark spark-jars")
    follow(start, tmp_path)


def test_there_is_a_quick_start_for_each_kind_of_user() -> None:
    assert len(STARTS) >= 3


def test_a_command_that_fails_would_be_seen(tmp_path: Path) -> None:
    wrong = QuickStart("wrong", (Block("sh", "chronik topic explode\n"),))
    with pytest.raises(AssertionError, match="exit code"):
        follow(wrong, tmp_path)


def test_a_failing_check_in_a_saved_file_would_be_seen(tmp_path: Path) -> None:
    blocks = (
        Block("python", "# test_it.py\ndef test_it():\n    assert False\n"),
        Block("sh", "pytest -q test_it.py\n"),
    )
    with pytest.raises(AssertionError, match="exit code 1"):
        follow(QuickStart("wrong", blocks), tmp_path)
