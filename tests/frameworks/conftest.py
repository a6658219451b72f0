"""What the frameworks' programs need to run: an environment of their own, or jars."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests import kafka_tools

CACHE = Path(__file__).resolve().parent.parent.parent / ".cache"
QUIX = CACHE / "frameworks"
FRAMEWORK_JARS = CACHE / f"kafka-{kafka_tools.VERSION}" / "frameworks"


@pytest.fixture(scope="session")
def quix_python() -> str:
    """A Python that has Quix Streams."""
    # Written when everything was installed.
    _there(QUIX / "installed.txt", "quix")
    return str(QUIX / "bin" / "python")


@pytest.fixture(scope="session")
def framework_java(run_kafka_tool: Callable[..., object]) -> list[str]:
    """The command ``java`` with Kafka Streams and Connect on its class path."""
    _there(FRAMEWORK_JARS / f"kafka-streams-{kafka_tools.VERSION}.jar", "streams")
    return ["java", *kafka_tools.JVM_OPTIONS, "-cp", f"{FRAMEWORK_JARS}/*:{kafka_tools.LIBS}/*"]


def _there(path: Path, prerequisite: str) -> Path:
    if not path.exists():
        reason = f"{path} is not there: tools/prerequisites.sh {prerequisite}"
        pytest.fail(reason) if os.environ.get("CI") == "true" else pytest.skip(reason)
    return path
