# Chronik's commands. `make run` and `make test` set everything up in a fresh clone; what was
# set up once is marked by a stamp file and not done again.

PYTHON ?=
TEST_WORKERS ?= 2
TESTS ?= tests
PYTEST_ARGS ?=
QUICK_TESTS := tests/unit tests/protocol tests/simulation/test_scenarios.py tests/repository

ENVIRONMENT := .venv/.ready
TEST_TOOLS := .cache/test-tools.ready

.DEFAULT_GOAL := help
.PHONY: help run check test matrix lint bench bench-audit bench-spark accident conformance soak nemesis simulate pictures codec lock clean

help: ## Say what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: $(ENVIRONMENT) ## Replay the accident: three brokers, 5,000 messages, a verdict for each, and a report
	@.venv/bin/chronik audit accident

test: $(ENVIRONMENT) $(TEST_TOOLS) ## Run all tests (TESTS=tests/unit for some of them)
	@rm -f .cache/junit.xml
	@.venv/bin/python -m pytest -n $(TEST_WORKERS) --dist loadgroup --junitxml=.cache/junit.xml $(PYTEST_ARGS) $(TESTS)

check: lint ## Check a change within minutes: lint, and the quick tests (unit, protocol, simulation scenarios)
	@.venv/bin/python -m pytest -q -n $(TEST_WORKERS) --dist loadgroup $(PYTEST_ARGS) $(QUICK_TESTS)

matrix: $(ENVIRONMENT) $(TEST_TOOLS) ## Try every client with everything it can do, and show the results in the documents
	@.venv/bin/python -m pytest -n $(TEST_WORKERS) --dist loadgroup --junitxml=.cache/matrix.xml tests/matrix tests/clients/java
	@.venv/bin/python -m tests.matrix.results .cache/matrix.xml
	@.venv/bin/python -m generator compatibility

lint: $(ENVIRONMENT) ## Check style, types, import contracts and tidiness
	@.venv/bin/ruff check
	@.venv/bin/ruff format --check
	@.venv/bin/mypy
	@.venv/bin/lint-imports --no-logo
	@.venv/bin/python tools/tidy.py

bench: $(ENVIRONMENT) ## Measure Chronik beside Apache Kafka, with C clients: one broker, then three
	@.venv/bin/python -m benchmarks $(BENCH_ARGS)
	@.venv/bin/python -m benchmarks.cluster $(CLUSTER_BENCH_ARGS)

bench-audit: $(ENVIRONMENT) ## Measure the audit: files, wire, short runs, hooks (AUDIT_BENCH_ARGS="--part files --messages 10000000")
	@.venv/bin/python -m benchmarks.audit $(AUDIT_BENCH_ARGS)

bench-spark: $(ENVIRONMENT) $(TEST_TOOLS) ## Measure format("chronik") beside Spark's own Kafka source, in one session
	@.venv/bin/python -m benchmarks.spark $(SPARK_BENCH_ARGS)

accident: $(ENVIRONMENT) ## Send 5,000 messages with every setting of the accident, 20 times each, and read them all
	@CHRONIK_ACCIDENT_TIMES=$(or $(TIMES),20) .venv/bin/python -m pytest -v tests/cluster/test_accident.py

conformance: $(ENVIRONMENT) ## Run librdkafka's own tests against a broker, and compare with the list of those that pass
	@.venv/bin/python -m conformance $(CONFORMANCE_ARGS)

soak: $(ENVIRONMENT) ## Let 64 clients come, go and crash for MINUTES=30, and account for every message
	@.venv/bin/python -m soak --minutes $(or $(MINUTES),30) $(SOAK_ARGS)

nemesis: $(ENVIRONMENT) ## Kill, pause, cut off and starve brokers for MINUTES=30, and account for every message
	@.venv/bin/python -m nemesis --minutes $(or $(MINUTES),30) $(NEMESIS_ARGS)

simulate: $(ENVIRONMENT) ## Try the cluster's promises in simulated time: RUNS=5000 seeds from SEED=0 on, on all cores
	@.venv/bin/chronik simulate --seed $(or $(SEED),0) --runs $(or $(RUNS),5000)

pictures: $(ENVIRONMENT) $(TEST_TOOLS) ## Make the pictures of the documents again, from real runs in Chromium and a terminal
	@.venv/bin/python -m tests.page.pictures $(PICTURES)

codec: $(ENVIRONMENT) $(TEST_TOOLS) ## Generate the wire codec anew from Kafka's message definitions
	@.venv/bin/python -m generator

lock: $(ENVIRONMENT) ## Resolve and lock the packages (UPGRADE=1 takes newer ones)
	@UPGRADE=$(UPGRADE) sh tools/lock.sh

clean: ## Remove what was set up and cached
	rm -rf .venv .cache .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis build dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(ENVIRONMENT): requirements/dev.txt pyproject.toml tools/environment.sh
	@PYTHON="$(PYTHON)" sh tools/environment.sh
	@touch $@

# Without the programs that some tests need, the rest still runs (and those are skipped with
# their reason): no stamp then, so that the next call looks again. Exit code 3 means that.
$(TEST_TOOLS): tools/prerequisites.sh tests/clients/java/pom.xml tests/frameworks/pom.xml tests/matrix/spark/pom.xml \
		tests/matrix/node/package-lock.json tests/page/node/package-lock.json \
		requirements/frameworks.txt requirements/kafka-python-2.txt requirements/spark.txt
	@sh tools/prerequisites.sh kcat java maven node compiler etcd prometheus chromium kafka streams quix \
		kafka-python-2 node-clients spark spark-jars axe && touch $@ || test $$? -eq 3

.cache/kafka-4.1.0/libs: tests/clients/java/pom.xml
	@sh tools/prerequisites.sh java maven kafka
