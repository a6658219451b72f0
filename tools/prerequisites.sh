#!/bin/sh
# See that the named programs are there: install what is missing where that is allowed,
# and otherwise say how.
#
# usage: tools/prerequisites.sh NAME...
#
# Programs: kcat, java, maven, node, compiler, etcd, prometheus, chromium. What is fetched into .cache: kafka (its own
# tools), streams and quix (frameworks), kafka-python-2, node-clients, spark and spark-jars (clients of the matrix), axe
# (the judge of the page's accessibility).
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
CLIENTS=.cache/clients
NODE_LOCK=tests/matrix/node/package-lock.json
AXE=.cache/axe
AXE_LOCK=tests/page/node/package-lock.json

say() { printf '%s\n' "$*" >&2; }

java_is_17() {
    command -v java >/dev/null 2>&1 || return 1
    major=$(java -version 2>&1 | sed -n 's/.*version "\([0-9]*\).*/\1/p' | head -n 1)
    [ "${major:-0}" -ge 17 ]
}

# The list of what an environment holds is put beside it at the end: one that is not whole is made anew.
is_environment() { cmp -s "requirements/$2.txt" "$1/installed.txt"; }

has_compiler() {
    command -v g++ >/dev/null 2>&1 && command -v make >/dev/null 2>&1 || return 1
    printf '#include <zlib.h>\n#include <zstd.h>\n' | g++ -E -x c++ - >/dev/null 2>&1
}

is_there() {
    case $1 in
    kcat) command -v kcat >/dev/null 2>&1 ;;
    java) java_is_17 ;;
    maven) command -v mvn >/dev/null 2>&1 ;;
    kafka) [ -e "$KAFKA_LIBS/kafka_2.13-$KAFKA_VERSION.jar" ] ;;
    streams) [ -e "$FRAMEWORK_LIBS/kafka-streams-$KAFKA_VERSION.jar" ] ;;
    quix) is_environment "$FRAMEWORK_PYTHON" frameworks ;;
    node) command -v node >/dev/null 2>&1 && command -v npm >/dev/null 2>&1 ;;
    compiler) has_compiler ;;
    etcd) command -v etcd >/dev/null 2>&1 ;;
    prometheus) command -v prometheus >/dev/null 2>&1 && command -v promtool >/dev/null 2>&1 ;;
    chromium) command -v chromium >/dev/null 2>&1 ;;
    kafka-python-2 | spark) is_environment "$CLIENTS/$1" "$1" ;;
    spark-jars) cmp -s tests/matrix/spark/pom.xml "$CLIENTS/spark-jars/pom.xml" ;;
    node-clients) cmp -s "$NODE_LOCK" "$CLIENTS/node/installed.json" ;;
    axe) cmp -s "$AXE_LOCK" "$AXE/installed.json" ;;
    *) say "unknown prerequisite: $1" && exit 2 ;;
    esac
}

debian_package() {
    case $1 in
    kcat) echo kcat ;;
    java) echo default-jdk-headless ;;
    maven) echo maven ;;
    node) echo nodejs npm ;;
    compiler) echo g++ make zlib1g-dev libzstd-dev ;;
    etcd) echo etcd-server ;;
    prometheus) echo prometheus ;;
    chromium) echo chromium ;;
    esac
}

may_install() { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; }

# Some packages come with a service that would be started at once: the tests start what they need themselves.
forbid_services() {
    [ ! -e /usr/sbin/policy-rc.d ] || return 0
    trap 'rm -f /usr/sbin/policy-rc.d' EXIT
    printf '#!/bin/sh\nexit 101\n' >/usr/sbin/policy-rc.d
    chmod +x /usr/sbin/policy-rc.d
}

install_packages() {
    say "Installing from the distribution: $* ..."
    forbid_services
    if ! { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@"; } \
        >.cache/apt.log 2>&1; then
        say "apt-get failed; the end of .cache/apt.log:"
        tail -n 5 .cache/apt.log >&2
    fi
}

# copy_jars POM DIRECTORY [OPTION...]: collected apart and then renamed, so that an interrupted download is not taken
# for a whole one.
copy_jars() {
    pom=$1 directory=$2
    shift 2
    rm -rf "$directory.partial" "$directory"
    log=.cache/maven-$(basename "$directory").log
    if mvn --batch-mode --quiet --strict-checksums --file "$pom" dependency:copy-dependencies "$@" \
        "-DoutputDirectory=$PWD/$directory.partial" >"$log" 2>&1; then
        cp "$pom" "$directory.partial/pom.xml"
        mv "$directory.partial" "$directory"
    else
        say "Maven failed; the end of $log:"
        tail -n 5 "$log" >&2
    fi
}

# make_environment DIRECTORY LOCK: packages that need other versions than the tests themselves.
make_environment() {
    rm -rf "$1"
    mkdir -p "$(dirname "$1")"
    if .venv/bin/python -m venv "$1" >".cache/$2.log" 2>&1 &&
        "$1/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes \
            -r "requirements/$2.txt" >>".cache/$2.log" 2>&1; then
        cp "requirements/$2.txt" "$1/installed.txt"
    else
        say "pip failed; the end of .cache/$2.log:"
        tail -n 5 ".cache/$2.log" >&2
    fi
}

# One of them is a binding of librdkafka: its makers' build is taken where it can be had, and otherwise it is compiled.
fetch_node_clients() {
    rm -rf "$CLIENTS/node"
    mkdir -p "$CLIENTS/node"
    cp tests/matrix/node/package.json tests/matrix/node/.npmrc "$NODE_LOCK" "$CLIENTS/node"
    [ ! -e /usr/include/node/node.h ] || export npm_config_nodedir=/usr
    if (cd "$CLIENTS/node" && CKJS_LINKING=dynamic npm ci) >.cache/npm.log 2>&1; then
        cp "$NODE_LOCK" "$CLIENTS/node/installed.json"
    else
        say "npm failed; the end of .cache/npm.log:"
        tail -n 5 .cache/npm.log >&2
    fi
}

fetch_axe() {
    rm -rf "$AXE"
    mkdir -p "$AXE"
    cp tests/page/node/package.json tests/page/node/.npmrc "$AXE_LOCK" "$AXE"
    if (cd "$AXE" && npm ci --ignore-scripts) >.cache/npm-axe.log 2>&1; then
        cp "$AXE_LOCK" "$AXE/installed.json"
    else
        say "npm failed; the end of .cache/npm-axe.log:"
        tail -n 5 .cache/npm-axe.log >&2
    fi
}

may_fetch() {
    case $1 in
    kafka | streams | spark-jars) is_there java && is_there maven ;;
    node-clients) is_there node && is_there compiler ;;
    axe) is_there node ;;
    *) return 0 ;;
    esac
}

fetch() {
    case $1 in
    kafka)
        say "Fetching Apache Kafka $KAFKA_VERSION (its tools are run against Chronik) ..."
        copy_jars tests/clients/java/pom.xml "$KAFKA_LIBS"
        ;;
    streams)
        say "Fetching Kafka Streams and Connect's file connectors ..."
        # The rest of what they need is among the jars of Kafka's tools.
        copy_jars tests/frameworks/pom.xml "$FRAMEWORK_LIBS" \
            -DincludeArtifactIds=kafka-streams,rocksdbjni,connect-file,slf4j-simple
        ;;
    spark-jars)
        say "Fetching the jars of Spark's Kafka source ..."
        mkdir -p "$CLIENTS"
        copy_jars tests/matrix/spark/pom.xml "$CLIENTS/spark-jars"
        ;;
    quix)
        say "Installing Quix Streams into an environment of its own ..."
        make_environment "$FRAMEWORK_PYTHON" frameworks
        ;;
    kafka-python-2 | spark)
        say "Installing $1 into an environment of its own ..."
        make_environment "$CLIENTS/$1" "$1"
        ;;
    node-clients)
        say "Installing the Node clients ..."
        fetch_node_clients
        ;;
    axe)
        say "Installing axe-core ..."
        fetch_axe
        ;;
    esac
}

is_fetched() {
    case $1 in
    kafka | streams | quix | kafka-python-2 | spark | spark-jars | node-clients | axe) ;;
    *) return 1 ;;
    esac
}

fetch_missing() {
    for name in "$@"; do
        is_there "$name" || ! may_fetch "$name" || fetch "$name"
    done
}

missing_packages() {
    for name in "$@"; do
        is_fetched "$name" || is_there "$name" || debian_package "$name"
    done
}

chosen() {
    pattern=$1
    shift
    for name in "$@"; do
        case $name in
        kafka | streams | spark-jars) [ "$pattern" != maven ] || echo "$name" ;;
        *) [ "$pattern" != other ] || ! is_fetched "$name" || echo "$name" ;;
        esac
    done
}

packages=$(missing_packages "$@")
if [ -n "$packages" ] && may_install; then
    # shellcheck disable=SC2086 -- one word per package
    install_packages $packages
fi
# Side by side, since each waits for the network most of the time. Two Mavens would share one repository of files.
fetch_missing $(chosen maven "$@") &
for name in $(chosen other "$@"); do
    fetch_missing "$name" &
done
wait

missing=0
for name in "$@"; do
    is_there "$name" && continue
    missing=1
    case $name in
    kafka) say "missing: Apache Kafka's jars. To get them (with java and maven there): make $KAFKA_LIBS" ;;
    streams | quix) say "missing: $name, which tests/frameworks runs. To get it: tools/prerequisites.sh $name" ;;
    kafka-python-2 | spark | spark-jars) say "missing: $name, which tests/matrix runs. To get it: tools/prerequisites.sh $name" ;;
    node-clients) say "missing: $name, which tests/matrix runs. To get it: tools/prerequisites.sh node compiler $name" ;;
    axe) say "missing: axe-core, which tests/page runs. To get it: tools/prerequisites.sh node $name" ;;
    *) say "missing: $name. To install it on Debian or Ubuntu: apt-get install $(debian_package "$name")" ;;
    esac
done
[ "$missing" = 0 ] && exit 0
[ "${CI:-}" = true ] && say "With CI=true nothing may be missing." && exit 1
exit 3
