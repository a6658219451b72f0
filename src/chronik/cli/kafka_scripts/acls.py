"""``kafka-acls.sh``: asks the cluster about access rules; one without an authorizer, as Chronik is, refuses."""

from enum import IntEnum
from typing import Final, NamedTuple

from chronik.cli.kafka_scripts.flags import BOOTSTRAP, COMMAND_CONFIG, Given, UsageError, switch, unsupported, value
from chronik.cli.kafka_scripts.java_errors import java_text
from chronik.cli.kafka_scripts.session import FAILED, Tool, ask, say
from chronik.client.cluster import Cluster
from chronik.client.errors import RefusedError, check
from chronik.model.operations import Operation
from chronik.protocol.generated.create_acls import AclCreation, CreateAclsRequest, CreateAclsResponse
from chronik.protocol.generated.delete_acls import DeleteAclsFilter, DeleteAclsRequest, DeleteAclsResponse
from chronik.protocol.generated.describe_acls import DescribeAclsRequest, DescribeAclsResponse

_ANYONE: Final = "*"
_CLUSTER_NAME: Final = "kafka-cluster"


class Resource(IntEnum):
    """The type of a resource, with its number on the wire."""

    ANY = 1
    TOPIC = 2
    GROUP = 3
    CLUSTER = 4
    TRANSACTIONAL_ID = 5
    DELEGATION_TOKEN = 6
    USER = 7


class Pattern(IntEnum):
    """The pattern type of a resource name, with its number on the wire."""

    ANY = 1
    MATCH = 2
    LITERAL = 3
    PREFIXED = 4


class Permission(IntEnum):
    """The permission type, with its number on the wire."""

    ANY = 1
    DENY = 2
    ALLOW = 3


class AclBinding(NamedTuple):
    """One access rule."""

    resource: Resource
    name: str
    pattern: Pattern
    principal: str
    host: str
    operation: Operation
    permission: Permission

    @property
    def place(self) -> str:
        """Name the resource as Kafka's tool does."""
        kind, pattern = self.resource.name, self.pattern.name
        return f"ResourcePattern(resourceType={kind}, name={self.name}, patternType={pattern})"

    def __str__(self) -> str:
        """Spell the rule as Kafka's tool does."""
        return (
            f"(principal={self.principal}, host={self.host}, operation={self.operation.name}, "
            f"permissionType={self.permission.name})"
        )


FLAGS: Final = (
    BOOTSTRAP,
    COMMAND_CONFIG,
    switch("list", "List rules."),
    switch("add", "Add rules."),
    switch("remove", "Remove rules."),
    value("allow-principal", "The allowed principal: User:NAME."),
    value("deny-principal", "The denied principal: User:NAME."),
    value("allow-host", "The allowed host; * is every host."),
    value("deny-host", "The denied host; * is every host."),
    value("principal", "With --list: only rules of this principal."),
    value("operation", "What is allowed or denied: Read, Write, Describe, ... Default: All."),
    value("topic", "A topic."),
    value("group", "A consumer group."),
    value("transactional-id", "A transactional id."),
    switch("cluster", "The cluster."),
    value("resource-pattern-type", "literal (the default), prefixed; with --list also match and any."),
    switch("force", "Do not ask before --remove."),
    unsupported("producer", "name --operation and --topic"),
    unsupported("consumer", "name --operation, --topic and --group"),
    unsupported("idempotent", "use --operation IdempotentWrite --cluster"),
    unsupported("authorizer", "use --bootstrap-server HOST:PORT"),
    unsupported("authorizer-properties", "use --bootstrap-server HOST:PORT"),
    unsupported("bootstrap-controller", "use --bootstrap-server: brokers take every change"),
    unsupported("delegation-token", "there are no delegation tokens"),
    unsupported("user-principal", "there are no delegation tokens"),
)


def work(given: Given) -> int:
    action = given.exactly_one(
        ("list", "add", "remove"), "Command must include exactly one action: --list, --add, --remove. "
    )
    places = _places(given)
    if action != "list" and not places:
        raise UsageError(
            "You must specify at least one resource: --topic <topic> or --cluster or --group <group> "
            "or --transactional-id <id>"
        )
    rules = _rules(given, places) if action != "list" else []
    if action == "remove" and "force" not in given and not _is_confirmed(rules):
        return 0

    async def act(cluster: Cluster) -> int:
        try:
            await (
                _list(cluster, given, places) if action == "list" else _change(cluster, rules, adding=action == "add")
            )
        except RefusedError as error:
            say(f"Error while executing ACL command: {java_text(error)}")
            return FAILED
        return 0

    return ask(given, act)


def _places(given: Given) -> list[tuple[Resource, str]]:
    kinds = {"topic": Resource.TOPIC, "group": Resource.GROUP, "transactional-id": Resource.TRANSACTIONAL_ID}
    places = [(kind, name) for flag, kind in kinds.items() for name in given.many(flag)]
    return [*places, (Resource.CLUSTER, _CLUSTER_NAME)] if "cluster" in given else places


def _pattern(given: Given, default: Pattern) -> Pattern:
    try:
        return Pattern[given.one("resource-pattern-type", default.name).upper()]
    except KeyError:
        raise UsageError(f"Unknown resource-pattern-type {given.one('resource-pattern-type')}") from None


def _operations(given: Given) -> list[Operation]:
    known = {operation.name.replace("_", ""): operation for operation in Operation}
    names = given.many("operation") or ["All"]
    try:
        return [known[name.upper().replace("_", "")] for name in names]
    except KeyError as error:
        raise UsageError(f"ResourceType {error} is no operation; known are {', '.join(known)}") from None


def _rules(given: Given, places: list[tuple[Resource, str]]) -> list[AclBinding]:
    sides = (("allow", Permission.ALLOW), ("deny", Permission.DENY))
    rules = [
        AclBinding(kind, name, _pattern(given, Pattern.LITERAL), principal, host, operation, permission)
        for word, permission in sides
        for principal in given.many(f"{word}-principal")
        for host in given.many(f"{word}-host") or [_ANYONE]
        for operation in _operations(given)
        for kind, name in places
    ]
    if not rules:
        raise UsageError(
            "You must specify one of: --allow-principal, --deny-principal when trying to add or remove ACLs."
        )
    return rules


def _is_confirmed(rules: list[AclBinding]) -> bool:
    for rule in rules:
        say(f"Are you sure you want to remove {rule} from resource `{rule.place}`? (y/n)")
    try:
        return input().strip().lower() == "y"
    except EOFError:
        return False


async def _list(cluster: Cluster, given: Given, places: list[tuple[Resource, str]]) -> None:
    connection = await cluster.any_connection()
    filters: list[tuple[Resource, str | None]] = [*places] or [(Resource.ANY, None)]
    for wanted, name in filters:
        request = DescribeAclsRequest(
            resource_type_filter=wanted,
            resource_name_filter=name,
            pattern_type_filter=_pattern(given, Pattern.ANY if not places else Pattern.LITERAL),
            principal_filter=given.one("principal") or None,
            host_filter=None,
            operation=Operation.ANY,
            permission_type=Permission.ANY,
        )
        answer = await connection.call(request, DescribeAclsResponse)
        check(answer.error_code, "DescribeAcls", answer.error_message)
        for found in answer.resources:
            kind, pattern = Resource(found.resource_type), Pattern(found.pattern_type)
            say(
                f"Current ACLs for resource `ResourcePattern(resourceType={kind.name}, name={found.resource_name}, "
                f"patternType={pattern.name})`: "
            )
            for acl in found.acls:
                operation, permission = Operation(acl.operation), Permission(acl.permission_type)
                rule = AclBinding(kind, found.resource_name, pattern, acl.principal, acl.host, operation, permission)
                say(f" \t{rule} ")
            say()


async def _change(cluster: Cluster, rules: list[AclBinding], *, adding: bool) -> None:
    connection = await cluster.controller()
    if not adding:
        filters = [DeleteAclsFilter(*rule) for rule in rules]
        answer = await connection.call(DeleteAclsRequest(filters=filters), DeleteAclsResponse)
        for removed in answer.filter_results:
            check(removed.error_code, "DeleteAcls", removed.error_message)
        return
    for place in dict.fromkeys(rule.place for rule in rules):
        say(f"Adding ACLs for resource `{place}`: ")
        for rule in rules:
            if rule.place == place:
                say(f" \t{rule} ")
        say()
    request = CreateAclsRequest(creations=[AclCreation(*rule) for rule in rules])
    for made in (await connection.call(request, CreateAclsResponse)).results:
        check(made.error_code, "CreateAcls", made.error_message)


TOOL: Final = Tool("kafka-acls.sh", "List, add or remove access rules.", FLAGS, work)
