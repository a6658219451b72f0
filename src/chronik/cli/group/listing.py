"""``chronik group list``: every group of every broker, with state, type and members."""

from collections.abc import Callable, Sequence
from typing import Any

import click

from chronik.cli.shell.options import ClientOptions, client_options, examples, with_cluster
from chronik.cli.shell.output import print_json, print_table
from chronik.client.cluster import Cluster
from chronik.client.errors import ClientError
from chronik.client.groups.admin import STATES, TYPES, WITH_KNOWN_MEMBERS, GroupAdmin, GroupListing, GroupView, matching

_COLUMNS = ("group", "state", "type", "protocol type", "members")
_EXAMPLES = examples(
    "chronik group list",
    "chronik group list --state Empty,Dead",
    "chronik group list --type classic --json",
)


def _one_of(known: Sequence[str]) -> Callable[[click.Context, click.Parameter, tuple[str, ...]], tuple[str, ...]]:
    spelled = {name.lower(): name for name in known}

    def parse(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
        words = [word.strip() for value in values for word in value.split(",")]
        wrong = [word for word in words if word.lower() not in spelled]
        if wrong:
            raise click.BadParameter(f"{', '.join(map(repr, wrong))}: use {', '.join(known)}")
        return tuple(spelled[word.lower()] for word in words)

    return parse


@click.command("list", epilog=_EXAMPLES)
@click.option(
    "--state", "states", multiple=True, metavar="STATE,...", callback=_one_of(STATES), help="Only groups in this state."
)
@click.option(
    "--type", "types", multiple=True, metavar="TYPE,...", callback=_one_of(TYPES), help="Only groups of this type."
)
@client_options
def list_groups(options: ClientOptions, states: tuple[str, ...], types: tuple[str, ...]) -> int:
    """List groups."""

    async def work(cluster: Cluster) -> None:
        found = await listed(cluster)
        kept = {listing.group for listing in matching([row for row, _ in found], states, types)}
        documents = [_document(row, members) for row, members in found if row.group in kept]
        if options.as_json:
            print_json(documents)
        elif documents:
            print_table(_COLUMNS, [[cell if cell != "" else None for cell in row.values()] for row in documents])
        else:
            click.echo("no groups" if not found else f"none of {len(found)} group(s) matches", err=True)

    return with_cluster(options, work)


async def listed(cluster: Cluster) -> list[tuple[GroupListing, int | None]]:
    """Return every group with the number of its members; what a list leaves open is asked of the coordinator."""
    admin = GroupAdmin(cluster)
    listings = await admin.list_groups()
    asked = [listing.group for listing in listings if listing.type in WITH_KNOWN_MEMBERS]
    views = await admin.describe(asked)
    return [_completed(listing, views.get(listing.group)) for listing in listings]


def _completed(listing: GroupListing, view: GroupView | ClientError | None) -> tuple[GroupListing, int | None]:
    if not isinstance(view, GroupView):
        return listing, None
    state, group_type = listing.state or view.state, listing.type or view.type
    return GroupListing(listing.group, state, group_type, listing.protocol_type), len(view.members)


def _document(listing: GroupListing, members: int | None) -> dict[str, Any]:
    return {
        "group": listing.group,
        "state": listing.state,
        "type": listing.type,
        "protocol_type": listing.protocol_type,
        "members": members,
    }
