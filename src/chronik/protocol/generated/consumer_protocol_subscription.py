"""ConsumerProtocolSubscription: data in versions 0 to 3.

Generated from the message definitions of kafka-clients 4.1.0 by ``python -m generator``: do not edit.
"""
from typing import ClassVar

from chronik.protocol.wire import FRESH, Message, Packing, Struct, beyond, new, null, pack, unpack_from

P_h = Packing('>h').pack
P_i = Packing('>i').pack
P_ih = Packing('>ih').pack
U_h = Packing('>h').unpack_from
U_i = Packing('>i').unpack_from
U_ih = Packing('>ih').unpack_from


class TopicPartition(Struct):
 __slots__ = ('topic', 'partitions', )
 topic: str
 partitions: list[int]
 def __init__(self, topic: str = '', partitions: list[int] = FRESH) -> None:
  self.topic = topic
  self.partitions = [] if partitions is FRESH else partitions


class ConsumerProtocolSubscription(Message):
 __slots__ = ('topics', 'user_data', 'owned_partitions', 'generation_id', 'rack_id', )
 api_key: ClassVar[int] = -1
 versions: ClassVar[range] = range(0, 4)
 first_flexible: ClassVar[int | None] = None
 topics: list[str]
 user_data: bytes | None
 owned_partitions: list[TopicPartition]
 generation_id: int
 rack_id: str | None
 def __init__(self, topics: list[str] = FRESH, user_data: bytes | None = None, owned_partitions: list[TopicPartition] = FRESH, generation_id: int = -1, rack_id: str | None = None) -> None:
  self.topics = [] if topics is FRESH else topics
  self.user_data = user_data
  self.owned_partitions = [] if owned_partitions is FRESH else owned_partitions
  self.generation_id = generation_id
  self.rack_id = rack_id

def _decode_consumer_protocol_subscription_0(view, size):
 pos = 0
 o0 = new(ConsumerProtocolSubscription)
 n0, = U_i(view, pos)
 pos += 4
 if n0 < 0: raise null('ConsumerProtocolSubscription.topics')
 if n0 * 2 > size - pos: raise beyond('ConsumerProtocolSubscription.topics')
 a0 = []
 for _ in range(n0):
  n1, = U_h(view, pos)
  pos += 2
  if n1 < 0: raise null('ConsumerProtocolSubscription.topics')
  end = pos + n1
  if end > size: raise beyond('ConsumerProtocolSubscription.topics')
  e0 = view[pos:end].tobytes().decode()
  pos = end
  a0.append(e0)
 o0.topics = a0
 n2, = U_i(view, pos)
 pos += 4
 if n2 < 0: o0.user_data = None
 else:
  end = pos + n2
  if end > size: raise beyond('ConsumerProtocolSubscription.user_data')
  o0.user_data = view[pos:end].tobytes()
  pos = end
 o0.owned_partitions = []
 o0.generation_id = -1
 o0.rack_id = None
 return o0, pos
def _decode_consumer_protocol_subscription_1(view, size):
 pos = 0
 o0 = new(ConsumerProtocolSubscription)
 n0, = U_i(view, pos)
 pos += 4
 if n0 < 0: raise null('ConsumerProtocolSubscription.topics')
 if n0 * 2 > size - pos: raise beyond('ConsumerProtocolSubscription.topics')
 a0 = []
 for _ in range(n0):
  n1, = U_h(view, pos)
  pos += 2
  if n1 < 0: raise null('ConsumerProtocolSubscription.topics')
  end = pos + n1
  if end > size: raise beyond('ConsumerProtocolSubscription.topics')
  e0 = view[pos:end].tobytes().decode()
  pos = end
  a0.append(e0)
 o0.topics = a0
 n2, = U_i(view, pos)
 pos += 4
 if n2 < 0: o0.user_data = None
 else:
  end = pos + n2
  if end > size: raise beyond('ConsumerProtocolSubscription.user_data')
  o0.user_data = view[pos:end].tobytes()
  pos = end
 n3, = U_i(view, pos)
 pos += 4
 if n3 < 0: raise null('ConsumerProtocolSubscription.owned_partitions')
 if n3 * 6 > size - pos: raise beyond('ConsumerProtocolSubscription.owned_partitions')
 a1 = []
 for _ in range(n3):
  o1 = new(TopicPartition)
  n4, = U_h(view, pos)
  pos += 2
  if n4 < 0: raise null('TopicPartition.topic')
  end = pos + n4
  if end > size: raise beyond('TopicPartition.topic')
  o1.topic = view[pos:end].tobytes().decode()
  pos = end
  n5, = U_i(view, pos)
  pos += 4
  if n5 < 0: raise null('TopicPartition.partitions')
  if n5 * 4 > size - pos: raise beyond('TopicPartition.partitions')
  o1.partitions = list(unpack_from(f'>{n5}i', view, pos))
  pos += n5 * 4
  a1.append(o1)
 o0.owned_partitions = a1
 o0.generation_id = -1
 o0.rack_id = None
 return o0, pos
def _decode_consumer_protocol_subscription_2(view, size):
 pos = 0
 o0 = new(ConsumerProtocolSubscription)
 n0, = U_i(view, pos)
 pos += 4
 if n0 < 0: raise null('ConsumerProtocolSubscription.topics')
 if n0 * 2 > size - pos: raise beyond('ConsumerProtocolSubscription.topics')
 a0 = []
 for _ in range(n0):
  n1, = U_h(view, pos)
  pos += 2
  if n1 < 0: raise null('ConsumerProtocolSubscription.topics')
  end = pos + n1
  if end > size: raise beyond('ConsumerProtocolSubscription.topics')
  e0 = view[pos:end].tobytes().decode()
  pos = end
  a0.append(e0)
 o0.topics = a0
 n2, = U_i(view, pos)
 pos += 4
 if n2 < 0: o0.user_data = None
 else:
  end = pos + n2
  if end > size: raise beyond('ConsumerProtocolSubscription.user_data')
  o0.user_data = view[pos:end].tobytes()
  pos = end
 n3, = U_i(view, pos)
 pos += 4
 if n3 < 0: raise null('ConsumerProtocolSubscription.owned_partitions')
 if n3 * 6 > size - pos: raise beyond('ConsumerProtocolSubscription.owned_partitions')
 a1 = []
 for _ in range(n3):
  o1 = new(TopicPartition)
  n4, = U_h(view, pos)
  pos += 2
  if n4 < 0: raise null('TopicPartition.topic')
  end = pos + n4
  if end > size: raise beyond('TopicPartition.topic')
  o1.topic = view[pos:end].tobytes().decode()
  pos = end
  n5, = U_i(view, pos)
  pos += 4
  if n5 < 0: raise null('TopicPartition.partitions')
  if n5 * 4 > size - pos: raise beyond('TopicPartition.partitions')
  o1.partitions = list(unpack_from(f'>{n5}i', view, pos))
  pos += n5 * 4
  a1.append(o1)
 o0.owned_partitions = a1
 o0.rack_id = None
 o0.generation_id, = U_i(view, pos)
 pos += 4
 return o0, pos
def _decode_consumer_protocol_subscription_3(view, size):
 pos = 0
 o0 = new(ConsumerProtocolSubscription)
 n0, = U_i(view, pos)
 pos += 4
 if n0 < 0: raise null('ConsumerProtocolSubscription.topics')
 if n0 * 2 > size - pos: raise beyond('ConsumerProtocolSubscription.topics')
 a0 = []
 for _ in range(n0):
  n1, = U_h(view, pos)
  pos += 2
  if n1 < 0: raise null('ConsumerProtocolSubscription.topics')
  end = pos + n1
  if end > size: raise beyond('ConsumerProtocolSubscription.topics')
  e0 = view[pos:end].tobytes().decode()
  pos = end
  a0.append(e0)
 o0.topics = a0
 n2, = U_i(view, pos)
 pos += 4
 if n2 < 0: o0.user_data = None
 else:
  end = pos + n2
  if end > size: raise beyond('ConsumerProtocolSubscription.user_data')
  o0.user_data = view[pos:end].tobytes()
  pos = end
 n3, = U_i(view, pos)
 pos += 4
 if n3 < 0: raise null('ConsumerProtocolSubscription.owned_partitions')
 if n3 * 6 > size - pos: raise beyond('ConsumerProtocolSubscription.owned_partitions')
 a1 = []
 for _ in range(n3):
  o1 = new(TopicPartition)
  n4, = U_h(view, pos)
  pos += 2
  if n4 < 0: raise null('TopicPartition.topic')
  end = pos + n4
  if end > size: raise beyond('TopicPartition.topic')
  o1.topic = view[pos:end].tobytes().decode()
  pos = end
  n5, = U_i(view, pos)
  pos += 4
  if n5 < 0: raise null('TopicPartition.partitions')
  if n5 * 4 > size - pos: raise beyond('TopicPartition.partitions')
  o1.partitions = list(unpack_from(f'>{n5}i', view, pos))
  pos += n5 * 4
  a1.append(o1)
 o0.owned_partitions = a1
 o0.generation_id, n6 = U_ih(view, pos)
 pos += 6
 if n6 < 0: o0.rack_id = None
 else:
  end = pos + n6
  if end > size: raise beyond('ConsumerProtocolSubscription.rack_id')
  o0.rack_id = view[pos:end].tobytes().decode()
  pos = end
 return o0, pos
ConsumerProtocolSubscription.decoders = {0: _decode_consumer_protocol_subscription_0, 1: _decode_consumer_protocol_subscription_1, 2: _decode_consumer_protocol_subscription_2, 3: _decode_consumer_protocol_subscription_3}

def _encode_consumer_protocol_subscription_0(m):
 out = []
 a0 = m.topics
 n0 = len(a0)
 out.append(P_i(n0))
 for m0 in a0:
  m0 = m0.encode()
  n1 = len(m0)
  out.append(P_h(n1))
  out.append(m0)
 b0 = m.user_data
 if b0 is None:
  b0 = b''; n2 = -1
 else:
  n2 = len(b0)
 out.append(P_i(n2))
 out.append(b0)
 return [b''.join(out)]
def _encode_consumer_protocol_subscription_1(m):
 out = []
 a0 = m.topics
 n0 = len(a0)
 out.append(P_i(n0))
 for m0 in a0:
  m0 = m0.encode()
  n1 = len(m0)
  out.append(P_h(n1))
  out.append(m0)
 b0 = m.user_data
 if b0 is None:
  b0 = b''; n2 = -1
 else:
  n2 = len(b0)
 out.append(P_i(n2))
 out.append(b0)
 a1 = m.owned_partitions
 n3 = len(a1)
 out.append(P_i(n3))
 for m1 in a1:
  b1 = m1.topic.encode()
  n4 = len(b1)
  out.append(P_h(n4))
  out.append(b1)
  a2 = m1.partitions
  n5 = len(a2)
  out.append(P_i(n5))
  if a2: out.append(pack(f'>{len(a2)}i', *a2))
 return [b''.join(out)]
def _encode_consumer_protocol_subscription_2(m):
 out = []
 a0 = m.topics
 n0 = len(a0)
 out.append(P_i(n0))
 for m0 in a0:
  m0 = m0.encode()
  n1 = len(m0)
  out.append(P_h(n1))
  out.append(m0)
 b0 = m.user_data
 if b0 is None:
  b0 = b''; n2 = -1
 else:
  n2 = len(b0)
 out.append(P_i(n2))
 out.append(b0)
 a1 = m.owned_partitions
 n3 = len(a1)
 out.append(P_i(n3))
 for m1 in a1:
  b1 = m1.topic.encode()
  n4 = len(b1)
  out.append(P_h(n4))
  out.append(b1)
  a2 = m1.partitions
  n5 = len(a2)
  out.append(P_i(n5))
  if a2: out.append(pack(f'>{len(a2)}i', *a2))
 out.append(P_i(m.generation_id))
 return [b''.join(out)]
def _encode_consumer_protocol_subscription_3(m):
 out = []
 a0 = m.topics
 n0 = len(a0)
 out.append(P_i(n0))
 for m0 in a0:
  m0 = m0.encode()
  n1 = len(m0)
  out.append(P_h(n1))
  out.append(m0)
 b0 = m.user_data
 if b0 is None:
  b0 = b''; n2 = -1
 else:
  n2 = len(b0)
 out.append(P_i(n2))
 out.append(b0)
 a1 = m.owned_partitions
 n3 = len(a1)
 out.append(P_i(n3))
 for m1 in a1:
  b1 = m1.topic.encode()
  n4 = len(b1)
  out.append(P_h(n4))
  out.append(b1)
  a2 = m1.partitions
  n5 = len(a2)
  out.append(P_i(n5))
  if a2: out.append(pack(f'>{len(a2)}i', *a2))
 b2 = m.rack_id
 if b2 is None:
  b2 = b''; n6 = -1
 else:
  b2 = b2.encode()
  n6 = len(b2)
 out.append(P_ih(m.generation_id, n6))
 out.append(b2)
 return [b''.join(out)]
ConsumerProtocolSubscription.encoders = {0: _encode_consumer_protocol_subscription_0, 1: _encode_consumer_protocol_subscription_1, 2: _encode_consumer_protocol_subscription_2, 3: _encode_consumer_protocol_subscription_3}
