"""What a run needs beyond Python: compiled clients, and the peer's jars with a Java to run them.

Missing Debian packages are installed when that is possible, and otherwise named with the command that does it.
"""

import os
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "benchmarks" / "clients"
BINARIES = ROOT / ".cache" / "bench"
PEER_VERSION = "4.1.0"
PEER_JARS = ROOT / ".cache" / f"kafka-{PEER_VERSION}" / "libs"
PEER_POM = ROOT / "benchmarks" / "peer" / "pom.xml"
RDKAFKA_HEADER = Path("/usr/include/librdkafka/rdkafka.h")


class MissingPrerequisiteError(Exception):
    """Something has to be installed first; the message says how."""


def ensure_clients() -> None:
    """Compile the C clients that are older than their sources."""
    _ensure_packages({"gcc": shutil.which("gcc"), "librdkafka-dev": RDKAFKA_HEADER.exists()})
    BINARIES.mkdir(parents=True, exist_ok=True)
    headers = [header.stat().st_mtime for header in SOURCES.glob("*.h")]
    for source in sorted(SOURCES.glob("*.c")):
        binary = BINARIES / source.stem
        if not binary.exists() or binary.stat().st_mtime < max(source.stat().st_mtime, *headers):
            _compile(source, binary)


def ensure_peer() -> None:
    """Fetch the jars of the peer unless they are there."""
    _ensure_packages({"default-jdk-headless": shutil.which("java")})
    if all((PEER_JARS / f"{jar}-{PEER_VERSION}.jar").exists() for jar in ("kafka_2.13", "kafka-tools")):
        return
    _ensure_packages({"maven": shutil.which("mvn")})
    # Collected apart and then renamed, so that an interrupted download is never taken for a whole one.
    partial = PEER_JARS.with_name("libs.partial")
    command = ["mvn", "-q", "-B", "-f", str(PEER_POM), "dependency:copy-dependencies", "-DincludeScope=runtime"]
    _run([*command, f"-DoutputDirectory={partial}"], "fetch the jars of Apache Kafka")
    shutil.rmtree(PEER_JARS, ignore_errors=True)
    partial.rename(PEER_JARS)


def client_library_version() -> str:
    """The version of librdkafka that the clients are built with."""
    for line in RDKAFKA_HEADER.read_text(encoding="utf-8").splitlines():
        if line.startswith("#define RD_KAFKA_VERSION"):
            number = int(line.split()[2], 16)
            return f"{number >> 24}.{number >> 16 & 255}.{number >> 8 & 255}"
    return "unknown"


def _compile(source: Path, binary: Path) -> None:
    partial = binary.with_suffix(".partial")
    _run(["gcc", "-O2", "-Wall", "-Wextra", "-o", str(partial), str(source), "-lrdkafka"], f"compile {source.name}")
    partial.rename(binary)


def _ensure_packages(found: dict[str, object]) -> None:
    missing = [package for package, present in found.items() if not present]
    if not missing:
        return
    install = ["apt-get", "install", "-y", "--no-install-recommends", *missing]
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        raise MissingPrerequisiteError(f"missing: {', '.join(missing)}; install with: sudo {' '.join(install)}")
    _run(install, f"install {', '.join(missing)}")


def _run(command: list[str], purpose: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise MissingPrerequisiteError(
            f"could not {purpose} ({' '.join(command)}):\n{done.stdout}{done.stderr}".rstrip()
        )
