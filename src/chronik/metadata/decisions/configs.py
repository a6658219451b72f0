"""Decisions about configs of a topic or of brokers: replace all, or change some."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from chronik.metadata.configs.effective import BrokerLayers, effective_broker_config, effective_topic_config
from chronik.metadata.configs.validation import (
    BROKER_CONFIGS,
    MIN_INSYNC_REPLICAS,
    TOPIC_CONFIGS,
    ConfigDefinition,
    ConfigType,
    rejection_of_dynamic_broker_config,
    rejection_of_topic_configs,
    split_list,
)
from chronik.metadata.decisions.partition_changes import next_state, with_in_sync
from chronik.metadata.decisions.topics import ClusterRules, effective_min_insync
from chronik.metadata.image import keys
from chronik.metadata.image.image import Image, PartitionImage, TopicImage
from chronik.metadata.image.keys import PartitionState
from chronik.metadata.stores.plan import Plan, PlanStep, Refusal, pack
from chronik.metadata.stores.port import ABSENT, Compare, Delete, Put, Write
from chronik.model.errors import ErrorCode
from chronik.model.ids import BrokerId
from chronik.protocol.config_resources import AlterConfigOp


class ConfigChange(NamedTuple):
    """A change of one config."""

    name: str
    op: AlterConfigOp
    value: str | None = None


Configs = dict[str, str]


def plan_replace_topic_configs(
    image: Image, topic: str, configs: Mapping[str, str | None], rules: ClusterRules, *, validate_only: bool = False
) -> Plan[None] | Refusal:
    found = image.topics.get(topic)
    after = _without_nulls(configs)
    if found is None or isinstance(after, Refusal):
        return after if isinstance(after, Refusal) else _unknown_topic(topic)
    return _plan_topic(image, found, after, rules, validate_only=validate_only)


def plan_change_topic_configs(
    image: Image,
    topic: str,
    changes: Sequence[ConfigChange],
    rules: ClusterRules,
    layers: BrokerLayers,
    *,
    validate_only: bool = False,
) -> Plan[None] | Refusal:
    """Change some configs of a topic; APPEND and SUBTRACT start from the effective value."""
    found = image.topics.get(topic)
    if found is None:
        return _unknown_topic(topic)
    before = found.configs

    def current(name: str) -> str:
        return effective_topic_config(name, before, layers).value or ""

    after = _changed(before, changes, TOPIC_CONFIGS, current)
    return after if isinstance(after, Refusal) else _plan_topic(image, found, after, rules, validate_only=validate_only)


def plan_replace_broker_configs(
    image: Image,
    broker_id: BrokerId | None,
    configs: Mapping[str, str | None],
    rules: ClusterRules,
    *,
    validate_only: bool = False,
) -> Plan[None] | Refusal:
    """Replace all dynamic configs of one broker, or with None of all brokers."""
    after = _without_nulls(configs)
    if isinstance(after, Refusal):
        return after
    return _plan_broker(image, broker_id, after, after, rules, validate_only=validate_only)


def plan_change_broker_configs(
    image: Image,
    broker_id: BrokerId | None,
    changes: Sequence[ConfigChange],
    rules: ClusterRules,
    layers: BrokerLayers,
    *,
    validate_only: bool = False,
) -> Plan[None] | Refusal:
    """Change some dynamic configs of one broker, or with None of all brokers."""
    before = image.configs_of_broker(broker_id)

    def current(name: str) -> str:
        return before.get(name) or effective_broker_config(name, layers).value or ""

    after = _changed(before, changes, BROKER_CONFIGS, current)
    if isinstance(after, Refusal):
        return after
    touched = {change.name: after.get(change.name) for change in changes}
    return _plan_broker(image, broker_id, after, touched, rules, validate_only=validate_only)


def _plan_topic(
    image: Image, topic: TopicImage, after: Configs, rules: ClusterRules, *, validate_only: bool
) -> Plan[None] | Refusal:
    problem = rejection_of_topic_configs(after)
    if problem:
        return Refusal(ErrorCode.INVALID_CONFIG, problem)
    if validate_only or after == topic.configs:
        return Plan((), None)
    key = keys.topic_key(topic.name)
    record = topic.record._replace(configs=after)
    write = PlanStep((Compare(key, topic.revision),), (Put(key, keys.encode_topic(record)),))
    # The topic key is written last: after a conflict the decision is made again and still finds the old topic.
    return Plan(pack([*_with_minimum(topic, effective_min_insync(image, after, rules)), write]), None)


def _plan_broker(
    image: Image,
    broker_id: BrokerId | None,
    after: Configs,
    touched: Mapping[str, str | None],
    rules: ClusterRules,
    *,
    validate_only: bool,
) -> Plan[None] | Refusal:
    refusal = _rejection_of_broker(image, broker_id, touched)
    if refusal:
        return refusal
    if validate_only or after == image.configs_of_broker(broker_id):
        return Plan((), None)
    before = image.broker_configs.get(broker_id)
    key = keys.broker_config_key(broker_id)
    write: Write = Put(key, keys.encode_configs(after)) if after else Delete(key)
    step = PlanStep((Compare(key, before.revision if before else ABSENT),), (write,))
    minimum = int(after.get(MIN_INSYNC_REPLICAS, rules.min_insync_replicas))
    rewrites = _with_minimum_everywhere(image, minimum) if broker_id is None else iter(())
    return Plan(pack([*rewrites, step]), None)


def _rejection_of_broker(image: Image, broker_id: BrokerId | None, touched: Mapping[str, str | None]) -> Refusal | None:
    if broker_id is not None and broker_id not in image.brokers:
        return Refusal(ErrorCode.INVALID_REQUEST, f"there is no broker {broker_id}")
    for name, value in touched.items():
        if value is None and name not in BROKER_CONFIGS:
            # Kafka's tools also clear throttles that are not set; this must not fail.
            continue
        problem = rejection_of_dynamic_broker_config(name, value, for_all=broker_id is None)
        if problem:
            return Refusal(ErrorCode.INVALID_REQUEST, problem)
    return None


def _with_minimum_everywhere(image: Image, minimum: int) -> Iterator[PlanStep]:
    for topic in image.topics.values():
        if MIN_INSYNC_REPLICAS not in topic.configs:
            yield from _with_minimum(topic, minimum)


def _with_minimum(topic: TopicImage, minimum: int) -> Iterator[PlanStep]:
    """Write the minimum into the state of each partition, where leaders read it."""
    for index, partition in enumerate(topic.partitions):
        if partition.min_insync != minimum:
            key = keys.partition_key(topic.id, index)
            after = keys.encode_partition(_state_with_minimum(partition, minimum))
            yield PlanStep((Compare(key, partition.revision),), (Put(key, after),))


def _state_with_minimum(partition: PartitionImage, minimum: int) -> PartitionState:
    """Return the state with another ``min.insync.replicas``.

    Once the ISR is large enough, the high watermark moves without the ELR, whose members then lack committed records.
    """
    state = partition.state._replace(min_insync=minimum)
    return next_state(partition, with_in_sync(state, state.isr))


def _without_nulls(configs: Mapping[str, str | None]) -> Configs | Refusal:
    missing = [name for name, value in configs.items() if value is None]
    if missing:
        return Refusal(ErrorCode.INVALID_REQUEST, f"a value is needed for {', '.join(missing)}")
    return {name: value for name, value in configs.items() if value is not None}


def _changed(
    before: Mapping[str, str],
    changes: Sequence[ConfigChange],
    definitions: Mapping[str, ConfigDefinition],
    current: Callable[[str], str],
) -> Configs | Refusal:
    after = dict(before)
    names = [change.name for change in changes]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        return Refusal(ErrorCode.INVALID_REQUEST, f"configs occur more than once in the request: {', '.join(repeated)}")
    for change in changes:
        refusal = _apply(after, change, definitions.get(change.name), current)
        if refusal:
            return refusal
    return after


def _apply(
    after: Configs, change: ConfigChange, definition: ConfigDefinition | None, current: Callable[[str], str]
) -> Refusal | None:
    if change.op is AlterConfigOp.DELETE:
        after.pop(change.name, None)
        return None
    if change.value is None:
        return Refusal(ErrorCode.INVALID_REQUEST, f"a value is needed to change {change.name}")
    if change.op is AlterConfigOp.SET or definition is None:
        # An unknown name is kept here; the check of all configs rejects it and suggests a known one.
        after[change.name] = change.value
        return None
    if definition.type is not ConfigType.LIST:
        message = f"{change.name} is no list, so {change.op.name} cannot change it: use SET"
        return Refusal(ErrorCode.INVALID_CONFIG, message)
    after[change.name] = _edited(current(change.name), change)
    return None


def _edited(before: str, change: ConfigChange) -> str:
    items, wanted = split_list(before), split_list(change.value or "")
    if change.op is AlterConfigOp.APPEND:
        return ",".join(dict.fromkeys((*items, *wanted)))
    return ",".join(item for item in items if item not in wanted)


def _unknown_topic(name: str) -> Refusal:
    return Refusal(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"there is no topic {name!r}")
