"""Every command of the README's sessions is run as it stands there, and so are longer sessions of other documents."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import missing
from tests.documents.sessions import (
    SPARK_BIN,
    SPARK_JARS,
    Block,
    Session,
    check_output,
    follow,
    sections,
    session,
)

ROOT = Path(__file__).resolve().parent.parent.parent


def text_of(document: str) -> str:
    return (ROOT / document).read_text(encoding="utf-8")


SESSIONS = [
    session(text_of("README.md"), "Quick start"),
    *sections(text_of("docs/broker.md"), "Sessions"),
    *(
        entry
        for chapter in ("Consumers", "Producers", "Brokers")
        for entry in sections(text_of("docs/troubleshooting.md"), chapter)
        if entry.blocks
    ),
    session(text_of("docs/operations.md"), "A first cluster"),
    session(text_of("docs/spark.md"), "Spark's own Kafka source"),
]


# Some of them start Spark, and each of their commands has its own bound.
@pytest.mark.timeout(400)
@pytest.mark.parametrize("start", SESSIONS, ids=lambda start: start.title)
def test_the_commands_of_a_session_do_what_they_say(start: Session, tmp_path: Path) -> None:
    assert any(block.language in ("sh", "python") for block in start.blocks)
    if start.needs_spark_submit and not (SPARK_BIN.exists() and SPARK_JARS.exists()):
        missing("Spark is not there: sh tools/prerequisites.sh java maven spark spark-jars")
    follow(start, tmp_path)


def test_the_readme_is_short() -> None:
    assert len(text_of("README.md").splitlines()) <= 130


def test_the_package_that_the_readme_installs_has_the_command(tmp_path: Path) -> None:
    assert "\npip install . " in text_of("README.md")
    install = [sys.executable, "-m", "pip", "install", "--no-deps", "--no-build-isolation"]
    subprocess.run([*install, "--target", str(tmp_path), "."], cwd=ROOT, check=True, capture_output=True, timeout=200)
    program = "import chronik; print(chronik.__file__); from chronik.cli.main import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", program, "version"],
        cwd=tmp_path,
        env={"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.stdout.splitlines()[0] == str(tmp_path / "chronik" / "__init__.py")
    assert "0.1.0" in done.stdout, done.stderr


def test_a_command_that_fails_would_be_seen(tmp_path: Path) -> None:
    wrong = Session("wrong", (Block("sh", "chronik topic explode\n"),))
    with pytest.raises(AssertionError, match="exit code"):
        follow(wrong, tmp_path)


def test_a_failing_check_in_a_saved_file_would_be_seen(tmp_path: Path) -> None:
    blocks = (
        Block("python", "# test_it.py\ndef test_it():\n    assert False\n"),
        Block("sh", "pytest -q test_it.py\n"),
    )
    with pytest.raises(AssertionError, match="exit code 1"):
        follow(Session("wrong", blocks), tmp_path)


def test_a_shown_line_that_is_not_printed_would_be_seen() -> None:
    check_output("1,000 of 2,000 sent (…\nlag 3\n", "5 of 6 sent (p0)\nlag\n 12")
    with pytest.raises(AssertionError, match="shown, and not printed"):
        check_output("1,000 of 2,000 lost\n", "5 of 6 sent")
