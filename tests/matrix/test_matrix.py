"""Every client with everything that it can do, against a real broker process."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.matrix import clients
from tests.matrix.capabilities import LACKS, TRIED, Capability, Client
from tests.matrix.conftest import OTHER_BROKER, RunningClients, require
from tests.matrix.program import MatrixClient
from tests.matrix.scenarios import SCENARIOS, Trial

CELLS = [
    pytest.param(client, capability, id=f"{client}-{capability}", marks=pytest.mark.xdist_group(f"matrix {client}"))
    for client, capability in TRIED
]


@pytest.mark.parametrize(("client", "capability"), CELLS)
def test_the_client_can(
    client: Client,
    capability: Capability,
    bootstrap: str,
    topic_name: str,
    running_clients: RunningClients,
    record_property: Callable[[str, Any], None],
) -> None:
    if OTHER_BROKER is not None and capability is Capability.TRANSACTIONS_REFUSED:
        pytest.skip("another broker may have transactions")
    require(client)
    victims: list[MatrixClient] = []

    def start_another() -> MatrixClient:
        victims.append(running_clients.start(client, bootstrap))
        return victims[-1]

    program = running_clients.get(client, bootstrap)
    for name, value in (("client", client), ("capability", capability), ("version", program.ask("version"))):
        record_property(name, str(value))
    try:
        SCENARIOS[capability](Trial(program, start_another, bootstrap, topic_name))
    except BaseException:
        running_clients.end(client)
        raise
    finally:
        for victim in victims:
            victim.close()


def test_each_cell_is_a_test_or_a_stated_reason() -> None:
    assert set(TRIED).isdisjoint(LACKS)
    assert set(TRIED) | set(LACKS) == {(client, capability) for client in Client for capability in Capability}
    assert all(reason.endswith(".") for reason in LACKS.values())
    assert SCENARIOS.keys() == set(Capability)
    assert clients.RECIPES.keys() == set(Client)
