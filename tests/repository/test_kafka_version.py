"""One version of Apache Kafka is the measure of everything: definitions, tools and peer."""

import re
from pathlib import Path

import pytest

from tests import kafka_tools

ROOT = Path(__file__).resolve().parent.parent.parent
VERSION = re.compile(r"\b4\.\d+\.\d+\b")
# Maven's own format has a version too.
POM_FORMAT = re.compile(r"POM/4\.0\.0|<modelVersion>4\.0\.0|maven-4\.0\.0")
PLACES = [
    "tests/clients/java/pom.xml",
    "benchmarks/peer/pom.xml",
    "tests/frameworks/pom.xml",
    "benchmarks/prerequisites.py",
    "generator/jar.py",
    "tools/prerequisites.sh",
    "Makefile",
]


@pytest.mark.parametrize("place", PLACES)
def test_the_same_kafka_version_is_named_everywhere(place: str) -> None:
    text = POM_FORMAT.sub("", (ROOT / place).read_text(encoding="utf-8"))
    assert set(VERSION.findall(text)) == {kafka_tools.VERSION}
