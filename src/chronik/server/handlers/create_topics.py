"""CreateTopics: create topics, or only validate them; answered when this broker has opened its partitions."""

from uuid import uuid4

from chronik.metadata.configs.effective import effective_topic_configs
from chronik.metadata.decisions.topics import CreatedTopic, TopicRequest
from chronik.metadata.stores.plan import Refusal
from chronik.model.errors import ErrorCode
from chronik.model.ids import BrokerId
from chronik.protocol.generated.create_topics import (
    CreatableTopic,
    CreatableTopicConfigs,
    CreatableTopicResult,
    CreateTopicsRequest,
    CreateTopicsResponse,
)
from chronik.server.requests.context import RequestContext, Services
from chronik.server.requests.topic_creation import create_topics


async def handle(request: CreateTopicsRequest, context: RequestContext, services: Services) -> CreateTopicsResponse:
    """Create the topics; each has its own result."""
    new_topics = [_new_topic(topic) for topic in request.topics]
    results = await create_topics(services, new_topics, validate_only=request.validate_only)
    return CreateTopicsResponse(
        topics=[
            _refused(name, result) if isinstance(result, Refusal) else _created(result, services)
            for name, result in results.items()
        ]
    )


def _new_topic(topic: CreatableTopic) -> TopicRequest:
    return TopicRequest(
        topic.name,
        uuid4(),
        topic.num_partitions,
        topic.replication_factor,
        {one.partition_index: [BrokerId(broker) for broker in one.broker_ids] for one in topic.assignments},
        {config.name: config.value for config in topic.configs},
    )


def _refused(name: str, refusal: Refusal) -> CreatableTopicResult:
    return CreatableTopicResult(name, error_code=refusal.error, error_message=refusal.message)


def _created(topic: CreatedTopic, services: Services) -> CreatableTopicResult:
    configs = [
        CreatableTopicConfigs(one.name, one.value, one.is_read_only, one.source, one.definition.sensitive)
        for one in effective_topic_configs(topic.configs, services.configs.layers(services.catalog.image)).values()
    ]
    return CreatableTopicResult(
        topic.name,
        topic.id,
        ErrorCode.NONE,
        None,
        num_partitions=topic.partition_count,
        replication_factor=topic.replication_factor,
        configs=configs,
    )
