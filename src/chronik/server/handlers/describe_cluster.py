"""DescribeCluster: the registered brokers."""

from typing import Final

from chronik.model.errors import ErrorCode
from chronik.protocol.generated.describe_cluster import (
    DescribeClusterBroker,
    DescribeClusterRequest,
    DescribeClusterResponse,
)
from chronik.server.requests.context import RequestContext, Services
from chronik.server.views import authorized_operations
from chronik.server.views.cluster import brokers_of, controller_of

BROKERS: Final = 1


def handle(request: DescribeClusterRequest, context: RequestContext, services: Services) -> DescribeClusterResponse:
    """Return the brokers with their addresses on this listener."""
    if request.endpoint_type != BROKERS:
        return DescribeClusterResponse(
            error_code=ErrorCode.UNSUPPORTED_ENDPOINT_TYPE,
            error_message="this cluster has no controller endpoints: ask for brokers (endpoint type 1)",
        )
    image = services.catalog.image
    brokers = [DescribeClusterBroker(*broker) for broker in brokers_of(image, context.listener)]
    is_asked = request.include_cluster_authorized_operations
    return DescribeClusterResponse(
        cluster_id=image.cluster_id or "",
        controller_id=controller_of(image),
        brokers=brokers,
        cluster_authorized_operations=(
            authorized_operations.ON_CLUSTER if is_asked else authorized_operations.NOT_ASKED
        ),
    )
