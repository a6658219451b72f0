"""Metadata: request in versions 0 to 13 and response in versions 0 to 13.

Generated from the message definitions of kafka-clients 4.1.0 by ``python -m generator``: do not edit.
"""
from typing import ClassVar

from chronik.protocol.wire import FRESH, NO_UUID, U8, UUID, UUIDS, Message, Packing, Struct, beyond, new, null, pack, skip_tags, unpack_from, unsupported, uuid_of, varint, varint_rest

P_16s = Packing('>16s').pack
P_16st = Packing('>16s?').pack
P_16stB = Packing('>16s?B').pack
P_16sB = Packing('>16sB').pack
P_t = Packing('>?').pack
P_ttt = Packing('>???').pack
P_tttx = Packing('>???x').pack
P_ttx = Packing('>??x').pack
P_tB = Packing('>?B').pack
P_ti = Packing('>?i').pack
P_h = Packing('>h').pack
P_hB = Packing('>hB').pack
P_hh = Packing('>hh').pack
P_hiii = Packing('>hiii').pack
P_hiiiB = Packing('>hiiiB').pack
P_hiiii = Packing('>hiiii').pack
P_hx = Packing('>hx').pack
P_i = Packing('>i').pack
P_iB = Packing('>iB').pack
P_ih = Packing('>ih').pack
P_ii = Packing('>ii').pack
P_ix = Packing('>ix').pack
U_16stB = Packing('>16s?B').unpack_from
U_16sB = Packing('>16sB').unpack_from
U_t = Packing('>?').unpack_from
U_ttt = Packing('>???').unpack_from
U_tttB = Packing('>???B').unpack_from
U_ttB = Packing('>??B').unpack_from
U_tB = Packing('>?B').unpack_from
U_ti = Packing('>?i').unpack_from
U_h = Packing('>h').unpack_from
U_hB = Packing('>hB').unpack_from
U_hh = Packing('>hh').unpack_from
U_hiii = Packing('>hiii').unpack_from
U_hiiiB = Packing('>hiiiB').unpack_from
U_hiiii = Packing('>hiiii').unpack_from
U_i = Packing('>i').unpack_from
U_iB = Packing('>iB').unpack_from
U_ih = Packing('>ih').unpack_from
U_ii = Packing('>ii').unpack_from


class MetadataRequestTopic(Struct):
 __slots__ = ('topic_id', 'name', )
 topic_id: UUID
 name: str | None
 def __init__(self, topic_id: UUID = NO_UUID, name: str | None = '') -> None:
  self.topic_id = topic_id
  self.name = name


class MetadataRequest(Message):
 __slots__ = ('topics', 'allow_auto_topic_creation', 'include_cluster_authorized_operations', 'include_topic_authorized_operations', )
 api_key: ClassVar[int] = 3
 versions: ClassVar[range] = range(0, 14)
 first_flexible: ClassVar[int | None] = 9
 topics: list[MetadataRequestTopic] | None
 allow_auto_topic_creation: bool
 include_cluster_authorized_operations: bool
 include_topic_authorized_operations: bool
 def __init__(self, topics: list[MetadataRequestTopic] | None = FRESH, allow_auto_topic_creation: bool = True, include_cluster_authorized_operations: bool = False, include_topic_authorized_operations: bool = False) -> None:
  self.topics = [] if topics is FRESH else topics
  self.allow_auto_topic_creation = allow_auto_topic_creation
  self.include_cluster_authorized_operations = include_cluster_authorized_operations
  self.include_topic_authorized_operations = include_topic_authorized_operations

def _decode_metadata_request_0(view, size):
 pos = 0
 o0 = new(MetadataRequest)
 n0, = U_i(view, pos)
 pos += 4
 if n0 < 0: raise null('MetadataRequest.topics')
 if n0 * 2 > size - pos: raise beyond('MetadataRequest.topics')
 a0 = []
 for _ in range(n0):
  o1 = new(MetadataRequestTopic)
  o1.topic_id = NO_UUID
  n1, = U_h(view, pos)
  pos += 2
  if n1 < 0: raise null('MetadataRequestTopic.name')
  end = pos + n1
  if end > size: raise beyond('MetadataRequestTopic.name')
  o1.name = view[pos:end].tobytes().decode()
  pos = end
  a0.append(o1)
 o0.topics = a0
 o0.allow_auto_topic_creation = True
 o0.include_cluster_authorized_operations = False
 o0.include_topic_authorized_operations = False
 return o0, pos
def _decode_metadata_request_1(view, size):
 pos = 0
 o0 = new(MetadataRequest)
 n0, = U_i(view, pos)
 pos += 4
 if n0 < 0: o0.topics = None
 else:
  if n0 * 2 > size - pos: raise beyond('MetadataRequest.topics')
  a0 = []
  for _ in range(n0):
   o1 = new(MetadataRequestTopic)
   o1.topic_id = NO_UUID
   n1, = U_h(view, pos)
   pos += 2
   if n1 < 0: raise null('MetadataRequestTopic.name')
   end = pos + n1
   if end > size: raise beyond('MetadataRequestTopic.name')
   o1.name = view[pos:end].tobytes().decode()
   pos = end
   a0.append(o1)
  o0.topics = a0
 o0.allow_auto_topic_creation = True
 o0.include_cluster_authorized_operations = False
 o0.include_topic_authorized_operations = False
 return o0, pos
def _decode_metadata_request_4(view, size):
 pos = 0
 o0 = new(MetadataRequest)
 n0, = U_i(view, pos)
 pos += 4
 if n0 < 0: o0.topics = None
 else:
  if n0 * 2 > size - pos: raise beyond('MetadataRequest.topics')
  a0 = []
  for _ in range(n0):
   o1 = new(MetadataRequestTopic)
   o1.topic_id = NO_UUID
   n1, = U_h(view, pos)
   pos += 2
   if n1 < 0: raise null('MetadataRequestTopic.name')
   end = pos + n1
   if end > size: raise beyond('MetadataRequestTopic.name')
   o1.name = view[pos:end].tobytes().decode()
   pos = end
   a0.append(o1)
  o0.topics = a0
 o0.include_cluster_authorized_operations = False
 o0.include_topic_authorized_operations = False
 o0.allow_auto_topic_creation, = U_t(view, pos)
 pos += 1
 return o0, pos
def _decode_metadata_request_8(view, size):
 pos = 0
 o0 = new(MetadataRequest)
 n0, = U_i(view, pos)
 pos += 4
 if n0 < 0: o0.topics = None
 else:
  if n0 * 2 > size - pos: raise beyond('MetadataRequest.topics')
  a0 = []
  for _ in range(n0):
   o1 = new(MetadataRequestTopic)
   o1.topic_id = NO_UUID
   n1, = U_h(view, pos)
   pos += 2
   if n1 < 0: raise null('MetadataRequestTopic.name')
   end = pos + n1
   if end > size: raise beyond('MetadataRequestTopic.name')
   o1.name = view[pos:end].tobytes().decode()
   pos = end
   a0.append(o1)
  o0.topics = a0
 o0.allow_auto_topic_creation, o0.include_cluster_authorized_operations, o0.include_topic_authorized_operations = U_ttt(view, pos)
 pos += 3
 return o0, pos
def _decode_metadata_request_9(view, size):
 pos = 0
 o0 = new(MetadataRequest)
 n0 = view[pos]
 pos += 1
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: o0.topics = None
 else:
  n0 -= 1
  if n0 * 2 > size - pos: raise beyond('MetadataRequest.topics')
  a0 = []
  for _ in range(n0):
   o1 = new(MetadataRequestTopic)
   o1.topic_id = NO_UUID
   n1 = view[pos]
   pos += 1
   if n1 > 127:
    n1, pos = varint_rest(view, pos, n1)
   if not n1: raise null('MetadataRequestTopic.name')
   end = pos + n1 - 1
   if end > size: raise beyond('MetadataRequestTopic.name')
   o1.name = view[pos:end].tobytes().decode()
   pos = end
   t0 = view[pos]
   pos += 1
   if t0:
    pos = skip_tags(view, pos, t0, size)
   a0.append(o1)
  o0.topics = a0
 o0.allow_auto_topic_creation, o0.include_cluster_authorized_operations, o0.include_topic_authorized_operations, t1 = U_tttB(view, pos)
 pos += 4
 if t1:
  pos = skip_tags(view, pos, t1, size)
 return o0, pos
def _decode_metadata_request_10(view, size):
 pos = 0
 o0 = new(MetadataRequest)
 n0 = view[pos]
 pos += 1
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: o0.topics = None
 else:
  n0 -= 1
  if n0 * 18 > size - pos: raise beyond('MetadataRequest.topics')
  a0 = []
  for _ in range(n0):
   o1 = new(MetadataRequestTopic)
   o1.topic_id, n1 = U_16sB(view, pos)
   pos += 17
   o1.topic_id = UUIDS.get(o1.topic_id) or uuid_of(o1.topic_id)
   if n1 > 127:
    n1, pos = varint_rest(view, pos, n1)
   if not n1: o1.name = None
   else:
    end = pos + n1 - 1
    if end > size: raise beyond('MetadataRequestTopic.name')
    o1.name = view[pos:end].tobytes().decode()
    pos = end
   t0 = view[pos]
   pos += 1
   if t0:
    pos = skip_tags(view, pos, t0, size)
   a0.append(o1)
  o0.topics = a0
 o0.allow_auto_topic_creation, o0.include_cluster_authorized_operations, o0.include_topic_authorized_operations, t1 = U_tttB(view, pos)
 pos += 4
 if t1:
  pos = skip_tags(view, pos, t1, size)
 return o0, pos
def _decode_metadata_request_11(view, size):
 pos = 0
 o0 = new(MetadataRequest)
 n0 = view[pos]
 pos += 1
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: o0.topics = None
 else:
  n0 -= 1
  if n0 * 18 > size - pos: raise beyond('MetadataRequest.topics')
  a0 = []
  for _ in range(n0):
   o1 = new(MetadataRequestTopic)
   o1.topic_id, n1 = U_16sB(view, pos)
   pos += 17
   o1.topic_id = UUIDS.get(o1.topic_id) or uuid_of(o1.topic_id)
   if n1 > 127:
    n1, pos = varint_rest(view, pos, n1)
   if not n1: o1.name = None
   else:
    end = pos + n1 - 1
    if end > size: raise beyond('MetadataRequestTopic.name')
    o1.name = view[pos:end].tobytes().decode()
    pos = end
   t0 = view[pos]
   pos += 1
   if t0:
    pos = skip_tags(view, pos, t0, size)
   a0.append(o1)
  o0.topics = a0
 o0.include_cluster_authorized_operations = False
 o0.allow_auto_topic_creation, o0.include_topic_authorized_operations, t1 = U_ttB(view, pos)
 pos += 3
 if t1:
  pos = skip_tags(view, pos, t1, size)
 return o0, pos
MetadataRequest.decoders = {0: _decode_metadata_request_0, 1: _decode_metadata_request_1, 2: _decode_metadata_request_1, 3: _decode_metadata_request_1, 4: _decode_metadata_request_4, 5: _decode_metadata_request_4, 6: _decode_metadata_request_4, 7: _decode_metadata_request_4, 8: _decode_metadata_request_8, 9: _decode_metadata_request_9, 10: _decode_metadata_request_10, 11: _decode_metadata_request_11, 12: _decode_metadata_request_11, 13: _decode_metadata_request_11}

def _encode_metadata_request_0(m):
 out = []
 a0 = m.topics
 n0 = len(a0)
 out.append(P_i(n0))
 for m0 in a0:
  b0 = m0.name.encode()
  n1 = len(b0)
  out.append(P_h(n1))
  out.append(b0)
 if not m.allow_auto_topic_creation: raise unsupported('MetadataRequest.allow_auto_topic_creation')
 if m.include_cluster_authorized_operations: raise unsupported('MetadataRequest.include_cluster_authorized_operations')
 if m.include_topic_authorized_operations: raise unsupported('MetadataRequest.include_topic_authorized_operations')
 return [b''.join(out)]
def _encode_metadata_request_1(m):
 out = []
 a0 = m.topics
 n0 = -1 if a0 is None else len(a0)
 out.append(P_i(n0))
 for m0 in a0 or ():
  b0 = m0.name.encode()
  n1 = len(b0)
  out.append(P_h(n1))
  out.append(b0)
 if not m.allow_auto_topic_creation: raise unsupported('MetadataRequest.allow_auto_topic_creation')
 if m.include_cluster_authorized_operations: raise unsupported('MetadataRequest.include_cluster_authorized_operations')
 if m.include_topic_authorized_operations: raise unsupported('MetadataRequest.include_topic_authorized_operations')
 return [b''.join(out)]
def _encode_metadata_request_4(m):
 out = []
 a0 = m.topics
 n0 = -1 if a0 is None else len(a0)
 out.append(P_i(n0))
 for m0 in a0 or ():
  b0 = m0.name.encode()
  n1 = len(b0)
  out.append(P_h(n1))
  out.append(b0)
 if m.include_cluster_authorized_operations: raise unsupported('MetadataRequest.include_cluster_authorized_operations')
 if m.include_topic_authorized_operations: raise unsupported('MetadataRequest.include_topic_authorized_operations')
 out.append(P_t(m.allow_auto_topic_creation))
 return [b''.join(out)]
def _encode_metadata_request_8(m):
 out = []
 a0 = m.topics
 n0 = -1 if a0 is None else len(a0)
 out.append(P_i(n0))
 for m0 in a0 or ():
  b0 = m0.name.encode()
  n1 = len(b0)
  out.append(P_h(n1))
  out.append(b0)
 out.append(P_ttt(m.allow_auto_topic_creation, m.include_cluster_authorized_operations, m.include_topic_authorized_operations))
 return [b''.join(out)]
def _encode_metadata_request_9(m):
 out = []
 a0 = m.topics
 n0 = 0 if a0 is None else len(a0) + 1
 out.append(U8[n0] if n0 < 128 else varint(n0))
 for m0 in a0 or ():
  b0 = m0.name.encode()
  n1 = len(b0) + 1
  out.append(U8[n1] if n1 < 128 else varint(n1))
  out.append(b0)
  out.append(b'\x00')
 out.append(P_tttx(m.allow_auto_topic_creation, m.include_cluster_authorized_operations, m.include_topic_authorized_operations))
 return [b''.join(out)]
def _encode_metadata_request_10(m):
 out = []
 a0 = m.topics
 n0 = 0 if a0 is None else len(a0) + 1
 out.append(U8[n0] if n0 < 128 else varint(n0))
 for m0 in a0 or ():
  b0 = m0.name
  if b0 is None:
   b0 = b''; n1 = 0
  else:
   b0 = b0.encode()
   n1 = len(b0) + 1
  out.append(P_16sB(m0.topic_id.bytes, n1) if n1 < 128 else P_16s(m0.topic_id.bytes) + varint(n1))
  out.append(b0)
  out.append(b'\x00')
 out.append(P_tttx(m.allow_auto_topic_creation, m.include_cluster_authorized_operations, m.include_topic_authorized_operations))
 return [b''.join(out)]
def _encode_metadata_request_11(m):
 out = []
 a0 = m.topics
 n0 = 0 if a0 is None else len(a0) + 1
 out.append(U8[n0] if n0 < 128 else varint(n0))
 for m0 in a0 or ():
  b0 = m0.name
  if b0 is None:
   b0 = b''; n1 = 0
  else:
   b0 = b0.encode()
   n1 = len(b0) + 1
  out.append(P_16sB(m0.topic_id.bytes, n1) if n1 < 128 else P_16s(m0.topic_id.bytes) + varint(n1))
  out.append(b0)
  out.append(b'\x00')
 if m.include_cluster_authorized_operations: raise unsupported('MetadataRequest.include_cluster_authorized_operations')
 out.append(P_ttx(m.allow_auto_topic_creation, m.include_topic_authorized_operations))
 return [b''.join(out)]
MetadataRequest.encoders = {0: _encode_metadata_request_0, 1: _encode_metadata_request_1, 2: _encode_metadata_request_1, 3: _encode_metadata_request_1, 4: _encode_metadata_request_4, 5: _encode_metadata_request_4, 6: _encode_metadata_request_4, 7: _encode_metadata_request_4, 8: _encode_metadata_request_8, 9: _encode_metadata_request_9, 10: _encode_metadata_request_10, 11: _encode_metadata_request_11, 12: _encode_metadata_request_11, 13: _encode_metadata_request_11}


class MetadataResponseBroker(Struct):
 __slots__ = ('node_id', 'host', 'port', 'rack', )
 node_id: int
 host: str
 port: int
 rack: str | None
 def __init__(self, node_id: int = 0, host: str = '', port: int = 0, rack: str | None = None) -> None:
  self.node_id = node_id
  self.host = host
  self.port = port
  self.rack = rack


class MetadataResponsePartition(Struct):
 __slots__ = ('error_code', 'partition_index', 'leader_id', 'leader_epoch', 'replica_nodes', 'isr_nodes', 'offline_replicas', )
 error_code: int
 partition_index: int
 leader_id: int
 leader_epoch: int
 replica_nodes: list[int]
 isr_nodes: list[int]
 offline_replicas: list[int]
 def __init__(self, error_code: int = 0, partition_index: int = 0, leader_id: int = 0, leader_epoch: int = -1, replica_nodes: list[int] = FRESH, isr_nodes: list[int] = FRESH, offline_replicas: list[int] = FRESH) -> None:
  self.error_code = error_code
  self.partition_index = partition_index
  self.leader_id = leader_id
  self.leader_epoch = leader_epoch
  self.replica_nodes = [] if replica_nodes is FRESH else replica_nodes
  self.isr_nodes = [] if isr_nodes is FRESH else isr_nodes
  self.offline_replicas = [] if offline_replicas is FRESH else offline_replicas


class MetadataResponseTopic(Struct):
 __slots__ = ('error_code', 'name', 'topic_id', 'is_internal', 'partitions', 'topic_authorized_operations', )
 error_code: int
 name: str | None
 topic_id: UUID
 is_internal: bool
 partitions: list[MetadataResponsePartition]
 topic_authorized_operations: int
 def __init__(self, error_code: int = 0, name: str | None = '', topic_id: UUID = NO_UUID, is_internal: bool = False, partitions: list[MetadataResponsePartition] = FRESH, topic_authorized_operations: int = -2147483648) -> None:
  self.error_code = error_code
  self.name = name
  self.topic_id = topic_id
  self.is_internal = is_internal
  self.partitions = [] if partitions is FRESH else partitions
  self.topic_authorized_operations = topic_authorized_operations


class MetadataResponse(Message):
 __slots__ = ('throttle_time_ms', 'brokers', 'cluster_id', 'controller_id', 'topics', 'cluster_authorized_operations', 'error_code', )
 api_key: ClassVar[int] = 3
 versions: ClassVar[range] = range(0, 14)
 first_flexible: ClassVar[int | None] = 9
 throttle_time_ms: int
 brokers: list[MetadataResponseBroker]
 cluster_id: str | None
 controller_id: int
 topics: list[MetadataResponseTopic]
 cluster_authorized_operations: int
 error_code: int
 def __init__(self, throttle_time_ms: int = 0, brokers: list[MetadataResponseBroker] = FRESH, cluster_id: str | None = None, controller_id: int = -1, topics: list[MetadataResponseTopic] = FRESH, cluster_authorized_operations: int = -2147483648, error_code: int = 0) -> None:
  self.throttle_time_ms = throttle_time_ms
  self.brokers = [] if brokers is FRESH else brokers
  self.cluster_id = cluster_id
  self.controller_id = controller_id
  self.topics = [] if topics is FRESH else topics
  self.cluster_authorized_operations = cluster_authorized_operations
  self.error_code = error_code

def _decode_metadata_response_0(view, size):
 pos = 0
 o0 = new(MetadataResponse)
 o0.throttle_time_ms = 0
 n0, = U_i(view, pos)
 pos += 4
 if n0 < 0: raise null('MetadataResponse.brokers')
 if n0 * 10 > size - pos: raise beyond('MetadataResponse.brokers')
 a0 = []
 for _ in range(n0):
  o1 = new(MetadataResponseBroker)
  o1.node_id, n1 = U_ih(view, pos)
  pos += 6
  if n1 < 0: raise null('MetadataResponseBroker.host')
  end = pos + n1
  if end > size: raise beyond('MetadataResponseBroker.host')
  o1.host = view[pos:end].tobytes().decode()
  pos = end
  o1.rack = None
  o1.port, = U_i(view, pos)
  pos += 4
  a0.append(o1)
 o0.brokers = a0
 o0.cluster_id = None
 o0.controller_id = -1
 n2, = U_i(view, pos)
 pos += 4
 if n2 < 0: raise null('MetadataResponse.topics')
 if n2 * 8 > size - pos: raise beyond('MetadataResponse.topics')
 a1 = []
 for _ in range(n2):
  o2 = new(MetadataResponseTopic)
  o2.error_code, n3 = U_hh(view, pos)
  pos += 4
  if n3 < 0: raise null('MetadataResponseTopic.name')
  end = pos + n3
  if end > size: raise beyond('MetadataResponseTopic.name')
  o2.name = view[pos:end].tobytes().decode()
  pos = end
  o2.topic_id = NO_UUID
  o2.is_internal = False
  n4, = U_i(view, pos)
  pos += 4
  if n4 < 0: raise null('MetadataResponseTopic.partitions')
  if n4 * 18 > size - pos: raise beyond('MetadataResponseTopic.partitions')
  a2 = []
  for _ in range(n4):
   o3 = new(MetadataResponsePartition)
   o3.leader_epoch = -1
   o3.error_code, o3.partition_index, o3.leader_id, n5 = U_hiii(view, pos)
   pos += 14
   if n5 < 0: raise null('MetadataResponsePartition.replica_nodes')
   if n5 * 4 > size - pos: raise beyond('MetadataResponsePartition.replica_nodes')
   o3.replica_nodes = list(unpack_from(f'>{n5}i', view, pos))
   pos += n5 * 4
   n6, = U_i(view, pos)
   pos += 4
   if n6 < 0: raise null('MetadataResponsePartition.isr_nodes')
   if n6 * 4 > size - pos: raise beyond('MetadataResponsePartition.isr_nodes')
   o3.isr_nodes = list(unpack_from(f'>{n6}i', view, pos))
   pos += n6 * 4
   o3.offline_replicas = []
   a2.append(o3)
  o2.partitions = a2
  o2.topic_authorized_operations = -2147483648
  a1.append(o2)
 o0.topics = a1
 o0.cluster_authorized_operations = -2147483648
 o0.error_code = 0
 return o0, pos
def _decode_metadata_response_1(view, size):
 pos = 0
 o0 = new(MetadataResponse)
 o0.throttle_time_ms = 0
 n0, = U_i(view, pos)
 pos += 4
 if n0 < 0: raise null('MetadataResponse.brokers')
 if n0 * 12 > size - pos: raise beyond('MetadataResponse.brokers')
 a0 = []
 for _ in range(n0):
  o1 = new(MetadataResponseBroker)
  o1.node_id, n1 = U_ih(view, pos)
  pos += 6
  if n1 < 0: raise null('MetadataResponseBroker.host')
  end = pos + n1
  if end > size: raise beyond('MetadataResponseBroker.host')
  o1.host = view[pos:end].tobytes().decode()
  pos = end
  o1.port, n2 = U_ih(view, pos)
  pos += 6
  if n2 < 0: o1.rack = None
  else:
   end = pos + n2
   if end > size: raise beyond('MetadataResponseBroker.rack')
   o1.rack = view[pos:end].tobytes().decode()
   pos = end
  a0.append(o1)
 o0.brokers = a0
 o0.cluster_id = None
 o0.controller_id, n3 = U_ii(view, pos)
 pos += 8
 if n3 < 0: raise null('MetadataResponse.topics')
 if n3 * 9 > size - pos: raise beyond('MetadataResponse.topics')
 a1 = []
 for _ in range(n3):
  o2 = new(MetadataResponseTopic)
  o2.error_code, n4 = U_hh(view, pos)
  pos += 4
  if n4 < 0: raise null('MetadataResponseTopic.name')
  end = pos + n4
  if end > size: raise beyond('MetadataResponseTopic.name')
  o2.name = view[pos:end].tobytes().decode()
  pos = end
  o2.topic_id = NO_UUID
  o2.is_internal, n5 = U_ti(view, pos)
  pos += 5
  if n5 < 0: raise null('MetadataResponseTopic.partitions')
  if n5 * 18 > size - pos: raise beyond('MetadataResponseTopic.partitions')
  a2 = []
  for _ in range(n5):
   o3 = new(MetadataResponsePartition)
   o3.leader_epoch = -1
   o3.error_code, o3.partition_index, o3.leader_id, n6 = U_hiii(view, pos)
   pos += 14
   if n6 < 0: raise null('MetadataResponsePartition.replica_nodes')
   if n6 * 4 > size - pos: raise beyond('MetadataResponsePartition.replica_nodes')
   o3.replica_nodes = list(unpack_from(f'>{n6}i', view, pos))
   pos += n6 * 4
   n7, = U_i(view, pos)
   pos += 4
   if n7 < 0: raise null('MetadataResponsePartition.isr_nodes')
   if n7 * 4 > size - pos: raise beyond('MetadataResponsePartition.isr_nodes')
   o3.isr_nodes = list(unpack_from(f'>{n7}i', view, pos))
   pos += n7 * 4
   o3.offline_replicas = []
   a2.append(o3)
  o2.partitions = a2
  o2.topic_authorized_operations = -2147483648
  a1.append(o2)
 o0.topics = a1
 o0.cluster_authorized_operations = -2147483648
 o0.error_code = 0
 return o0, pos
def _decode_metadata_response_2(view, size):
 pos = 0
 o0 = new(MetadataResponse)
 o0.throttle_time_ms = 0
 n0, = U_i(view, pos)
 pos += 4
 if n0 < 0: raise null('MetadataResponse.brokers')
 if n0 * 12 > size - pos: raise beyond('MetadataResponse.brokers')
 a0 = []
 for _ in range(n0):
  o1 = new(MetadataResponseBroker)
  o1.node_id, n1 = U_ih(view, pos)
  pos += 6
  if n1 < 0: raise null('MetadataResponseBroker.host')
  end = pos + n1
  if end > size: raise beyond('MetadataResponseBroker.host')
  o1.host = view[pos:end].tobytes().decode()
  pos = end
  o1.port, n2 = U_ih(view, pos)
  pos += 6
  if n2 < 0: o1.rack = None
  else:
   end = pos + n2
   if end > size: raise beyond('MetadataResponseBroker.rack')
   o1.rack = view[pos:end].tobytes().decode()
   pos = end
  a0.append(o1)
 o0.brokers = a0
 n3, = U_h(view, pos)
 pos += 2
 if n3 < 0: o0.cluster_id = None
 else:
  end = pos + n3
  if end > size: raise beyond('MetadataResponse.cluster_id')
  o0.cluster_id = view[pos:end].tobytes().decode()
  pos = end
 o0.controller_id, n4 = U_ii(view, pos)
 pos += 8
 if n4 < 0: raise null('MetadataResponse.topics')
 if n4 * 9 > size - pos: raise beyond('MetadataResponse.topics')
 a1 = []
 for _ in range(n4):
  o2 = new(MetadataResponseTopic)
  o2.error_code, n5 = U_hh(view, pos)
  pos += 4
  if n5 < 0: raise null('MetadataResponseTopic.name')
  end = pos + n5
  if end > size: raise beyond('MetadataResponseTopic.name')
  o2.name = view[pos:end].tobytes().decode()
  pos = end
  o2.topic_id = NO_UUID
  o2.is_internal, n6 = U_ti(view, pos)
  pos += 5
  if n6 < 0: raise null('MetadataResponseTopic.partitions')
  if n6 * 18 > size - pos: raise beyond('MetadataResponseTopic.partitions')
  a2 = []
  for _ in range(n6):
   o3 = new(MetadataResponsePartition)
   o3.leader_epoch = -1
   o3.error_code, o3.partition_index, o3.leader_id, n7 = U_hiii(view, pos)
   pos += 14
   if n7 < 0: raise null('MetadataResponsePartition.replica_nodes')
   if n7 * 4 > size - pos: raise beyond('MetadataResponsePartition.replica_nodes')
   o3.replica_nodes = list(unpack_from(f'>{n7}i', view, pos))
   pos += n7 * 4
   n8, = U_i(view, pos)
   pos += 4
   if n8 < 0: raise null('MetadataResponsePartition.isr_nodes')
   if n8 * 4 > size - pos: raise beyond('MetadataResponsePartition.isr_nodes')
   o3.isr_nodes = list(unpack_from(f'>{n8}i', view, pos))
   pos += n8 * 4
   o3.offline_replicas = []
   a2.append(o3)
  o2.partitions = a2
  o2.topic_authorized_operations = -2147483648
  a1.append(o2)
 o0.topics = a1
 o0.cluster_authorized_operations = -2147483648
 o0.error_code = 0
 return o0, pos
def _decode_metadata_response_3(view, size):
 pos = 0
 o0 = new(MetadataResponse)
 o0.throttle_time_ms, n0 = U_ii(view, pos)
 pos += 8
 if n0 < 0: raise null('MetadataResponse.brokers')
 if n0 * 12 > size - pos: raise beyond('MetadataResponse.brokers')
 a0 = []
 for _ in range(n0):
  o1 = new(MetadataResponseBroker)
  o1.node_id, n1 = U_ih(view, pos)
  pos += 6
  if n1 < 0: raise null('MetadataResponseBroker.host')
  end = pos + n1
  if end > size: raise beyond('MetadataResponseBroker.host')
  o1.host = view[pos:end].tobytes().decode()
  pos = end
  o1.port, n2 = U_ih(view, pos)
  pos += 6
  if n2 < 0: o1.rack = None
  else:
   end = pos + n2
   if end > size: raise beyond('MetadataResponseBroker.rack')
   o1.rack = view[pos:end].tobytes().decode()
   pos = end
  a0.append(o1)
 o0.brokers = a0
 n3, = U_h(view, pos)
 pos += 2
 if n3 < 0: o0.cluster_id = None
 else:
  end = pos + n3
  if end > size: raise beyond('MetadataResponse.cluster_id')
  o0.cluster_id = view[pos:end].tobytes().decode()
  pos = end
 o0.controller_id, n4 = U_ii(view, pos)
 pos += 8
 if n4 < 0: raise null('MetadataResponse.topics')
 if n4 * 9 > size - pos: raise beyond('MetadataResponse.topics')
 a1 = []
 for _ in range(n4):
  o2 = new(MetadataResponseTopic)
  o2.error_code, n5 = U_hh(view, pos)
  pos += 4
  if n5 < 0: raise null('MetadataResponseTopic.name')
  end = pos + n5
  if end > size: raise beyond('MetadataResponseTopic.name')
  o2.name = view[pos:end].tobytes().decode()
  pos = end
  o2.topic_id = NO_UUID
  o2.is_internal, n6 = U_ti(view, pos)
  pos += 5
  if n6 < 0: raise null('MetadataResponseTopic.partitions')
  if n6 * 18 > size - pos: raise beyond('MetadataResponseTopic.partitions')
  a2 = []
  for _ in range(n6):
   o3 = new(MetadataResponsePartition)
   o3.leader_epoch = -1
   o3.error_code, o3.partition_index, o3.leader_id, n7 = U_hiii(view, pos)
   pos += 14
   if n7 < 0: raise null('MetadataResponsePartition.replica_nodes')
   if n7 * 4 > size - pos: raise beyond('MetadataResponsePartition.replica_nodes')
   o3.replica_nodes = list(unpack_from(f'>{n7}i', view, pos))
   pos += n7 * 4
   n8, = U_i(view, pos)
   pos += 4
   if n8 < 0: raise null('MetadataResponsePartition.isr_nodes')
   if n8 * 4 > size - pos: raise beyond('MetadataResponsePartition.isr_nodes')
   o3.isr_nodes = list(unpack_from(f'>{n8}i', view, pos))
   pos += n8 * 4
   o3.offline_replicas = []
   a2.append(o3)
  o2.partitions = a2
  o2.topic_authorized_operations = -2147483648
  a1.append(o2)
 o0.topics = a1
 o0.cluster_authorized_operations = -2147483648
 o0.error_code = 0
 return o0, pos
def _decode_metadata_response_5(view, size):
 pos = 0
 o0 = new(MetadataResponse)
 o0.throttle_time_ms, n0 = U_ii(view, pos)
 pos += 8
 if n0 < 0: raise null('MetadataResponse.brokers')
 if n0 * 12 > size - pos: raise beyond('MetadataResponse.brokers')
 a0 = []
 for _ in range(n0):
  o1 = new(MetadataResponseBroker)
  o1.node_id, n1 = U_ih(view, pos)
  pos += 6
  if n1 < 0: raise null('MetadataResponseBroker.host')
  end = pos + n1
  if end > size: raise beyond('MetadataResponseBroker.host')
  o1.host = view[pos:end].tobytes().decode()
  pos = end
  o1.port, n2 = U_ih(view, pos)
  pos += 6
  if n2 < 0: o1.rack = None
  else:
   end = pos + n2
   if end > size: raise beyond('MetadataResponseBroker.rack')
   o1.rack = view[pos:end].tobytes().decode()
   pos = end
  a0.append(o1)
 o0.brokers = a0
 n3, = U_h(view, pos)
 pos += 2
 if n3 < 0: o0.cluster_id = None
 else:
  end = pos + n3
  if end > size: raise beyond('MetadataResponse.cluster_id')
  o0.cluster_id = view[pos:end].tobytes().decode()
  pos = end
 o0.controller_id, n4 = U_ii(view, pos)
 pos += 8
 if n4 < 0: raise null('MetadataResponse.topics')
 if n4 * 9 > size - pos: raise beyond('MetadataResponse.topics')
 a1 = []
 for _ in range(n4):
  o2 = new(MetadataResponseTopic)
  o2.error_code, n5 = U_hh(view, pos)
  pos += 4
  if n5 < 0: raise null('MetadataResponseTopic.name')
  end = pos + n5
  if end > size: raise beyond('MetadataResponseTopic.name')
  o2.name = view[pos:end].tobytes().decode()
  pos = end
  o2.topic_id = NO_UUID
  o2.is_internal, n6 = U_ti(view, pos)
  pos += 5
  if n6 < 0: raise null('MetadataResponseTopic.partitions')
  if n6 * 22 > size - pos: raise beyond('MetadataResponseTopic.partitions')
  a2 = []
  for _ in range(n6):
   o3 = new(MetadataResponsePartition)
   o3.leader_epoch = -1
   o3.error_code, o3.partition_index, o3.leader_id, n7 = U_hiii(view, pos)
   pos += 14
   if n7 < 0: raise null('MetadataResponsePartition.replica_nodes')
   if n7 * 4 > size - pos: raise beyond('MetadataResponsePartition.replica_nodes')
   o3.replica_nodes = list(unpack_from(f'>{n7}i', view, pos))
   pos += n7 * 4
   n8, = U_i(view, pos)
   pos += 4
   if n8 < 0: raise null('MetadataResponsePartition.isr_nodes')
   if n8 * 4 > size - pos: raise beyond('MetadataResponsePartition.isr_nodes')
   o3.isr_nodes = list(unpack_from(f'>{n8}i', view, pos))
   pos += n8 * 4
   n9, = U_i(view, pos)
   pos += 4
   if n9 < 0: raise null('MetadataResponsePartition.offline_replicas')
   if n9 * 4 > size - pos: raise beyond('MetadataResponsePartition.offline_replicas')
   o3.offline_replicas = list(unpack_from(f'>{n9}i', view, pos))
   pos += n9 * 4
   a2.append(o3)
  o2.partitions = a2
  o2.topic_authorized_operations = -2147483648
  a1.append(o2)
 o0.topics = a1
 o0.cluster_authorized_operations = -2147483648
 o0.error_code = 0
 return o0, pos
def _decode_metadata_response_7(view, size):
 pos = 0
 o0 = new(MetadataResponse)
 o0.throttle_time_ms, n0 = U_ii(view, pos)
 pos += 8
 if n0 < 0: raise null('MetadataResponse.brokers')
 if n0 * 12 > size - pos: raise beyond('MetadataResponse.brokers')
 a0 = []
 for _ in range(n0):
  o1 = new(MetadataResponseBroker)
  o1.node_id, n1 = U_ih(view, pos)
  pos += 6
  if n1 < 0: raise null('MetadataResponseBroker.host')
  end = pos + n1
  if end > size: raise beyond('MetadataResponseBroker.host')
  o1.host = view[pos:end].tobytes().decode()
  pos = end
  o1.port, n2 = U_ih(view, pos)
  pos += 6
  if n2 < 0: o1.rack = None
  else:
   end = pos + n2
   if end > size: raise beyond('MetadataResponseBroker.rack')
   o1.rack = view[pos:end].tobytes().decode()
   pos = end
  a0.append(o1)
 o0.brokers = a0
 n3, = U_h(view, pos)
 pos += 2
 if n3 < 0: o0.cluster_id = None
 else:
  end = pos + n3
  if end > size: raise beyond('MetadataResponse.cluster_id')
  o0.cluster_id = view[pos:end].tobytes().decode()
  pos = end
 o0.controller_id, n4 = U_ii(view, pos)
 pos += 8
 if n4 < 0: raise null('MetadataResponse.topics')
 if n4 * 9 > size - pos: raise beyond('MetadataResponse.topics')
 a1 = []
 for _ in range(n4):
  o2 = new(MetadataResponseTopic)
  o2.error_code, n5 = U_hh(view, pos)
  pos += 4
  if n5 < 0: raise null('MetadataResponseTopic.name')
  end = pos + n5
  if end > size: raise beyond('MetadataResponseTopic.name')
  o2.name = view[pos:end].tobytes().decode()
  pos = end
  o2.topic_id = NO_UUID
  o2.is_internal, n6 = U_ti(view, pos)
  pos += 5
  if n6 < 0: raise null('MetadataResponseTopic.partitions')
  if n6 * 26 > size - pos: raise beyond('MetadataResponseTopic.partitions')
  a2 = []
  for _ in range(n6):
   o3 = new(MetadataResponsePartition)
   o3.error_code, o3.partition_index, o3.leader_id, o3.leader_epoch, n7 = U_hiiii(view, pos)
   pos += 18
   if n7 < 0: raise null('MetadataResponsePartition.replica_nodes')
   if n7 * 4 > size - pos: raise beyond('MetadataResponsePartition.replica_nodes')
   o3.replica_nodes = list(unpack_from(f'>{n7}i', view, pos))
   pos += n7 * 4
   n8, = U_i(view, pos)
   pos += 4
   if n8 < 0: raise null('MetadataResponsePartition.isr_nodes')
   if n8 * 4 > size - pos: raise beyond('MetadataResponsePartition.isr_nodes')
   o3.isr_nodes = list(unpack_from(f'>{n8}i', view, pos))
   pos += n8 * 4
   n9, = U_i(view, pos)
   pos += 4
   if n9 < 0: raise null('MetadataResponsePartition.offline_replicas')
   if n9 * 4 > size - pos: raise beyond('MetadataResponsePartition.offline_replicas')
   o3.offline_replicas = list(unpack_from(f'>{n9}i', view, pos))
   pos += n9 * 4
   a2.append(o3)
  o2.partitions = a2
  o2.topic_authorized_operations = -2147483648
  a1.append(o2)
 o0.topics = a1
 o0.cluster_authorized_operations = -2147483648
 o0.error_code = 0
 return o0, pos
def _decode_metadata_response_8(view, size):
 pos = 0
 o0 = new(MetadataResponse)
 o0.throttle_time_ms, n0 = U_ii(view, pos)
 pos += 8
 if n0 < 0: raise null('MetadataResponse.brokers')
 if n0 * 12 > size - pos: raise beyond('MetadataResponse.brokers')
 a0 = []
 for _ in range(n0):
  o1 = new(MetadataResponseBroker)
  o1.node_id, n1 = U_ih(view, pos)
  pos += 6
  if n1 < 0: raise null('MetadataResponseBroker.host')
  end = pos + n1
  if end > size: raise beyond('MetadataResponseBroker.host')
  o1.host = view[pos:end].tobytes().decode()
  pos = end
  o1.port, n2 = U_ih(view, pos)
  pos += 6
  if n2 < 0: o1.rack = None
  else:
   end = pos + n2
   if end > size: raise beyond('MetadataResponseBroker.rack')
   o1.rack = view[pos:end].tobytes().decode()
   pos = end
  a0.append(o1)
 o0.brokers = a0
 n3, = U_h(view, pos)
 pos += 2
 if n3 < 0: o0.cluster_id = None
 else:
  end = pos + n3
  if end > size: raise beyond('MetadataResponse.cluster_id')
  o0.cluster_id = view[pos:end].tobytes().decode()
  pos = end
 o0.controller_id, n4 = U_ii(view, pos)
 pos += 8
 if n4 < 0: raise null('MetadataResponse.topics')
 if n4 * 13 > size - pos: raise beyond('MetadataResponse.topics')
 a1 = []
 for _ in range(n4):
  o2 = new(MetadataResponseTopic)
  o2.error_code, n5 = U_hh(view, pos)
  pos += 4
  if n5 < 0: raise null('MetadataResponseTopic.name')
  end = pos + n5
  if end > size: raise beyond('MetadataResponseTopic.name')
  o2.name = view[pos:end].tobytes().decode()
  pos = end
  o2.topic_id = NO_UUID
  o2.is_internal, n6 = U_ti(view, pos)
  pos += 5
  if n6 < 0: raise null('MetadataResponseTopic.partitions')
  if n6 * 26 > size - pos: raise beyond('MetadataResponseTopic.partitions')
  a2 = []
  for _ in range(n6):
   o3 = new(MetadataResponsePartition)
   o3.error_code, o3.partition_index, o3.leader_id, o3.leader_epoch, n7 = U_hiiii(view, pos)
   pos += 18
   if n7 < 0: raise null('MetadataResponsePartition.replica_nodes')
   if n7 * 4 > size - pos: raise beyond('MetadataResponsePartition.replica_nodes')
   o3.replica_nodes = list(unpack_from(f'>{n7}i', view, pos))
   pos += n7 * 4
   n8, = U_i(view, pos)
   pos += 4
   if n8 < 0: raise null('MetadataResponsePartition.isr_nodes')
   if n8 * 4 > size - pos: raise beyond('MetadataResponsePartition.isr_nodes')
   o3.isr_nodes = list(unpack_from(f'>{n8}i', view, pos))
   pos += n8 * 4
   n9, = U_i(view, pos)
   pos += 4
   if n9 < 0: raise null('MetadataResponsePartition.offline_replicas')
   if n9 * 4 > size - pos: raise beyond('MetadataResponsePartition.offline_replicas')
   o3.offline_replicas = list(unpack_from(f'>{n9}i', view, pos))
   pos += n9 * 4
   a2.append(o3)
  o2.partitions = a2
  o2.topic_authorized_operations, = U_i(view, pos)
  pos += 4
  a1.append(o2)
 o0.topics = a1
 o0.error_code = 0
 o0.cluster_authorized_operations, = U_i(view, pos)
 pos += 4
 return o0, pos
def _decode_metadata_response_9(view, size):
 pos = 0
 o0 = new(MetadataResponse)
 o0.throttle_time_ms, n0 = U_iB(view, pos)
 pos += 5
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('MetadataResponse.brokers')
 n0 -= 1
 if n0 * 11 > size - pos: raise beyond('MetadataResponse.brokers')
 a0 = []
 for _ in range(n0):
  o1 = new(MetadataResponseBroker)
  o1.node_id, n1 = U_iB(view, pos)
  pos += 5
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('MetadataResponseBroker.host')
  end = pos + n1 - 1
  if end > size: raise beyond('MetadataResponseBroker.host')
  o1.host = view[pos:end].tobytes().decode()
  pos = end
  o1.port, n2 = U_iB(view, pos)
  pos += 5
  if n2 > 127:
   n2, pos = varint_rest(view, pos, n2)
  if not n2: o1.rack = None
  else:
   end = pos + n2 - 1
   if end > size: raise beyond('MetadataResponseBroker.rack')
   o1.rack = view[pos:end].tobytes().decode()
   pos = end
  t0 = view[pos]
  pos += 1
  if t0:
   pos = skip_tags(view, pos, t0, size)
  a0.append(o1)
 o0.brokers = a0
 n3 = view[pos]
 pos += 1
 if n3 > 127:
  n3, pos = varint_rest(view, pos, n3)
 if not n3: o0.cluster_id = None
 else:
  end = pos + n3 - 1
  if end > size: raise beyond('MetadataResponse.cluster_id')
  o0.cluster_id = view[pos:end].tobytes().decode()
  pos = end
 o0.controller_id, n4 = U_iB(view, pos)
 pos += 5
 if n4 > 127:
  n4, pos = varint_rest(view, pos, n4)
 if not n4: raise null('MetadataResponse.topics')
 n4 -= 1
 if n4 * 10 > size - pos: raise beyond('MetadataResponse.topics')
 a1 = []
 for _ in range(n4):
  o2 = new(MetadataResponseTopic)
  o2.error_code, n5 = U_hB(view, pos)
  pos += 3
  if n5 > 127:
   n5, pos = varint_rest(view, pos, n5)
  if not n5: raise null('MetadataResponseTopic.name')
  end = pos + n5 - 1
  if end > size: raise beyond('MetadataResponseTopic.name')
  o2.name = view[pos:end].tobytes().decode()
  pos = end
  o2.topic_id = NO_UUID
  o2.is_internal, n6 = U_tB(view, pos)
  pos += 2
  if n6 > 127:
   n6, pos = varint_rest(view, pos, n6)
  if not n6: raise null('MetadataResponseTopic.partitions')
  n6 -= 1
  if n6 * 18 > size - pos: raise beyond('MetadataResponseTopic.partitions')
  a2 = []
  for _ in range(n6):
   o3 = new(MetadataResponsePartition)
   o3.error_code, o3.partition_index, o3.leader_id, o3.leader_epoch, n7 = U_hiiiB(view, pos)
   pos += 15
   if n7 > 127:
    n7, pos = varint_rest(view, pos, n7)
   if not n7: raise null('MetadataResponsePartition.replica_nodes')
   n7 -= 1
   if n7 * 4 > size - pos: raise beyond('MetadataResponsePartition.replica_nodes')
   o3.replica_nodes = list(unpack_from(f'>{n7}i', view, pos))
   pos += n7 * 4
   n8 = view[pos]
   pos += 1
   if n8 > 127:
    n8, pos = varint_rest(view, pos, n8)
   if not n8: raise null('MetadataResponsePartition.isr_nodes')
   n8 -= 1
   if n8 * 4 > size - pos: raise beyond('MetadataResponsePartition.isr_nodes')
   o3.isr_nodes = list(unpack_from(f'>{n8}i', view, pos))
   pos += n8 * 4
   n9 = view[pos]
   pos += 1
   if n9 > 127:
    n9, pos = varint_rest(view, pos, n9)
   if not n9: raise null('MetadataResponsePartition.offline_replicas')
   n9 -= 1
   if n9 * 4 > size - pos: raise beyond('MetadataResponsePartition.offline_replicas')
   o3.offline_replicas = list(unpack_from(f'>{n9}i', view, pos))
   pos += n9 * 4
   t1 = view[pos]
   pos += 1
   if t1:
    pos = skip_tags(view, pos, t1, size)
   a2.append(o3)
  o2.partitions = a2
  o2.topic_authorized_operations, t2 = U_iB(view, pos)
  pos += 5
  if t2:
   pos = skip_tags(view, pos, t2, size)
  a1.append(o2)
 o0.topics = a1
 o0.error_code = 0
 o0.cluster_authorized_operations, t3 = U_iB(view, pos)
 pos += 5
 if t3:
  pos = skip_tags(view, pos, t3, size)
 return o0, pos
def _decode_metadata_response_10(view, size):
 pos = 0
 o0 = new(MetadataResponse)
 o0.throttle_time_ms, n0 = U_iB(view, pos)
 pos += 5
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('MetadataResponse.brokers')
 n0 -= 1
 if n0 * 11 > size - pos: raise beyond('MetadataResponse.brokers')
 a0 = []
 for _ in range(n0):
  o1 = new(MetadataResponseBroker)
  o1.node_id, n1 = U_iB(view, pos)
  pos += 5
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('MetadataResponseBroker.host')
  end = pos + n1 - 1
  if end > size: raise beyond('MetadataResponseBroker.host')
  o1.host = view[pos:end].tobytes().decode()
  pos = end
  o1.port, n2 = U_iB(view, pos)
  pos += 5
  if n2 > 127:
   n2, pos = varint_rest(view, pos, n2)
  if not n2: o1.rack = None
  else:
   end = pos + n2 - 1
   if end > size: raise beyond('MetadataResponseBroker.rack')
   o1.rack = view[pos:end].tobytes().decode()
   pos = end
  t0 = view[pos]
  pos += 1
  if t0:
   pos = skip_tags(view, pos, t0, size)
  a0.append(o1)
 o0.brokers = a0
 n3 = view[pos]
 pos += 1
 if n3 > 127:
  n3, pos = varint_rest(view, pos, n3)
 if not n3: o0.cluster_id = None
 else:
  end = pos + n3 - 1
  if end > size: raise beyond('MetadataResponse.cluster_id')
  o0.cluster_id = view[pos:end].tobytes().decode()
  pos = end
 o0.controller_id, n4 = U_iB(view, pos)
 pos += 5
 if n4 > 127:
  n4, pos = varint_rest(view, pos, n4)
 if not n4: raise null('MetadataResponse.topics')
 n4 -= 1
 if n4 * 26 > size - pos: raise beyond('MetadataResponse.topics')
 a1 = []
 for _ in range(n4):
  o2 = new(MetadataResponseTopic)
  o2.error_code, n5 = U_hB(view, pos)
  pos += 3
  if n5 > 127:
   n5, pos = varint_rest(view, pos, n5)
  if not n5: raise null('MetadataResponseTopic.name')
  end = pos + n5 - 1
  if end > size: raise beyond('MetadataResponseTopic.name')
  o2.name = view[pos:end].tobytes().decode()
  pos = end
  o2.topic_id, o2.is_internal, n6 = U_16stB(view, pos)
  pos += 18
  o2.topic_id = UUIDS.get(o2.topic_id) or uuid_of(o2.topic_id)
  if n6 > 127:
   n6, pos = varint_rest(view, pos, n6)
  if not n6: raise null('MetadataResponseTopic.partitions')
  n6 -= 1
  if n6 * 18 > size - pos: raise beyond('MetadataResponseTopic.partitions')
  a2 = []
  for _ in range(n6):
   o3 = new(MetadataResponsePartition)
   o3.error_code, o3.partition_index, o3.leader_id, o3.leader_epoch, n7 = U_hiiiB(view, pos)
   pos += 15
   if n7 > 127:
    n7, pos = varint_rest(view, pos, n7)
   if not n7: raise null('MetadataResponsePartition.replica_nodes')
   n7 -= 1
   if n7 * 4 > size - pos: raise beyond('MetadataResponsePartition.replica_nodes')
   o3.replica_nodes = list(unpack_from(f'>{n7}i', view, pos))
   pos += n7 * 4
   n8 = view[pos]
   pos += 1
   if n8 > 127:
    n8, pos = varint_rest(view, pos, n8)
   if not n8: raise null('MetadataResponsePartition.isr_nodes')
   n8 -= 1
   if n8 * 4 > size - pos: raise beyond('MetadataResponsePartition.isr_nodes')
   o3.isr_nodes = list(unpack_from(f'>{n8}i', view, pos))
   pos += n8 * 4
   n9 = view[pos]
   pos += 1
   if n9 > 127:
    n9, pos = varint_rest(view, pos, n9)
   if not n9: raise null('MetadataResponsePartition.offline_replicas')
   n9 -= 1
   if n9 * 4 > size - pos: raise beyond('MetadataResponsePartition.offline_replicas')
   o3.offline_replicas = list(unpack_from(f'>{n9}i', view, pos))
   pos += n9 * 4
   t1 = view[pos]
   pos += 1
   if t1:
    pos = skip_tags(view, pos, t1, size)
   a2.append(o3)
  o2.partitions = a2
  o2.topic_authorized_operations, t2 = U_iB(view, pos)
  pos += 5
  if t2:
   pos = skip_tags(view, pos, t2, size)
  a1.append(o2)
 o0.topics = a1
 o0.error_code = 0
 o0.cluster_authorized_operations, t3 = U_iB(view, pos)
 pos += 5
 if t3:
  pos = skip_tags(view, pos, t3, size)
 return o0, pos
def _decode_metadata_response_11(view, size):
 pos = 0
 o0 = new(MetadataResponse)
 o0.throttle_time_ms, n0 = U_iB(view, pos)
 pos += 5
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('MetadataResponse.brokers')
 n0 -= 1
 if n0 * 11 > size - pos: raise beyond('MetadataResponse.brokers')
 a0 = []
 for _ in range(n0):
  o1 = new(MetadataResponseBroker)
  o1.node_id, n1 = U_iB(view, pos)
  pos += 5
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('MetadataResponseBroker.host')
  end = pos + n1 - 1
  if end > size: raise beyond('MetadataResponseBroker.host')
  o1.host = view[pos:end].tobytes().decode()
  pos = end
  o1.port, n2 = U_iB(view, pos)
  pos += 5
  if n2 > 127:
   n2, pos = varint_rest(view, pos, n2)
  if not n2: o1.rack = None
  else:
   end = pos + n2 - 1
   if end > size: raise beyond('MetadataResponseBroker.rack')
   o1.rack = view[pos:end].tobytes().decode()
   pos = end
  t0 = view[pos]
  pos += 1
  if t0:
   pos = skip_tags(view, pos, t0, size)
  a0.append(o1)
 o0.brokers = a0
 n3 = view[pos]
 pos += 1
 if n3 > 127:
  n3, pos = varint_rest(view, pos, n3)
 if not n3: o0.cluster_id = None
 else:
  end = pos + n3 - 1
  if end > size: raise beyond('MetadataResponse.cluster_id')
  o0.cluster_id = view[pos:end].tobytes().decode()
  pos = end
 o0.controller_id, n4 = U_iB(view, pos)
 pos += 5
 if n4 > 127:
  n4, pos = varint_rest(view, pos, n4)
 if not n4: raise null('MetadataResponse.topics')
 n4 -= 1
 if n4 * 26 > size - pos: raise beyond('MetadataResponse.topics')
 a1 = []
 for _ in range(n4):
  o2 = new(MetadataResponseTopic)
  o2.error_code, n5 = U_hB(view, pos)
  pos += 3
  if n5 > 127:
   n5, pos = varint_rest(view, pos, n5)
  if not n5: raise null('MetadataResponseTopic.name')
  end = pos + n5 - 1
  if end > size: raise beyond('MetadataResponseTopic.name')
  o2.name = view[pos:end].tobytes().decode()
  pos = end
  o2.topic_id, o2.is_internal, n6 = U_16stB(view, pos)
  pos += 18
  o2.topic_id = UUIDS.get(o2.topic_id) or uuid_of(o2.topic_id)
  if n6 > 127:
   n6, pos = varint_rest(view, pos, n6)
  if not n6: raise null('MetadataResponseTopic.partitions')
  n6 -= 1
  if n6 * 18 > size - pos: raise beyond('MetadataResponseTopic.partitions')
  a2 = []
  for _ in range(n6):
   o3 = new(MetadataResponsePartition)
   o3.error_code, o3.partition_index, o3.leader_id, o3.leader_epoch, n7 = U_hiiiB(view, pos)
   pos += 15
   if n7 > 127:
    n7, pos = varint_rest(view, pos, n7)
   if not n7: raise null('MetadataResponsePartition.replica_nodes')
   n7 -= 1
   if n7 * 4 > size - pos: raise beyond('MetadataResponsePartition.replica_nodes')
   o3.replica_nodes = list(unpack_from(f'>{n7}i', view, pos))
   pos += n7 * 4
   n8 = view[pos]
   pos += 1
   if n8 > 127:
    n8, pos = varint_rest(view, pos, n8)
   if not n8: raise null('MetadataResponsePartition.isr_nodes')
   n8 -= 1
   if n8 * 4 > size - pos: raise beyond('MetadataResponsePartition.isr_nodes')
   o3.isr_nodes = list(unpack_from(f'>{n8}i', view, pos))
   pos += n8 * 4
   n9 = view[pos]
   pos += 1
   if n9 > 127:
    n9, pos = varint_rest(view, pos, n9)
   if not n9: raise null('MetadataResponsePartition.offline_replicas')
   n9 -= 1
   if n9 * 4 > size - pos: raise beyond('MetadataResponsePartition.offline_replicas')
   o3.offline_replicas = list(unpack_from(f'>{n9}i', view, pos))
   pos += n9 * 4
   t1 = view[pos]
   pos += 1
   if t1:
    pos = skip_tags(view, pos, t1, size)
   a2.append(o3)
  o2.partitions = a2
  o2.topic_authorized_operations, t2 = U_iB(view, pos)
  pos += 5
  if t2:
   pos = skip_tags(view, pos, t2, size)
  a1.append(o2)
 o0.topics = a1
 o0.cluster_authorized_operations = -2147483648
 o0.error_code = 0
 t3 = view[pos]
 pos += 1
 if t3:
  pos = skip_tags(view, pos, t3, size)
 return o0, pos
def _decode_metadata_response_12(view, size):
 pos = 0
 o0 = new(MetadataResponse)
 o0.throttle_time_ms, n0 = U_iB(view, pos)
 pos += 5
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('MetadataResponse.brokers')
 n0 -= 1
 if n0 * 11 > size - pos: raise beyond('MetadataResponse.brokers')
 a0 = []
 for _ in range(n0):
  o1 = new(MetadataResponseBroker)
  o1.node_id, n1 = U_iB(view, pos)
  pos += 5
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('MetadataResponseBroker.host')
  end = pos + n1 - 1
  if end > size: raise beyond('MetadataResponseBroker.host')
  o1.host = view[pos:end].tobytes().decode()
  pos = end
  o1.port, n2 = U_iB(view, pos)
  pos += 5
  if n2 > 127:
   n2, pos = varint_rest(view, pos, n2)
  if not n2: o1.rack = None
  else:
   end = pos + n2 - 1
   if end > size: raise beyond('MetadataResponseBroker.rack')
   o1.rack = view[pos:end].tobytes().decode()
   pos = end
  t0 = view[pos]
  pos += 1
  if t0:
   pos = skip_tags(view, pos, t0, size)
  a0.append(o1)
 o0.brokers = a0
 n3 = view[pos]
 pos += 1
 if n3 > 127:
  n3, pos = varint_rest(view, pos, n3)
 if not n3: o0.cluster_id = None
 else:
  end = pos + n3 - 1
  if end > size: raise beyond('MetadataResponse.cluster_id')
  o0.cluster_id = view[pos:end].tobytes().decode()
  pos = end
 o0.controller_id, n4 = U_iB(view, pos)
 pos += 5
 if n4 > 127:
  n4, pos = varint_rest(view, pos, n4)
 if not n4: raise null('MetadataResponse.topics')
 n4 -= 1
 if n4 * 26 > size - pos: raise beyond('MetadataResponse.topics')
 a1 = []
 for _ in range(n4):
  o2 = new(MetadataResponseTopic)
  o2.error_code, n5 = U_hB(view, pos)
  pos += 3
  if n5 > 127:
   n5, pos = varint_rest(view, pos, n5)
  if not n5: o2.name = None
  else:
   end = pos + n5 - 1
   if end > size: raise beyond('MetadataResponseTopic.name')
   o2.name = view[pos:end].tobytes().decode()
   pos = end
  o2.topic_id, o2.is_internal, n6 = U_16stB(view, pos)
  pos += 18
  o2.topic_id = UUIDS.get(o2.topic_id) or uuid_of(o2.topic_id)
  if n6 > 127:
   n6, pos = varint_rest(view, pos, n6)
  if not n6: raise null('MetadataResponseTopic.partitions')
  n6 -= 1
  if n6 * 18 > size - pos: raise beyond('MetadataResponseTopic.partitions')
  a2 = []
  for _ in range(n6):
   o3 = new(MetadataResponsePartition)
   o3.error_code, o3.partition_index, o3.leader_id, o3.leader_epoch, n7 = U_hiiiB(view, pos)
   pos += 15
   if n7 > 127:
    n7, pos = varint_rest(view, pos, n7)
   if not n7: raise null('MetadataResponsePartition.replica_nodes')
   n7 -= 1
   if n7 * 4 > size - pos: raise beyond('MetadataResponsePartition.replica_nodes')
   o3.replica_nodes = list(unpack_from(f'>{n7}i', view, pos))
   pos += n7 * 4
   n8 = view[pos]
   pos += 1
   if n8 > 127:
    n8, pos = varint_rest(view, pos, n8)
   if not n8: raise null('MetadataResponsePartition.isr_nodes')
   n8 -= 1
   if n8 * 4 > size - pos: raise beyond('MetadataResponsePartition.isr_nodes')
   o3.isr_nodes = list(unpack_from(f'>{n8}i', view, pos))
   pos += n8 * 4
   n9 = view[pos]
   pos += 1
   if n9 > 127:
    n9, pos = varint_rest(view, pos, n9)
   if not n9: raise null('MetadataResponsePartition.offline_replicas')
   n9 -= 1
   if n9 * 4 > size - pos: raise beyond('MetadataResponsePartition.offline_replicas')
   o3.offline_replicas = list(unpack_from(f'>{n9}i', view, pos))
   pos += n9 * 4
   t1 = view[pos]
   pos += 1
   if t1:
    pos = skip_tags(view, pos, t1, size)
   a2.append(o3)
  o2.partitions = a2
  o2.topic_authorized_operations, t2 = U_iB(view, pos)
  pos += 5
  if t2:
   pos = skip_tags(view, pos, t2, size)
  a1.append(o2)
 o0.topics = a1
 o0.cluster_authorized_operations = -2147483648
 o0.error_code = 0
 t3 = view[pos]
 pos += 1
 if t3:
  pos = skip_tags(view, pos, t3, size)
 return o0, pos
def _decode_metadata_response_13(view, size):
 pos = 0
 o0 = new(MetadataResponse)
 o0.throttle_time_ms, n0 = U_iB(view, pos)
 pos += 5
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('MetadataResponse.brokers')
 n0 -= 1
 if n0 * 11 > size - pos: raise beyond('MetadataResponse.brokers')
 a0 = []
 for _ in range(n0):
  o1 = new(MetadataResponseBroker)
  o1.node_id, n1 = U_iB(view, pos)
  pos += 5
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('MetadataResponseBroker.host')
  end = pos + n1 - 1
  if end > size: raise beyond('MetadataResponseBroker.host')
  o1.host = view[pos:end].tobytes().decode()
  pos = end
  o1.port, n2 = U_iB(view, pos)
  pos += 5
  if n2 > 127:
   n2, pos = varint_rest(view, pos, n2)
  if not n2: o1.rack = None
  else:
   end = pos + n2 - 1
   if end > size: raise beyond('MetadataResponseBroker.rack')
   o1.rack = view[pos:end].tobytes().decode()
   pos = end
  t0 = view[pos]
  pos += 1
  if t0:
   pos = skip_tags(view, pos, t0, size)
  a0.append(o1)
 o0.brokers = a0
 n3 = view[pos]
 pos += 1
 if n3 > 127:
  n3, pos = varint_rest(view, pos, n3)
 if not n3: o0.cluster_id = None
 else:
  end = pos + n3 - 1
  if end > size: raise beyond('MetadataResponse.cluster_id')
  o0.cluster_id = view[pos:end].tobytes().decode()
  pos = end
 o0.controller_id, n4 = U_iB(view, pos)
 pos += 5
 if n4 > 127:
  n4, pos = varint_rest(view, pos, n4)
 if not n4: raise null('MetadataResponse.topics')
 n4 -= 1
 if n4 * 26 > size - pos: raise beyond('MetadataResponse.topics')
 a1 = []
 for _ in range(n4):
  o2 = new(MetadataResponseTopic)
  o2.error_code, n5 = U_hB(view, pos)
  pos += 3
  if n5 > 127:
   n5, pos = varint_rest(view, pos, n5)
  if not n5: o2.name = None
  else:
   end = pos + n5 - 1
   if end > size: raise beyond('MetadataResponseTopic.name')
   o2.name = view[pos:end].tobytes().decode()
   pos = end
  o2.topic_id, o2.is_internal, n6 = U_16stB(view, pos)
  pos += 18
  o2.topic_id = UUIDS.get(o2.topic_id) or uuid_of(o2.topic_id)
  if n6 > 127:
   n6, pos = varint_rest(view, pos, n6)
  if not n6: raise null('MetadataResponseTopic.partitions')
  n6 -= 1
  if n6 * 18 > size - pos: raise beyond('MetadataResponseTopic.partitions')
  a2 = []
  for _ in range(n6):
   o3 = new(MetadataResponsePartition)
   o3.error_code, o3.partition_index, o3.leader_id, o3.leader_epoch, n7 = U_hiiiB(view, pos)
   pos += 15
   if n7 > 127:
    n7, pos = varint_rest(view, pos, n7)
   if not n7: raise null('MetadataResponsePartition.replica_nodes')
   n7 -= 1
   if n7 * 4 > size - pos: raise beyond('MetadataResponsePartition.replica_nodes')
   o3.replica_nodes = list(unpack_from(f'>{n7}i', view, pos))
   pos += n7 * 4
   n8 = view[pos]
   pos += 1
   if n8 > 127:
    n8, pos = varint_rest(view, pos, n8)
   if not n8: raise null('MetadataResponsePartition.isr_nodes')
   n8 -= 1
   if n8 * 4 > size - pos: raise beyond('MetadataResponsePartition.isr_nodes')
   o3.isr_nodes = list(unpack_from(f'>{n8}i', view, pos))
   pos += n8 * 4
   n9 = view[pos]
   pos += 1
   if n9 > 127:
    n9, pos = varint_rest(view, pos, n9)
   if not n9: raise null('MetadataResponsePartition.offline_replicas')
   n9 -= 1
   if n9 * 4 > size - pos: raise beyond('MetadataResponsePartition.offline_replicas')
   o3.offline_replicas = list(unpack_from(f'>{n9}i', view, pos))
   pos += n9 * 4
   t1 = view[pos]
   pos += 1
   if t1:
    pos = skip_tags(view, pos, t1, size)
   a2.append(o3)
  o2.partitions = a2
  o2.topic_authorized_operations, t2 = U_iB(view, pos)
  pos += 5
  if t2:
   pos = skip_tags(view, pos, t2, size)
  a1.append(o2)
 o0.topics = a1
 o0.cluster_authorized_operations = -2147483648
 o0.error_code, t3 = U_hB(view, pos)
 pos += 3
 if t3:
  pos = skip_tags(view, pos, t3, size)
 return o0, pos
MetadataResponse.decoders = {0: _decode_metadata_response_0, 1: _decode_metadata_response_1, 2: _decode_metadata_response_2, 3: _decode_metadata_response_3, 4: _decode_metadata_response_3, 5: _decode_metadata_response_5, 6: _decode_metadata_response_5, 7: _decode_metadata_response_7, 8: _decode_metadata_response_8, 9: _decode_metadata_response_9, 10: _decode_metadata_response_10, 11: _decode_metadata_response_11, 12: _decode_metadata_response_12, 13: _decode_metadata_response_13}

def _encode_metadata_response_0(m):
 out = []
 a0 = m.brokers
 n0 = len(a0)
 out.append(P_i(n0))
 for m0 in a0:
  b0 = m0.host.encode()
  n1 = len(b0)
  out.append(P_ih(m0.node_id, n1))
  out.append(b0)
  out.append(P_i(m0.port))
 a1 = m.topics
 n2 = len(a1)
 out.append(P_i(n2))
 for m1 in a1:
  b1 = m1.name.encode()
  n3 = len(b1)
  out.append(P_hh(m1.error_code, n3))
  out.append(b1)
  a2 = m1.partitions
  n4 = len(a2)
  out.append(P_i(n4))
  for m2 in a2:
   a3 = m2.replica_nodes
   n5 = len(a3)
   out.append(P_hiii(m2.error_code, m2.partition_index, m2.leader_id, n5))
   if a3: out.append(pack(f'>{len(a3)}i', *a3))
   a4 = m2.isr_nodes
   n6 = len(a4)
   out.append(P_i(n6))
   if a4: out.append(pack(f'>{len(a4)}i', *a4))
  if m1.topic_authorized_operations != -2147483648: raise unsupported('MetadataResponseTopic.topic_authorized_operations')
 if m.cluster_authorized_operations != -2147483648: raise unsupported('MetadataResponse.cluster_authorized_operations')
 return [b''.join(out)]
def _encode_metadata_response_1(m):
 out = []
 a0 = m.brokers
 n0 = len(a0)
 out.append(P_i(n0))
 for m0 in a0:
  b0 = m0.host.encode()
  n1 = len(b0)
  out.append(P_ih(m0.node_id, n1))
  out.append(b0)
  b1 = m0.rack
  if b1 is None:
   b1 = b''; n2 = -1
  else:
   b1 = b1.encode()
   n2 = len(b1)
  out.append(P_ih(m0.port, n2))
  out.append(b1)
 a1 = m.topics
 n3 = len(a1)
 out.append(P_ii(m.controller_id, n3))
 for m1 in a1:
  b2 = m1.name.encode()
  n4 = len(b2)
  out.append(P_hh(m1.error_code, n4))
  out.append(b2)
  a2 = m1.partitions
  n5 = len(a2)
  out.append(P_ti(m1.is_internal, n5))
  for m2 in a2:
   a3 = m2.replica_nodes
   n6 = len(a3)
   out.append(P_hiii(m2.error_code, m2.partition_index, m2.leader_id, n6))
   if a3: out.append(pack(f'>{len(a3)}i', *a3))
   a4 = m2.isr_nodes
   n7 = len(a4)
   out.append(P_i(n7))
   if a4: out.append(pack(f'>{len(a4)}i', *a4))
  if m1.topic_authorized_operations != -2147483648: raise unsupported('MetadataResponseTopic.topic_authorized_operations')
 if m.cluster_authorized_operations != -2147483648: raise unsupported('MetadataResponse.cluster_authorized_operations')
 return [b''.join(out)]
def _encode_metadata_response_2(m):
 out = []
 a0 = m.brokers
 n0 = len(a0)
 out.append(P_i(n0))
 for m0 in a0:
  b0 = m0.host.encode()
  n1 = len(b0)
  out.append(P_ih(m0.node_id, n1))
  out.append(b0)
  b1 = m0.rack
  if b1 is None:
   b1 = b''; n2 = -1
  else:
   b1 = b1.encode()
   n2 = len(b1)
  out.append(P_ih(m0.port, n2))
  out.append(b1)
 b2 = m.cluster_id
 if b2 is None:
  b2 = b''; n3 = -1
 else:
  b2 = b2.encode()
  n3 = len(b2)
 out.append(P_h(n3))
 out.append(b2)
 a1 = m.topics
 n4 = len(a1)
 out.append(P_ii(m.controller_id, n4))
 for m1 in a1:
  b3 = m1.name.encode()
  n5 = len(b3)
  out.append(P_hh(m1.error_code, n5))
  out.append(b3)
  a2 = m1.partitions
  n6 = len(a2)
  out.append(P_ti(m1.is_internal, n6))
  for m2 in a2:
   a3 = m2.replica_nodes
   n7 = len(a3)
   out.append(P_hiii(m2.error_code, m2.partition_index, m2.leader_id, n7))
   if a3: out.append(pack(f'>{len(a3)}i', *a3))
   a4 = m2.isr_nodes
   n8 = len(a4)
   out.append(P_i(n8))
   if a4: out.append(pack(f'>{len(a4)}i', *a4))
  if m1.topic_authorized_operations != -2147483648: raise unsupported('MetadataResponseTopic.topic_authorized_operations')
 if m.cluster_authorized_operations != -2147483648: raise unsupported('MetadataResponse.cluster_authorized_operations')
 return [b''.join(out)]
def _encode_metadata_response_3(m):
 out = []
 a0 = m.brokers
 n0 = len(a0)
 out.append(P_ii(m.throttle_time_ms, n0))
 for m0 in a0:
  b0 = m0.host.encode()
  n1 = len(b0)
  out.append(P_ih(m0.node_id, n1))
  out.append(b0)
  b1 = m0.rack
  if b1 is None:
   b1 = b''; n2 = -1
  else:
   b1 = b1.encode()
   n2 = len(b1)
  out.append(P_ih(m0.port, n2))
  out.append(b1)
 b2 = m.cluster_id
 if b2 is None:
  b2 = b''; n3 = -1
 else:
  b2 = b2.encode()
  n3 = len(b2)
 out.append(P_h(n3))
 out.append(b2)
 a1 = m.topics
 n4 = len(a1)
 out.append(P_ii(m.controller_id, n4))
 for m1 in a1:
  b3 = m1.name.encode()
  n5 = len(b3)
  out.append(P_hh(m1.error_code, n5))
  out.append(b3)
  a2 = m1.partitions
  n6 = len(a2)
  out.append(P_ti(m1.is_internal, n6))
  for m2 in a2:
   a3 = m2.replica_nodes
   n7 = len(a3)
   out.append(P_hiii(m2.error_code, m2.partition_index, m2.leader_id, n7))
   if a3: out.append(pack(f'>{len(a3)}i', *a3))
   a4 = m2.isr_nodes
   n8 = len(a4)
   out.append(P_i(n8))
   if a4: out.append(pack(f'>{len(a4)}i', *a4))
  if m1.topic_authorized_operations != -2147483648: raise unsupported('MetadataResponseTopic.topic_authorized_operations')
 if m.cluster_authorized_operations != -2147483648: raise unsupported('MetadataResponse.cluster_authorized_operations')
 return [b''.join(out)]
def _encode_metadata_response_5(m):
 out = []
 a0 = m.brokers
 n0 = len(a0)
 out.append(P_ii(m.throttle_time_ms, n0))
 for m0 in a0:
  b0 = m0.host.encode()
  n1 = len(b0)
  out.append(P_ih(m0.node_id, n1))
  out.append(b0)
  b1 = m0.rack
  if b1 is None:
   b1 = b''; n2 = -1
  else:
   b1 = b1.encode()
   n2 = len(b1)
  out.append(P_ih(m0.port, n2))
  out.append(b1)
 b2 = m.cluster_id
 if b2 is None:
  b2 = b''; n3 = -1
 else:
  b2 = b2.encode()
  n3 = len(b2)
 out.append(P_h(n3))
 out.append(b2)
 a1 = m.topics
 n4 = len(a1)
 out.append(P_ii(m.controller_id, n4))
 for m1 in a1:
  b3 = m1.name.encode()
  n5 = len(b3)
  out.append(P_hh(m1.error_code, n5))
  out.append(b3)
  a2 = m1.partitions
  n6 = len(a2)
  out.append(P_ti(m1.is_internal, n6))
  for m2 in a2:
   a3 = m2.replica_nodes
   n7 = len(a3)
   out.append(P_hiii(m2.error_code, m2.partition_index, m2.leader_id, n7))
   if a3: out.append(pack(f'>{len(a3)}i', *a3))
   a4 = m2.isr_nodes
   n8 = len(a4)
   out.append(P_i(n8))
   if a4: out.append(pack(f'>{len(a4)}i', *a4))
   a5 = m2.offline_replicas
   n9 = len(a5)
   out.append(P_i(n9))
   if a5: out.append(pack(f'>{len(a5)}i', *a5))
  if m1.topic_authorized_operations != -2147483648: raise unsupported('MetadataResponseTopic.topic_authorized_operations')
 if m.cluster_authorized_operations != -2147483648: raise unsupported('MetadataResponse.cluster_authorized_operations')
 return [b''.join(out)]
def _encode_metadata_response_7(m):
 out = []
 a0 = m.brokers
 n0 = len(a0)
 out.append(P_ii(m.throttle_time_ms, n0))
 for m0 in a0:
  b0 = m0.host.encode()
  n1 = len(b0)
  out.append(P_ih(m0.node_id, n1))
  out.append(b0)
  b1 = m0.rack
  if b1 is None:
   b1 = b''; n2 = -1
  else:
   b1 = b1.encode()
   n2 = len(b1)
  out.append(P_ih(m0.port, n2))
  out.append(b1)
 b2 = m.cluster_id
 if b2 is None:
  b2 = b''; n3 = -1
 else:
  b2 = b2.encode()
  n3 = len(b2)
 out.append(P_h(n3))
 out.append(b2)
 a1 = m.topics
 n4 = len(a1)
 out.append(P_ii(m.controller_id, n4))
 for m1 in a1:
  b3 = m1.name.encode()
  n5 = len(b3)
  out.append(P_hh(m1.error_code, n5))
  out.append(b3)
  a2 = m1.partitions
  n6 = len(a2)
  out.append(P_ti(m1.is_internal, n6))
  for m2 in a2:
   a3 = m2.replica_nodes
   n7 = len(a3)
   out.append(P_hiiii(m2.error_code, m2.partition_index, m2.leader_id, m2.leader_epoch, n7))
   if a3: out.append(pack(f'>{len(a3)}i', *a3))
   a4 = m2.isr_nodes
   n8 = len(a4)
   out.append(P_i(n8))
   if a4: out.append(pack(f'>{len(a4)}i', *a4))
   a5 = m2.offline_replicas
   n9 = len(a5)
   out.append(P_i(n9))
   if a5: out.append(pack(f'>{len(a5)}i', *a5))
  if m1.topic_authorized_operations != -2147483648: raise unsupported('MetadataResponseTopic.topic_authorized_operations')
 if m.cluster_authorized_operations != -2147483648: raise unsupported('MetadataResponse.cluster_authorized_operations')
 return [b''.join(out)]
def _encode_metadata_response_8(m):
 out = []
 a0 = m.brokers
 n0 = len(a0)
 out.append(P_ii(m.throttle_time_ms, n0))
 for m0 in a0:
  b0 = m0.host.encode()
  n1 = len(b0)
  out.append(P_ih(m0.node_id, n1))
  out.append(b0)
  b1 = m0.rack
  if b1 is None:
   b1 = b''; n2 = -1
  else:
   b1 = b1.encode()
   n2 = len(b1)
  out.append(P_ih(m0.port, n2))
  out.append(b1)
 b2 = m.cluster_id
 if b2 is None:
  b2 = b''; n3 = -1
 else:
  b2 = b2.encode()
  n3 = len(b2)
 out.append(P_h(n3))
 out.append(b2)
 a1 = m.topics
 n4 = len(a1)
 out.append(P_ii(m.controller_id, n4))
 for m1 in a1:
  b3 = m1.name.encode()
  n5 = len(b3)
  out.append(P_hh(m1.error_code, n5))
  out.append(b3)
  a2 = m1.partitions
  n6 = len(a2)
  out.append(P_ti(m1.is_internal, n6))
  for m2 in a2:
   a3 = m2.replica_nodes
   n7 = len(a3)
   out.append(P_hiiii(m2.error_code, m2.partition_index, m2.leader_id, m2.leader_epoch, n7))
   if a3: out.append(pack(f'>{len(a3)}i', *a3))
   a4 = m2.isr_nodes
   n8 = len(a4)
   out.append(P_i(n8))
   if a4: out.append(pack(f'>{len(a4)}i', *a4))
   a5 = m2.offline_replicas
   n9 = len(a5)
   out.append(P_i(n9))
   if a5: out.append(pack(f'>{len(a5)}i', *a5))
  out.append(P_i(m1.topic_authorized_operations))
 out.append(P_i(m.cluster_authorized_operations))
 return [b''.join(out)]
def _encode_metadata_response_9(m):
 out = []
 a0 = m.brokers
 n0 = len(a0) + 1
 out.append(P_iB(m.throttle_time_ms, n0) if n0 < 128 else P_i(m.throttle_time_ms) + varint(n0))
 for m0 in a0:
  b0 = m0.host.encode()
  n1 = len(b0) + 1
  out.append(P_iB(m0.node_id, n1) if n1 < 128 else P_i(m0.node_id) + varint(n1))
  out.append(b0)
  b1 = m0.rack
  if b1 is None:
   b1 = b''; n2 = 0
  else:
   b1 = b1.encode()
   n2 = len(b1) + 1
  out.append(P_iB(m0.port, n2) if n2 < 128 else P_i(m0.port) + varint(n2))
  out.append(b1)
  out.append(b'\x00')
 b2 = m.cluster_id
 if b2 is None:
  b2 = b''; n3 = 0
 else:
  b2 = b2.encode()
  n3 = len(b2) + 1
 out.append(U8[n3] if n3 < 128 else varint(n3))
 out.append(b2)
 a1 = m.topics
 n4 = len(a1) + 1
 out.append(P_iB(m.controller_id, n4) if n4 < 128 else P_i(m.controller_id) + varint(n4))
 for m1 in a1:
  b3 = m1.name.encode()
  n5 = len(b3) + 1
  out.append(P_hB(m1.error_code, n5) if n5 < 128 else P_h(m1.error_code) + varint(n5))
  out.append(b3)
  a2 = m1.partitions
  n6 = len(a2) + 1
  out.append(P_tB(m1.is_internal, n6) if n6 < 128 else P_t(m1.is_internal) + varint(n6))
  for m2 in a2:
   a3 = m2.replica_nodes
   n7 = len(a3) + 1
   out.append(P_hiiiB(m2.error_code, m2.partition_index, m2.leader_id, m2.leader_epoch, n7) if n7 < 128 else P_hiii(m2.error_code, m2.partition_index, m2.leader_id, m2.leader_epoch) + varint(n7))
   if a3: out.append(pack(f'>{len(a3)}i', *a3))
   a4 = m2.isr_nodes
   n8 = len(a4) + 1
   out.append(U8[n8] if n8 < 128 else varint(n8))
   if a4: out.append(pack(f'>{len(a4)}i', *a4))
   a5 = m2.offline_replicas
   n9 = len(a5) + 1
   out.append(U8[n9] if n9 < 128 else varint(n9))
   if a5: out.append(pack(f'>{len(a5)}i', *a5))
   out.append(b'\x00')
  out.append(P_ix(m1.topic_authorized_operations))
 out.append(P_ix(m.cluster_authorized_operations))
 return [b''.join(out)]
def _encode_metadata_response_10(m):
 out = []
 a0 = m.brokers
 n0 = len(a0) + 1
 out.append(P_iB(m.throttle_time_ms, n0) if n0 < 128 else P_i(m.throttle_time_ms) + varint(n0))
 for m0 in a0:
  b0 = m0.host.encode()
  n1 = len(b0) + 1
  out.append(P_iB(m0.node_id, n1) if n1 < 128 else P_i(m0.node_id) + varint(n1))
  out.append(b0)
  b1 = m0.rack
  if b1 is None:
   b1 = b''; n2 = 0
  else:
   b1 = b1.encode()
   n2 = len(b1) + 1
  out.append(P_iB(m0.port, n2) if n2 < 128 else P_i(m0.port) + varint(n2))
  out.append(b1)
  out.append(b'\x00')
 b2 = m.cluster_id
 if b2 is None:
  b2 = b''; n3 = 0
 else:
  b2 = b2.encode()
  n3 = len(b2) + 1
 out.append(U8[n3] if n3 < 128 else varint(n3))
 out.append(b2)
 a1 = m.topics
 n4 = len(a1) + 1
 out.append(P_iB(m.controller_id, n4) if n4 < 128 else P_i(m.controller_id) + varint(n4))
 for m1 in a1:
  b3 = m1.name.encode()
  n5 = len(b3) + 1
  out.append(P_hB(m1.error_code, n5) if n5 < 128 else P_h(m1.error_code) + varint(n5))
  out.append(b3)
  a2 = m1.partitions
  n6 = len(a2) + 1
  out.append(P_16stB(m1.topic_id.bytes, m1.is_internal, n6) if n6 < 128 else P_16st(m1.topic_id.bytes, m1.is_internal) + varint(n6))
  for m2 in a2:
   a3 = m2.replica_nodes
   n7 = len(a3) + 1
   out.append(P_hiiiB(m2.error_code, m2.partition_index, m2.leader_id, m2.leader_epoch, n7) if n7 < 128 else P_hiii(m2.error_code, m2.partition_index, m2.leader_id, m2.leader_epoch) + varint(n7))
   if a3: out.append(pack(f'>{len(a3)}i', *a3))
   a4 = m2.isr_nodes
   n8 = len(a4) + 1
   out.append(U8[n8] if n8 < 128 else varint(n8))
   if a4: out.append(pack(f'>{len(a4)}i', *a4))
   a5 = m2.offline_replicas
   n9 = len(a5) + 1
   out.append(U8[n9] if n9 < 128 else varint(n9))
   if a5: out.append(pack(f'>{len(a5)}i', *a5))
   out.append(b'\x00')
  out.append(P_ix(m1.topic_authorized_operations))
 out.append(P_ix(m.cluster_authorized_operations))
 return [b''.join(out)]
def _encode_metadata_response_11(m):
 out = []
 a0 = m.brokers
 n0 = len(a0) + 1
 out.append(P_iB(m.throttle_time_ms, n0) if n0 < 128 else P_i(m.throttle_time_ms) + varint(n0))
 for m0 in a0:
  b0 = m0.host.encode()
  n1 = len(b0) + 1
  out.append(P_iB(m0.node_id, n1) if n1 < 128 else P_i(m0.node_id) + varint(n1))
  out.append(b0)
  b1 = m0.rack
  if b1 is None:
   b1 = b''; n2 = 0
  else:
   b1 = b1.encode()
   n2 = len(b1) + 1
  out.append(P_iB(m0.port, n2) if n2 < 128 else P_i(m0.port) + varint(n2))
  out.append(b1)
  out.append(b'\x00')
 b2 = m.cluster_id
 if b2 is None:
  b2 = b''; n3 = 0
 else:
  b2 = b2.encode()
  n3 = len(b2) + 1
 out.append(U8[n3] if n3 < 128 else varint(n3))
 out.append(b2)
 a1 = m.topics
 n4 = len(a1) + 1
 out.append(P_iB(m.controller_id, n4) if n4 < 128 else P_i(m.controller_id) + varint(n4))
 for m1 in a1:
  b3 = m1.name.encode()
  n5 = len(b3) + 1
  out.append(P_hB(m1.error_code, n5) if n5 < 128 else P_h(m1.error_code) + varint(n5))
  out.append(b3)
  a2 = m1.partitions
  n6 = len(a2) + 1
  out.append(P_16stB(m1.topic_id.bytes, m1.is_internal, n6) if n6 < 128 else P_16st(m1.topic_id.bytes, m1.is_internal) + varint(n6))
  for m2 in a2:
   a3 = m2.replica_nodes
   n7 = len(a3) + 1
   out.append(P_hiiiB(m2.error_code, m2.partition_index, m2.leader_id, m2.leader_epoch, n7) if n7 < 128 else P_hiii(m2.error_code, m2.partition_index, m2.leader_id, m2.leader_epoch) + varint(n7))
   if a3: out.append(pack(f'>{len(a3)}i', *a3))
   a4 = m2.isr_nodes
   n8 = len(a4) + 1
   out.append(U8[n8] if n8 < 128 else varint(n8))
   if a4: out.append(pack(f'>{len(a4)}i', *a4))
   a5 = m2.offline_replicas
   n9 = len(a5) + 1
   out.append(U8[n9] if n9 < 128 else varint(n9))
   if a5: out.append(pack(f'>{len(a5)}i', *a5))
   out.append(b'\x00')
  out.append(P_ix(m1.topic_authorized_operations))
 if m.cluster_authorized_operations != -2147483648: raise unsupported('MetadataResponse.cluster_authorized_operations')
 out.append(b'\x00')
 return [b''.join(out)]
def _encode_metadata_response_12(m):
 out = []
 a0 = m.brokers
 n0 = len(a0) + 1
 out.append(P_iB(m.throttle_time_ms, n0) if n0 < 128 else P_i(m.throttle_time_ms) + varint(n0))
 for m0 in a0:
  b0 = m0.host.encode()
  n1 = len(b0) + 1
  out.append(P_iB(m0.node_id, n1) if n1 < 128 else P_i(m0.node_id) + varint(n1))
  out.append(b0)
  b1 = m0.rack
  if b1 is None:
   b1 = b''; n2 = 0
  else:
   b1 = b1.encode()
   n2 = len(b1) + 1
  out.append(P_iB(m0.port, n2) if n2 < 128 else P_i(m0.port) + varint(n2))
  out.append(b1)
  out.append(b'\x00')
 b2 = m.cluster_id
 if b2 is None:
  b2 = b''; n3 = 0
 else:
  b2 = b2.encode()
  n3 = len(b2) + 1
 out.append(U8[n3] if n3 < 128 else varint(n3))
 out.append(b2)
 a1 = m.topics
 n4 = len(a1) + 1
 out.append(P_iB(m.controller_id, n4) if n4 < 128 else P_i(m.controller_id) + varint(n4))
 for m1 in a1:
  b3 = m1.name
  if b3 is None:
   b3 = b''; n5 = 0
  else:
   b3 = b3.encode()
   n5 = len(b3) + 1
  out.append(P_hB(m1.error_code, n5) if n5 < 128 else P_h(m1.error_code) + varint(n5))
  out.append(b3)
  a2 = m1.partitions
  n6 = len(a2) + 1
  out.append(P_16stB(m1.topic_id.bytes, m1.is_internal, n6) if n6 < 128 else P_16st(m1.topic_id.bytes, m1.is_internal) + varint(n6))
  for m2 in a2:
   a3 = m2.replica_nodes
   n7 = len(a3) + 1
   out.append(P_hiiiB(m2.error_code, m2.partition_index, m2.leader_id, m2.leader_epoch, n7) if n7 < 128 else P_hiii(m2.error_code, m2.partition_index, m2.leader_id, m2.leader_epoch) + varint(n7))
   if a3: out.append(pack(f'>{len(a3)}i', *a3))
   a4 = m2.isr_nodes
   n8 = len(a4) + 1
   out.append(U8[n8] if n8 < 128 else varint(n8))
   if a4: out.append(pack(f'>{len(a4)}i', *a4))
   a5 = m2.offline_replicas
   n9 = len(a5) + 1
   out.append(U8[n9] if n9 < 128 else varint(n9))
   if a5: out.append(pack(f'>{len(a5)}i', *a5))
   out.append(b'\x00')
  out.append(P_ix(m1.topic_authorized_operations))
 if m.cluster_authorized_operations != -2147483648: raise unsupported('MetadataResponse.cluster_authorized_operations')
 out.append(b'\x00')
 return [b''.join(out)]
def _encode_metadata_response_13(m):
 out = []
 a0 = m.brokers
 n0 = len(a0) + 1
 out.append(P_iB(m.throttle_time_ms, n0) if n0 < 128 else P_i(m.throttle_time_ms) + varint(n0))
 for m0 in a0:
  b0 = m0.host.encode()
  n1 = len(b0) + 1
  out.append(P_iB(m0.node_id, n1) if n1 < 128 else P_i(m0.node_id) + varint(n1))
  out.append(b0)
  b1 = m0.rack
  if b1 is None:
   b1 = b''; n2 = 0
  else:
   b1 = b1.encode()
   n2 = len(b1) + 1
  out.append(P_iB(m0.port, n2) if n2 < 128 else P_i(m0.port) + varint(n2))
  out.append(b1)
  out.append(b'\x00')
 b2 = m.cluster_id
 if b2 is None:
  b2 = b''; n3 = 0
 else:
  b2 = b2.encode()
  n3 = len(b2) + 1
 out.append(U8[n3] if n3 < 128 else varint(n3))
 out.append(b2)
 a1 = m.topics
 n4 = len(a1) + 1
 out.append(P_iB(m.controller_id, n4) if n4 < 128 else P_i(m.controller_id) + varint(n4))
 for m1 in a1:
  b3 = m1.name
  if b3 is None:
   b3 = b''; n5 = 0
  else:
   b3 = b3.encode()
   n5 = len(b3) + 1
  out.append(P_hB(m1.error_code, n5) if n5 < 128 else P_h(m1.error_code) + varint(n5))
  out.append(b3)
  a2 = m1.partitions
  n6 = len(a2) + 1
  out.append(P_16stB(m1.topic_id.bytes, m1.is_internal, n6) if n6 < 128 else P_16st(m1.topic_id.bytes, m1.is_internal) + varint(n6))
  for m2 in a2:
   a3 = m2.replica_nodes
   n7 = len(a3) + 1
   out.append(P_hiiiB(m2.error_code, m2.partition_index, m2.leader_id, m2.leader_epoch, n7) if n7 < 128 else P_hiii(m2.error_code, m2.partition_index, m2.leader_id, m2.leader_epoch) + varint(n7))
   if a3: out.append(pack(f'>{len(a3)}i', *a3))
   a4 = m2.isr_nodes
   n8 = len(a4) + 1
   out.append(U8[n8] if n8 < 128 else varint(n8))
   if a4: out.append(pack(f'>{len(a4)}i', *a4))
   a5 = m2.offline_replicas
   n9 = len(a5) + 1
   out.append(U8[n9] if n9 < 128 else varint(n9))
   if a5: out.append(pack(f'>{len(a5)}i', *a5))
   out.append(b'\x00')
  out.append(P_ix(m1.topic_authorized_operations))
 if m.cluster_authorized_operations != -2147483648: raise unsupported('MetadataResponse.cluster_authorized_operations')
 out.append(P_hx(m.error_code))
 return [b''.join(out)]
MetadataResponse.encoders = {0: _encode_metadata_response_0, 1: _encode_metadata_response_1, 2: _encode_metadata_response_2, 3: _encode_metadata_response_3, 4: _encode_metadata_response_3, 5: _encode_metadata_response_5, 6: _encode_metadata_response_5, 7: _encode_metadata_response_7, 8: _encode_metadata_response_8, 9: _encode_metadata_response_9, 10: _encode_metadata_response_10, 11: _encode_metadata_response_11, 12: _encode_metadata_response_12, 13: _encode_metadata_response_13}
