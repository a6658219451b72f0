"""The controller's decisions under one roof: each takes an image and a wish, and gives a plan or a refusal."""

from chronik.metadata.broker_decisions import (
    PRODUCER_ID_BLOCK,
    ProducerIdBlock,
    plan_producer_id_block,
    plan_register_broker,
)
from chronik.metadata.config_decisions import (
    ConfigChange,
    ConfigOp,
    plan_change_broker_configs,
    plan_change_topic_configs,
    plan_replace_broker_configs,
    plan_replace_topic_configs,
)
from chronik.metadata.plan import Plan, Refusal, Transaction
from chronik.metadata.topic_decisions import (
    AS_CONFIGURED,
    ClusterRules,
    CreatedTopic,
    MorePartitions,
    NewTopic,
    find_topics,
    plan_create_partitions,
    plan_create_topics,
    plan_delete_topics,
    plan_remove_unclaimed,
)

__all__ = [
    "AS_CONFIGURED",
    "PRODUCER_ID_BLOCK",
    "ClusterRules",
    "ConfigChange",
    "ConfigOp",
    "CreatedTopic",
    "MorePartitions",
    "NewTopic",
    "Plan",
    "ProducerIdBlock",
    "Refusal",
    "Transaction",
    "find_topics",
    "plan_change_broker_configs",
    "plan_change_topic_configs",
    "plan_create_partitions",
    "plan_create_topics",
    "plan_delete_topics",
    "plan_producer_id_block",
    "plan_register_broker",
    "plan_remove_unclaimed",
    "plan_replace_broker_configs",
    "plan_replace_topic_configs",
]
