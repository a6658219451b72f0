"""Finds the kafka-clients jar and reads the message definitions inside it."""

import json
import re
import shutil
import subprocess
import zipfile
from pathlib import Path
from typing import Any

KAFKA_VERSION = "4.1.0"
ARTIFACT = f"org.apache.kafka:kafka-clients:{KAFKA_VERSION}"
FOLDER = "common/message/"

# A definition is JSON with line comments; a string may hold two slashes, so strings are matched first.
_STRING_OR_COMMENT = re.compile(r'("(?:\\.|[^"\\])*")|//[^\n]*')


class JarMissingError(Exception):
    """The jar is not on this machine and could not be fetched."""


def local_jars() -> tuple[Path, Path]:
    """Where the jar may be: beside the other jars of Kafka that the tests use, or where this module puts it."""
    cache = Path(__file__).resolve().parent.parent / ".cache"
    name = f"kafka-clients-{KAFKA_VERSION}.jar"
    return cache / f"kafka-{KAFKA_VERSION}" / "libs" / name, cache / "codec" / name


def find_jar() -> Path:
    """The jar's path, fetched by Maven when it is not there yet."""
    for jar in local_jars():
        if jar.exists():
            return jar
    jar = local_jars()[-1]
    _fetch(jar.parent)
    if not jar.exists():
        raise JarMissingError(f"Maven did not copy {ARTIFACT} to {jar.parent}")
    return jar


def _fetch(folder: Path) -> None:
    if shutil.which("mvn") is None:
        raise JarMissingError(f"{ARTIFACT} is needed; install Maven (apt-get install maven) to fetch it")
    folder.mkdir(parents=True, exist_ok=True)
    command = ["mvn", "-q", "-B", "dependency:copy", f"-Dartifact={ARTIFACT}", f"-DoutputDirectory={folder}"]
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
