"""The JSON schemas of the responses: published in ``/api/openapi.json``, and tests validate responses with them."""

from typing import Any, Final

Schema = dict[str, Any]

_TEXT: Final[Schema] = {"type": "string"}
_NUMBER: Final[Schema] = {"type": "integer"}
_REAL: Final[Schema] = {"type": "number"}
_YES_NO: Final[Schema] = {"type": "boolean"}
_OFFSET: Final[Schema] = {"type": ["integer", "null"], "minimum": 0}
_NODES: Final[Schema] = {"type": "array", "items": {"type": "integer"}}


def _or_null(kind: str) -> Schema:
    return {"type": [kind, "null"]}


def _list(item: Schema) -> Schema:
    return {"type": "array", "items": item}


def _ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def _object(members: dict[str, Schema], meaning: str = "") -> Schema:
    """Return the schema of an object with exactly these members."""
    described: Schema = {"description": meaning} if meaning else {}
    return {
        **described,
        "type": "object",
        "properties": members,
        "required": list(members),
        "additionalProperties": False,
    }


_FOLLOWER: Final = _object(
    {
        "node": _NUMBER,
        "log_end": _OFFSET,
        "in_sync": _YES_NO,
        "caught_up_ms_ago": _NUMBER,
        "fetched_ms_ago": _NUMBER,
    },
    "A follower, as its leader knows it; its log end is null until its first fetch in this leader epoch.",
)
_REPLICA: Final[dict[str, Schema]] = {
    "topic": _TEXT,
    "topic_id": _TEXT,
    "partition": _NUMBER,
    "role": {"enum": ["leader", "follower", "offline"]},
    "leader": {"type": "integer", "description": "-1: there is no leader"},
    "leader_epoch": _NUMBER,
    "replicas": _NODES,
    "isr": _NODES,
    "elr": _NODES,
    "required_in_sync": {
        "type": "integer",
        "description": "how many replicas must be in sync for the high watermark to advance",
    },
    "log_start": _OFFSET,
    "high_watermark": _OFFSET,
    "last_stable_offset": _OFFSET,
    "log_end": _OFFSET,
    "lag": {**_OFFSET, "description": "log end minus high watermark: written and not committed"},
    "size_bytes": _OFFSET,
    "stands_for_ms": {
        "type": "integer",
        "minimum": 0,
        "description": "how long the high watermark has not moved below the log end",
    },
    "followers": _list(_ref("Follower")),
    "why_offline": _or_null("string"),
}
_HEAD: Final[dict[str, Schema]] = {
    "node_id": _NUMBER,
    "version": _or_null("string"),
    "cluster_id": _or_null("string"),
    "is_controller": _YES_NO,
    "state": {
        "enum": ["serving", "silent", "gone", "unseen"],
        "description": "silent: registered, does not answer; gone: not registered; unseen: no HTTP server to ask",
    },
    "started_ms": _or_null("integer"),
    "now_ms": _or_null("integer"),
    "kafka": _or_null("string"),
    "http": _or_null("string"),
    "rack": _or_null("string"),
    "memory_bytes": _or_null("integer"),
    "cpu_s": _or_null("number"),
    "connections": _or_null("integer"),
    "loop_delay": {"anyOf": [_ref("LoopDelay"), {"type": "null"}]},
    "rates": {"anyOf": [_ref("Rates"), {"type": "null"}]},
}
_POSITION: Final = _object(
    {
        "topic": _TEXT,
        "partition": _NUMBER,
        "committed": _NUMBER,
        "log_start": _OFFSET,
        "end": {**_OFFSET, "description": "the high watermark"},
        "lag": _OFFSET,
        "why": {
            **_or_null("string"),
            "description": "a note on how the lag was counted",
        },
    },
    "A committed offset of a group.",
)
_OWN_GROUP: Final[dict[str, Schema]] = {
    "group": _TEXT,
    "state": _TEXT,
    "protocol": _or_null("string"),
    "generation": _NUMBER,
    "members": _list(_ref("Member")),
    "offsets": _list(_ref("Position")),
    "lag": {"type": "integer", "minimum": 0},
}
_TOPIC_LINE: Final[dict[str, Schema]] = {
    "topic": _TEXT,
    "topic_id": _TEXT,
    "partitions": _NUMBER,
    "replication": _NUMBER,
    "lag": _NUMBER,
    "bytes_in": {**_REAL, "description": "per second, over the last few seconds"},
    "under_replicated": _NUMBER,
    "offline": _NUMBER,
    "standing": {**_NUMBER, "description": "partitions whose high watermark is stalled below the log end"},
    "leader_silent": {**_NUMBER, "description": "partitions whose leader is registered and does not answer"},
}

SCHEMAS: Final[dict[str, Schema]] = {
    "Error": _object({"error": _TEXT, "what_to_do": _TEXT}, "What is wrong, and what to do."),
    "Live": _object({"live": {"const": True}}),
    "Ready": _object({"ready": _YES_NO, "why_not": _list(_TEXT)}),
    "LoopDelay": _object(
        {"last_ms": _REAL, "longest_minute_ms": _REAL},
        "How late the event loop was: last, and the maximum of the last minute.",
    ),
    "Rates": _object(
        {"requests": _REAL, "bytes_in": _REAL, "bytes_out": _REAL, "messages_in": _REAL},
        "Per second, over the last few seconds.",
    ),
    "Follower": _FOLLOWER,
    "Replica": _object(_REPLICA, "One replica, as its broker reports it."),
    "Partition": _object(
        {
            **_REPLICA,
            "replica_ends": {
                "type": "object",
                "additionalProperties": _OFFSET,
                "description": "the log end that each replica reports, by broker",
            },
            "seen_by": {
                **_or_null("integer"),
                "description": "the broker that reported it: the leader, unless it is silent",
            },
            "leader_silent": {**_YES_NO, "description": "whether the leader is registered and does not answer"},
        },
        "One partition, as its leader reports it.",
    ),
    "Member": _object({"id": _TEXT, "client_id": _TEXT, "host": _TEXT, "partitions": _list(_TEXT)}),
    "Position": _POSITION,
    "OwnGroup": _object(_OWN_GROUP, "A group, as its coordinator reports it."),
    "Group": _object({**_OWN_GROUP, "coordinator": _NUMBER}, "A group, with the lag by the leaders' high watermarks."),
    "Broker": _object(
        {
            **_HEAD,
            "topic_bytes_in": {"type": "object", "additionalProperties": _REAL},
            "partitions": _list(_ref("Replica")),
            "groups": _list(_ref("OwnGroup")),
        }
    ),
    "BrokerLine": _object(
        {**_HEAD, "up": _YES_NO, "silent_for_ms": _NUMBER, "leads": _NUMBER, "replicas": _NUMBER},
        "A broker, as the responding broker sees it; fields that only its own report has are null if it is silent.",
    ),
    "TopicLine": _object(_TOPIC_LINE),
    "GroupLine": _object({"group": _TEXT, "state": _TEXT, "members": _NUMBER, "lag": _NUMBER}),
    "Fault": _object(
        {
            "severity": {"enum": ["critical", "warning"]},
            "kind": _TEXT,
            "subject": _TEXT,
            "text": _TEXT,
            "since_ms": _or_null("integer"),
        }
    ),
    "Cluster": _object(
        {
            "cluster_id": _or_null("string"),
            "controller": _or_null("integer"),
            "now_ms": _NUMBER,
            "asked": {"type": "integer", "description": "the responding broker"},
            "brokers": _list(_ref("BrokerLine")),
            "totals": _object(dict.fromkeys(("topics", "partitions", "under_replicated", "offline", "lag"), _NUMBER)),
            "topics": _list(_ref("TopicLine")),
            "groups": _list(_ref("GroupLine")),
            "faults": _list(_ref("Fault")),
        }
    ),
    "Topics": _object({"total": _NUMBER, "topics": _list(_ref("TopicLine"))}),
    "Topic": _object(
        {
            **_TOPIC_LINE,
            "configs": {"type": "object", "additionalProperties": _TEXT},
            "all_partitions": _list(_ref("Partition")),
        }
    ),
    "Partitions": _object({"total": _NUMBER, "partitions": _list(_ref("Partition"))}),
    "Groups": _object({"total": _NUMBER, "groups": _list(_ref("GroupLine"))}),
    "Watermarks": _object(
        {
            "topic": _TEXT,
            "partition": _NUMBER,
            "node_id": _NUMBER,
            "high_watermark": _NUMBER,
            "advances": _list(
                _object(
                    {
                        "at_ms": _NUMBER,
                        "from": _NUMBER,
                        "to": _NUMBER,
                        "by": {
                            **_or_null("integer"),
                            "description": "the broker whose log end advanced it; null: a change of the ISR did",
                        },
                    }
                )
            ),
        }
    ),
    "Requests": _object({"node_id": _NUMBER, "apis": _list(_ref("Api"))}),
    "Api": _object(
        {
            "api": _TEXT,
            "count": _NUMBER,
            "errors": {"type": "object", "additionalProperties": _NUMBER},
            "stages": {"type": "object", "additionalProperties": _ref("Stage")},
        },
        "Counts are since the start; times are of the last one to two minutes.",
    ),
    "Stage": _object({"p50_ms": _REAL, "p99_ms": _REAL, "max_ms": _REAL}),
    "Traces": _object(
        {
            "node_id": _NUMBER,
            "started_ms": _NUMBER,
            "first": {"type": "integer", "description": "the sequence number of the oldest event in memory"},
            "switched_on": {
                "type": "integer",
                "description": "the sequence number at which tracing was last switched from off to on",
            },
            "next": {
                "type": "integer",
                "description": "the first sequence number of the next page; pass one less as after",
            },
            "end": {"type": "integer", "description": "the number that the next event will have"},
            "now_us": {"type": "integer", "description": "the broker's wall clock, in microseconds, when that was so"},
            "dropped": {"type": "integer", "description": "how many that were asked for are gone"},
            "events": _list({"type": "object", "required": ["node", "seq", "at_ms", "event"]}),
        }
    ),
    "OpenApi": {"type": "object", "required": ["openapi", "info", "paths"]},
}
