"""The HTTP server of a broker, from its start to its stop; or none, if the settings have no address for it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from chronik.server.settings.listeners import Address, show_address
from chronik.server.status.sources import Sources

# The modules load slowly, and a broker without HTTP server does not need them.
if TYPE_CHECKING:
    from chronik.server.http.server import HttpServer


@dataclass(frozen=True, slots=True)
class BrokerHttp:
    """The HTTP server of a broker, or None."""

    server: "HttpServer | None"

    @classmethod
    def listen(cls, address: Address | None) -> Self:
        """Open the listening socket, if there is an address."""
        if address is None:
            return cls(None)
        from chronik.server.http.server import HttpServer

        return cls(HttpServer.listen(address))

    @property
    def is_on(self) -> bool:
        """Whether the broker has an HTTP server."""
        return self.server is not None

    def address(self, advertised_host: str) -> str | None:
        """Return host:port for other brokers; the host is ``advertised_host`` if it listens on all addresses."""
        return None if self.server is None else show_address(*self.server.address_for_others(advertised_host))

    async def start(self) -> None:
        """Start to serve /live."""
        if self.server is not None:
            await self.server.start()

    def serve(self, sources: Sources) -> None:
        """Serve all routes from now on: the broker is built."""
        if self.server is not None:
            from chronik.server.http.routes import Router
            from chronik.server.http.site import all_routes

            self.server.respond_with(Router(all_routes(sources)).respond)

    def begin_stop(self) -> None:
        """Serve only /live from now on."""
        if self.server is not None:
            self.server.begin_stop()

    def release(self) -> None:
        """Close the listening socket."""
        if self.server is not None:
            self.server.release()

    async def close(self) -> None:
        """Close the server and its connections."""
        if self.server is not None:
            await self.server.close()
