"""What three brokers must reach beside three of Apache Kafka."""

from benchmarks.figures import Figure


def _more(name: str, title: str, unit: str, must: float, aim: float) -> Figure:
    return Figure(name, title, unit, must, aim, higher_is_better=True)


def _gap(name: str, title: str, must: float, aim: float | None) -> Figure:
    return Figure(name, f"longest gap after kill -9 of {title}", "s", must, aim, of_peer=False)


FIGURES = (
    _more("all_1k", "RF 3 acks=all: produce 1 KB batched", "MB/s", 1.1, 1.4),
    _more("all_100b", "RF 3 acks=all: produce 100 B batched", "msg/s", 1.0, 1.2),
    _more("all_pipelined", "RF 3 acks=all: one message per request, pipelined", "msg/s", 2.5, 4.0),
    Figure("all_one_in_flight_p50", "RF 3 acks=all: one in flight, p50", "µs", 0.75, 0.5),
    Figure("all_one_in_flight_p99", "RF 3 acks=all: one in flight, p99", "µs", 0.8, 0.5),
    _more("leader_1k", "RF 3 acks=1: produce 1 KB batched", "MB/s", 0.9, 1.0),
    Figure("watermark_p50", "a follower learns of a new watermark under load, p50", "ms", 10.0, of_peer=False),
    _gap("gap_follower", "a follower", 2.0, 1.0),
    _gap("gap_leader", "the leader", 2.0, 1.0),
    _gap("gap_all_roles", "leader, controller and coordinator in one", 2.0, 1.0),
    _gap("gap_follower_etcd", "a follower, on etcd", 4.0, 3.0),
    _gap("gap_leader_etcd", "the leader, on etcd", 4.0, 3.0),
    _gap("gap_all_roles_etcd", "leader, controller and coordinator in one, on etcd", 4.0, 3.0),
    _gap("gap_etcds_leader_too", "the leader and of etcd's leader", 8.0, None),
    Figure("memory", "memory of three without file pages, after the run", "MB", 1 / 6, 0.1),
    Figure("ready", "from the start of three to ready", "s", 1 / 3),
    Figure(
        "many_create", "1,000 partitions RF 3: created, and one message acknowledged by all replicas of each", "s", 1.0
    ),
    Figure("many_idle", "1,000 partitions RF 3: idle", "% of a core", 10.0, of_peer=False),
    Figure("many_elect", "1,000 partitions RF 3: all led again after kill -9", "s", 5.0, of_peer=False),
)
