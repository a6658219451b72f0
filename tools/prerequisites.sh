#!/bin/sh
# See that the named programs are there: install what is missing where that is allowed,
# and otherwise say how.
#
# usage: tools/prerequisites.sh kcat java maven kafka
#
# Exit code 0: all there. 1: something is missing and CI=true. 3: something is missing, and
# the tests that need it will be skipped with this reason.
set -eu
cd "$(dirname "$0")/.."
mkdir -p .cache

KAFKA_VERSION=4.1.0
KAFKA_LIBS=.cache/kafka-$KAFKA_VERSION/libs

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

missing_packages() {
    for name in "$@"; do
        [ "$name" = kafka ] || is_there "$name" || debian_package "$name"
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
done

missing=0
for name in "$@"; do
    is_there "$name" && continue
    missing=1
    case $name in
    kafka) say "missing: Apache Kafka's jars. To get them (with java and maven there): make $KAFKA_LIBS" ;;
    *) say "missing: $name. To install it on Debian or Ubuntu: apt-get install $(debian_package "$name")" ;;
    esac
done
[ "$missing" = 0 ] && exit 0
[ "${CI:-}" = true ] && say "With CI=true nothing may be missing." && exit 1
exit 3
