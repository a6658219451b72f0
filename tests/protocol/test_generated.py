"""The generated files are what the generator writes from Kafka's definitions, and the page what the table says."""

import os
import shutil
from pathlib import Path

import pytest

from generator.codec import codec_files
from generator.compatibility import page
from generator.jar import local_jars, parse_definition

ROOT = Path(__file__).resolve().parent.parent.parent
CODEC = ROOT / "src" / "chronik" / "protocol" / "generated"

needs_jar = pytest.mark.skipif(
    os.environ.get("CI") != "true" and not any(jar.exists() for jar in local_jars()) and shutil.which("mvn") is None,
    reason="the kafka-clients jar is not here and Maven is not installed to fetch it: apt-get install maven",
)


@needs_jar
def test_the_committed_codec_is_what_the_generator_writes() -> None:
    written = codec_files()
    committed = {path.name: path.read_text(encoding="utf-8") for path in CODEC.glob("*.py")}
    stale = sorted(name for name in written | committed if written.get(name) != committed.get(name))
    assert stale == [], "run: python -m generator"


@needs_jar
def test_the_compatibility_page_is_what_the_table_says() -> None:
    committed = (ROOT / "docs" / "compatibility.md").read_text(encoding="utf-8")
    assert committed == page(), "run: python -m generator compatibility"


def test_every_generated_file_says_that_it_is_not_to_be_edited() -> None:
    files = list(CODEC.glob("*.py"))
    assert files
    assert [path.name for path in files if "do not edit" not in path.read_text(encoding="utf-8")[:400]] == []


def test_comments_are_removed_from_a_definition_but_not_from_its_strings() -> None:
    text = '{ // a comment with "quotes"\n "about": "see https://kafka.apache.org", // another\n "tag": 1 }'
    assert parse_definition(text) == {"about": "see https://kafka.apache.org", "tag": 1}
