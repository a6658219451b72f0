"""``kafka-configs.sh``: show and change the configs of topics, brokers and groups."""

import re
from collections.abc import Awaitable, Callable, Iterable
from typing import Final, NamedTuple

from chronik.cli.kafka_scripts.flags import BOOTSTRAP, COMMAND_CONFIG, Given, UsageError, switch, unsupported, value
from chronik.cli.kafka_scripts.java_errors import java_text
from chronik.cli.kafka_scripts.session import FAILED, Tool, ask, complain, properties_of, say
from chronik.cli.shell.settings_pairs import config_changes
from chronik.client.admin import Admin
from chronik.client.admin_configs import EVERY_BROKER, ConfigAdmin, ConfigView
from chronik.client.cluster import Cluster
from chronik.client.errors import ClientError, RefusedError
from chronik.client.groups.admin import GroupAdmin
from chronik.model.errors import ErrorCode
from chronik.protocol.config_resources import ConfigSource, ResourceType

_TYPES: Final = {"topics": ResourceType.TOPIC, "brokers": ResourceType.BROKER, "groups": ResourceType.GROUP}
_SHORT: Final = {"topic": "topics", "broker": "brokers", "group": "groups"}
_NOT_KEPT: Final = "Chronik keeps no configs of it; topics, brokers and groups have some"
_OWN_SOURCE: Final = {
    ResourceType.TOPIC: ConfigSource.TOPIC,
    ResourceType.BROKER: ConfigSource.DYNAMIC_BROKER,
    ResourceType.GROUP: ConfigSource.GROUP,
}

FLAGS: Final = (
    BOOTSTRAP,
    COMMAND_CONFIG,
    switch("describe", "List configs."),
    switch("alter", "Alter configs."),
    value("entity-type", "topics, brokers or groups."),
    value("entity-name", "The name of the topic or group, or the id of the broker."),
    switch("entity-default", "With brokers: what all of them share."),
    switch("all", "With --describe: also configs that are defaults."),
    value("add-config", "NAME=VALUE,NAME=[VALUE,VALUE] to set."),
    value("add-config-file", "A properties file of configs to set."),
    value("delete-config", "NAME,NAME to take back to their defaults."),
    value("topic", "The same as --entity-type topics --entity-name."),
    value("broker", "The same as --entity-type brokers --entity-name."),
    value("group", "The same as --entity-type groups --entity-name."),
    switch("broker-defaults", "The same as --entity-type brokers --entity-default."),
    switch("force", "Ask nothing; nothing is asked."),
    unsupported("zookeeper", "use --bootstrap-server HOST:PORT"),
    unsupported("bootstrap-controller", "use --bootstrap-server: brokers take every change"),
    unsupported("user", _NOT_KEPT),
    unsupported("user-defaults", _NOT_KEPT),
    unsupported("client", _NOT_KEPT),
    unsupported("client-defaults", _NOT_KEPT),
    unsupported("ip", _NOT_KEPT),
    unsupported("ip-defaults", _NOT_KEPT),
    unsupported("broker-logger", _NOT_KEPT),
    unsupported("client-metrics", _NOT_KEPT),
)


class Entity(NamedTuple):
    """A resource with configs; an empty broker name means all brokers."""

    kind: ResourceType
    name: str

    @property
    def is_default(self) -> bool:
        """Return whether the entity is all brokers."""
        return self.kind is ResourceType.BROKER and self.name == EVERY_BROKER

    @property
    def word(self) -> str:
        """Return the name that Kafka's tool prints."""
        return f"{self.kind.name.lower()} {self.name}"


class InvalidConfigError(ClientError):
    """A config is to be deleted that is not set."""


def work(given: Given) -> int:
    action = given.exactly_one(("describe", "alter"), "Command must include exactly one action: --describe, --alter")
    kind, name = _meant(given)
    if action == "describe":
        return _run(given, lambda cluster: _describe(cluster, kind, name, wants_all="all" in given))
    if name is None:
        raise UsageError("an --entity-name or --entity-default must be specified with --alter")
    changes = _additions(given)
    deletions = [key.strip() for text in given.many("delete-config") for key in text.split(",")]
    if not (changes or deletions):
        raise UsageError(
            "At least one of --add-config, --add-config-file, or --delete-config must be specified with --alter"
        )
    entity = Entity(kind, name)
    return _run(given, lambda cluster: _alter(cluster, entity, changes, deletions))


def _run(given: Given, act: Callable[[Cluster], Awaitable[None]]) -> int:
    async def guarded(cluster: Cluster) -> int:
        try:
            await act(cluster)
        except InvalidConfigError as error:
            complain(error.what)
            return FAILED
        except RefusedError as error:
            complain("Error while executing config command")
            complain(f"java.util.concurrent.ExecutionException: {java_text(error)}")
            return FAILED
        return 0

    return ask(given, guarded)


def _meant(given: Given) -> tuple[ResourceType, str | None]:
    """Return the type of the entity, and its name where one is given."""
    for flag, kind in _SHORT.items():
        if flag in given:
            return _TYPES[kind], given.one(flag)
    if "broker-defaults" in given:
        return ResourceType.BROKER, EVERY_BROKER
    kind = given.one("entity-type")
    if kind not in _TYPES:
        named = f"--entity-type {kind} is not supported: {_NOT_KEPT}" if kind else "--entity-type must be specified"
        raise UsageError(named)
    if "entity-default" in given:
        if kind != "brokers":
            raise UsageError("--entity-default is supported with --entity-type brokers only")
        return ResourceType.BROKER, EVERY_BROKER
    return _TYPES[kind], given.one("entity-name") if "entity-name" in given else None


def _additions(given: Given) -> dict[str, str]:
    added = properties_of(given, files=["add-config-file"])
    for text in given.many("add-config"):
        added.update(config_pairs(text))
    return added


def config_pairs(text: str) -> dict[str, str]:
    """Read NAME=VALUE,NAME=[VALUE,VALUE]; commas within brackets belong to the value."""
    pairs: dict[str, str] = {}
    for part in re.findall(r"[^,=]+(?:=(?:\[[^\]]*\]|[^,]*))?", text):
        key, separator, setting = part.partition("=")
        if not separator:
            raise UsageError('Invalid entity config: all configs to be added must be in the format "key=val".')
        bracketed = re.fullmatch(r"\[(.*)\]", setting.strip())
        pairs[key.strip()] = bracketed[1] if bracketed else setting.strip()
    return pairs


async def _describe(cluster: Cluster, kind: ResourceType, name: str | None, *, wants_all: bool) -> None:
    for entity in [Entity(kind, name)] if name is not None else await _entities(cluster, kind):
        try:
            configs = await ConfigAdmin(cluster).describe(entity.kind, entity.name, synonyms=True)
        except RefusedError as error:
            if error.error is not ErrorCode.UNKNOWN_TOPIC_OR_PARTITION:
                raise
            say(f"The topic '{entity.name}' doesn't exist and doesn't have dynamic config.")
            continue
        say(_title(entity, wants_all=wants_all))
        source = ConfigSource.DYNAMIC_DEFAULT_BROKER if entity.is_default else _OWN_SOURCE[kind]
        for config in configs:
            if wants_all or config.source is source:
                say(config_line(config))


async def _entities(cluster: Cluster, kind: ResourceType) -> list[Entity]:
    names: Iterable[str]
    if kind is ResourceType.TOPIC:
        names = [topic.name for topic in await Admin(cluster).list_topics()]
    elif kind is ResourceType.GROUP:
        names = [listing.group for listing in await GroupAdmin(cluster).list_groups()]
    else:
        names = [*map(str, sorted((await cluster.refresh(())).brokers)), EVERY_BROKER]
    return [Entity(kind, name) for name in names]


def _title(entity: Entity, *, wants_all: bool) -> str:
    if entity.is_default:
        return "Default configs for brokers in the cluster are:"
    return f"{'All' if wants_all else 'Dynamic'} configs for {entity.word} are:"


def config_line(config: ConfigView) -> str:
    """Return the line of a config, with where its value comes from."""
    synonyms = ", ".join(
        f"{_source_name(one.source)}:{one.name}={one.value or 'null' if one.value is None else one.value}"
        for one in config.synonyms
    )
    shown = "null" if config.value is None else config.value
    return f"  {config.name}={shown} sensitive={str(config.is_sensitive).lower()} synonyms={{{synonyms}}}"


def _source_name(source: ConfigSource) -> str:
    return (
        f"DYNAMIC_{source.name}_CONFIG"
        if source in (ConfigSource.TOPIC, ConfigSource.GROUP)
        else f"{source.name}_CONFIG"
    )


async def _alter(cluster: Cluster, entity: Entity, additions: dict[str, str], deletions: list[str]) -> None:
    admin = ConfigAdmin(cluster)
    source = ConfigSource.DYNAMIC_DEFAULT_BROKER if entity.is_default else _OWN_SOURCE[entity.kind]
    known = {one.name for one in await admin.describe(entity.kind, entity.name) if one.source is source}
    invalid = [key for key in deletions if key not in known]
    if invalid:
        raise InvalidConfigError(f"Invalid config(s): {','.join(invalid)}")
    await admin.alter(entity.kind, entity.name, config_changes(additions, deletions))
    if entity.is_default:
        say("Completed updating default config for brokers in the cluster.")
    else:
        say(f"Completed updating config for {entity.word}.")


TOOL: Final = Tool("kafka-configs.sh", "Show and change configs of topics, brokers and groups.", FLAGS, work)
