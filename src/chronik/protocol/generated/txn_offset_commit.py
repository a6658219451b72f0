"""TxnOffsetCommit: request in versions 0 to 5 and response in versions 0 to 5.

Generated from the message definitions of kafka-clients 4.1.0 by ``python -m generator``: do not edit.
"""
from typing import ClassVar

from chronik.protocol.wire import FRESH, U8, Message, Packing, Struct, beyond, new, null, skip_tags, unsupported, varint, varint_rest

P_h = Packing('>h').pack
P_i = Packing('>i').pack
P_iB = Packing('>iB').pack
P_ih = Packing('>ih').pack
P_ihx = Packing('>ihx').pack
P_ii = Packing('>ii').pack
P_iqh = Packing('>iqh').pack
P_iqi = Packing('>iqi').pack
P_iqiB = Packing('>iqiB').pack
P_iqih = Packing('>iqih').pack
P_qhi = Packing('>qhi').pack
P_qhiB = Packing('>qhiB').pack
U_h = Packing('>h').unpack_from
U_i = Packing('>i').unpack_from
U_iB = Packing('>iB').unpack_from
U_ih = Packing('>ih').unpack_from
U_ihB = Packing('>ihB').unpack_from
U_ii = Packing('>ii').unpack_from
U_iqh = Packing('>iqh').unpack_from
U_iqiB = Packing('>iqiB').unpack_from
U_iqih = Packing('>iqih').unpack_from
U_qhi = Packing('>qhi').unpack_from
U_qhiB = Packing('>qhiB').unpack_from


class TxnOffsetCommitRequestPartition(Struct):
 __slots__ = ('partition_index', 'committed_offset', 'committed_leader_epoch', 'committed_metadata', )
 partition_index: int
 committed_offset: int
 committed_leader_epoch: int
 committed_metadata: str | None
 def __init__(self, partition_index: int = 0, committed_offset: int = 0, committed_leader_epoch: int = -1, committed_metadata: str | None = '') -> None:
  self.partition_index = partition_index
  self.committed_offset = committed_offset
  self.committed_leader_epoch = committed_leader_epoch
  self.committed_metadata = committed_metadata


class TxnOffsetCommitRequestTopic(Struct):
 __slots__ = ('name', 'partitions', )
 name: str
 partitions: list[TxnOffsetCommitRequestPartition]
 def __init__(self, name: str = '', partitions: list[TxnOffsetCommitRequestPartition] = FRESH) -> None:
  self.name = name
  self.partitions = [] if partitions is FRESH else partitions


class TxnOffsetCommitRequest(Message):
 __slots__ = ('transactional_id', 'group_id', 'producer_id', 'producer_epoch', 'generation_id', 'member_id', 'group_instance_id', 'topics', )
 api_key: ClassVar[int] = 28
 versions: ClassVar[range] = range(0, 6)
 first_flexible: ClassVar[int | None] = 3
 transactional_id: str
 group_id: str
 producer_id: int
 producer_epoch: int
 generation_id: int
 member_id: str
 group_instance_id: str | None
 topics: list[TxnOffsetCommitRequestTopic]
 def __init__(self, transactional_id: str = '', group_id: str = '', producer_id: int = 0, producer_epoch: int = 0, generation_id: int = -1, member_id: str = '', group_instance_id: str | None = None, topics: list[TxnOffsetCommitRequestTopic] = FRESH) -> None:
  self.transactional_id = transactional_id
  self.group_id = group_id
  self.producer_id = producer_id
  self.producer_epoch = producer_epoch
  self.generation_id = generation_id
  self.member_id = member_id
  self.group_instance_id = group_instance_id
  self.topics = [] if topics is FRESH else topics

def _decode_txn_offset_commit_request_0(view, size):
 pos = 0
 o0 = new(TxnOffsetCommitRequest)
 n0, = U_h(view, pos)
 pos += 2
 if n0 < 0: raise null('TxnOffsetCommitRequest.transactional_id')
 end = pos + n0
 if end > size: raise beyond('TxnOffsetCommitRequest.transactional_id')
 o0.transactional_id = view[pos:end].tobytes().decode()
 pos = end
 n1, = U_h(view, pos)
 pos += 2
 if n1 < 0: raise null('TxnOffsetCommitRequest.group_id')
 end = pos + n1
 if end > size: raise beyond('TxnOffsetCommitRequest.group_id')
 o0.group_id = view[pos:end].tobytes().decode()
 pos = end
 o0.generation_id = -1
 o0.member_id = ''
 o0.group_instance_id = None
 o0.producer_id, o0.producer_epoch, n2 = U_qhi(view, pos)
 pos += 14
 if n2 < 0: raise null('TxnOffsetCommitRequest.topics')
 if n2 * 6 > size - pos: raise beyond('TxnOffsetCommitRequest.topics')
 a0 = []
 for _ in range(n2):
  o1 = new(TxnOffsetCommitRequestTopic)
  n3, = U_h(view, pos)
  pos += 2
  if n3 < 0: raise null('TxnOffsetCommitRequestTopic.name')
  end = pos + n3
  if end > size: raise beyond('TxnOffsetCommitRequestTopic.name')
  o1.name = view[pos:end].tobytes().decode()
  pos = end
  n4, = U_i(view, pos)
  pos += 4
  if n4 < 0: raise null('TxnOffsetCommitRequestTopic.partitions')
  if n4 * 14 > size - pos: raise beyond('TxnOffsetCommitRequestTopic.partitions')
  a1 = []
  for _ in range(n4):
   o2 = new(TxnOffsetCommitRequestPartition)
   o2.committed_leader_epoch = -1
   o2.partition_index, o2.committed_offset, n5 = U_iqh(view, pos)
   pos += 14
   if n5 < 0: o2.committed_metadata = None
   else:
    end = pos + n5
    if end > size: raise beyond('TxnOffsetCommitRequestPartition.committed_metadata')
    o2.committed_metadata = view[pos:end].tobytes().decode()
    pos = end
   a1.append(o2)
  o1.partitions = a1
  a0.append(o1)
 o0.topics = a0
 return o0, pos
def _decode_txn_offset_commit_request_2(view, size):
 pos = 0
 o0 = new(TxnOffsetCommitRequest)
 n0, = U_h(view, pos)
 pos += 2
 if n0 < 0: raise null('TxnOffsetCommitRequest.transactional_id')
 end = pos + n0
 if end > size: raise beyond('TxnOffsetCommitRequest.transactional_id')
 o0.transactional_id = view[pos:end].tobytes().decode()
 pos = end
 n1, = U_h(view, pos)
 pos += 2
 if n1 < 0: raise null('TxnOffsetCommitRequest.group_id')
 end = pos + n1
 if end > size: raise beyond('TxnOffsetCommitRequest.group_id')
 o0.group_id = view[pos:end].tobytes().decode()
 pos = end
 o0.generation_id = -1
 o0.member_id = ''
 o0.group_instance_id = None
 o0.producer_id, o0.producer_epoch, n2 = U_qhi(view, pos)
 pos += 14
 if n2 < 0: raise null('TxnOffsetCommitRequest.topics')
 if n2 * 6 > size - pos: raise beyond('TxnOffsetCommitRequest.topics')
 a0 = []
 for _ in range(n2):
  o1 = new(TxnOffsetCommitRequestTopic)
  n3, = U_h(view, pos)
  pos += 2
  if n3 < 0: raise null('TxnOffsetCommitRequestTopic.name')
  end = pos + n3
  if end > size: raise beyond('TxnOffsetCommitRequestTopic.name')
  o1.name = view[pos:end].tobytes().decode()
  pos = end
  n4, = U_i(view, pos)
  pos += 4
  if n4 < 0: raise null('TxnOffsetCommitRequestTopic.partitions')
  if n4 * 18 > size - pos: raise beyond('TxnOffsetCommitRequestTopic.partitions')
  a1 = []
  for _ in range(n4):
   o2 = new(TxnOffsetCommitRequestPartition)
   o2.partition_index, o2.committed_offset, o2.committed_leader_epoch, n5 = U_iqih(view, pos)
   pos += 18
   if n5 < 0: o2.committed_metadata = None
   else:
    end = pos + n5
    if end > size: raise beyond('TxnOffsetCommitRequestPartition.committed_metadata')
    o2.committed_metadata = view[pos:end].tobytes().decode()
    pos = end
   a1.append(o2)
  o1.partitions = a1
  a0.append(o1)
 o0.topics = a0
 return o0, pos
def _decode_txn_offset_commit_request_3(view, size):
 pos = 0
 o0 = new(TxnOffsetCommitRequest)
 n0 = view[pos]
 pos += 1
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('TxnOffsetCommitRequest.transactional_id')
 end = pos + n0 - 1
 if end > size: raise beyond('TxnOffsetCommitRequest.transactional_id')
 o0.transactional_id = view[pos:end].tobytes().decode()
 pos = end
 n1 = view[pos]
 pos += 1
 if n1 > 127:
  n1, pos = varint_rest(view, pos, n1)
 if not n1: raise null('TxnOffsetCommitRequest.group_id')
 end = pos + n1 - 1
 if end > size: raise beyond('TxnOffsetCommitRequest.group_id')
 o0.group_id = view[pos:end].tobytes().decode()
 pos = end
 o0.producer_id, o0.producer_epoch, o0.generation_id, n2 = U_qhiB(view, pos)
 pos += 15
 if n2 > 127:
  n2, pos = varint_rest(view, pos, n2)
 if not n2: raise null('TxnOffsetCommitRequest.member_id')
 end = pos + n2 - 1
 if end > size: raise beyond('TxnOffsetCommitRequest.member_id')
 o0.member_id = view[pos:end].tobytes().decode()
 pos = end
 n3 = view[pos]
 pos += 1
 if n3 > 127:
  n3, pos = varint_rest(view, pos, n3)
 if not n3: o0.group_instance_id = None
 else:
  end = pos + n3 - 1
  if end > size: raise beyond('TxnOffsetCommitRequest.group_instance_id')
  o0.group_instance_id = view[pos:end].tobytes().decode()
  pos = end
 n4 = view[pos]
 pos += 1
 if n4 > 127:
  n4, pos = varint_rest(view, pos, n4)
 if not n4: raise null('TxnOffsetCommitRequest.topics')
 n4 -= 1
 if n4 * 3 > size - pos: raise beyond('TxnOffsetCommitRequest.topics')
 a0 = []
 for _ in range(n4):
  o1 = new(TxnOffsetCommitRequestTopic)
  n5 = view[pos]
  pos += 1
  if n5 > 127:
   n5, pos = varint_rest(view, pos, n5)
  if not n5: raise null('TxnOffsetCommitRequestTopic.name')
  end = pos + n5 - 1
  if end > size: raise beyond('TxnOffsetCommitRequestTopic.name')
  o1.name = view[pos:end].tobytes().decode()
  pos = end
  n6 = view[pos]
  pos += 1
  if n6 > 127:
   n6, pos = varint_rest(view, pos, n6)
  if not n6: raise null('TxnOffsetCommitRequestTopic.partitions')
  n6 -= 1
  if n6 * 18 > size - pos: raise beyond('TxnOffsetCommitRequestTopic.partitions')
  a1 = []
  for _ in range(n6):
   o2 = new(TxnOffsetCommitRequestPartition)
   o2.partition_index, o2.committed_offset, o2.committed_leader_epoch, n7 = U_iqiB(view, pos)
   pos += 17
   if n7 > 127:
    n7, pos = varint_rest(view, pos, n7)
   if not n7: o2.committed_metadata = None
   else:
    end = pos + n7 - 1
    if end > size: raise beyond('TxnOffsetCommitRequestPartition.committed_metadata')
    o2.committed_metadata = view[pos:end].tobytes().decode()
    pos = end
   t0 = view[pos]
   pos += 1
   if t0:
    pos = skip_tags(view, pos, t0, size)
   a1.append(o2)
  o1.partitions = a1
  t1 = view[pos]
  pos += 1
  if t1:
   pos = skip_tags(view, pos, t1, size)
  a0.append(o1)
 o0.topics = a0
 t2 = view[pos]
 pos += 1
 if t2:
  pos = skip_tags(view, pos, t2, size)
 return o0, pos
TxnOffsetCommitRequest.decoders = {0: _decode_txn_offset_commit_request_0, 1: _decode_txn_offset_commit_request_0, 2: _decode_txn_offset_commit_request_2, 3: _decode_txn_offset_commit_request_3, 4: _decode_txn_offset_commit_request_3, 5: _decode_txn_offset_commit_request_3}

def _encode_txn_offset_commit_request_0(m):
 out = []
 b0 = m.transactional_id.encode()
 n0 = len(b0)
 out.append(P_h(n0))
 out.append(b0)
 b1 = m.group_id.encode()
 n1 = len(b1)
 out.append(P_h(n1))
 out.append(b1)
 if m.generation_id != -1: raise unsupported('TxnOffsetCommitRequest.generation_id')
 if m.member_id != '': raise unsupported('TxnOffsetCommitRequest.member_id')
 if m.group_instance_id is not None: raise unsupported('TxnOffsetCommitRequest.group_instance_id')
 a0 = m.topics
 n2 = len(a0)
 out.append(P_qhi(m.producer_id, m.producer_epoch, n2))
 for m0 in a0:
  b2 = m0.name.encode()
  n3 = len(b2)
  out.append(P_h(n3))
  out.append(b2)
  a1 = m0.partitions
  n4 = len(a1)
  out.append(P_i(n4))
  for m1 in a1:
   b3 = m1.committed_metadata
   if b3 is None:
    b3 = b''; n5 = -1
   else:
    b3 = b3.encode()
    n5 = len(b3)
   out.append(P_iqh(m1.partition_index, m1.committed_offset, n5))
   out.append(b3)
 return [b''.join(out)]
def _encode_txn_offset_commit_request_2(m):
 out = []
 b0 = m.transactional_id.encode()
 n0 = len(b0)
 out.append(P_h(n0))
 out.append(b0)
 b1 = m.group_id.encode()
 n1 = len(b1)
 out.append(P_h(n1))
 out.append(b1)
 if m.generation_id != -1: raise unsupported('TxnOffsetCommitRequest.generation_id')
 if m.member_id != '': raise unsupported('TxnOffsetCommitRequest.member_id')
 if m.group_instance_id is not None: raise unsupported('TxnOffsetCommitRequest.group_instance_id')
 a0 = m.topics
 n2 = len(a0)
 out.append(P_qhi(m.producer_id, m.producer_epoch, n2))
 for m0 in a0:
  b2 = m0.name.encode()
  n3 = len(b2)
  out.append(P_h(n3))
  out.append(b2)
  a1 = m0.partitions
  n4 = len(a1)
  out.append(P_i(n4))
  for m1 in a1:
   b3 = m1.committed_metadata
   if b3 is None:
    b3 = b''; n5 = -1
   else:
    b3 = b3.encode()
    n5 = len(b3)
   out.append(P_iqih(m1.partition_index, m1.committed_offset, m1.committed_leader_epoch, n5))
   out.append(b3)
 return [b''.join(out)]
def _encode_txn_offset_commit_request_3(m):
 out = []
 b0 = m.transactional_id.encode()
 n0 = len(b0) + 1
 out.append(U8[n0] if n0 < 128 else varint(n0))
 out.append(b0)
 b1 = m.group_id.encode()
 n1 = len(b1) + 1
 out.append(U8[n1] if n1 < 128 else varint(n1))
 out.append(b1)
 b2 = m.member_id.encode()
 n2 = len(b2) + 1
 out.append(P_qhiB(m.producer_id, m.producer_epoch, m.generation_id, n2) if n2 < 128 else P_qhi(m.producer_id, m.producer_epoch, m.generation_id) + varint(n2))
 out.append(b2)
 b3 = m.group_instance_id
 if b3 is None:
  b3 = b''; n3 = 0
 else:
  b3 = b3.encode()
  n3 = len(b3) + 1
 out.append(U8[n3] if n3 < 128 else varint(n3))
 out.append(b3)
 a0 = m.topics
 n4 = len(a0) + 1
 out.append(U8[n4] if n4 < 128 else varint(n4))
 for m0 in a0:
  b4 = m0.name.encode()
  n5 = len(b4) + 1
  out.append(U8[n5] if n5 < 128 else varint(n5))
  out.append(b4)
  a1 = m0.partitions
  n6 = len(a1) + 1
  out.append(U8[n6] if n6 < 128 else varint(n6))
  for m1 in a1:
   b5 = m1.committed_metadata
   if b5 is None:
    b5 = b''; n7 = 0
   else:
    b5 = b5.encode()
    n7 = len(b5) + 1
   out.append(P_iqiB(m1.partition_index, m1.committed_offset, m1.committed_leader_epoch, n7) if n7 < 128 else P_iqi(m1.partition_index, m1.committed_offset, m1.committed_leader_epoch) + varint(n7))
   out.append(b5)
   out.append(b'\x00')
  out.append(b'\x00')
 out.append(b'\x00')
 return [b''.join(out)]
TxnOffsetCommitRequest.encoders = {0: _encode_txn_offset_commit_request_0, 1: _encode_txn_offset_commit_request_0, 2: _encode_txn_offset_commit_request_2, 3: _encode_txn_offset_commit_request_3, 4: _encode_txn_offset_commit_request_3, 5: _encode_txn_offset_commit_request_3}


class TxnOffsetCommitResponsePartition(Struct):
 __slots__ = ('partition_index', 'error_code', )
 partition_index: int
 error_code: int
 def __init__(self, partition_index: int = 0, error_code: int = 0) -> None:
  self.partition_index = partition_index
  self.error_code = error_code


class TxnOffsetCommitResponseTopic(Struct):
 __slots__ = ('name', 'partitions', )
 name: str
 partitions: list[TxnOffsetCommitResponsePartition]
 def __init__(self, name: str = '', partitions: list[TxnOffsetCommitResponsePartition] = FRESH) -> None:
  self.name = name
  self.partitions = [] if partitions is FRESH else partitions


class TxnOffsetCommitResponse(Message):
 __slots__ = ('throttle_time_ms', 'topics', )
 api_key: ClassVar[int] = 28
 versions: ClassVar[range] = range(0, 6)
 first_flexible: ClassVar[int | None] = 3
 throttle_time_ms: int
 topics: list[TxnOffsetCommitResponseTopic]
 def __init__(self, throttle_time_ms: int = 0, topics: list[TxnOffsetCommitResponseTopic] = FRESH) -> None:
  self.throttle_time_ms = throttle_time_ms
  self.topics = [] if topics is FRESH else topics

def _decode_txn_offset_commit_response_0(view, size):
 pos = 0
 o0 = new(TxnOffsetCommitResponse)
 o0.throttle_time_ms, n0 = U_ii(view, pos)
 pos += 8
 if n0 < 0: raise null('TxnOffsetCommitResponse.topics')
 if n0 * 6 > size - pos: raise beyond('TxnOffsetCommitResponse.topics')
 a0 = []
 for _ in range(n0):
  o1 = new(TxnOffsetCommitResponseTopic)
  n1, = U_h(view, pos)
  pos += 2
  if n1 < 0: raise null('TxnOffsetCommitResponseTopic.name')
  end = pos + n1
  if end > size: raise beyond('TxnOffsetCommitResponseTopic.name')
  o1.name = view[pos:end].tobytes().decode()
  pos = end
  n2, = U_i(view, pos)
  pos += 4
  if n2 < 0: raise null('TxnOffsetCommitResponseTopic.partitions')
  if n2 * 6 > size - pos: raise beyond('TxnOffsetCommitResponseTopic.partitions')
  a1 = []
  for _ in range(n2):
   o2 = new(TxnOffsetCommitResponsePartition)
   o2.partition_index, o2.error_code = U_ih(view, pos)
   pos += 6
   a1.append(o2)
  o1.partitions = a1
  a0.append(o1)
 o0.topics = a0
 return o0, pos
def _decode_txn_offset_commit_response_3(view, size):
 pos = 0
 o0 = new(TxnOffsetCommitResponse)
 o0.throttle_time_ms, n0 = U_iB(view, pos)
 pos += 5
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('TxnOffsetCommitResponse.topics')
 n0 -= 1
 if n0 * 3 > size - pos: raise beyond('TxnOffsetCommitResponse.topics')
 a0 = []
 for _ in range(n0):
  o1 = new(TxnOffsetCommitResponseTopic)
  n1 = view[pos]
  pos += 1
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('TxnOffsetCommitResponseTopic.name')
  end = pos + n1 - 1
  if end > size: raise beyond('TxnOffsetCommitResponseTopic.name')
  o1.name = view[pos:end].tobytes().decode()
  pos = end
  n2 = view[pos]
  pos += 1
  if n2 > 127:
   n2, pos = varint_rest(view, pos, n2)
  if not n2: raise null('TxnOffsetCommitResponseTopic.partitions')
  n2 -= 1
  if n2 * 7 > size - pos: raise beyond('TxnOffsetCommitResponseTopic.partitions')
  a1 = []
  for _ in range(n2):
   o2 = new(TxnOffsetCommitResponsePartition)
   o2.partition_index, o2.error_code, t0 = U_ihB(view, pos)
   pos += 7
   if t0:
    pos = skip_tags(view, pos, t0, size)
   a1.append(o2)
  o1.partitions = a1
  t1 = view[pos]
  pos += 1
  if t1:
   pos = skip_tags(view, pos, t1, size)
  a0.append(o1)
 o0.topics = a0
 t2 = view[pos]
 pos += 1
 if t2:
  pos = skip_tags(view, pos, t2, size)
 return o0, pos
TxnOffsetCommitResponse.decoders = {0: _decode_txn_offset_commit_response_0, 1: _decode_txn_offset_commit_response_0, 2: _decode_txn_offset_commit_response_0, 3: _decode_txn_offset_commit_response_3, 4: _decode_txn_offset_commit_response_3, 5: _decode_txn_offset_commit_response_3}

def _encode_txn_offset_commit_response_0(m):
 out = []
 a0 = m.topics
 n0 = len(a0)
 out.append(P_ii(m.throttle_time_ms, n0))
 for m0 in a0:
  b0 = m0.name.encode()
  n1 = len(b0)
  out.append(P_h(n1))
  out.append(b0)
  a1 = m0.partitions
  n2 = len(a1)
  out.append(P_i(n2))
  for m1 in a1:
   out.append(P_ih(m1.partition_index, m1.error_code))
 return [b''.join(out)]
def _encode_txn_offset_commit_response_3(m):
 out = []
 a0 = m.topics
 n0 = len(a0) + 1
 out.append(P_iB(m.throttle_time_ms, n0) if n0 < 128 else P_i(m.throttle_time_ms) + varint(n0))
 for m0 in a0:
  b0 = m0.name.encode()
  n1 = len(b0) + 1
  out.append(U8[n1] if n1 < 128 else varint(n1))
  out.append(b0)
  a1 = m0.partitions
  n2 = len(a1) + 1
  out.append(U8[n2] if n2 < 128 else varint(n2))
  for m1 in a1:
   out.append(P_ihx(m1.partition_index, m1.error_code))
  out.append(b'\x00')
 out.append(b'\x00')
 return [b''.join(out)]
TxnOffsetCommitResponse.encoders = {0: _encode_txn_offset_commit_response_0, 1: _encode_txn_offset_commit_response_0, 2: _encode_txn_offset_commit_response_0, 3: _encode_txn_offset_commit_response_3, 4: _encode_txn_offset_commit_response_3, 5: _encode_txn_offset_commit_response_3}
