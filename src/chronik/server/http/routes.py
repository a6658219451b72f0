"""The table of what can be asked: every route with its answer's shape; requests are matched and documented from it."""

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Final
from urllib.parse import unquote

from chronik.server.http.responses import JSON_TYPE, Answer, RefusedError, Request

Handler = Callable[[Request, Mapping[str, str]], Awaitable[Answer]]
"""Is given the request and what stands in the places of the path."""

_INTEGER: Final = re.compile(r"-?[0-9]{1,18}")
_PLACE: Final = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Parameter:
    """Something that may be asked for in the query."""

    name: str
    meaning: str
    kind: str = "string"
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Route:
    """One thing that can be asked."""

    path: str
    summary: str
    handler: Handler
    shape: str | None = None
    """The schema of its JSON; None where it answers with something else."""
    parameters: tuple[Parameter, ...] = ()
    content_type: str = JSON_TYPE
    may_be_unready: bool = False
    """Whether 503 is an answer of its own, in the same shape."""
    pattern: re.Pattern[str] = field(init=False)

    def __post_init__(self) -> None:
        places = _PLACE.sub(r"(?P<\1>[^/]+)", self.path)
        object.__setattr__(self, "pattern", re.compile(places))

    @property
    def places(self) -> tuple[str, ...]:
        return tuple(_PLACE.findall(self.path))


class Router:
    """Finds the route of a request."""

    def __init__(self, routes: tuple[Route, ...]) -> None:
        self.routes = routes

    async def respond(self, request: Request) -> Answer:
        """Answer a request, or say what there is instead."""
        for route in self.routes:
            match = route.pattern.fullmatch(request.path)
            if match is not None:
                _refuse_unknown(route, request)
                return await route.handler(request, {name: unquote(text) for name, text in match.groupdict().items()})
        raise RefusedError(
            HTTPStatus.NOT_FOUND, f"there is nothing at {unquote(request.path)}", "See /api/openapi.json for what is."
        )


def _refuse_unknown(route: Route, request: Request) -> None:
    known = {parameter.name: parameter for parameter in route.parameters}
    for name, value in request.query.items():
        parameter = known.get(name)
        if parameter is None:
            words = ", ".join(known) or "none"
            raise RefusedError(HTTPStatus.BAD_REQUEST, f"unknown parameter {name!r}", f"There is: {words}.")
        if parameter.choices and value not in parameter.choices:
            choices = ", ".join(parameter.choices)
            raise RefusedError(HTTPStatus.BAD_REQUEST, f"{name}={value!r} is not known", f"It is one of: {choices}.")
        if parameter.kind == "integer" and _INTEGER.fullmatch(value) is None:
            raise RefusedError(HTTPStatus.BAD_REQUEST, f"{name}={value!r} is no number", "Give a number.")
