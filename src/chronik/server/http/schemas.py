"""The shapes of the answers, as JSON schemas: what ``/api/openapi.json`` promises, and tests hold answers against."""

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
    """Make an object that has all of these members and no others."""
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
    "A follower as its leader sees it; its log end is null until its first fetch in this term.",
)
_REPLICA: Final[dict[str, Schema]] = {
    "topic": _TEXT,
    "topic_id": _TEXT,
    "partition": _NUMBER,
    "role": {"enum": ["leader", "follower", "offline"]},
    "leader": {"type": "integer", "description": "-1 where nobody leads"},
    "leader_epoch": _NUMBER,
    "replicas": _NODES,
    "isr": _NODES,
    "elr": _NODES,
    "required_in_sync": {"type": "integer", "description": "how many must be in sync for the watermark to move"},
    "log_start": _OFFSET,
    "high_watermark": _OFFSET,
    "last_stable_offset": _OFFSET,
    "log_end": _OFFSET,
    "lag": {**_OFFSET, "description": "log end less high watermark: written and not committed"},
    "size_bytes": _OFFSET,
    "stands_for_ms": {
        "type": "integer",
        "minimum": 0,
        "description": "how long the watermark has not moved while the log ends above it",
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
        "description": "silent: registered without answering; gone: not registered; unseen: it has no HTTP side",
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
            "description": "what is special about the count",
        },
    },
    "A group's position in a partition.",
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
    "standing": {**_NUMBER, "description": "partitions whose watermark stands still while their log is longer"},
}

SCHEMAS: Final[dict[str, Schema]] = {
    "Error": _object({"error": _TEXT, "what_to_do": _TEXT}, "What is wrong, and what to do."),
    "Live": _object({"live": {"const": True}}),
    "Ready": _object({"ready": _YES_NO, "why_not": _list(_TEXT)}),
    "LoopDelay": _object(
        {"last_ms": _REAL, "longest_minute_ms": _REAL}, "How late the event loop was, last and at worst of late."
    ),
    "Rates": _object(
        {"requests": _REAL, "bytes_in": _REAL, "bytes_out": _REAL, "messages_in": _REAL}, "Per second, of late."
    ),
    "Follower": _FOLLOWER,
    "Replica": _object(_REPLICA, "One replica, as the broker that holds it sees it."),
    "Partition": _object(
        {
            **_REPLICA,
            "replica_ends": {
                "type": "object",
                "additionalProperties": _OFFSET,
                "description": "the log end that each replica tells of itself, by broker",
            },
            "seen_by": {**_or_null("integer"), "description": "whose view it is: the leader's, unless that is silent"},
        },
        "One partition, as its leader sees it.",
    ),
    "Member": _object({"id": _TEXT, "client_id": _TEXT, "host": _TEXT, "partitions": _list(_TEXT)}),
    "Position": _POSITION,
    "OwnGroup": _object(_OWN_GROUP, "A group, as its coordinator alone knows it."),
    "Group": _object({**_OWN_GROUP, "coordinator": _NUMBER}, "A group, with its lag by the leaders' watermarks."),
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
        "A broker as the one that is asked sees it; what a silent one would tell is null.",
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
            "asked": {"type": "integer", "description": "the broker that answers"},
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
                            "description": "whose log end moved it; null: the in-sync set",
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
        "Counts are since the start, times of the last one to two minutes.",
    ),
    "Stage": _object({"p50_ms": _REAL, "p99_ms": _REAL, "max_ms": _REAL}),
    "Traces": _object(
        {
            "node_id": _NUMBER,
            "started_ms": _NUMBER,
            "first": {"type": "integer", "description": "the oldest number that is still held"},
            "next": {"type": "integer", "description": "where the next part begins: after is one less"},
            "end": {"type": "integer", "description": "the number that the next event will have"},
            "now_us": {"type": "integer", "description": "the broker's wall clock, in microseconds, when that was so"},
            "dropped": {"type": "integer", "description": "how many that were asked for are gone"},
            "events": _list({"type": "object", "required": ["node", "seq", "at_ms", "event"]}),
        }
    ),
    "OpenApi": {"type": "object", "required": ["openapi", "info", "paths"]},
}
