"""One broker's measurements: counters that are updated while it works, and read on request."""

from collections import Counter, deque
from collections.abc import Callable, Container, Mapping
from typing import Any, Final

from chronik.observability.histograms import NS_PER_S, Histogram
from chronik.observability.replica_meters import ReplicaMeters
from chronik.observability.request_times import STAGES, RequestTimes

FETCH_FOLLOWER: Final = "FetchFollower"
"""Fetches of followers have their own series: they always wait, and would hide what consumers see."""
STORE_OPERATIONS: Final = ("get", "range", "transact", "lease")
WINDOW_S: Final = 60
"""Recent values cover the last one to two windows."""
UNKNOWN_API: Final = "unknown"


class LoopTimes:
    """The delay of the event loop, and its idle time."""

    def __init__(self) -> None:
        self.delays = Histogram()
        self.last_s = 0.0
        self.longest_s = 0.0
        self.idle_share = 1.0
        self._newer_s = 0.0
        self._older_s = 0.0

    def note(self, late_s: float) -> None:
        """Note the delay of one beat."""
        late_s = max(late_s, 0.0)
        self.delays.observe(int(late_s * NS_PER_S))
        self.last_s = late_s
        self.longest_s = max(self.longest_s, late_s)
        self._newer_s = max(self._newer_s, late_s)

    def rotate(self) -> None:
        """Start a new window for the longest recent delay."""
        self._older_s, self._newer_s = self._newer_s, 0.0

    @property
    def longest_recent_s(self) -> float:
        return max(self._older_s, self._newer_s)


class BrokerMetrics:
    """The counters of one broker. Used on the event loop only."""

    def __init__(self, api_names: Mapping[int, str]) -> None:
        self.requests = {key: RequestTimes(name) for key, name in api_names.items()}
        self.follower_fetches = RequestTimes(FETCH_FOLLOWER)
        self.refused: Counter[tuple[str, str]] = Counter()
        self.replicas = ReplicaMeters()
        self.loop = LoopTimes()
        self.flushes = Histogram()
        self.store = {operation: Histogram() for operation in STORE_OPERATIONS}
        self.store_failures: Counter[str] = Counter()
        self._rates = Rates()

    def all_requests(self) -> list[RequestTimes]:
        """Every kind of request that was answered at least once."""
        return [times for times in (*self.requests.values(), self.follower_fetches) if times.requests]

    def refuse(self, api: str, error: str) -> None:
        """Count a request, or a part of one, that was answered with an error."""
        self.refused[api, error] += 1

    def refuser(self, api: str, name_of: Callable[[int], str]) -> Callable[[int], None]:
        """Return a function that counts the error codes in the responses of one API."""

        def refuse(error_code: int) -> None:
            self.refused[api, name_of(error_code)] += 1

        return refuse

    # --- what is recent

    def sample(self, now_s: float) -> None:
        """Sample the counters for rates; called every second."""
        traffic = self.replicas.traffic.total()
        counters = {
            "requests": sum(times.requests for times in self.all_requests()),
            "bytes_in": traffic.bytes_in,
            "bytes_out": traffic.bytes_out,
            "messages_in": traffic.messages_in,
        }
        for topic, one in self.replicas.traffic.items():
            counters[f"topic/{topic}"] = one.bytes_in
        self._rates.sample(now_s, counters)

    def rotate(self, topics: Container[str]) -> None:
        """Start a new window of recent values, every ``WINDOW_S``; drop all other topics than these."""
        self.loop.rotate()
        self.replicas.traffic.forget_others(topics)
        for times in self.all_requests():
            times.rotate()

    def rates(self) -> dict[str, float]:
        """Requests, bytes and messages per second, over the last few seconds."""
        found = self._rates.per_second()
        return {name: round(found.get(name, 0.0), 1) for name in ("requests", "bytes_in", "bytes_out", "messages_in")}

    def topic_bytes_in(self) -> dict[str, float]:
        """Bytes per second into each topic, over the last few seconds."""
        prefix = "topic/"
        return {
            name.removeprefix(prefix): rate
            for name, rate in self._rates.per_second().items()
            if name.startswith(prefix)
        }

    def requests_json(self) -> dict[str, Any]:
        """The response of ``/api/requests``: counts since the start, times of the last one to two minutes."""
        return {"apis": [self._api_json(times) for times in self.all_requests()] + self._refused_json()}

    def _api_json(self, times: RequestTimes) -> dict[str, Any]:
        return {
            "api": times.name,
            "count": times.requests,
            "errors": self._errors_of(times.name),
            "stages": {stage: _stage_json(times, stage) for stage in STAGES},
        }

    def _refused_json(self) -> list[dict[str, Any]]:
        """APIs with errors only."""
        answered = {times.name for times in self.all_requests()}
        names = sorted({api for api, _ in self.refused} - answered)
        return [{"api": api, "count": 0, "errors": self._errors_of(api), "stages": {}} for api in names]

    def _errors_of(self, api: str) -> dict[str, int]:
        return {error: count for (name, error), count in sorted(self.refused.items()) if name == api}


def _stage_json(times: RequestTimes, stage: str) -> dict[str, float]:
    recent = times.recent(stage)
    highest_ns = min(recent.max_ns, times.max_ns)
    return {"p50_ms": _ms(recent.p50_ns), "p99_ms": _ms(recent.p99_ns), "max_ms": _ms(highest_ns)}


def _ms(duration_ns: float) -> float:
    return round(duration_ns / 1e6, 3)


SAMPLES: Final = 6
"""Six samples a second apart span five seconds."""


class Rates:
    """The last samples of a set of counters."""

    def __init__(self) -> None:
        self._samples: deque[tuple[float, Mapping[str, int]]] = deque(maxlen=SAMPLES)

    def sample(self, now_s: float, counters: Mapping[str, int]) -> None:
        """Add a sample."""
        self._samples.append((now_s, counters))

    def per_second(self) -> dict[str, float]:
        """The rise of each counter per second; empty before the second sample."""
        if len(self._samples) < 2:
            return {}
        (began_s, first), (ended_s, last) = self._samples[0], self._samples[-1]
        span_s = max(ended_s - began_s, 1e-9)
        # A counter that was dropped and starts again, such as that of a topic, has no negative rate.
        return {name: max(0, value - first.get(name, 0)) / span_s for name, value in last.items()}
