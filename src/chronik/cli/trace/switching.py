"""``chronik trace on|off|status``: set and show the configs that switch traces."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Final

import click

from chronik.cli.shell.options import ClientOptions, client_options, examples, with_cluster
from chronik.cli.shell.output import print_json, print_table
from chronik.cli.trace.sources import http_option, traced_brokers
from chronik.client.admin_configs import EVERY_BROKER, ConfigAdmin, ConfigView
from chronik.client.cluster import Cluster
from chronik.observability.trace_rules import TraceRule
from chronik.protocol.config_resources import AlterConfigOp, ConfigSource, ResourceType

TRACE: Final = "chronik.trace"
FILES: Final = "chronik.trace.files"
_ALL: Final = "all"
_OFF: Final = "off"

_topics = click.option("--topic", "topics", multiple=True, metavar="TOPIC", help="A topic; may be given several times.")


@click.command(
    "on",
    epilog=examples(
        "chronik trace on --topic orders",
        "chronik trace on --topic orders --client payments",
        "chronik trace on --client 'rdkafka*' --files",
    ),
)
@_topics
@click.option("--client", metavar="CLIENT_ID", help="Only the requests of this client; NAME* matches a prefix.")
@click.option("--files", is_flag=True, help="Every broker also writes files below its data directory.")
@client_options
def switch_on(options: ClientOptions, topics: tuple[str, ...], client: str | None, files: bool) -> int:
    """Trace topics; without --topic, trace everything."""
    if client == "":
        raise click.BadParameter("a client's name is needed", param_hint="'--client'")
    rule = str(TraceRule(is_on=True, client=client))

    async def work(cluster: Cluster) -> None:
        admin = ConfigAdmin(cluster)
        for topic in topics:
            await admin.alter(ResourceType.TOPIC, topic, [(TRACE, AlterConfigOp.SET, rule)])
        changes = [] if topics else [(TRACE, AlterConfigOp.SET, rule)]
        changes += [(FILES, AlterConfigOp.SET, "true")] if files else []
        if changes:
            await admin.alter(ResourceType.BROKER, EVERY_BROKER, changes)
        _print_change(options, {"traced": list(topics) or _ALL, "rule": rule, "files": files}, f"trace {rule}", topics)

    return with_cluster(options, work)


@click.command("off", epilog=examples("chronik trace off --topic orders", "chronik trace off"))
@_topics
@client_options
def switch_off(options: ClientOptions, topics: tuple[str, ...]) -> int:
    """Stop tracing topics; without --topic, stop all traces and trace files."""

    async def work(cluster: Cluster) -> None:
        admin = ConfigAdmin(cluster)
        for topic in topics:
            await _switch_topic_off(admin, topic)
        if not topics:
            await _switch_everything_off(cluster, admin)
        _print_change(options, {"not_traced": list(topics) or _ALL}, "trace off", topics)

    return with_cluster(options, work)


def _print_change(options: ClientOptions, document: dict[str, Any], what: str, topics: Sequence[str]) -> None:
    if options.as_json:
        print_json(document)
    else:
        click.echo(f"{what}: {', '.join(topics) or 'all topics'}")


async def _switch_topic_off(admin: ConfigAdmin, topic: str) -> None:
    (view,) = await admin.describe(ResourceType.TOPIC, topic, [TRACE], synonyms=True)
    below = next((each.value for each in view.synonyms if each.source is not ConfigSource.TOPIC), None)
    # Where the brokers trace every topic, this one needs a rule of its own.
    change = (TRACE, AlterConfigOp.DELETE, None) if below in (None, _OFF) else (TRACE, AlterConfigOp.SET, _OFF)
    await admin.alter(ResourceType.TOPIC, topic, [change])


async def _switch_everything_off(cluster: Cluster, admin: ConfigAdmin) -> None:
    delete = [(TRACE, AlterConfigOp.DELETE, None), (FILES, AlterConfigOp.DELETE, None)]
    await admin.alter(ResourceType.BROKER, EVERY_BROKER, delete)
    view = await cluster.refresh(None)
    for node in sorted(view.brokers):
        await admin.alter(ResourceType.BROKER, str(node), delete)
    for topic in await _own_rules(admin, sorted(view.topics)):
        await admin.alter(ResourceType.TOPIC, topic, delete[:1])


async def _own_rules(admin: ConfigAdmin, topics: Sequence[str]) -> dict[str, str]:
    """Return the trace rules that are set on topics."""
    found = await admin.describe_topics(topics, [TRACE])
    return {
        topic: str(view.value) for topic, views in found.items() for view in views if view.source is ConfigSource.TOPIC
    }


@click.command(epilog=examples("chronik trace status", "chronik trace status --json"))
@http_option
@client_options
def status(options: ClientOptions, http: str | None) -> int:
    """Show the trace rules, and the events that each broker holds."""

    async def work(cluster: Cluster) -> None:
        admin = ConfigAdmin(cluster)
        view = await cluster.refresh(None)
        rules = [await _broker_rule(admin, node) for node in sorted(view.brokers)]
        topics = await _own_rules(admin, sorted(view.topics))
        held = await _held(cluster, http)
        _print_status(options, [{**rule, **held.get(rule["node"], {})} for rule in rules], topics)

    return with_cluster(options, work)


async def _broker_rule(admin: ConfigAdmin, node: int) -> dict[str, Any]:
    views = await admin.describe(ResourceType.BROKER, str(node), [TRACE, FILES])
    values: dict[str, ConfigView] = {view.name: view for view in views}
    return {"node": node, "trace": values[TRACE].value, "files": values[FILES].value == "true"}


async def _held(cluster: Cluster, http: str | None) -> dict[int, dict[str, Any]]:
    """Return the range of events that each broker holds, where its HTTP server answers."""
    brokers = await traced_brokers(cluster, http)
    pages = await asyncio.gather(*(broker.page(after=None, limit=0) for broker in brokers), return_exceptions=True)
    return {
        broker.node: {"first": page["first"], "next": page["end"]}
        for broker, page in zip(brokers, pages, strict=True)
        if isinstance(page, dict)
    }


def _print_status(options: ClientOptions, brokers: list[dict[str, Any]], topics: dict[str, str]) -> None:
    if options.as_json:
        print_json({"brokers": brokers, "topics": topics})
        return
    rows = [
        (each["node"], _rule_shown(each["trace"], topics), each["files"], each.get("first"), each.get("next"))
        for each in brokers
    ]
    print_table(("broker", "trace", "files", "oldest event", "next event"), rows)
    click.echo()
    if topics:
        print_table(("topic", "trace"), list(topics.items()))
    else:
        click.echo("no topic has a rule of its own")


def _rule_shown(broker_rule: str, topics: Mapping[str, str]) -> str:
    """Return the broker's rule; where it is off, the number of topics that the broker traces by their own rules."""
    traced = sum(rule != _OFF for rule in topics.values())
    if broker_rule != _OFF or not traced:
        return broker_rule
    return f"{traced} topic{'s' if traced > 1 else ''}"
