"""ConsumerProtocolAssignment: data in versions 0 to 3.

Generated from the message definitions of kafka-clients 4.1.0 by ``python -m generator``: do not edit.
"""
from typing import ClassVar

from chronik.protocol.wire import FRESH, Message, Packing, Struct, beyond, new, null, pack, unpack_from

P_h = Packing('>h').pack
P_i = Packing('>i').pack
U_h = Packing('>h').unpack_from
U_i = Packing('>i').unpack_from


class TopicPartition(Struct):
 __slots__ = ('topic', 'partitions', )
 topic: str
 partitions: list[int]
 def __init__(self, topic: str = '', partitions: list[int] = FRESH) -> None:
  self.topic = topic
  self.partitions = [] if partitions is FRESH else partitions


class ConsumerProtocolAssignment(Message):
 __slots__ = ('assigned_partitions', 'user_data', )
 api_key: ClassVar[int] = -1
 versions: ClassVar[range] = range(0, 4)
 first_flexible: ClassVar[int | None] = None
 assigned_partitions: list[TopicPartition]
 user_data: bytes | None
 def __init__(self, assigned_partitions: list[TopicPartition] = FRESH, user_data: bytes | None = None) -> None:
  self.assigned_partitions = [] if assigned_partitions is FRESH else assigned_partitions
  self.user_data = user_data

def _decode_consumer_protocol_assignment_0(view, size):
 pos = 0
 o0 = new(ConsumerProtocolAssignment)
 n0, = U_i(view, pos)
 pos += 4
 if n0 < 0: raise null('ConsumerProtocolAssignment.assigned_partitions')
 if n0 * 6 > size - pos: raise beyond('ConsumerProtocolAssignment.assigned_partitions')
 a0 = []
 for _ in range(n0):
  o1 = new(TopicPartition)
  n1, = U_h(view, pos)
  pos += 2
  if n1 < 0: raise null('TopicPartition.topic')
  end = pos + n1
  if end > size: raise beyond('TopicPartition.topic')
  o1.topic = view[pos:end].tobytes().decode()
  pos = end
  n2, = U_i(view, pos)
  pos += 4
  if n2 < 0: raise null('TopicPartition.partitions')
  if n2 * 4 > size - pos: raise beyond('TopicPartition.partitions')
  o1.partitions = list(unpack_from(f'>{n2}i', view, pos))
  pos += n2 * 4
  a0.append(o1)
 o0.assigned_partitions = a0
 n3, = U_i(view, pos)
 pos += 4
 if n3 < 0: o0.user_data = None
 else:
  end = pos + n3
  if end > size: raise beyond('ConsumerProtocolAssignment.user_data')
  o0.user_data = view[pos:end].tobytes()
  pos = end
 return o0, pos
ConsumerProtocolAssignment.decoders = {0: _decode_consumer_protocol_assignment_0, 1: _decode_consumer_protocol_assignment_0, 2: _decode_consumer_protocol_assignment_0, 3: _decode_consumer_protocol_assignment_0}

def _encode_consumer_protocol_assignment_0(m):
 out = []
 a0 = m.assigned_partitions
 n0 = len(a0)
 out.append(P_i(n0))
 for m0 in a0:
  b0 = m0.topic.encode()
  n1 = len(b0)
  out.append(P_h(n1))
  out.append(b0)
  a1 = m0.partitions
  n2 = len(a1)
  out.append(P_i(n2))
  if a1: out.append(pack(f'>{len(a1)}i', *a1))
 b1 = m.user_data
 if b1 is None:
  b1 = b''; n3 = -1
 else:
  n3 = len(b1)
 out.append(P_i(n3))
 out.append(b1)
 return [b''.join(out)]
ConsumerProtocolAssignment.encoders = {0: _encode_consumer_protocol_assignment_0, 1: _encode_consumer_protocol_assignment_0, 2: _encode_consumer_protocol_assignment_0, 3: _encode_consumer_protocol_assignment_0}
