"""ListConfigResources: the topics and brokers, whose configs can be described."""

from typing import Final

from chronik.model.errors import ErrorCode
from chronik.protocol.config_resources import ResourceType
from chronik.protocol.generated.list_config_resources import (
    ConfigResource,
    ListConfigResourcesRequest,
    ListConfigResourcesResponse,
)
from chronik.server.requests.context import RequestContext, Services

FIRST_VERSION_WITH_TYPES: Final = 1
"""Version 0 lists only client metrics, which do not exist here."""
_KNOWN: Final = frozenset(int(kind) for kind in ResourceType)


def handle(
    request: ListConfigResourcesRequest, context: RequestContext, services: Services
) -> ListConfigResourcesResponse:
    """Return all resources of the requested types, by default topics and brokers."""
    if context.version < FIRST_VERSION_WITH_TYPES:
        return ListConfigResourcesResponse()
    wanted = set(request.resource_types) or {int(ResourceType.TOPIC), int(ResourceType.BROKER)}
    if not wanted <= _KNOWN:
        return ListConfigResourcesResponse(error_code=ErrorCode.UNSUPPORTED_VERSION)
    image = services.catalog.image
    resources = []
    if ResourceType.TOPIC in wanted:
        resources += [ConfigResource(name, ResourceType.TOPIC) for name in sorted(image.topics)]
    if ResourceType.BROKER in wanted:
        resources += [ConfigResource(str(broker), ResourceType.BROKER) for broker in sorted(image.brokers)]
    return ListConfigResourcesResponse(config_resources=resources)
