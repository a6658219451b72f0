"""ApiVersions: the APIs and versions that this broker serves, from the table of APIs."""

import re

from chronik.model.errors import ErrorCode
from chronik.protocol.apis import advertised_versions
from chronik.protocol.generated.api_versions import ApiVersionsRequest, ApiVersionsResponse
from chronik.server.requests.context import RequestContext, Services

SOFTWARE_VERSION = 3
"""The first version with the name and version of the client software."""

_SOFTWARE_NAME = re.compile(r"[a-zA-Z0-9](?:[a-zA-Z0-9\-.]*[a-zA-Z0-9])?")


def handle(request: ApiVersionsRequest, context: RequestContext, services: Services) -> ApiVersionsResponse:
    """Return all served APIs."""
    if context.version >= SOFTWARE_VERSION and not _has_valid_names(request):
        return ApiVersionsResponse(error_code=ErrorCode.INVALID_REQUEST)
    return ApiVersionsResponse(api_keys=advertised_versions())


def _has_valid_names(request: ApiVersionsRequest) -> bool:
    names = (request.client_software_name, request.client_software_version)
    return all(_SOFTWARE_NAME.fullmatch(name) for name in names)
