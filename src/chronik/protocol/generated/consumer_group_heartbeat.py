"""ConsumerGroupHeartbeat: request in versions 0 to 1 and response in versions 0 to 1.

Generated from the message definitions of kafka-clients 4.1.0 by ``python -m generator``: do not edit.
"""
from typing import ClassVar

from chronik.protocol.wire import FRESH, NO_UUID, U8, UUID, UUIDS, Message, Packing, Struct, beyond, new, null, pack, skip_tags, unpack_from, unsupported, uuid_of, varint, varint_rest

P_16s = Packing('>16s').pack
P_16sB = Packing('>16sB').pack
P_b = Packing('>b').pack
P_bB = Packing('>bB').pack
P_i = Packing('>i').pack
P_iB = Packing('>iB').pack
P_ih = Packing('>ih').pack
P_ihB = Packing('>ihB').pack
P_ii = Packing('>ii').pack
U_16sB = Packing('>16sB').unpack_from
U_iB = Packing('>iB').unpack_from
U_ihB = Packing('>ihB').unpack_from
U_iib = Packing('>iib').unpack_from


class TopicPartitions(Struct):
 __slots__ = ('topic_id', 'partitions', )
 topic_id: UUID
 partitions: list[int]
 def __init__(self, topic_id: UUID = NO_UUID, partitions: list[int] = FRESH) -> None:
  self.topic_id = topic_id
  self.partitions = [] if partitions is FRESH else partitions


class ConsumerGroupHeartbeatRequest(Message):
 __slots__ = ('group_id', 'member_id', 'member_epoch', 'instance_id', 'rack_id', 'rebalance_timeout_ms', 'subscribed_topic_names', 'subscribed_topic_regex', 'server_assignor', 'topic_partitions', )
 api_key: ClassVar[int] = 68
 versions: ClassVar[range] = range(0, 2)
 first_flexible: ClassVar[int | None] = 0
 group_id: str
 member_id: str
 member_epoch: int
 instance_id: str | None
 rack_id: str | None
 rebalance_timeout_ms: int
 subscribed_topic_names: list[str] | None
 subscribed_topic_regex: str | None
 server_assignor: str | None
 topic_partitions: list[TopicPartitions] | None
 def __init__(self, group_id: str = '', member_id: str = '', member_epoch: int = 0, instance_id: str | None = None, rack_id: str | None = None, rebalance_timeout_ms: int = -1, subscribed_topic_names: list[str] | None = None, subscribed_topic_regex: str | None = None, server_assignor: str | None = None, topic_partitions: list[TopicPartitions] | None = None) -> None:
  self.group_id = group_id
  self.member_id = member_id
  self.member_epoch = member_epoch
  self.instance_id = instance_id
  self.rack_id = rack_id
  self.rebalance_timeout_ms = rebalance_timeout_ms
  self.subscribed_topic_names = subscribed_topic_names
  self.subscribed_topic_regex = subscribed_topic_regex
  self.server_assignor = server_assignor
  self.topic_partitions = topic_partitions

def _decode_consumer_group_heartbeat_request_0(view, size):
 pos = 0
 o0 = new(ConsumerGroupHeartbeatRequest)
 n0 = view[pos]
 pos += 1
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('ConsumerGroupHeartbeatRequest.group_id')
 end = pos + n0 - 1
 if end > size: raise beyond('ConsumerGroupHeartbeatRequest.group_id')
 o0.group_id = view[pos:end].tobytes().decode()
 pos = end
 n1 = view[pos]
 pos += 1
 if n1 > 127:
  n1, pos = varint_rest(view, pos, n1)
 if not n1: raise null('ConsumerGroupHeartbeatRequest.member_id')
 end = pos + n1 - 1
 if end > size: raise beyond('ConsumerGroupHeartbeatRequest.member_id')
 o0.member_id = view[pos:end].tobytes().decode()
 pos = end
 o0.member_epoch, n2 = U_iB(view, pos)
 pos += 5
 if n2 > 127:
  n2, pos = varint_rest(view, pos, n2)
 if not n2: o0.instance_id = None
 else:
  end = pos + n2 - 1
  if end > size: raise beyond('ConsumerGroupHeartbeatRequest.instance_id')
  o0.instance_id = view[pos:end].tobytes().decode()
  pos = end
 n3 = view[pos]
 pos += 1
 if n3 > 127:
  n3, pos = varint_rest(view, pos, n3)
 if not n3: o0.rack_id = None
 else:
  end = pos + n3 - 1
  if end > size: raise beyond('ConsumerGroupHeartbeatRequest.rack_id')
  o0.rack_id = view[pos:end].tobytes().decode()
  pos = end
 o0.rebalance_timeout_ms, n4 = U_iB(view, pos)
 pos += 5
 if n4 > 127:
  n4, pos = varint_rest(view, pos, n4)
 if not n4: o0.subscribed_topic_names = None
 else:
  n4 -= 1
  if n4 > size - pos: raise beyond('ConsumerGroupHeartbeatRequest.subscribed_topic_names')
  a0 = []
  for _ in range(n4):
   n5 = view[pos]
   pos += 1
   if n5 > 127:
    n5, pos = varint_rest(view, pos, n5)
   if not n5: raise null('ConsumerGroupHeartbeatRequest.subscribed_topic_names')
   end = pos + n5 - 1
   if end > size: raise beyond('ConsumerGroupHeartbeatRequest.subscribed_topic_names')
   e0 = view[pos:end].tobytes().decode()
   pos = end
   a0.append(e0)
  o0.subscribed_topic_names = a0
 o0.subscribed_topic_regex = None
 n6 = view[pos]
 pos += 1
 if n6 > 127:
  n6, pos = varint_rest(view, pos, n6)
 if not n6: o0.server_assignor = None
 else:
  end = pos + n6 - 1
  if end > size: raise beyond('ConsumerGroupHeartbeatRequest.server_assignor')
  o0.server_assignor = view[pos:end].tobytes().decode()
  pos = end
 n7 = view[pos]
 pos += 1
 if n7 > 127:
  n7, pos = varint_rest(view, pos, n7)
 if not n7: o0.topic_partitions = None
 else:
  n7 -= 1
  if n7 * 18 > size - pos: raise beyond('ConsumerGroupHeartbeatRequest.topic_partitions')
  a1 = []
  for _ in range(n7):
   o1 = new(TopicPartitions)
   o1.topic_id, n8 = U_16sB(view, pos)
   pos += 17
   o1.topic_id = UUIDS.get(o1.topic_id) or uuid_of(o1.topic_id)
   if n8 > 127:
    n8, pos = varint_rest(view, pos, n8)
   if not n8: raise null('TopicPartitions.partitions')
   n8 -= 1
   if n8 * 4 > size - pos: raise beyond('TopicPartitions.partitions')
   o1.partitions = list(unpack_from(f'>{n8}i', view, pos))
   pos += n8 * 4
   t0 = view[pos]
   pos += 1
   if t0:
    pos = skip_tags(view, pos, t0, size)
   a1.append(o1)
  o0.topic_partitions = a1
 t1 = view[pos]
 pos += 1
 if t1:
  pos = skip_tags(view, pos, t1, size)
 return o0, pos
def _decode_consumer_group_heartbeat_request_1(view, size):
 pos = 0
 o0 = new(ConsumerGroupHeartbeatRequest)
 n0 = view[pos]
 pos += 1
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('ConsumerGroupHeartbeatRequest.group_id')
 end = pos + n0 - 1
 if end > size: raise beyond('ConsumerGroupHeartbeatRequest.group_id')
 o0.group_id = view[pos:end].tobytes().decode()
 pos = end
 n1 = view[pos]
 pos += 1
 if n1 > 127:
  n1, pos = varint_rest(view, pos, n1)
 if not n1: raise null('ConsumerGroupHeartbeatRequest.member_id')
 end = pos + n1 - 1
 if end > size: raise beyond('ConsumerGroupHeartbeatRequest.member_id')
 o0.member_id = view[pos:end].tobytes().decode()
 pos = end
 o0.member_epoch, n2 = U_iB(view, pos)
 pos += 5
 if n2 > 127:
  n2, pos = varint_rest(view, pos, n2)
 if not n2: o0.instance_id = None
 else:
  end = pos + n2 - 1
  if end > size: raise beyond('ConsumerGroupHeartbeatRequest.instance_id')
  o0.instance_id = view[pos:end].tobytes().decode()
  pos = end
 n3 = view[pos]
 pos += 1
 if n3 > 127:
  n3, pos = varint_rest(view, pos, n3)
 if not n3: o0.rack_id = None
 else:
  end = pos + n3 - 1
  if end > size: raise beyond('ConsumerGroupHeartbeatRequest.rack_id')
  o0.rack_id = view[pos:end].tobytes().decode()
  pos = end
 o0.rebalance_timeout_ms, n4 = U_iB(view, pos)
 pos += 5
 if n4 > 127:
  n4, pos = varint_rest(view, pos, n4)
 if not n4: o0.subscribed_topic_names = None
 else:
  n4 -= 1
  if n4 > size - pos: raise beyond('ConsumerGroupHeartbeatRequest.subscribed_topic_names')
  a0 = []
  for _ in range(n4):
   n5 = view[pos]
   pos += 1
   if n5 > 127:
    n5, pos = varint_rest(view, pos, n5)
   if not n5: raise null('ConsumerGroupHeartbeatRequest.subscribed_topic_names')
   end = pos + n5 - 1
   if end > size: raise beyond('ConsumerGroupHeartbeatRequest.subscribed_topic_names')
   e0 = view[pos:end].tobytes().decode()
   pos = end
   a0.append(e0)
  o0.subscribed_topic_names = a0
 n6 = view[pos]
 pos += 1
 if n6 > 127:
  n6, pos = varint_rest(view, pos, n6)
 if not n6: o0.subscribed_topic_regex = None
 else:
  end = pos + n6 - 1
  if end > size: raise beyond('ConsumerGroupHeartbeatRequest.subscribed_topic_regex')
  o0.subscribed_topic_regex = view[pos:end].tobytes().decode()
  pos = end
 n7 = view[pos]
 pos += 1
 if n7 > 127:
  n7, pos = varint_rest(view, pos, n7)
 if not n7: o0.server_assignor = None
 else:
  end = pos + n7 - 1
  if end > size: raise beyond('ConsumerGroupHeartbeatRequest.server_assignor')
  o0.server_assignor = view[pos:end].tobytes().decode()
  pos = end
 n8 = view[pos]
 pos += 1
 if n8 > 127:
  n8, pos = varint_rest(view, pos, n8)
 if not n8: o0.topic_partitions = None
 else:
  n8 -= 1
  if n8 * 18 > size - pos: raise beyond('ConsumerGroupHeartbeatRequest.topic_partitions')
  a1 = []
  for _ in range(n8):
   o1 = new(TopicPartitions)
   o1.topic_id, n9 = U_16sB(view, pos)
   pos += 17
   o1.topic_id = UUIDS.get(o1.topic_id) or uuid_of(o1.topic_id)
   if n9 > 127:
    n9, pos = varint_rest(view, pos, n9)
   if not n9: raise null('TopicPartitions.partitions')
   n9 -= 1
   if n9 * 4 > size - pos: raise beyond('TopicPartitions.partitions')
   o1.partitions = list(unpack_from(f'>{n9}i', view, pos))
   pos += n9 * 4
   t0 = view[pos]
   pos += 1
   if t0:
    pos = skip_tags(view, pos, t0, size)
   a1.append(o1)
  o0.topic_partitions = a1
 t1 = view[pos]
 pos += 1
 if t1:
  pos = skip_tags(view, pos, t1, size)
 return o0, pos
ConsumerGroupHeartbeatRequest.decoders = {0: _decode_consumer_group_heartbeat_request_0, 1: _decode_consumer_group_heartbeat_request_1}

def _encode_consumer_group_heartbeat_request_0(m):
 out = []
 b0 = m.group_id.encode()
 n0 = len(b0) + 1
 out.append(U8[n0] if n0 < 128 else varint(n0))
 out.append(b0)
 b1 = m.member_id.encode()
 n1 = len(b1) + 1
 out.append(U8[n1] if n1 < 128 else varint(n1))
 out.append(b1)
 b2 = m.instance_id
 if b2 is None:
  b2 = b''; n2 = 0
 else:
  b2 = b2.encode()
  n2 = len(b2) + 1
 out.append(P_iB(m.member_epoch, n2) if n2 < 128 else P_i(m.member_epoch) + varint(n2))
 out.append(b2)
 b3 = m.rack_id
 if b3 is None:
  b3 = b''; n3 = 0
 else:
  b3 = b3.encode()
  n3 = len(b3) + 1
 out.append(U8[n3] if n3 < 128 else varint(n3))
 out.append(b3)
 a0 = m.subscribed_topic_names
 n4 = 0 if a0 is None else len(a0) + 1
 out.append(P_iB(m.rebalance_timeout_ms, n4) if n4 < 128 else P_i(m.rebalance_timeout_ms) + varint(n4))
 for m0 in a0 or ():
  m0 = m0.encode()
  n5 = len(m0) + 1
  out.append(U8[n5] if n5 < 128 else varint(n5))
  out.append(m0)
 if m.subscribed_topic_regex is not None: raise unsupported('ConsumerGroupHeartbeatRequest.subscribed_topic_regex')
 b4 = m.server_assignor
 if b4 is None:
  b4 = b''; n6 = 0
 else:
  b4 = b4.encode()
  n6 = len(b4) + 1
 out.append(U8[n6] if n6 < 128 else varint(n6))
 out.append(b4)
 a1 = m.topic_partitions
 n7 = 0 if a1 is None else len(a1) + 1
 out.append(U8[n7] if n7 < 128 else varint(n7))
 for m1 in a1 or ():
  a2 = m1.partitions
  n8 = len(a2) + 1
  out.append(P_16sB(m1.topic_id.bytes, n8) if n8 < 128 else P_16s(m1.topic_id.bytes) + varint(n8))
  if a2: out.append(pack(f'>{len(a2)}i', *a2))
  out.append(b'\x00')
 out.append(b'\x00')
 return [b''.join(out)]
def _encode_consumer_group_heartbeat_request_1(m):
 out = []
 b0 = m.group_id.encode()
 n0 = len(b0) + 1
 out.append(U8[n0] if n0 < 128 else varint(n0))
 out.append(b0)
 b1 = m.member_id.encode()
 n1 = len(b1) + 1
 out.append(U8[n1] if n1 < 128 else varint(n1))
 out.append(b1)
 b2 = m.instance_id
 if b2 is None:
  b2 = b''; n2 = 0
 else:
  b2 = b2.encode()
  n2 = len(b2) + 1
 out.append(P_iB(m.member_epoch, n2) if n2 < 128 else P_i(m.member_epoch) + varint(n2))
 out.append(b2)
 b3 = m.rack_id
 if b3 is None:
  b3 = b''; n3 = 0
 else:
  b3 = b3.encode()
  n3 = len(b3) + 1
 out.append(U8[n3] if n3 < 128 else varint(n3))
 out.append(b3)
 a0 = m.subscribed_topic_names
 n4 = 0 if a0 is None else len(a0) + 1
 out.append(P_iB(m.rebalance_timeout_ms, n4) if n4 < 128 else P_i(m.rebalance_timeout_ms) + varint(n4))
 for m0 in a0 or ():
  m0 = m0.encode()
  n5 = len(m0) + 1
  out.append(U8[n5] if n5 < 128 else varint(n5))
  out.append(m0)
 b4 = m.subscribed_topic_regex
 if b4 is None:
  b4 = b''; n6 = 0
 else:
  b4 = b4.encode()
  n6 = len(b4) + 1
 out.append(U8[n6] if n6 < 128 else varint(n6))
 out.append(b4)
 b5 = m.server_assignor
 if b5 is None:
  b5 = b''; n7 = 0
 else:
  b5 = b5.encode()
  n7 = len(b5) + 1
 out.append(U8[n7] if n7 < 128 else varint(n7))
 out.append(b5)
 a1 = m.topic_partitions
 n8 = 0 if a1 is None else len(a1) + 1
 out.append(U8[n8] if n8 < 128 else varint(n8))
 for m1 in a1 or ():
  a2 = m1.partitions
  n9 = len(a2) + 1
  out.append(P_16sB(m1.topic_id.bytes, n9) if n9 < 128 else P_16s(m1.topic_id.bytes) + varint(n9))
  if a2: out.append(pack(f'>{len(a2)}i', *a2))
  out.append(b'\x00')
 out.append(b'\x00')
 return [b''.join(out)]
ConsumerGroupHeartbeatRequest.encoders = {0: _encode_consumer_group_heartbeat_request_0, 1: _encode_consumer_group_heartbeat_request_1}


class Assignment(Struct):
 __slots__ = ('topic_partitions', )
 topic_partitions: list[TopicPartitions]
 def __init__(self, topic_partitions: list[TopicPartitions] = FRESH) -> None:
  self.topic_partitions = [] if topic_partitions is FRESH else topic_partitions


class ConsumerGroupHeartbeatResponse(Message):
 __slots__ = ('throttle_time_ms', 'error_code', 'error_message', 'member_id', 'member_epoch', 'heartbeat_interval_ms', 'assignment', )
 api_key: ClassVar[int] = 68
 versions: ClassVar[range] = range(0, 2)
 first_flexible: ClassVar[int | None] = 0
 throttle_time_ms: int
 error_code: int
 error_message: str | None
 member_id: str | None
 member_epoch: int
 heartbeat_interval_ms: int
 assignment: Assignment | None
 def __init__(self, throttle_time_ms: int = 0, error_code: int = 0, error_message: str | None = None, member_id: str | None = None, member_epoch: int = 0, heartbeat_interval_ms: int = 0, assignment: Assignment | None = None) -> None:
  self.throttle_time_ms = throttle_time_ms
  self.error_code = error_code
  self.error_message = error_message
  self.member_id = member_id
  self.member_epoch = member_epoch
  self.heartbeat_interval_ms = heartbeat_interval_ms
  self.assignment = assignment

def _decode_consumer_group_heartbeat_response_0(view, size):
 pos = 0
 o0 = new(ConsumerGroupHeartbeatResponse)
 o0.throttle_time_ms, o0.error_code, n0 = U_ihB(view, pos)
 pos += 7
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: o0.error_message = None
 else:
  end = pos + n0 - 1
  if end > size: raise beyond('ConsumerGroupHeartbeatResponse.error_message')
  o0.error_message = view[pos:end].tobytes().decode()
  pos = end
 n1 = view[pos]
 pos += 1
 if n1 > 127:
  n1, pos = varint_rest(view, pos, n1)
 if not n1: o0.member_id = None
 else:
  end = pos + n1 - 1
  if end > size: raise beyond('ConsumerGroupHeartbeatResponse.member_id')
  o0.member_id = view[pos:end].tobytes().decode()
  pos = end
 o0.member_epoch, o0.heartbeat_interval_ms, n2 = U_iib(view, pos)
 pos += 9
 if n2 < 0:
  o0.assignment = None
 else:
  o1 = new(Assignment)
  n3 = view[pos]
  pos += 1
  if n3 > 127:
   n3, pos = varint_rest(view, pos, n3)
  if not n3: raise null('Assignment.topic_partitions')
  n3 -= 1
  if n3 * 18 > size - pos: raise beyond('Assignment.topic_partitions')
  a0 = []
  for _ in range(n3):
   o2 = new(TopicPartitions)
   o2.topic_id, n4 = U_16sB(view, pos)
   pos += 17
   o2.topic_id = UUIDS.get(o2.topic_id) or uuid_of(o2.topic_id)
   if n4 > 127:
    n4, pos = varint_rest(view, pos, n4)
   if not n4: raise null('TopicPartitions.partitions')
   n4 -= 1
   if n4 * 4 > size - pos: raise beyond('TopicPartitions.partitions')
   o2.partitions = list(unpack_from(f'>{n4}i', view, pos))
   pos += n4 * 4
   t0 = view[pos]
   pos += 1
   if t0:
    pos = skip_tags(view, pos, t0, size)
   a0.append(o2)
  o1.topic_partitions = a0
  t1 = view[pos]
  pos += 1
  if t1:
   pos = skip_tags(view, pos, t1, size)
  o0.assignment = o1
 t2 = view[pos]
 pos += 1
 if t2:
  pos = skip_tags(view, pos, t2, size)
 return o0, pos
ConsumerGroupHeartbeatResponse.decoders = {0: _decode_consumer_group_heartbeat_response_0, 1: _decode_consumer_group_heartbeat_response_0}

def _encode_consumer_group_heartbeat_response_0(m):
 out = []
 b0 = m.error_message
 if b0 is None:
  b0 = b''; n0 = 0
 else:
  b0 = b0.encode()
  n0 = len(b0) + 1
 out.append(P_ihB(m.throttle_time_ms, m.error_code, n0) if n0 < 128 else P_ih(m.throttle_time_ms, m.error_code) + varint(n0))
 out.append(b0)
 b1 = m.member_id
 if b1 is None:
  b1 = b''; n1 = 0
 else:
  b1 = b1.encode()
  n1 = len(b1) + 1
 out.append(U8[n1] if n1 < 128 else varint(n1))
 out.append(b1)
 m0 = m.assignment
 out.append(P_ii(m.member_epoch, m.heartbeat_interval_ms))
 if m0 is None:
  out.append(b'\xff')
 else:
  a0 = m0.topic_partitions
  n2 = len(a0) + 1
  out.append(P_bB(1, n2) if n2 < 128 else P_b(1) + varint(n2))
  for m1 in a0:
   a1 = m1.partitions
   n3 = len(a1) + 1
   out.append(P_16sB(m1.topic_id.bytes, n3) if n3 < 128 else P_16s(m1.topic_id.bytes) + varint(n3))
   if a1: out.append(pack(f'>{len(a1)}i', *a1))
   out.append(b'\x00')
  out.append(b'\x00')
 out.append(b'\x00')
 return [b''.join(out)]
ConsumerGroupHeartbeatResponse.encoders = {0: _encode_consumer_group_heartbeat_response_0, 1: _encode_consumer_group_heartbeat_response_0}
