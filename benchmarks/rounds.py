"""Alternating rounds: every trial on one contender and then on the other, so that both meet the same weather."""

import os
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import TypeVar

from benchmarks.brokers import Broker, Contender, running
from benchmarks.load import InvalidMeasurementError
from benchmarks.trials import FreshTrial, Sample, Scale, Trial, warm_up

T = TypeVar("T")
Samples = dict[tuple[str, str], list[Sample]]


class Race:
    """A run over chosen trials.

    ``samples`` fills up by figure and contender, ``failures`` by figure: one failed round spoils its figures and
    no others.
    """

    def __init__(self, contenders: Sequence[Contender], directory: Path, scale: Scale, rounds: int) -> None:
        self._contenders = contenders
        self._directory = directory
        self._scale = scale
        self._rounds = rounds
        self.samples: Samples = defaultdict(list)
        self.failures: dict[str, str] = {}

    def run(self, trials: Sequence[Trial], fresh_trials: Sequence[FreshTrial]) -> None:
        for trial in fresh_trials:
            for turn in range(self._rounds):
                self._fresh_round(trial, turn)
        for settings, group in groupby(trials, key=lambda trial: trial.settings):
            with self._running_brokers(dict(settings)) as brokers:
                self._rounds_of(list(group), brokers)

    def _fresh_round(self, trial: FreshTrial, turn: int) -> None:
        for contender in _alternating(self._contenders, turn):
            directory = self._directory / f"fresh-{contender.name}"
            measure = partial(trial.measure, contender, directory, self._scale)
            self._take(trial, contender.name, turn, measure)

    def _rounds_of(self, trials: Sequence[Trial], brokers: Sequence[Broker]) -> None:
        for broker in brokers:
            _say(f"warming up {broker.name}")
            warm_up(broker, self._scale)
        for turn in range(self._rounds):
            for trial in trials:
                self._round(trial, turn, brokers)

    def _round(self, trial: Trial, turn: int, brokers: Sequence[Broker]) -> None:
        for broker in _alternating(brokers, turn):
            if trial.peer_too or broker.name == "chronik":
                self._take(trial, broker.name, turn, partial(trial.measure, broker, self._scale))

    def _take(self, trial: Trial | FreshTrial, contender: str, turn: int, measure: Callable[[], list[Sample]]) -> None:
        # Dirty pages of what came before would be written back at the expense of what comes now.
        os.sync()
        head = f"round {turn + 1}/{self._rounds} {trial.name}: {contender}"
        try:
            for sample in measure():
                self.samples[sample.figure, contender].append(sample)
                _say(f"{head} {sample.figure} {sample.value:.6g}")
        except InvalidMeasurementError as problem:
            _say(f"{head} failed: {problem}")
            self.failures |= dict.fromkeys(trial.figures, f"{contender}: {problem}")

    @contextmanager
    def _running_brokers(self, settings: dict[str, str]) -> Iterator[list[Broker]]:
        with ExitStack() as stack:
            yield [
                stack.enter_context(running(contender, self._directory / contender.name, settings))
                for contender in self._contenders
            ]


def _alternating(contenders: Sequence[T], turn: int) -> Sequence[T]:
    return contenders if turn % 2 == 0 else contenders[::-1]


def _say(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)
