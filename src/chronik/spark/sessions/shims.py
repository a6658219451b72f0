"""Small scripts around the programs that Spark starts, in a directory of the user."""

import os
import tempfile
from pathlib import Path


def shim_directory() -> Path:
    """Return a directory that only this user can write, because its files are executed."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    directory = Path(cache) / "chronik" / "spark"
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        is_own = directory.stat().st_uid == os.getuid() and os.access(directory, os.W_OK)
    except OSError:
        is_own = False
    return directory if is_own else Path(tempfile.mkdtemp(prefix="chronik-spark-"))


def write_shim(shim: Path, text: str) -> Path:
    """Write a script atomically: several sessions may start at once."""
    shim.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", dir=shim.parent, delete=False) as aside:
        aside.write(text)
    os.chmod(aside.name, 0o700)
    os.replace(aside.name, shim)
    return shim
