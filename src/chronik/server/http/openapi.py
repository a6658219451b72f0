"""The description of everything that can be asked, in the form of OpenAPI 3.1, made from the table of routes."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from chronik import __version__
from chronik.server.http.responses import JSON_TYPE, Answer, Request, json_answer
from chronik.server.http.routes import Parameter, Route
from chronik.server.http.schemas import SCHEMAS

PATH: Final = "/api/openapi.json"
_PLACES: Final = {
    "topic": "the topic's name",
    "partition": "the partition's number",
    "group": "the group's id",
    "file": "the file's name",
}
_ERRORS: Final = {
    "400": "Something in the request cannot be understood.",
    "404": "There is no such thing.",
    "405": "Everything is read-only: only GET and HEAD are answered.",
    "421": "The listener is for this machine only, and was asked by another name.",
    "502": "The broker that could tell does not answer.",
    "503": "The broker starts or stops, or too many connections are open.",
}


class OpenApi:
    """Describes the routes, itself among them."""

    def __init__(self, routes: Sequence[Route]) -> None:
        own = Route(PATH, "This description.", self.answer, "OpenApi")
        self.routes = (*routes, own)
        self.document = described(self.routes)

    async def answer(self, request: Request, places: Mapping[str, str]) -> Answer:
        return json_answer(self.document)


def described(routes: Sequence[Route]) -> dict[str, Any]:
    """Make the description of a table of routes."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Chronik",
            "version": __version__,
            "description": "What a broker and its cluster are doing. Read-only; any broker answers for all.",
        },
        "paths": {route.path: {"get": _operation(route)} for route in routes},
        "components": {"schemas": SCHEMAS},
    }


def _operation(route: Route) -> dict[str, Any]:
    responses: dict[str, Any] = {"200": {"description": route.summary, "content": _content(route)}}
    for status, meaning in _ERRORS.items():
        responses[status] = {"description": meaning, "content": {JSON_TYPE: {"schema": _ref("Error")}}}
    if route.may_be_unready:
        either = {"anyOf": [_ref(route.shape or "Error"), _ref("Error")]}
        responses["503"] = {"description": "Not ready.", "content": {JSON_TYPE: {"schema": either}}}
    return {
        "operationId": _name(route),
        "summary": route.summary,
        "parameters": [*map(_place, route.places), *map(_parameter, route.parameters)],
        "responses": responses,
    }


def _content(route: Route) -> dict[str, Any]:
    if route.shape is None:
        return {route.content_type: {"schema": {"type": "string"}}}
    return {route.content_type: {"schema": _ref(route.shape)}}


def _ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


def _name(route: Route) -> str:
    words = [word.strip("{}").replace(".", "_") for word in route.path.split("/") if word]
    return "_".join(words) or "page"


def _place(name: str) -> dict[str, Any]:
    return {"name": name, "in": "path", "required": True, "description": _PLACES[name], "schema": {"type": "string"}}


def _parameter(parameter: Parameter) -> dict[str, Any]:
    choices = {"enum": list(parameter.choices)} if parameter.choices else {}
    schema = {"type": parameter.kind, **choices}
    return {"name": parameter.name, "in": "query", "description": parameter.meaning, "schema": schema}
