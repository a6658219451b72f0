"""ListPartitionReassignments: replicas are not moved yet, so none are on their way."""

from chronik.protocol.generated.list_partition_reassignments import (
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsResponse,
)
from chronik.server.context import RequestContext, Services


def handle(
    request: ListPartitionReassignmentsRequest, context: RequestContext, services: Services
) -> ListPartitionReassignmentsResponse:
    """List nothing; Kafka, too, passes over topics that it does not know."""
    return ListPartitionReassignmentsResponse(error_message=None)
