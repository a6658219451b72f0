"""The controller's decisions under one roof: each takes an image and a wish, and gives a plan or a refusal."""

from chronik.metadata.broker_decisions import (
    PRODUCER_ID_BLOCK,
    LeftPartition,
    ProducerIdBlock,
    Registered,
    may_have_lost,
    plan_clear_lossy,
    plan_leave_sets,
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
from chronik.metadata.election_decisions import (
    ControllerReport,
    Elected,
    ElectionRules,
    next_controller_work,
    plan_take_control,
)
from chronik.metadata.isr_decisions import plan_change_isr, plan_rewrite_unchanged
from chronik.metadata.leader_decisions import (
    LogEnd,
    WishedElection,
    plan_elect_last_known,
    plan_elect_leaders,
    plan_rebalance_preferred,
)
from chronik.metadata.partition_changes import ElectionKind
from chronik.metadata.plan import Plan, Refusal, Transaction
from chronik.metadata.reassignment_decisions import (
    OngoingReassignment,
    ReassignmentWish,
    list_reassignments,
    plan_reassign,
)
from chronik.metadata.shutdown_decisions import HandedOver, plan_hand_over
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
    "ControllerReport",
    "CreatedTopic",
    "Elected",
    "ElectionKind",
    "ElectionRules",
    "HandedOver",
    "LeftPartition",
    "LogEnd",
    "MorePartitions",
    "NewTopic",
    "OngoingReassignment",
    "Plan",
    "ProducerIdBlock",
    "ReassignmentWish",
    "Refusal",
    "Registered",
    "Transaction",
    "WishedElection",
    "find_topics",
    "list_reassignments",
    "may_have_lost",
    "next_controller_work",
    "plan_change_broker_configs",
    "plan_change_isr",
    "plan_change_topic_configs",
    "plan_clear_lossy",
    "plan_create_partitions",
    "plan_create_topics",
    "plan_delete_topics",
    "plan_elect_last_known",
    "plan_elect_leaders",
    "plan_hand_over",
    "plan_leave_sets",
    "plan_producer_id_block",
    "plan_reassign",
    "plan_rebalance_preferred",
    "plan_register_broker",
    "plan_remove_unclaimed",
    "plan_replace_broker_configs",
    "plan_replace_topic_configs",
    "plan_rewrite_unchanged",
    "plan_take_control",
]
