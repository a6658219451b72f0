"""``chronik doctor``: looks at everything a broker needs of its machine, and says what is wrong and what to do."""

import asyncio
import os
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from chronik.cli import exits
from chronik.cli.serve import broker_environment, default_settings, option_overrides
from chronik.cli.shell.settings_pairs import overrides_of

if TYPE_CHECKING:
    from chronik.cli.doctor.checks import Finding
    from chronik.cli.doctor.facts import PortFacts
    from chronik.server.settings.server import Settings


@click.command()
@click.option("--config", "config_file", type=click.Path(dir_okay=False), help="A server.properties file.")
@click.option("--listen", metavar="HOST:PORT", help="Where clients would connect.")
@click.option("--data", type=click.Path(file_okay=False), help="The data directory.")
@click.option("--node-id", type=click.IntRange(0), help="This broker's number in the cluster.")
@click.option("-X", "overrides", multiple=True, metavar="KEY=VALUE", help="A setting, by Kafka's name; it wins.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
@click.pass_context
def doctor(
    ctx: click.Context,
    config_file: str | None,
    listen: str | None,
    data: str | None,
    node_id: int | None,
    overrides: tuple[str, ...],
    as_json: bool,
) -> int:
    """Check clock, limits, disk, ports, advertised addresses and store for a broker with these settings.

    Takes the settings of 'chronik serve' and changes nothing: a small file is written, flushed and removed in the data
    directory, and a port that is free is held for a moment. A broker that runs already is asked what it speaks.

    The exit code is 1 where something is wrong, 2 where nothing is wrong but something could not be told.
    """
    from chronik.server.settings.server import SettingsError, load_settings

    given = {**overrides_of(ctx, overrides), **option_overrides(listen, data, node_id)}
    defaults = default_settings(os.environ.get("XDG_DATA_HOME"))
    try:
        settings = load_settings(config_file, broker_environment(os.environ), given, defaults)
    except SettingsError as error:
        ports: list[PortFacts] = []
        findings = list(_without_settings(error.problems))
    else:
        ports, findings = _with_settings(settings)
    _show(findings, ports, as_json)
    return exit_code_of(findings)


def _without_settings(problems: Sequence[str]) -> "Iterator[Finding]":
    """Check what does not depend on the settings, which cannot be used."""
    from chronik.cli.doctor import checks, facts

    yield from checks.check_settings(problems, ())
    yield checks.check_clock(facts.observe_clock(None))
    limits = facts.observe_limits()
    yield checks.check_swap(limits)
    yield checks.check_map_count(limits)


def _with_settings(settings: "Settings") -> "tuple[list[PortFacts], list[Finding]]":
    from chronik.cli.doctor import checks, facts
    from chronik.cli.doctor import store as around
    from chronik.cli.doctor.network import observe_listener

    async def observe_all() -> Any:
        network = [await observe_listener(listener) for listener in settings.listeners]
        return (
            network,
            await around.observe_http(settings.http_listener),
            await around.observe_store(settings.metadata_store),
        )

    limits, disk = facts.observe_limits(), facts.observe_disk(settings.data_dir)
    network, http, store = asyncio.run(observe_all())
    findings = [
        *checks.check_settings((), settings.warnings),
        checks.check_clock(facts.observe_clock(settings.data_dir)),
        checks.check_open_files(limits, settings.connections_max, disk.segments),
        checks.check_memory(limits, settings.in_flight_bytes_max),
        checks.check_swap(limits),
        checks.check_map_count(limits),
        checks.check_space(disk),
        checks.check_inodes(disk),
        checks.check_writing(disk),
        checks.check_filesystem(disk),
        *(checks.check_port(port) for port, _ in network),
        around.check_http(http),
        *(checks.check_advertised(address) for _, address in network),
        around.check_store(store),
    ]
    return [port for port, _ in network], findings


def exit_code_of(findings: "Iterable[Finding]") -> int:
    """Give the verdict over all findings; hints do not count."""
    from chronik.cli.doctor.checks import Verdict

    verdicts = {finding.verdict for finding in findings}
    if Verdict.WRONG in verdicts:
        return exits.FAILED
    return exits.UNKNOWN if Verdict.UNKNOWN in verdicts else exits.OK


def _show(findings: "Sequence[Finding]", ports: "Iterable[PortFacts]", as_json: bool) -> None:
    from chronik.cli.shell.output import print_json, print_table

    if as_json:
        print_json({"findings": [_document(finding) for finding in findings], "brokers": _brokers(ports)})
        return
    rows = [(finding.check, finding.verdict.value, finding.what, finding.advice) for finding in findings]
    print_table(("check", "verdict", "found", "what to do"), rows)


def _document(finding: "Finding") -> dict[str, str]:
    return {
        "check": finding.check,
        "verdict": finding.verdict.value,
        "found": finding.what,
        "advice": finding.advice,
    }


def _brokers(ports: "Iterable[PortFacts]") -> list[dict[str, Any]]:
    """Show the brokers that answered, with the table of what they speak."""
    return [
        {
            "listener": port.name,
            "port": port.port,
            "cluster_id": port.broker.cluster_id,
            "apis": {_api_name(key): list(versions) for key, versions in sorted(port.broker.versions.items())},
        }
        for port in ports
        if port.broker is not None
    ]


def _api_name(key: int) -> str:
    from chronik.protocol.apis import ApiKey

    return ApiKey(key).name if key in ApiKey._value2member_map_ else str(key)
