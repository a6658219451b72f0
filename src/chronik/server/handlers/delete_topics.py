"""DeleteTopics: delete topics by name or by id."""

from collections.abc import Sequence
from typing import Final

from chronik.metadata.decisions.topics import find_topics, plan_delete_topics
from chronik.metadata.image.image import TopicImage
from chronik.metadata.stores.plan import Refusal
from chronik.model.errors import ErrorCode
from chronik.model.ids import ZERO_TOPIC_ID, TopicId
from chronik.model.topics import OFFSETS_TOPIC
from chronik.protocol.constants import DELETE_TOPICS_FIRST_VERSION_BY_ID
from chronik.protocol.generated.delete_topics import DeletableTopicResult, DeleteTopicsRequest, DeleteTopicsResponse
from chronik.server.requests.context import RequestContext, Services

_KEPT: Final = Refusal(
    ErrorCode.INVALID_TOPIC_EXCEPTION, f"{OFFSETS_TOPIC} has the committed offsets of all groups: delete groups instead"
)


async def handle(request: DeleteTopicsRequest, context: RequestContext, services: Services) -> DeleteTopicsResponse:
    """Delete the topics that exist."""
    names, ids = _asked(request, context.version)
    if not services.settings.delete_topics:
        refused = Refusal(ErrorCode.TOPIC_DELETION_DISABLED, "delete.topic.enable is false")
        return DeleteTopicsResponse(responses=[_result(refused, name, None) for name in names])
    found = [_unless_kept(topic) for topic in find_topics(services.catalog.image, names, ids)]
    await _delete([topic.id for topic in found if isinstance(topic, TopicImage)], services)
    asked: list[tuple[str | None, TopicId | None]] = [(name, None) for name in names]
    asked += [(None, topic_id) for topic_id in ids]
    return DeleteTopicsResponse(
        responses=[_result(topic, name, topic_id) for topic, (name, topic_id) in zip(found, asked, strict=True)]
    )


def _asked(request: DeleteTopicsRequest, version: int) -> tuple[list[str], list[TopicId]]:
    if version < DELETE_TOPICS_FIRST_VERSION_BY_ID:
        return list(dict.fromkeys(request.topic_names)), []
    names = dict.fromkeys(topic.name for topic in request.topics if topic.name is not None)
    ids = dict.fromkeys(topic.topic_id for topic in request.topics if topic.name is None)
    return list(names), [topic_id for topic_id in ids if topic_id != ZERO_TOPIC_ID]


def _unless_kept(found: TopicImage | Refusal) -> TopicImage | Refusal:
    """Reject the offsets topic: a script that deletes all topics must not delete all committed offsets."""
    return _KEPT if isinstance(found, TopicImage) and found.name == OFFSETS_TOPIC else found


async def _delete(ids: Sequence[TopicId], services: Services) -> None:
    if ids:
        await services.catalog.carry_out(lambda image: plan_delete_topics(image, ids))


def _result(found: TopicImage | Refusal, name: str | None, topic_id: TopicId | None) -> DeletableTopicResult:
    if isinstance(found, Refusal):
        return DeletableTopicResult(name, topic_id or ZERO_TOPIC_ID, found.error, found.message)
    return DeletableTopicResult(found.name, found.id)
