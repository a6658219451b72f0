"""Quix Streams: a stateful program whose state lives in a changelog topic."""

from pathlib import Path

import pytest

from chronik.testing import Broker
from tests.frameworks.word_counts import PROGRAMS, TEST_SECONDS_MAX, check_counting_over_a_restart


@pytest.mark.timeout(TEST_SECONDS_MAX)
def test_a_word_count_goes_on_from_its_changelog_after_a_restart_of_program_and_broker(
    chronik_fresh_broker: Broker, quix_python: str, tmp_path: Path
) -> None:
    command = [quix_python, str(PROGRAMS / "quix_word_count.py")]
    check_counting_over_a_restart(chronik_fresh_broker, "quix-counts", command, tmp_path, 0)
