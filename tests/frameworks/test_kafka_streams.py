"""Kafka Streams: repartition and changelog topics, a static member, records deleted once they are used."""

from pathlib import Path

import pytest

from chronik.testing import Broker
from tests.frameworks.word_counts import JVM_TERMINATED, PROGRAMS, TEST_SECONDS_MAX, check_counting_over_a_restart


@pytest.mark.timeout(TEST_SECONDS_MAX)
def test_a_word_count_goes_on_from_its_changelog_after_a_restart_of_program_and_broker(
    chronik_fresh_broker: Broker, framework_java: list[str], tmp_path: Path
) -> None:
    command = [*framework_java, str(PROGRAMS / "WordCount.java")]
    check_counting_over_a_restart(chronik_fresh_broker, "streams-counts", command, tmp_path, JVM_TERMINATED)
