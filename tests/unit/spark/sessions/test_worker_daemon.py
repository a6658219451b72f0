"""A task that Spark ends early ends its worker process without a traceback."""

import socket

import pytest

from chronik.spark.sessions import worker_daemon


@pytest.mark.parametrize("error", [BrokenPipeError(), ConnectionResetError()])
def test_a_closed_socket_ends_the_worker_quietly(monkeypatch: pytest.MonkeyPatch, error: OSError) -> None:
    def fail(sock: socket.socket, authenticated: bool) -> int:
        raise error

    monkeypatch.setattr(worker_daemon, "_spark_worker", fail)
    with socket.socket() as sock:
        assert worker_daemon.worker(sock, authenticated=True) == 1


def test_other_errors_and_results_are_sparks(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(sock: socket.socket, authenticated: bool) -> int:
        raise ValueError

    with socket.socket() as sock:
        monkeypatch.setattr(worker_daemon, "_spark_worker", lambda sock, authenticated: 0)
        assert worker_daemon.worker(sock, authenticated=True) == 0
        monkeypatch.setattr(worker_daemon, "_spark_worker", fail)
        with pytest.raises(ValueError):
            worker_daemon.worker(sock, authenticated=True)
