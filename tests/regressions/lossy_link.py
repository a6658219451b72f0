"""A link to a broker that delivers requests and loses some answers, so that clients must send again."""

import random
import selectors
import socket
import threading
from types import TracebackType


class LossyLink:
    """Forwards one port; now and then it cuts a connection in place of an answer."""

    def __init__(self, bootstrap: str, seed: int, loss: float) -> None:
        host, _, port = bootstrap.rpartition(":")
        self._target = (host, int(port))
        self._dice = random.Random(seed)
        self._loss = loss
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        self.is_lossy = True
        self.truncation = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self) -> "LossyLink":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._listening.close()

    def retarget(self, bootstrap: str) -> None:
        """Lead to another broker from now on."""
        host, _, port = bootstrap.rpartition(":")
        self._target = (host, int(port))

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listening.accept()
            except OSError:
                return
            threading.Thread(target=self._carry, args=(near,), daemon=True).start()

    def _carry(self, near: socket.socket) -> None:
        try:
            with near, socket.create_connection(self._target) as far, selectors.DefaultSelector() as selector:
                selector.register(near, selectors.EVENT_READ, far)
                selector.register(far, selectors.EVENT_READ, near)
                while self._pass_on(selector, far):
                    pass
        except OSError:
            return

    def _pass_on(self, selector: selectors.BaseSelector, far: socket.socket) -> bool:
        for key, _ in selector.select(60):
            source = key.fileobj
            assert isinstance(source, socket.socket)
            data = source.recv(65_536)
            if not data:
                return False
            if source is far and self.is_lossy and self._dice.random() < self._loss:
                self.truncation += 1
                return False
            key.data.sendall(data)
        return True
