"""librdkafka with its tests: fetched from the registry that npm is configured for, checked, and built in `.cache`."""

import base64
import hashlib
import os
import shutil
import subprocess
import tarfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CACHE = ROOT / ".cache" / "conformance"

# The package carries librdkafka as source, with its tests. The digest is the one that registries publish for it.
PACKAGE = "@confluentinc/kafka-javascript"
VERSION = "1.10.1"
INTEGRITY = "sha512-KVePUBn21EqCVP9mfxzEuM3SYJHHEF7X+iiC2e43QQgDSyEaksInmCGooT3w5q+cNAdkSCrK71j0ICfqoSqZLw=="
_SOURCE_IN_PACKAGE = "package/deps/librdkafka/"

LIBRARY = CACHE / f"librdkafka-{VERSION}"
TESTS = LIBRARY / "tests"
RUNNER = TESTS / "test-runner"

# Each Debian package with something that tells that it is there.
_PACKAGES = {
    "gcc": "gcc",
    "g++": "g++",
    "make": "make",
    "npm": "npm",
    "rapidjson-dev": "/usr/include/rapidjson/schema.h",
    "zlib1g-dev": "/usr/include/zlib.h",
    "libzstd-dev": "/usr/include/zstd.h",
}
_STEPS = (
    ("./configure", "--disable-ssl", "--disable-gssapi", "--disable-curl"),
    ("make", "-j2", "libs"),
    ("make", "-j2", "-C", "tests", "build"),
)
_STEP_SECONDS_MAX = 1200


class BuildError(Exception):
    """The test runner could not be built; the message says what to do."""


def ensure_built() -> Path:
    """Give the test runner, fetched and built if it is not there yet."""
    if RUNNER.exists():
        return RUNNER
    _ensure_packages()
    CACHE.mkdir(parents=True, exist_ok=True)
    # Built apart and then renamed, so that an interrupted build is not taken for a whole one.
    partial = LIBRARY.with_name(LIBRARY.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    _unpack(_fetch(), partial)
    for step in _STEPS:
        _run(step, partial, CACHE / "build.log")
    shutil.rmtree(LIBRARY, ignore_errors=True)
    partial.rename(LIBRARY)
    return RUNNER


def table_of_tests() -> str:
    """The source file that lists the tests."""
    return (TESTS / "test.c").read_text(encoding="utf-8")


def library_version() -> str:
    """The version of librdkafka in the package."""
    for line in (LIBRARY / "src" / "rdkafka.h").read_text(encoding="utf-8").splitlines():
        if line.startswith("#define RD_KAFKA_VERSION"):
            number = int(line.split()[2], 16)
            return f"{number >> 24}.{number >> 16 & 255}.{number >> 8 & 255}"
    return "unknown"


def matches(archive: bytes, integrity: str) -> bool:
    """Whether the bytes are those that the digest was taken of."""
    algorithm, _, expected = integrity.partition("-")
    return base64.b64encode(hashlib.new(algorithm, archive).digest()).decode() == expected


def _fetch() -> Path:
    target = CACHE / "package"
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    _run(
        ("npm", "pack", "--silent", f"{PACKAGE}@{VERSION}", "--pack-destination", str(target)), CACHE, CACHE / "npm.log"
    )
    archives = list(target.glob("*.tgz"))
    if len(archives) != 1 or not matches(archives[0].read_bytes(), INTEGRITY):
        raise BuildError(f"what came for {PACKAGE}@{VERSION} is not what {INTEGRITY} was taken of")
    return archives[0]


def _unpack(archive: Path, target: Path) -> None:
    with tarfile.open(archive) as package:
        for member in package.getmembers():
            if member.isfile() and member.name.startswith(_SOURCE_IN_PACKAGE):
                member.name = member.name.removeprefix(_SOURCE_IN_PACKAGE)
                package.extract(member, target, filter="data")


def _ensure_packages() -> None:
    missing = [name for name, sign in _PACKAGES.items() if not (shutil.which(sign) or Path(sign).is_file())]
    if not missing:
        return
    install = ("apt-get", "install", "-y", "-qq", "--no-install-recommends", *missing)
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        raise BuildError(f"missing: {', '.join(missing)}; on Debian or Ubuntu: sudo {' '.join(install)}")
    CACHE.mkdir(parents=True, exist_ok=True)
    _run(("apt-get", "update", "-qq"), CACHE, CACHE / "apt.log")
    _run(install, CACHE, CACHE / "apt.log")


def _run(command: tuple[str, ...], directory: Path, log: Path) -> None:
    with log.open("ab") as output:
        done = subprocess.run(
            command, cwd=directory, stdout=output, stderr=subprocess.STDOUT, timeout=_STEP_SECONDS_MAX, check=False
        )
    if done.returncode:
        end = log.read_text(errors="replace")[-2000:]
        raise BuildError(f"{' '.join(command)} failed; the end of {log.relative_to(ROOT)}:\n{end}")
