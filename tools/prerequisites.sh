#!/bin/sh
# See that the named programs are there: install what is missing where that is allowed,
# and otherwise say how.
#
# usage: tools/prerequisites.sh kcat java maven kafka streams quix
#
# Exit code 0: all there. 1: something is missing and CI=true. 3: something is missing, and
# the tests that need it will be skipped with this reason.
set -eu
cd "$(dirname "$0")/.."
mkdir -p .cache

KAFKA_VERSION=4.1.0
KAFKA_LIBS=.cache/kafka-$KAFKA_VERSION/libs
FRAMEWORK_LIBS=.cache/kafka-$KAFKA_VERSION/frameworks
FRAMEWORK_PYTHON=.cache/frameworks

say() { printf '%s\n' "$*" >&2; }

java_is_17() {
    command -v java >/dev/null 2>&1 || return 1
    major=$(java -version 2>&1 | sed -n 's/.*version "\([0-9]*\).*/\1/p' | head -n 1)
    [ "${major:-0}" -ge 17 ]
}

is_there() {
    case $1 in
    kcat) command -v kcat >/dev/null 2>&1 ;;
    java) java_is_17 ;;
    maven) command -v mvn >/dev/null 2>&1 ;;
    kafka) [ -e "$KAFKA_LIBS/kafka_2.13-$KAFKA_VERSION.jar" ] ;;
    streams) [ -e "$FRAMEWORK_LIBS/kafka-streams-$KAFKA_VERSION.jar" ] ;;
    quix) cmp -s requirements/frameworks.txt "$FRAMEWORK_PYTHON/installed.txt" ;;
    *) say "unknown prerequisite: $1" && exit 2 ;;
    esac
}

debian_package() {
    case $1 in
    kcat) echo kcat ;;
    java) echo default-jdk-headless ;;
    maven) echo maven ;;
    esac
}

may_install() { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; }

install_packages() {
    say "Installing from the distribution: $* ..."
    if ! { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@"; } \
        >.cache/apt.log 2>&1; then
        say "apt-get failed; the end of .cache/apt.log:"
        tail -n 5 .cache/apt.log >&2
    fi
}

fetch_kafka() {
    say "Fetching Apache Kafka $KAFKA_VERSION (its tools are run against Chronik) ..."
    # Collected apart and then renamed, so that an interrupted download is not taken for a whole one.
    rm -rf "$KAFKA_LIBS.partial" "$KAFKA_LIBS"
    if mvn --batch-mode --quiet --strict-checksums --file tests/clients/java/pom.xml dependency:copy-dependencies \
        "-DoutputDirectory=$PWD/$KAFKA_LIBS.partial" >.cache/maven.log 2>&1; then
        mv "$KAFKA_LIBS.partial" "$KAFKA_LIBS"
    else
        say "Maven failed; the end of .cache/maven.log:"
        tail -n 5 .cache/maven.log >&2
    fi
}

fetch_streams() {
    say "Fetching Kafka Streams and Connect's file connectors ..."
    rm -rf "$FRAMEWORK_LIBS.partial" "$FRAMEWORK_LIBS"
    # The rest of what they need is among the jars of Kafka's tools.
    if mvn --batch-mode --quiet --strict-checksums --file tests/frameworks/pom.xml dependency:copy-dependencies \
        -DincludeArtifactIds=kafka-streams,rocksdbjni,connect-file,slf4j-simple \
        "-DoutputDirectory=$PWD/$FRAMEWORK_LIBS.partial" >.cache/maven-frameworks.log 2>&1; then
        mv "$FRAMEWORK_LIBS.partial" "$FRAMEWORK_LIBS"
    else
        say "Maven failed; the end of .cache/maven-frameworks.log:"
        tail -n 5 .cache/maven-frameworks.log >&2
    fi
}

fetch_quix() {
    say "Installing Quix Streams into an environment of its own ..."
    rm -rf "$FRAMEWORK_PYTHON"
    # The list is put beside what it names at the end: an environment that is not whole is made anew.
    if .venv/bin/python -m venv "$FRAMEWORK_PYTHON" >.cache/quix.log 2>&1 &&
        "$FRAMEWORK_PYTHON/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes \
            -r requirements/frameworks.txt >>.cache/quix.log 2>&1; then
        cp requirements/frameworks.txt "$FRAMEWORK_PYTHON/installed.txt"
    else
        say "pip failed; the end of .cache/quix.log:"
        tail -n 5 .cache/quix.log >&2
    fi
}

missing_packages() {
    for name in "$@"; do
        case $name in
        kafka | streams | quix) ;;
        *) is_there "$name" || debian_package "$name" ;;
        esac
    done
}

packages=$(missing_packages "$@")
if [ -n "$packages" ] && may_install; then
    # shellcheck disable=SC2086 -- one word per package
    install_packages $packages
fi
for name in "$@"; do
    if [ "$name" = kafka ] && ! is_there kafka && is_there java && is_there maven; then
        fetch_kafka
    fi
    if [ "$name" = streams ] && ! is_there streams && is_there java && is_there maven; then
        fetch_streams
    fi
    if [ "$name" = quix ] && ! is_there quix; then
        fetch_quix
    fi
done

missing=0
for name in "$@"; do
    is_there "$name" && continue
    missing=1
    case $name in
    kafka) say "missing: Apache Kafka's jars. To get them (with java and maven there): make $KAFKA_LIBS" ;;
    streams | quix) say "missing: $name, which tests/frameworks runs. To get it: tools/prerequisites.sh $name" ;;
    *) say "missing: $name. To install it on Debian or Ubuntu: apt-get install $(debian_package "$name")" ;;
    esac
done
[ "$missing" = 0 ] && exit 0
[ "${CI:-}" = true ] && say "With CI=true nothing may be missing." && exit 1
exit 3
