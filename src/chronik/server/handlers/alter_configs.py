"""AlterConfigs: replace all configs of a topic or broker."""

from chronik.metadata.decisions.configs import plan_replace_broker_configs, plan_replace_topic_configs
from chronik.metadata.image.image import Image
from chronik.metadata.stores.plan import Plan, Refusal
from chronik.model.errors import ErrorCode
from chronik.protocol.generated.alter_configs import (
    AlterConfigsRequest,
    AlterConfigsResource,
    AlterConfigsResourceResponse,
    AlterConfigsResponse,
)
from chronik.server.requests.context import RequestContext, Services
from chronik.server.views.config_resources import TopicResource, find_resource


async def handle(request: AlterConfigsRequest, context: RequestContext, services: Services) -> AlterConfigsResponse:
    """Alter each resource; each has its own result."""
    return AlterConfigsResponse(
        responses=[
            await _alter(resource, services, validate_only=request.validate_only) for resource in request.resources
        ]
    )


async def _alter(
    resource: AlterConfigsResource, services: Services, *, validate_only: bool
) -> AlterConfigsResourceResponse:
    configs = {config.name: config.value for config in resource.configs}

    def decide(image: Image) -> Plan[None] | Refusal:
        found = find_resource(resource.resource_type, resource.resource_name, image)
        rules = services.settings.cluster_rules
        if isinstance(found, Refusal):
            return found
        if isinstance(found, TopicResource):
            return plan_replace_topic_configs(image, found.name, configs, rules, validate_only=validate_only)
        return plan_replace_broker_configs(image, found.broker_id, configs, rules, validate_only=validate_only)

    result = await services.catalog.carry_out(decide)
    if isinstance(result, Refusal):
        return AlterConfigsResourceResponse(
            result.error, result.message, resource.resource_type, resource.resource_name
        )
    return AlterConfigsResourceResponse(ErrorCode.NONE, None, resource.resource_type, resource.resource_name)
