"""`python -m benchmarks.observability`: what being watched costs a broker, as processor time for each request.

One broker does the same work in turn alone, with a scraper that asks for its metrics every second, and with a trace of
the topic: single messages pipelined, then read back by fetches of a few messages. Each round has every kind once, in an
order that changes from round to round, and is compared with itself only, so that all kinds meet the same weather.
"""

import shutil
import statistics
import sys
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import click

from benchmarks.brokers import Broker, Chronik, free_port, running
from benchmarks.load import run_client
from benchmarks.prerequisites import ensure_clients
from benchmarks.trials import SINGLES, topic

SCRAPE_EVERY_S = 1.0
KINDS = ("alone", "scraped", "traced")
ALLOWED = {"scraped": 1.03, "traced": 1.10}
SMALL_FETCHES = {
    "fetch.message.max.bytes": "1500",
    "fetch.max.bytes": "1500",
    "message.max.bytes": "1000",
    "fetch.wait.max.ms": "100",
}
REQUESTS = "kafka_network_requestmetrics_requests_total{"


@click.command()
@click.option("--rounds", default=15, show_default=True)
@click.option("--requests", default=10_000, show_default=True, help="Messages of each turn, one to a request.")
@click.option("--directory", default=Path("/tmp/chronik-watched"), show_default=True, type=click.Path(path_type=Path))
def main(rounds: int, requests: int, directory: Path) -> None:
    """Print the microseconds of processor time for each request; exit 1 where being watched costs too much."""
    ensure_clients()
    http_port = free_port()
    try:
        with running(Chronik(), directory, {"chronik.http.listener": f"127.0.0.1:{http_port}"}) as broker:
            url = f"http://127.0.0.1:{http_port}/metrics"
            one_turn(broker, url, "alone", requests)
            costs = [one_round(broker, url, requests, turn) for turn in range(rounds)]
            print(f"a scrape {one_scrape_ms(broker, url):6.2f} ms of processor time")
    finally:
        shutil.rmtree(directory, ignore_errors=True)
    sys.exit(0 if report(costs) else 1)


def one_round(broker: Broker, url: str, requests: int, turn: int) -> dict[str, float]:
    first = turn % len(KINDS)
    costs = {kind: one_turn(broker, url, kind, requests) for kind in (*KINDS[first:], *KINDS[:first])}
    print(f"round {turn + 1}: " + ", ".join(f"{kind} {costs[kind]:.2f} µs" for kind in KINDS), file=sys.stderr)
    return costs


def one_turn(broker: Broker, url: str, kind: str, requests: int) -> float:
    """Do the work once; give the microseconds for each request."""
    with topic(broker) as name:
        if kind == "traced":
            switch_on(broker, name)
        counted = answered(url)
        with scraped(url) if kind == "scraped" else nullcontext():
            began_ns = cpu_ns(broker.pid)
            work(broker, name, requests)
            used_ns = cpu_ns(broker.pid) - began_ns
        return used_ns / (answered(url) - counted) / 1000


def work(broker: Broker, name: str, requests: int) -> None:
    shared: dict[str, object] = {"servers": broker.servers, "topic": name, "size": 100, "count": requests}
    run_client("produce", outstanding=2000, conf=SINGLES, **shared)
    run_client("consume", conf=SMALL_FETCHES, **shared)


def switch_on(broker: Broker, name: str) -> None:
    from confluent_kafka.admin import AdminClient, AlterConfigOpType, ConfigEntry, ConfigResource

    entry = ConfigEntry("chronik.trace", "on", incremental_operation=AlterConfigOpType.SET)
    admin = AdminClient({"bootstrap.servers": broker.servers})
    for done in admin.incremental_alter_configs([ConfigResource("topic", name, incremental_configs=[entry])]).values():
        done.result(30)


@contextmanager
def scraped(url: str) -> Iterator[None]:
    """Ask for the metrics every second inside the block."""
    is_over = threading.Event()

    def scrape() -> None:
        while not is_over.wait(SCRAPE_EVERY_S):
            read(url)

    thread = threading.Thread(target=scrape)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()


def one_scrape_ms(broker: Broker, url: str, times: int = 30) -> float:
    """Processor time of one scrape, with nothing else going on."""
    began_ns = cpu_ns(broker.pid)
    for _ in range(times):
        read(url)
    return (cpu_ns(broker.pid) - began_ns) / times / 1e6


def read(url: str) -> str:
    with urllib.request.urlopen(url, timeout=30) as answer:
        text: str = answer.read().decode()
        return text


def answered(url: str) -> float:
    """How many requests the broker has answered."""
    return sum(float(line.rpartition(" ")[2]) for line in read(url).splitlines() if line.startswith(REQUESTS))


def cpu_ns(pid: int) -> int:
    """Processor time of all threads, which the kernel counts more finely here than in ticks."""
    return sum(int(task.read_text().split()[0]) for task in Path(f"/proc/{pid}/task").glob("*/schedstat"))


def report(costs: list[dict[str, float]]) -> bool:
    alone = statistics.median(round_["alone"] for round_ in costs)
    print(f"alone    {alone:6.2f} µs of processor time for each request")
    is_good = True
    for kind, most in ALLOWED.items():
        ratios = sorted(round_[kind] / round_["alone"] for round_ in costs)
        ratio = statistics.median(ratios)
        is_good = is_good and ratio <= most
        verdict = "met" if ratio <= most else "MISSED"
        spread = f"{ratios[0]:.3f} to {ratios[-1]:.3f}"
        print(f"{kind:8} {ratio:6.3f} × ({spread} in {len(costs)} rounds), at most {most:.2f}: {verdict}")
    return is_good


if __name__ == "__main__":
    main()
