"""The description of the HTTP API in OpenAPI 3.1, made from the table of routes."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from chronik import __version__
from chronik.server.http.responses import JSON_TYPE, HttpRequest, HttpResponse, json_response
from chronik.server.http.routes import Parameter, Route
from chronik.server.http.schemas import SCHEMAS

PATH: Final = "/api/openapi.json"
_PATH_NAMES: Final = {
    "topic": "the topic's name",
    "partition": "the partition's number",
    "group": "the group's id",
    "file": "the file's name",
}
_ERRORS: Final = {
    "400": "The request is invalid.",
    "404": "Not found.",
    "405": "The API is read-only: only GET and HEAD are supported.",
    "421": "The listener is for this machine only, and the request has another host name.",
    "502": "The broker that has the data does not answer.",
    "503": "The broker starts or stops, or too many connections are open.",
}


class OpenApi:
    """Describes the routes, itself among them."""

    def __init__(self, routes: Sequence[Route]) -> None:
        own = Route(PATH, "This description.", self.respond, "OpenApi")
        self.routes = (*routes, own)
        self.document = described(self.routes)

    async def respond(self, request: HttpRequest, path: Mapping[str, str]) -> HttpResponse:
        return json_response(self.document)


def described(routes: Sequence[Route]) -> dict[str, Any]:
    """Return the description of a table of routes."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Chronik",
            "version": __version__,
            "description": "The status of a broker and its cluster. Read-only; every broker serves all of it.",
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
        "parameters": [*map(_path_parameter, route.path_names), *map(_parameter, route.parameters)],
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


def _path_parameter(name: str) -> dict[str, Any]:
    return {
        "name": name,
        "in": "path",
        "required": True,
        "description": _PATH_NAMES[name],
        "schema": {"type": "string"},
    }


def _parameter(parameter: Parameter) -> dict[str, Any]:
    choices = {"enum": list(parameter.choices)} if parameter.choices else {}
    schema = {"type": parameter.kind, **choices}
    return {"name": parameter.name, "in": "query", "description": parameter.meaning, "schema": schema}
