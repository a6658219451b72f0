"""CreateTopics: request in versions 2 to 7 and response in versions 2 to 7.

Generated from the message definitions of kafka-clients 4.1.0 by ``python -m generator``: do not edit.
"""
from typing import ClassVar

from chronik.protocol.wire import FRESH, NO_UUID, U8, UUID, UUIDS, Message, Packing, Struct, beyond, new, null, pack, skip_tags, tagged, unpack_from, unused, uuid_of, varint, varint_rest

P_16sh = Packing('>16sh').pack
P_16shB = Packing('>16shB').pack
P_tbtx = Packing('>?b?x').pack
P_h = Packing('>h').pack
P_hB = Packing('>hB').pack
P_hh = Packing('>hh').pack
P_i = Packing('>i').pack
P_it = Packing('>i?').pack
P_itx = Packing('>i?x').pack
P_iB = Packing('>iB').pack
P_ih = Packing('>ih').pack
P_ihB = Packing('>ihB').pack
P_ihi = Packing('>ihi').pack
P_ii = Packing('>ii').pack
U_16shB = Packing('>16shB').unpack_from
U_tbtB = Packing('>?b?B').unpack_from
U_h = Packing('>h').unpack_from
U_hB = Packing('>hB').unpack_from
U_hh = Packing('>hh').unpack_from
U_i = Packing('>i').unpack_from
U_it = Packing('>i?').unpack_from
U_itB = Packing('>i?B').unpack_from
U_iB = Packing('>iB').unpack_from
U_ihB = Packing('>ihB').unpack_from
U_ihi = Packing('>ihi').unpack_from
U_ii = Packing('>ii').unpack_from


class CreatableReplicaAssignment(Struct):
 __slots__ = ('partition_index', 'broker_ids', )
 partition_index: int
 broker_ids: list[int]
 def __init__(self, partition_index: int = 0, broker_ids: list[int] = FRESH) -> None:
  self.partition_index = partition_index
  self.broker_ids = [] if broker_ids is FRESH else broker_ids


class CreatableTopicConfig(Struct):
 __slots__ = ('name', 'value', )
 name: str
 value: str | None
 def __init__(self, name: str = '', value: str | None = '') -> None:
  self.name = name
  self.value = value


class CreatableTopic(Struct):
 __slots__ = ('name', 'num_partitions', 'replication_factor', 'assignments', 'configs', )
 name: str
 num_partitions: int
 replication_factor: int
 assignments: list[CreatableReplicaAssignment]
 configs: list[CreatableTopicConfig]
 def __init__(self, name: str = '', num_partitions: int = 0, replication_factor: int = 0, assignments: list[CreatableReplicaAssignment] = FRESH, configs: list[CreatableTopicConfig] = FRESH) -> None:
  self.name = name
  self.num_partitions = num_partitions
  self.replication_factor = replication_factor
  self.assignments = [] if assignments is FRESH else assignments
  self.configs = [] if configs is FRESH else configs


class CreateTopicsRequest(Message):
 __slots__ = ('topics', 'timeout_ms', 'validate_only', )
 api_key: ClassVar[int] = 19
 versions: ClassVar[range] = range(2, 8)
 first_flexible: ClassVar[int | None] = 5
 topics: list[CreatableTopic]
 timeout_ms: int
 validate_only: bool
 def __init__(self, topics: list[CreatableTopic] = FRESH, timeout_ms: int = 60000, validate_only: bool = False) -> None:
  self.topics = [] if topics is FRESH else topics
  self.timeout_ms = timeout_ms
  self.validate_only = validate_only

def _decode_create_topics_request_2(view, size):
 pos = 0
 o0 = new(CreateTopicsRequest)
 n0, = U_i(view, pos)
 pos += 4
 if n0 < 0: raise null('CreateTopicsRequest.topics')
 if n0 * 16 > size - pos: raise beyond('CreateTopicsRequest.topics')
 a0 = []
 for _ in range(n0):
  o1 = new(CreatableTopic)
  n1, = U_h(view, pos)
  pos += 2
  if n1 < 0: raise null('CreatableTopic.name')
  end = pos + n1
  if end > size: raise beyond('CreatableTopic.name')
  o1.name = view[pos:end].tobytes().decode()
  pos = end
  o1.num_partitions, o1.replication_factor, n2 = U_ihi(view, pos)
  pos += 10
  if n2 < 0: raise null('CreatableTopic.assignments')
  if n2 * 8 > size - pos: raise beyond('CreatableTopic.assignments')
  a1 = []
  for _ in range(n2):
   o2 = new(CreatableReplicaAssignment)
   o2.partition_index, n3 = U_ii(view, pos)
   pos += 8
   if n3 < 0: raise null('CreatableReplicaAssignment.broker_ids')
   if n3 * 4 > size - pos: raise beyond('CreatableReplicaAssignment.broker_ids')
   o2.broker_ids = list(unpack_from(f'>{n3}i', view, pos))
   pos += n3 * 4
   a1.append(o2)
  o1.assignments = a1
  n4, = U_i(view, pos)
  pos += 4
  if n4 < 0: raise null('CreatableTopic.configs')
  if n4 * 4 > size - pos: raise beyond('CreatableTopic.configs')
  a2 = []
  for _ in range(n4):
   o3 = new(CreatableTopicConfig)
   n5, = U_h(view, pos)
   pos += 2
   if n5 < 0: raise null('CreatableTopicConfig.name')
   end = pos + n5
   if end > size: raise beyond('CreatableTopicConfig.name')
   o3.name = view[pos:end].tobytes().decode()
   pos = end
   n6, = U_h(view, pos)
   pos += 2
   if n6 < 0: o3.value = None
   else:
    end = pos + n6
    if end > size: raise beyond('CreatableTopicConfig.value')
    o3.value = view[pos:end].tobytes().decode()
    pos = end
   a2.append(o3)
  o1.configs = a2
  a0.append(o1)
 o0.topics = a0
 o0.timeout_ms, o0.validate_only = U_it(view, pos)
 pos += 5
 return o0, pos
def _decode_create_topics_request_5(view, size):
 pos = 0
 o0 = new(CreateTopicsRequest)
 n0 = view[pos]
 pos += 1
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('CreateTopicsRequest.topics')
 n0 -= 1
 if n0 * 10 > size - pos: raise beyond('CreateTopicsRequest.topics')
 a0 = []
 for _ in range(n0):
  o1 = new(CreatableTopic)
  n1 = view[pos]
  pos += 1
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('CreatableTopic.name')
  end = pos + n1 - 1
  if end > size: raise beyond('CreatableTopic.name')
  o1.name = view[pos:end].tobytes().decode()
  pos = end
  o1.num_partitions, o1.replication_factor, n2 = U_ihB(view, pos)
  pos += 7
  if n2 > 127:
   n2, pos = varint_rest(view, pos, n2)
  if not n2: raise null('CreatableTopic.assignments')
  n2 -= 1
  if n2 * 6 > size - pos: raise beyond('CreatableTopic.assignments')
  a1 = []
  for _ in range(n2):
   o2 = new(CreatableReplicaAssignment)
   o2.partition_index, n3 = U_iB(view, pos)
   pos += 5
   if n3 > 127:
    n3, pos = varint_rest(view, pos, n3)
   if not n3: raise null('CreatableReplicaAssignment.broker_ids')
   n3 -= 1
   if n3 * 4 > size - pos: raise beyond('CreatableReplicaAssignment.broker_ids')
   o2.broker_ids = list(unpack_from(f'>{n3}i', view, pos))
   pos += n3 * 4
   t0 = view[pos]
   pos += 1
   if t0:
    pos = skip_tags(view, pos, t0, size)
   a1.append(o2)
  o1.assignments = a1
  n4 = view[pos]
  pos += 1
  if n4 > 127:
   n4, pos = varint_rest(view, pos, n4)
  if not n4: raise null('CreatableTopic.configs')
  n4 -= 1
  if n4 * 3 > size - pos: raise beyond('CreatableTopic.configs')
  a2 = []
  for _ in range(n4):
   o3 = new(CreatableTopicConfig)
   n5 = view[pos]
   pos += 1
   if n5 > 127:
    n5, pos = varint_rest(view, pos, n5)
   if not n5: raise null('CreatableTopicConfig.name')
   end = pos + n5 - 1
   if end > size: raise beyond('CreatableTopicConfig.name')
   o3.name = view[pos:end].tobytes().decode()
   pos = end
   n6 = view[pos]
   pos += 1
   if n6 > 127:
    n6, pos = varint_rest(view, pos, n6)
   if not n6: o3.value = None
   else:
    end = pos + n6 - 1
    if end > size: raise beyond('CreatableTopicConfig.value')
    o3.value = view[pos:end].tobytes().decode()
    pos = end
   t1 = view[pos]
   pos += 1
   if t1:
    pos = skip_tags(view, pos, t1, size)
   a2.append(o3)
  o1.configs = a2
  t2 = view[pos]
  pos += 1
  if t2:
   pos = skip_tags(view, pos, t2, size)
  a0.append(o1)
 o0.topics = a0
 o0.timeout_ms, o0.validate_only, t3 = U_itB(view, pos)
 pos += 6
 if t3:
  pos = skip_tags(view, pos, t3, size)
 return o0, pos
CreateTopicsRequest.decoders = {2: _decode_create_topics_request_2, 3: _decode_create_topics_request_2, 4: _decode_create_topics_request_2, 5: _decode_create_topics_request_5, 6: _decode_create_topics_request_5, 7: _decode_create_topics_request_5}

def _encode_create_topics_request_2(m):
 out = []
 a0 = m.topics
 n0 = len(a0)
 out.append(P_i(n0))
 for m0 in a0:
  b0 = m0.name.encode()
  n1 = len(b0)
  out.append(P_h(n1))
  out.append(b0)
  a1 = m0.assignments
  n2 = len(a1)
  out.append(P_ihi(m0.num_partitions, m0.replication_factor, n2))
  for m1 in a1:
   a2 = m1.broker_ids
   n3 = len(a2)
   out.append(P_ii(m1.partition_index, n3))
   if a2: out.append(pack(f'>{len(a2)}i', *a2))
  a3 = m0.configs
  n4 = len(a3)
  out.append(P_i(n4))
  for m2 in a3:
   b1 = m2.name.encode()
   n5 = len(b1)
   out.append(P_h(n5))
   out.append(b1)
   b2 = m2.value
   if b2 is None:
    b2 = b''; n6 = -1
   else:
    b2 = b2.encode()
    n6 = len(b2)
   out.append(P_h(n6))
   out.append(b2)
 out.append(P_it(m.timeout_ms, m.validate_only))
 return [b''.join(out)]
def _encode_create_topics_request_5(m):
 out = []
 a0 = m.topics
 n0 = len(a0) + 1
 out.append(U8[n0] if n0 < 128 else varint(n0))
 for m0 in a0:
  b0 = m0.name.encode()
  n1 = len(b0) + 1
  out.append(U8[n1] if n1 < 128 else varint(n1))
  out.append(b0)
  a1 = m0.assignments
  n2 = len(a1) + 1
  out.append(P_ihB(m0.num_partitions, m0.replication_factor, n2) if n2 < 128 else P_ih(m0.num_partitions, m0.replication_factor) + varint(n2))
  for m1 in a1:
   a2 = m1.broker_ids
   n3 = len(a2) + 1
   out.append(P_iB(m1.partition_index, n3) if n3 < 128 else P_i(m1.partition_index) + varint(n3))
   if a2: out.append(pack(f'>{len(a2)}i', *a2))
   out.append(b'\x00')
  a3 = m0.configs
  n4 = len(a3) + 1
  out.append(U8[n4] if n4 < 128 else varint(n4))
  for m2 in a3:
   b1 = m2.name.encode()
   n5 = len(b1) + 1
   out.append(U8[n5] if n5 < 128 else varint(n5))
   out.append(b1)
   b2 = m2.value
   if b2 is None:
    b2 = b''; n6 = 0
   else:
    b2 = b2.encode()
    n6 = len(b2) + 1
   out.append(U8[n6] if n6 < 128 else varint(n6))
   out.append(b2)
   out.append(b'\x00')
  out.append(b'\x00')
 out.append(P_itx(m.timeout_ms, m.validate_only))
 return [b''.join(out)]
CreateTopicsRequest.encoders = {2: _encode_create_topics_request_2, 3: _encode_create_topics_request_2, 4: _encode_create_topics_request_2, 5: _encode_create_topics_request_5, 6: _encode_create_topics_request_5, 7: _encode_create_topics_request_5}


class CreatableTopicConfigs(Struct):
 __slots__ = ('name', 'value', 'read_only', 'config_source', 'is_sensitive', )
 name: str
 value: str | None
 read_only: bool
 config_source: int
 is_sensitive: bool
 def __init__(self, name: str = '', value: str | None = '', read_only: bool = False, config_source: int = -1, is_sensitive: bool = False) -> None:
  self.name = name
  self.value = value
  self.read_only = read_only
  self.config_source = config_source
  self.is_sensitive = is_sensitive


class CreatableTopicResult(Struct):
 __slots__ = ('name', 'topic_id', 'error_code', 'error_message', 'topic_config_error_code', 'num_partitions', 'replication_factor', 'configs', )
 name: str
 topic_id: UUID
 error_code: int
 error_message: str | None
 topic_config_error_code: int
 num_partitions: int
 replication_factor: int
 configs: list[CreatableTopicConfigs] | None
 def __init__(self, name: str = '', topic_id: UUID = NO_UUID, error_code: int = 0, error_message: str | None = '', topic_config_error_code: int = 0, num_partitions: int = -1, replication_factor: int = -1, configs: list[CreatableTopicConfigs] | None = FRESH) -> None:
  self.name = name
  self.topic_id = topic_id
  self.error_code = error_code
  self.error_message = error_message
  self.topic_config_error_code = topic_config_error_code
  self.num_partitions = num_partitions
  self.replication_factor = replication_factor
  self.configs = [] if configs is FRESH else configs


class CreateTopicsResponse(Message):
 __slots__ = ('throttle_time_ms', 'topics', )
 api_key: ClassVar[int] = 19
 versions: ClassVar[range] = range(2, 8)
 first_flexible: ClassVar[int | None] = 5
 throttle_time_ms: int
 topics: list[CreatableTopicResult]
 def __init__(self, throttle_time_ms: int = 0, topics: list[CreatableTopicResult] = FRESH) -> None:
  self.throttle_time_ms = throttle_time_ms
  self.topics = [] if topics is FRESH else topics

def _decode_create_topics_response_2(view, size):
 pos = 0
 o0 = new(CreateTopicsResponse)
 o0.throttle_time_ms, n0 = U_ii(view, pos)
 pos += 8
 if n0 < 0: raise null('CreateTopicsResponse.topics')
 if n0 * 6 > size - pos: raise beyond('CreateTopicsResponse.topics')
 a0 = []
 for _ in range(n0):
  o1 = new(CreatableTopicResult)
  n1, = U_h(view, pos)
  pos += 2
  if n1 < 0: raise null('CreatableTopicResult.name')
  end = pos + n1
  if end > size: raise beyond('CreatableTopicResult.name')
  o1.name = view[pos:end].tobytes().decode()
  pos = end
  o1.topic_id = NO_UUID
  o1.error_code, n2 = U_hh(view, pos)
  pos += 4
  if n2 < 0: o1.error_message = None
  else:
   end = pos + n2
   if end > size: raise beyond('CreatableTopicResult.error_message')
   o1.error_message = view[pos:end].tobytes().decode()
   pos = end
  o1.topic_config_error_code = 0
  o1.num_partitions = -1
  o1.replication_factor = -1
  o1.configs = []
  a0.append(o1)
 o0.topics = a0
 return o0, pos
def _decode_create_topics_response_5(view, size):
 pos = 0
 o0 = new(CreateTopicsResponse)
 o0.throttle_time_ms, n0 = U_iB(view, pos)
 pos += 5
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('CreateTopicsResponse.topics')
 n0 -= 1
 if n0 * 12 > size - pos: raise beyond('CreateTopicsResponse.topics')
 a0 = []
 for _ in range(n0):
  o1 = new(CreatableTopicResult)
  n1 = view[pos]
  pos += 1
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('CreatableTopicResult.name')
  end = pos + n1 - 1
  if end > size: raise beyond('CreatableTopicResult.name')
  o1.name = view[pos:end].tobytes().decode()
  pos = end
  o1.topic_id = NO_UUID
  o1.error_code, n2 = U_hB(view, pos)
  pos += 3
  if n2 > 127:
   n2, pos = varint_rest(view, pos, n2)
  if not n2: o1.error_message = None
  else:
   end = pos + n2 - 1
   if end > size: raise beyond('CreatableTopicResult.error_message')
   o1.error_message = view[pos:end].tobytes().decode()
   pos = end
  o1.topic_config_error_code = 0
  o1.num_partitions, o1.replication_factor, n3 = U_ihB(view, pos)
  pos += 7
  if n3 > 127:
   n3, pos = varint_rest(view, pos, n3)
  if not n3: o1.configs = None
  else:
   n3 -= 1
   if n3 * 6 > size - pos: raise beyond('CreatableTopicResult.configs')
   a1 = []
   for _ in range(n3):
    o2 = new(CreatableTopicConfigs)
    n4 = view[pos]
    pos += 1
    if n4 > 127:
     n4, pos = varint_rest(view, pos, n4)
    if not n4: raise null('CreatableTopicConfigs.name')
    end = pos + n4 - 1
    if end > size: raise beyond('CreatableTopicConfigs.name')
    o2.name = view[pos:end].tobytes().decode()
    pos = end
    n5 = view[pos]
    pos += 1
    if n5 > 127:
     n5, pos = varint_rest(view, pos, n5)
    if not n5: o2.value = None
    else:
     end = pos + n5 - 1
     if end > size: raise beyond('CreatableTopicConfigs.value')
     o2.value = view[pos:end].tobytes().decode()
     pos = end
    o2.read_only, o2.config_source, o2.is_sensitive, t0 = U_tbtB(view, pos)
    pos += 4
    if t0:
     pos = skip_tags(view, pos, t0, size)
    a1.append(o2)
   o1.configs = a1
  t1 = view[pos]
  pos += 1
  if t1:
   if t1 > 127:
    t1, pos = varint_rest(view, pos, t1)
   for _ in range(t1):
    tag0 = view[pos]
    pos += 1
    if tag0 > 127:
     tag0, pos = varint_rest(view, pos, tag0)
    stop0 = view[pos]
    pos += 1
    if stop0 > 127:
     stop0, pos = varint_rest(view, pos, stop0)
    stop0 += pos
    if stop0 > size: raise beyond('CreatableTopicResult')
    if tag0 == 0:
     o1.topic_config_error_code, = U_h(view, pos)
     pos += 2
     if pos != stop0: raise unused('CreatableTopicResult.topic_config_error_code')
    else:
     pos = stop0
  a0.append(o1)
 o0.topics = a0
 t2 = view[pos]
 pos += 1
 if t2:
  pos = skip_tags(view, pos, t2, size)
 return o0, pos
def _decode_create_topics_response_7(view, size):
 pos = 0
 o0 = new(CreateTopicsResponse)
 o0.throttle_time_ms, n0 = U_iB(view, pos)
 pos += 5
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('CreateTopicsResponse.topics')
 n0 -= 1
 if n0 * 28 > size - pos: raise beyond('CreateTopicsResponse.topics')
 a0 = []
 for _ in range(n0):
  o1 = new(CreatableTopicResult)
  n1 = view[pos]
  pos += 1
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('CreatableTopicResult.name')
  end = pos + n1 - 1
  if end > size: raise beyond('CreatableTopicResult.name')
  o1.name = view[pos:end].tobytes().decode()
  pos = end
  o1.topic_id, o1.error_code, n2 = U_16shB(view, pos)
  pos += 19
  o1.topic_id = UUIDS.get(o1.topic_id) or uuid_of(o1.topic_id)
  if n2 > 127:
   n2, pos = varint_rest(view, pos, n2)
  if not n2: o1.error_message = None
  else:
   end = pos + n2 - 1
   if end > size: raise beyond('CreatableTopicResult.error_message')
   o1.error_message = view[pos:end].tobytes().decode()
   pos = end
  o1.topic_config_error_code = 0
  o1.num_partitions, o1.replication_factor, n3 = U_ihB(view, pos)
  pos += 7
  if n3 > 127:
   n3, pos = varint_rest(view, pos, n3)
  if not n3: o1.configs = None
  else:
   n3 -= 1
   if n3 * 6 > size - pos: raise beyond('CreatableTopicResult.configs')
   a1 = []
   for _ in range(n3):
    o2 = new(CreatableTopicConfigs)
    n4 = view[pos]
    pos += 1
    if n4 > 127:
     n4, pos = varint_rest(view, pos, n4)
    if not n4: raise null('CreatableTopicConfigs.name')
    end = pos + n4 - 1
    if end > size: raise beyond('CreatableTopicConfigs.name')
    o2.name = view[pos:end].tobytes().decode()
    pos = end
    n5 = view[pos]
    pos += 1
    if n5 > 127:
     n5, pos = varint_rest(view, pos, n5)
    if not n5: o2.value = None
    else:
     end = pos + n5 - 1
     if end > size: raise beyond('CreatableTopicConfigs.value')
     o2.value = view[pos:end].tobytes().decode()
     pos = end
    o2.read_only, o2.config_source, o2.is_sensitive, t0 = U_tbtB(view, pos)
    pos += 4
    if t0:
     pos = skip_tags(view, pos, t0, size)
    a1.append(o2)
   o1.configs = a1
  t1 = view[pos]
  pos += 1
  if t1:
   if t1 > 127:
    t1, pos = varint_rest(view, pos, t1)
   for _ in range(t1):
    tag0 = view[pos]
    pos += 1
    if tag0 > 127:
     tag0, pos = varint_rest(view, pos, tag0)
    stop0 = view[pos]
    pos += 1
    if stop0 > 127:
     stop0, pos = varint_rest(view, pos, stop0)
    stop0 += pos
    if stop0 > size: raise beyond('CreatableTopicResult')
    if tag0 == 0:
     o1.topic_config_error_code, = U_h(view, pos)
     pos += 2
     if pos != stop0: raise unused('CreatableTopicResult.topic_config_error_code')
    else:
     pos = stop0
  a0.append(o1)
 o0.topics = a0
 t2 = view[pos]
 pos += 1
 if t2:
  pos = skip_tags(view, pos, t2, size)
 return o0, pos
CreateTopicsResponse.decoders = {2: _decode_create_topics_response_2, 3: _decode_create_topics_response_2, 4: _decode_create_topics_response_2, 5: _decode_create_topics_response_5, 6: _decode_create_topics_response_5, 7: _decode_create_topics_response_7}

def _encode_create_topics_response_2(m):
 out = []
 a0 = m.topics
 n0 = len(a0)
 out.append(P_ii(m.throttle_time_ms, n0))
 for m0 in a0:
  b0 = m0.name.encode()
  n1 = len(b0)
  out.append(P_h(n1))
  out.append(b0)
  b1 = m0.error_message
  if b1 is None:
   b1 = b''; n2 = -1
  else:
   b1 = b1.encode()
   n2 = len(b1)
  out.append(P_hh(m0.error_code, n2))
  out.append(b1)
 return [b''.join(out)]
def _encode_create_topics_response_5(m):
 out = []
 a0 = m.topics
 n0 = len(a0) + 1
 out.append(P_iB(m.throttle_time_ms, n0) if n0 < 128 else P_i(m.throttle_time_ms) + varint(n0))
 for m0 in a0:
  b0 = m0.name.encode()
  n1 = len(b0) + 1
  out.append(U8[n1] if n1 < 128 else varint(n1))
  out.append(b0)
  b1 = m0.error_message
  if b1 is None:
   b1 = b''; n2 = 0
  else:
   b1 = b1.encode()
   n2 = len(b1) + 1
  out.append(P_hB(m0.error_code, n2) if n2 < 128 else P_h(m0.error_code) + varint(n2))
  out.append(b1)
  a1 = m0.configs
  n3 = 0 if a1 is None else len(a1) + 1
  out.append(P_ihB(m0.num_partitions, m0.replication_factor, n3) if n3 < 128 else P_ih(m0.num_partitions, m0.replication_factor) + varint(n3))
  for m1 in a1 or ():
   b2 = m1.name.encode()
   n4 = len(b2) + 1
   out.append(U8[n4] if n4 < 128 else varint(n4))
   out.append(b2)
   b3 = m1.value
   if b3 is None:
    b3 = b''; n5 = 0
   else:
    b3 = b3.encode()
    n5 = len(b3) + 1
   out.append(U8[n5] if n5 < 128 else varint(n5))
   out.append(b3)
   out.append(P_tbtx(m1.read_only, m1.config_source, m1.is_sensitive))
  if (m0.topic_config_error_code != 0):
   t0 = []
   if m0.topic_config_error_code != 0:
    part0 = []
    part0.append(P_h(m0.topic_config_error_code))
    t0.append(tagged(0, part0))
   out.append(varint(len(t0)))
   out += t0
  else:
   out.append(b'\x00')
 out.append(b'\x00')
 return [b''.join(out)]
def _encode_create_topics_response_7(m):
 out = []
 a0 = m.topics
 n0 = len(a0) + 1
 out.append(P_iB(m.throttle_time_ms, n0) if n0 < 128 else P_i(m.throttle_time_ms) + varint(n0))
 for m0 in a0:
  b0 = m0.name.encode()
  n1 = len(b0) + 1
  out.append(U8[n1] if n1 < 128 else varint(n1))
  out.append(b0)
  b1 = m0.error_message
  if b1 is None:
   b1 = b''; n2 = 0
  else:
   b1 = b1.encode()
   n2 = len(b1) + 1
  out.append(P_16shB(m0.topic_id.bytes, m0.error_code, n2) if n2 < 128 else P_16sh(m0.topic_id.bytes, m0.error_code) + varint(n2))
  out.append(b1)
  a1 = m0.configs
  n3 = 0 if a1 is None else len(a1) + 1
  out.append(P_ihB(m0.num_partitions, m0.replication_factor, n3) if n3 < 128 else P_ih(m0.num_partitions, m0.replication_factor) + varint(n3))
  for m1 in a1 or ():
   b2 = m1.name.encode()
   n4 = len(b2) + 1
   out.append(U8[n4] if n4 < 128 else varint(n4))
   out.append(b2)
   b3 = m1.value
   if b3 is None:
    b3 = b''; n5 = 0
   else:
    b3 = b3.encode()
    n5 = len(b3) + 1
   out.append(U8[n5] if n5 < 128 else varint(n5))
   out.append(b3)
   out.append(P_tbtx(m1.read_only, m1.config_source, m1.is_sensitive))
  if (m0.topic_config_error_code != 0):
   t0 = []
   if m0.topic_config_error_code != 0:
    part0 = []
    part0.append(P_h(m0.topic_config_error_code))
    t0.append(tagged(0, part0))
   out.append(varint(len(t0)))
   out += t0
  else:
   out.append(b'\x00')
 out.append(b'\x00')
 return [b''.join(out)]
CreateTopicsResponse.encoders = {2: _encode_create_topics_response_2, 3: _encode_create_topics_response_2, 4: _encode_create_topics_response_2, 5: _encode_create_topics_response_5, 6: _encode_create_topics_response_5, 7: _encode_create_topics_response_7}
