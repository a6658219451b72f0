"""All routes of the HTTP server: the files of the page, the API, and its description."""

from collections.abc import Mapping
from http import HTTPStatus
from pathlib import Path
from typing import Final

from chronik.server.http.api import ClusterApi
from chronik.server.http.local_api import LocalApi
from chronik.server.http.openapi import OpenApi
from chronik.server.http.responses import HttpError, HttpRequest, HttpResponse
from chronik.server.http.routes import Route
from chronik.server.status.sources import Sources

FOLDER: Final = Path(__file__).with_name("page")
INDEX: Final = "index.html"
_TYPES: Final = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".woff2": "font/woff2",
}
_ASK_AGAIN: Final = (("Cache-Control", "no-cache"),)
"""Another version of the broker has other files under the same names."""


def all_routes(sources: Sources) -> tuple[Route, ...]:
    """Return the table of all routes."""
    return OpenApi((*PageFiles().routes(), *ClusterApi(sources).routes(), *LocalApi(sources).routes())).routes


class PageFiles:
    """Serves the files of the page's folder, and no others, from memory; they are read once, when the broker starts."""

    def __init__(self, folder: Path = FOLDER) -> None:
        self._files = {
            path.name: (path.read_bytes(), _TYPES[path.suffix])
            for path in sorted(folder.glob("*"))
            if path.suffix in _TYPES
        }

    def routes(self) -> tuple[Route, ...]:
        """Return the routes of the page."""
        return (
            Route("/", "The page that shows the cluster live.", self.index, content_type=_TYPES[".html"]),
            Route("/page/{file}", "The page's own files.", self.file, content_type="*/*"),
        )

    async def index(self, request: HttpRequest, path: Mapping[str, str]) -> HttpResponse:
        return self._response(INDEX)

    async def file(self, request: HttpRequest, path: Mapping[str, str]) -> HttpResponse:
        return self._response(path["file"])

    def _response(self, name: str) -> HttpResponse:
        if name not in self._files:
            raise HttpError(HTTPStatus.NOT_FOUND, f"the page has no file {name!r}", "Open / in a browser.")
        body, content_type = self._files[name]
        return HttpResponse(HTTPStatus.OK, body, content_type, _ASK_AGAIN)
