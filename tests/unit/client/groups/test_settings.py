"""Settings of a group's member are read by Kafka's names, and all problems are told at once."""

import pytest

from chronik.client.errors import SettingsRefusedError
from chronik.client.groups.settings import GroupConsumerSettings, group_settings


def test_settings_are_read_by_kafkas_names() -> None:
    given = {
        "group.instance.id": "one",
        "session.timeout.ms": "6000",
        "auto.offset.reset": "EARLIEST",
        "enable.auto.commit": "false",
        "partition.assignment.strategy": "org.apache.kafka.clients.consumer.RoundRobinAssignor,range",
    }
    settings = group_settings(given)
    assert settings == GroupConsumerSettings(
        instance_id="one",
        session_timeout_ms=6000,
        offset_reset="earliest",
        auto_commit=False,
        assignors=("roundrobin", "range"),
    )


def test_every_problem_is_named() -> None:
    with pytest.raises(SettingsRefusedError) as refused:
        group_settings(
            {"auto.offset.reset": "first", "partition.assignment.strategy": "sticky", "session.timeout": "1"}
        )
    assert "use one of earliest, latest, none" in refused.value.what
    assert "not sticky" in refused.value.what
    assert "did you mean 'session.timeout.ms'" in refused.value.what


def test_a_member_must_beat_more_often_than_its_session_lasts() -> None:
    with pytest.raises(SettingsRefusedError, match=r"less than session\.timeout\.ms"):
        group_settings({"session.timeout.ms": "3000"})
