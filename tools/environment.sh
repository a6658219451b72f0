#!/bin/sh
# Make .venv and install the locked packages and this project into it.
#
# Plain pip and hashes do on a fresh machine. The registry is the one that pip is configured
# for: nothing here names or overrides it.
set -eu
cd "$(dirname "$0")/.."

say() { printf '%s\n' "$*" >&2; }

is_new_enough() {
    command -v "$1" >/dev/null 2>&1 &&
        "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
}

find_python() {
    for candidate in ${PYTHON:-} python3 python3.13 python3.12 python3.11 /usr/bin/python3; do
        if is_new_enough "$candidate"; then
            echo "$candidate"
            return
        fi
    done
    say "Chronik needs Python 3.11 or newer, and none was found (python3 is: $(python3 --version 2>&1 || true))."
    say "Install one, or name it: make PYTHON=/path/to/python3.11 ..."
    exit 1
}

may_install() { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; }

has_working_pip() { [ -x .venv/bin/python ] && .venv/bin/python -m pip --version >/dev/null 2>&1; }

create_venv() {
    if "$1" -m venv --clear .venv >.cache/venv.log 2>&1; then
        return
    fi
    # Debian ships venv's bootstrap of pip in a package of its own.
    if may_install; then
        say "This Python cannot make a virtual environment yet: installing python3-venv."
        apt-get update -qq >>.cache/venv.log 2>&1 || true
        if apt-get install -y -qq python3-venv >>.cache/venv.log 2>&1 && "$1" -m venv --clear .venv >>.cache/venv.log 2>&1; then
            return
        fi
    fi
    say "Could not make a virtual environment with $1 (see .cache/venv.log)."
    say "On Debian or Ubuntu: apt-get install python3-venv"
    exit 1
}

mkdir -p .cache
if ! has_working_pip; then
    python=$(find_python)
    say "Making .venv with $("$python" --version) ..."
    create_venv "$python"
fi
say "Installing the locked packages (one to three minutes) ..."
.venv/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
.venv/bin/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps --editable .
# Compiled once here, also where the environment forbids Python to write bytecode: a broker starts in a third of the time.
env -u PYTHONDONTWRITEBYTECODE .venv/bin/python -m compileall -q src .venv/lib/python*/site-packages >/dev/null 2>&1 || true
# Spark sessions start in half the time with this; without it they only start more slowly.
say "Preparing Spark's classes (half a minute) ..."
.venv/bin/python -m chronik.spark.sessions.class_archive >.cache/spark-classes.log 2>&1 || true
