"""IncrementalAlterConfigs: set, delete, append to and subtract from single configs."""

from chronik.metadata.decisions.configs import ConfigChange, plan_change_broker_configs, plan_change_topic_configs
from chronik.metadata.image.image import Image
from chronik.metadata.stores.plan import Plan, Refusal
from chronik.model.errors import ErrorCode
from chronik.protocol.config_resources import AlterConfigOp
from chronik.protocol.generated.incremental_alter_configs import (
    AlterConfigsResource,
    AlterConfigsResourceResponse,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResponse,
)
from chronik.server.requests.context import RequestContext, Services
from chronik.server.views.config_resources import TopicResource, find_resource


async def handle(
    request: IncrementalAlterConfigsRequest, context: RequestContext, services: Services
) -> IncrementalAlterConfigsResponse:
    """Alter each resource; each has its own result."""
    return IncrementalAlterConfigsResponse(
        responses=[
            await _alter(resource, services, validate_only=request.validate_only) for resource in request.resources
        ]
    )


async def _alter(
    resource: AlterConfigsResource, services: Services, *, validate_only: bool
) -> AlterConfigsResourceResponse:
    result = await _carry_out(resource, services, validate_only=validate_only)
    error, message = (result.error, result.message) if isinstance(result, Refusal) else (ErrorCode.NONE, None)
    return AlterConfigsResourceResponse(error, message, resource.resource_type, resource.resource_name)


async def _carry_out(resource: AlterConfigsResource, services: Services, *, validate_only: bool) -> Refusal | None:
    changes = _changes(resource)
    if isinstance(changes, Refusal):
        return changes

    def decide(image: Image) -> Plan[None] | Refusal:
        found = find_resource(resource.resource_type, resource.resource_name, image)
        if isinstance(found, Refusal):
            return found
        rules, layers = services.settings.cluster_rules, services.configs.layers(image)
        if isinstance(found, TopicResource):
            return plan_change_topic_configs(image, found.name, changes, rules, layers, validate_only=validate_only)
        return plan_change_broker_configs(image, found.broker_id, changes, rules, layers, validate_only=validate_only)

    return await services.catalog.carry_out(decide)


def _changes(resource: AlterConfigsResource) -> list[ConfigChange] | Refusal:
    known = {int(operation) for operation in AlterConfigOp}
    unknown = [config.name for config in resource.configs if config.config_operation not in known]
    if unknown:
        return Refusal(ErrorCode.INVALID_REQUEST, f"the operation on {', '.join(unknown)} is not known")
    return [
        ConfigChange(config.name, AlterConfigOp(config.config_operation), config.value) for config in resource.configs
    ]
