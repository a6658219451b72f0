"""Finds the jars of Kafka that hold message definitions, and reads them."""

import json
import re
import shutil
import subprocess
import zipfile
from pathlib import Path
from typing import Any

KAFKA_VERSION = "4.1.0"
CLIENTS = "kafka-clients"
"""What is sent over the wire."""
GROUP_COORDINATOR = "kafka-group-coordinator"
"""What a coordinator writes into ``__consumer_offsets``."""
FOLDER = "common/message/"

# A definition is JSON with line comments; a string may hold two slashes, so strings are matched first.
_STRING_OR_COMMENT = re.compile(r'("(?:\\.|[^"\\])*")|//[^\n]*')


class JarMissingError(Exception):
    """The jar is not on this machine and could not be fetched."""


def local_jars(artifact: str = CLIENTS) -> tuple[Path, Path]:
    """Where a jar may be: beside the other jars of Kafka that the tests use, or where this module puts it."""
    cache = Path(__file__).resolve().parent.parent / ".cache"
    name = f"{artifact}-{KAFKA_VERSION}.jar"
    return cache / f"kafka-{KAFKA_VERSION}" / "libs" / name, cache / "codec" / name


def find_jar(artifact: str = CLIENTS) -> Path:
    """The jar's path, fetched by Maven when it is not there yet."""
    for jar in local_jars(artifact):
        if jar.exists():
            return jar
    jar = local_jars(artifact)[-1]
    _fetch(f"org.apache.kafka:{artifact}:{KAFKA_VERSION}", jar.parent)
    if not jar.exists():
        raise JarMissingError(f"Maven did not copy {artifact} to {jar.parent}")
    return jar


def _fetch(coordinates: str, folder: Path) -> None:
    if shutil.which("mvn") is None:
        raise JarMissingError(f"{coordinates} is needed; install Maven (apt-get install maven) to fetch it")
    folder.mkdir(parents=True, exist_ok=True)
    command = ["mvn", "-q", "-B", "dependency:copy", f"-Dartifact={coordinates}", f"-DoutputDirectory={folder}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise JarMissingError(f"{' '.join(command)} failed: {(done.stdout or done.stderr).strip()[:500]}")


def read_definitions(jar: Path) -> dict[str, dict[str, Any]]:
    """Every message definition in the jar, by message name."""
    with zipfile.ZipFile(jar) as archive:
        names = [name for name in archive.namelist() if name.startswith(FOLDER) and name.endswith(".json")]
        definitions = [parse_definition(archive.read(name).decode()) for name in sorted(names)]
    return {definition["name"]: definition for definition in definitions}


def parse_definition(text: str) -> dict[str, Any]:
    """Parse one definition, comments removed."""
    parsed: dict[str, Any] = json.loads(_STRING_OR_COMMENT.sub(lambda match: match.group(1) or "", text))
    return parsed
