#!/bin/sh
# Resolve requirements/*.in and pyproject.toml into the locked requirements/*.txt.
#
# Hashes pin what is installed; no address of a registry is written, so that any mirror
# which serves the same files will do.
set -eu
cd "$(dirname "$0")/.."

compile() {
    output=$1
    shift
    .venv/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
        --no-emit-index-url --custom-compile-command 'make lock' \
        ${UPGRADE:+--upgrade} --output-file "$output" "$@"
}

compile requirements/runtime.txt pyproject.toml
compile requirements/dev.txt --constraint requirements/runtime.txt \
    pyproject.toml --extra spark requirements/build.in requirements/test.in requirements/lint.in
# What needs an environment of its own, because it asks for other versions.
for name in frameworks kafka-python-2 spark; do
    compile "requirements/$name.txt" "requirements/$name.in"
done
