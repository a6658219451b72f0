"""Kafka's directory of scripts, as far as librdkafka's tests ask for it: `bin/kafka-topics.sh`, which is ours."""

import sys
from pathlib import Path

_SCRIPT = """#!/bin/sh
exec '{python}' -m chronik.cli.kafka_scripts kafka-topics.sh "$@"
"""


def install_scripts(directory: Path) -> Path:
    """Write the scripts, and give the directory that is to be named as KAFKA_PATH."""
    script = directory / "bin" / "kafka-topics.sh"
    script.parent.mkdir(parents=True, exist_ok=True)
    script.write_text(_SCRIPT.format(python=sys.executable), encoding="utf-8")
    script.chmod(0o755)
    return directory
