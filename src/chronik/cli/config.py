"""``chronik config``: get and set configs of topics and brokers."""

from collections.abc import Iterable
from typing import Any, Final

import click

from chronik.cli.shell.options import ClientOptions, client_options, examples, with_cluster
from chronik.cli.shell.output import print_json, print_table
from chronik.cli.shell.settings_pairs import config_changes, pairs
from chronik.client.admin_configs import EVERY_BROKER, ConfigAdmin, ConfigView
from chronik.client.cluster import Cluster
from chronik.protocol.config_resources import AlterConfigOp, ResourceType

_RESOURCES: Final = {"topic": ResourceType.TOPIC, "broker": ResourceType.BROKER}
_EVERY: Final = "default"

_kind = click.argument("kind", type=click.Choice(list(_RESOURCES)))
_name = click.argument("name")


@click.group()
def config() -> None:
    """Get and set configs: KIND is 'topic' or 'broker'; broker 'default' holds the configs of all brokers."""


@config.command(
    epilog=examples(
        "chronik config get topic orders",
        "chronik config get topic orders retention.ms --docs",
        "chronik config get broker 1 --all",
    )
)
@_kind
@_name
@click.argument("keys", nargs=-1)
@click.option("--all", "show_all", is_flag=True, help="Show defaults too (keys that are named are always shown).")
@click.option("--docs", is_flag=True, help="Show what each config means.")
@client_options
def get(options: ClientOptions, kind: str, name: str, keys: tuple[str, ...], show_all: bool, docs: bool) -> int:
    """Show the configs that are not defaults, the named ones, or all."""

    async def work(cluster: Cluster) -> None:
        admin = ConfigAdmin(cluster)
        found = await admin.describe(_RESOURCES[kind], _wire_name(name), keys or None, documentation=docs)
        shown = [view for view in found if show_all or keys or not view.is_default]
        _print(options, shown, docs)

    return with_cluster(options, work)


def _print(options: ClientOptions, views: Iterable[ConfigView], docs: bool) -> None:
    documents = [_document(view, docs) for view in views]
    if options.as_json:
        print_json(documents)
        return
    columns = ("config", "value", "set by", "read-only", *(("meaning",) if docs else ()))
    print_table(columns, [list(document.values()) for document in documents])


def _document(view: ConfigView, docs: bool) -> dict[str, Any]:
    document: dict[str, Any] = {
        "name": view.name,
        "value": "(hidden)" if view.is_sensitive else view.value,
        "source": view.source.name,
        "read_only": view.is_read_only,
    }
    return {**document, "documentation": view.documentation} if docs else document


@config.command(
    "set",
    epilog=examples(
        "chronik config set topic orders retention.ms=86400000",
        "chronik config set topic orders --delete retention.ms",
        "chronik config set broker default message.max.bytes=2000000",
    ),
)
@_kind
@_name
@click.argument("assignments", nargs=-1, metavar="[KEY=VALUE]...")
@click.option("--delete", "deletes", multiple=True, metavar="KEY", help="Take a config back to its default.")
@click.option("--append", "appends", multiple=True, metavar="KEY=VALUE", help="Add to a list.")
@click.option("--subtract", "subtracts", multiple=True, metavar="KEY=VALUE", help="Take from a list.")
@click.option("--validate-only", is_flag=True, help="Only check whether the changes are valid.")
@client_options
def set_configs(
    options: ClientOptions,
    kind: str,
    name: str,
    assignments: tuple[str, ...],
    deletes: tuple[str, ...],
    appends: tuple[str, ...],
    subtracts: tuple[str, ...],
    validate_only: bool,
) -> int:
    """Change some configs and keep the others; all changes are made, or none."""
    changes = [
        *config_changes(pairs(assignments, "assignment"), deletes),
        *((key, AlterConfigOp.APPEND, value) for key, value in pairs(appends, "--append").items()),
        *((key, AlterConfigOp.SUBTRACT, value) for key, value in pairs(subtracts, "--subtract").items()),
    ]
    if not changes:
        raise click.UsageError("nothing to change: give KEY=VALUE, --delete, --append or --subtract")

    async def work(cluster: Cluster) -> None:
        await ConfigAdmin(cluster).alter(_RESOURCES[kind], _wire_name(name), changes, validate_only=validate_only)
        made = [{"name": key, "change": what.name, "value": value} for key, what, value in changes]
        if options.as_json:
            print_json({kind: name, "validated" if validate_only else "changed": made})
        else:
            click.echo(f"{kind} {name}: {len(made)} change(s) {'are valid' if validate_only else 'made'}")

    return with_cluster(options, work)


def _wire_name(name: str) -> str:
    return EVERY_BROKER if name == _EVERY else name
