"""The trace follows the metadata image: configs switch it on and off, changes of leaders and ISRs are emitted."""

from collections.abc import Iterator, Mapping
from typing import Final

from chronik.metadata.configs.effective import effective_broker_config
from chronik.metadata.image.image import Image, PartitionImage, TopicImage
from chronik.model.ids import BrokerId
from chronik.observability.trace import Tracer
from chronik.observability.trace_events import IsrChanged, LeaderChanged
from chronik.observability.trace_rules import OFF, TraceRule, parse_rule
from chronik.server.settings.topic_configs import TopicConfigs
from chronik.server.tracing.recorder import TraceRecorder

TRACE: Final = "chronik.trace"
RING_EVENTS: Final = "chronik.trace.ring.events"
FILES: Final = "chronik.trace.files"
FILES_BYTES_MAX: Final = "chronik.trace.files.bytes.max"


class TraceSwitch:
    """Sees every image before the other parts of the broker, so that a cause is traced before its effects."""

    def __init__(self, tracer: Tracer, recorder: TraceRecorder, configs: TopicConfigs) -> None:
        self._tracer = tracer
        self._recorder = recorder
        self._configs = configs
        self._topics: dict[str, TraceRule] = {}
        """The rules of topics that have one of their own."""
        self._knows_rules = False

    def on_image(self, before: Image, after: Image) -> None:
        """Apply changed trace rules, then emit what has changed."""
        has_other_topics = after.topics is not before.topics
        if has_other_topics or after.broker_configs is not before.broker_configs or not self._knows_rules:
            self._knows_rules = True
            self._take_rules(before, after)
        if self._tracer.on and has_other_topics:
            self._emit_changes(before, after)

    # --- the rules

    def _take_rules(self, before: Image, after: Image) -> None:
        layers = self._configs.layers(after)
        for name, topic in _changed(before.topics, after.topics):
            own = None if topic is None else topic.configs.get(TRACE)
            if own is None:
                self._topics.pop(name, None)
            else:
                self._topics[name] = _rule(own)
        self._tracer.switch(_rule(effective_broker_config(TRACE, layers).value), self._topics)
        capacity, bytes_max = (effective_broker_config(name, layers).typed for name in (RING_EVENTS, FILES_BYTES_MAX))
        assert isinstance(capacity, int)
        assert isinstance(bytes_max, int)
        self._tracer.resize(capacity)
        is_on = effective_broker_config(FILES, layers).typed is True
        self._recorder.configure(is_on=is_on, bytes_max=bytes_max)

    # --- changes of leaders and ISRs

    def _emit_changes(self, before: Image, after: Image) -> None:
        for name, topic in _changed(before.topics, after.topics):
            known = before.topics.get(name)
            if topic is None or known is None or known.id != topic.id or not self._tracer.follows(name):
                continue
            for index, (was, now) in enumerate(zip(known.partitions, topic.partitions, strict=False)):
                if was is not now:
                    self._emit_change(name, index, was, now)

    def _emit_change(self, topic: str, index: int, was: PartitionImage, now: PartitionImage) -> None:
        own = self._configs.broker_id
        if (was.leader, was.leader_epoch) != (now.leader, now.leader_epoch) and own in (*was.replicas, *now.replicas):
            self._tracer.emit(LeaderChanged, topic, index, was.leader, now.leader, now.leader_epoch)
        if was.isr != now.isr and _emitter_of_isr(was, now) == own:
            self._tracer.emit(IsrChanged, topic, index, was.isr, now.isr, now.leader_epoch)


def _emitter_of_isr(was: PartitionImage, now: PartitionImage) -> BrokerId:
    """Return the broker that emits a change of the ISR: the leader, or the last leader if there is none."""
    return now.leader if now.leader >= 0 else was.leader


def _rule(text: str | None) -> TraceRule:
    try:
        return OFF if text is None else parse_rule(text)
    except ValueError:
        # A newer version has set this rule: an unknown rule traces nothing.
        return OFF


def _changed(
    before: Mapping[str, TopicImage], after: Mapping[str, TopicImage]
) -> Iterator[tuple[str, TopicImage | None]]:
    """Return the topics that are new, changed, or deleted (None)."""
    for name, topic in after.items():
        if before.get(name) is not topic:
            yield name, topic
    for name in before:
        if name not in after:
            yield name, None
