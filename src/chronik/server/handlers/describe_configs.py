"""DescribeConfigs: every config of a topic or broker, with its effective value, its source and its synonyms."""

from collections.abc import Iterable

from chronik.metadata.configs.effective import EffectiveConfig, effective_broker_configs, effective_topic_configs
from chronik.metadata.stores.plan import Refusal
from chronik.model.errors import ErrorCode
from chronik.protocol.generated.describe_configs import (
    DescribeConfigsRequest,
    DescribeConfigsResource,
    DescribeConfigsResourceResult,
    DescribeConfigsResponse,
    DescribeConfigsResult,
    DescribeConfigsSynonym,
)
from chronik.server.requests.context import RequestContext, Services
from chronik.server.views.config_resources import BrokerResource, Resource, TopicResource, find_resource


def handle(request: DescribeConfigsRequest, context: RequestContext, services: Services) -> DescribeConfigsResponse:
    """Describe each resource."""
    return DescribeConfigsResponse(results=[_describe(asked, request, services) for asked in request.resources])


def _describe(
    asked: DescribeConfigsResource, request: DescribeConfigsRequest, services: Services
) -> DescribeConfigsResult:
    found = find_resource(asked.resource_type, asked.resource_name, services.catalog.image)
    if isinstance(found, Refusal):
        return DescribeConfigsResult(found.error, found.message, asked.resource_type, asked.resource_name)
    wanted = None if asked.configuration_keys is None else set(asked.configuration_keys)
    configs = [_wire(one, request) for one in _configs(found, services) if wanted is None or one.name in wanted]
    return DescribeConfigsResult(ErrorCode.NONE, None, asked.resource_type, asked.resource_name, configs)


def _configs(resource: Resource, services: Services) -> Iterable[EffectiveConfig]:
    image = services.catalog.image
    layers = services.configs.layers(image)
    match resource:
        case TopicResource(name):
            return effective_topic_configs(image.topics[name].configs, layers).values()
        case BrokerResource(None):
            everything = effective_broker_configs(layers).values()
            return [one for one in everything if one.name in image.configs_of_broker(None)]
        case BrokerResource():
            return effective_broker_configs(layers).values()


def _wire(config: EffectiveConfig, request: DescribeConfigsRequest) -> DescribeConfigsResourceResult:
    is_sensitive = config.definition.sensitive
    synonyms = [
        DescribeConfigsSynonym(synonym.name, None if is_sensitive else synonym.value, synonym.source)
        for synonym in (config.synonyms if request.include_synonyms else ())
    ]
    return DescribeConfigsResourceResult(
        config.name,
        None if is_sensitive else config.value,
        config.is_read_only,
        config.source,
        is_sensitive,
        synonyms,
        config.definition.type,
        config.definition.doc if request.include_documentation else None,
    )
