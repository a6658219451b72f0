"""The table of routes, each with the schema of its response. Requests are matched and documented by this table."""

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Final
from urllib.parse import unquote

from chronik.server.http.responses import JSON_TYPE, HttpError, HttpRequest, HttpResponse

Handler = Callable[[HttpRequest, Mapping[str, str]], Awaitable[HttpResponse]]
"""Takes the request and the variable parts of its path, by name."""

_INTEGER: Final = re.compile(r"-?[0-9]{1,18}")
_PATH_NAME: Final = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Parameter:
    """A query parameter."""

    name: str
    meaning: str
    kind: str = "string"
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Route:
    """One route."""

    path: str
    summary: str
    handler: Handler
    shape: str | None = None
    """The name of the JSON schema of its response; None if the response is not JSON."""
    parameters: tuple[Parameter, ...] = ()
    content_type: str = JSON_TYPE
    may_be_unready: bool = False
    """Whether a response with status 503 has the same schema."""
    pattern: re.Pattern[str] = field(init=False)

    def __post_init__(self) -> None:
        path_names = _PATH_NAME.sub(r"(?P<\1>[^/]+)", self.path)
        object.__setattr__(self, "pattern", re.compile(path_names))

    @property
    def path_names(self) -> tuple[str, ...]:
        return tuple(_PATH_NAME.findall(self.path))


class Router:
    """Passes each request to the handler of its route."""

    def __init__(self, routes: tuple[Route, ...]) -> None:
        self.routes = routes

    async def respond(self, request: HttpRequest) -> HttpResponse:
        """Respond to a request; raise HttpError if there is no route for it."""
        for route in self.routes:
            match = route.pattern.fullmatch(request.path)
            if match is not None:
                _check_query(route, request)
                return await route.handler(request, {name: unquote(text) for name, text in match.groupdict().items()})
        raise HttpError(
            HTTPStatus.NOT_FOUND, f"there is no route {unquote(request.path)}", "See /api/openapi.json for the routes."
        )


def _check_query(route: Route, request: HttpRequest) -> None:
    known = {parameter.name: parameter for parameter in route.parameters}
    for name, value in request.query.items():
        parameter = known.get(name)
        if parameter is None:
            words = ", ".join(known) or "none"
            raise HttpError(HTTPStatus.BAD_REQUEST, f"unknown parameter {name!r}", f"The parameters are: {words}.")
        if parameter.choices and value not in parameter.choices:
            choices = ", ".join(parameter.choices)
            raise HttpError(HTTPStatus.BAD_REQUEST, f"{name}={value!r} is unknown", f"It is one of: {choices}.")
        if parameter.kind == "integer" and _INTEGER.fullmatch(value) is None:
            raise HttpError(HTTPStatus.BAD_REQUEST, f"{name}={value!r} is not an integer", "Use an integer.")
