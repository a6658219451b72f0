"""A broker's HTTP side through its life: the socket first, answers when the broker serves, none when it stops."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from chronik.server.settings.listeners import Address, show_address
from chronik.server.status.sources import Sources

# The parts take a while to load, which a broker without an HTTP side need not wait for.
if TYPE_CHECKING:
    from chronik.server.http.routes import Route
    from chronik.server.http.server import HttpSide


@dataclass(frozen=True, slots=True)
class BrokerHttp:
    """The HTTP side, or none where the settings ask for none."""

    side: "HttpSide | None"

    @classmethod
    def listen(cls, address: Address | None) -> Self:
        """Open the socket that the settings name."""
        if address is None:
            return cls(None)
        from chronik.server.http.server import HttpSide

        return cls(HttpSide.listen(address))

    @property
    def is_on(self) -> bool:
        """Whether there is one."""
        return self.side is not None

    def address(self, advertised_host: str) -> str | None:
        """Where others reach it, as host:port; ``advertised_host`` stands in where it listens everywhere."""
        return None if self.side is None else show_address(*self.side.address_for_others(advertised_host))

    async def start(self) -> None:
        """Say that the process lives."""
        if self.side is not None:
            await self.side.start()

    def serve(self, sources: Sources) -> None:
        """Answer everything from now on: the broker is built."""
        if self.side is not None:
            from chronik.server.http.routes import Router

            self.side.answer_with(Router(all_routes(sources)).respond)

    def say_stopping(self) -> None:
        """Answer nothing any more but that the process lives."""
        if self.side is not None:
            self.side.say_stopping()

    def release(self) -> None:
        """Let go of the socket."""
        if self.side is not None:
            self.side.release()

    async def close(self) -> None:
        """End it."""
        if self.side is not None:
            await self.side.close()


def all_routes(sources: Sources) -> "tuple[Route, ...]":
    """Give everything that can be asked."""
    from chronik.server.http.api import Api
    from chronik.server.http.local_api import LocalApi
    from chronik.server.http.openapi import OpenApi
    from chronik.server.http.page_files import PageFiles

    return OpenApi((*PageFiles().routes(), *Api(sources).routes(), *LocalApi(sources).routes())).routes
