"""ApiVersions: what this broker serves, straight from the one table of APIs."""

import re

from chronik.model.errors import ErrorCode
from chronik.protocol.apis import advertised_versions
from chronik.protocol.generated.api_versions import ApiVersionsRequest, ApiVersionsResponse
from chronik.server.requests.context import RequestContext, Services

SOFTWARE_VERSION = 3
"""The first version in which clients name themselves."""

_SOFTWARE_NAME = re.compile(r"[a-zA-Z0-9](?:[a-zA-Z0-9\-.]*[a-zA-Z0-9])?")


def handle(request: ApiVersionsRequest, context: RequestContext, services: Services) -> ApiVersionsResponse:
    """Advertise what is served."""
    if context.version >= SOFTWARE_VERSION and not _is_named_well(request):
        return ApiVersionsResponse(error_code=ErrorCode.INVALID_REQUEST)
    return ApiVersionsResponse(api_keys=advertised_versions())


def _is_named_well(request: ApiVersionsRequest) -> bool:
    names = (request.client_software_name, request.client_software_version)
    return all(_SOFTWARE_NAME.fullmatch(name) for name in names)
