"""Running the C clients. Any error in one makes the measurement invalid."""

import json
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from benchmarks.prerequisites import BINARIES

CLIENT_SECONDS_MAX = 180
Result = dict[str, float]


class InvalidMeasurementError(Exception):
    """A client or a broker failed, so the figure says nothing."""


def run_client(name: str, **arguments: object) -> Result:
    """Run a client to its end and return what it measured; ``conf`` and ``config`` may be mappings."""
    command = _command(name, arguments)
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=CLIENT_SECONDS_MAX, check=False)
    except subprocess.TimeoutExpired as late:
        raise InvalidMeasurementError(f"client {name} did not end within {CLIENT_SECONDS_MAX} s") from late
    return _result(name, done.returncode, done.stdout, done.stderr)


@dataclass
class Companion:
    """A client that runs beside another until it is told to stop."""

    name: str
    process: "subprocess.Popen[str]"
    result: Result = field(default_factory=dict)

    def end(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        output, errors = self.process.communicate(timeout=60)
        self.result = _result(self.name, self.process.returncode, output, errors)


@contextmanager
def companion(name: str, **arguments: object) -> Iterator[Companion]:
    """Keep a client running inside the block; its result is there afterwards."""
    process = subprocess.Popen(_command(name, arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    running = Companion(name, process)
    try:
        yield running
        running.end()
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()


def _command(name: str, arguments: Mapping[str, object]) -> list[str]:
    words = [str(BINARIES / name)]
    for key, value in arguments.items():
        if isinstance(value, Mapping):
            words += [f"{key}.{option}={setting}" for option, setting in value.items()]
        else:
            words.append(f"{key}={value}")
    return words


def _result(name: str, exit_code: int, output: str, errors: str) -> Result:
    if exit_code:
        raise InvalidMeasurementError(f"client {name} ended with {exit_code}: {errors.strip()[-800:]}")
    result: Result = json.loads(output)
    if result["errors"]:
        raise InvalidMeasurementError(f"client {name} reported {result['errors']:.0f} errors: {errors.strip()[-800:]}")
    return result
