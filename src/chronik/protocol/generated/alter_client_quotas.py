"""AlterClientQuotas: request in versions 0 to 1 and response in versions 0 to 1.

Generated from the message definitions of kafka-clients 4.1.0 by ``python -m generator``: do not edit.
"""
from typing import ClassVar

from chronik.protocol.wire import FRESH, U8, Message, Packing, Struct, beyond, new, null, skip_tags, varint, varint_rest

P_t = Packing('>?').pack
P_tx = Packing('>?x').pack
P_dt = Packing('>d?').pack
P_dtx = Packing('>d?x').pack
P_h = Packing('>h').pack
P_hB = Packing('>hB').pack
P_hh = Packing('>hh').pack
P_i = Packing('>i').pack
P_iB = Packing('>iB').pack
P_ii = Packing('>ii').pack
U_t = Packing('>?').unpack_from
U_tB = Packing('>?B').unpack_from
U_dt = Packing('>d?').unpack_from
U_dtB = Packing('>d?B').unpack_from
U_h = Packing('>h').unpack_from
U_hB = Packing('>hB').unpack_from
U_hh = Packing('>hh').unpack_from
U_i = Packing('>i').unpack_from
U_iB = Packing('>iB').unpack_from
U_ii = Packing('>ii').unpack_from


class EntityData(Struct):
 __slots__ = ('entity_type', 'entity_name', )
 entity_type: str
 entity_name: str | None
 def __init__(self, entity_type: str = '', entity_name: str | None = '') -> None:
  self.entity_type = entity_type
  self.entity_name = entity_name


class OpData(Struct):
 __slots__ = ('key', 'value', 'remove', )
 key: str
 value: float
 remove: bool
 def __init__(self, key: str = '', value: float = 0.0, remove: bool = False) -> None:
  self.key = key
  self.value = value
  self.remove = remove


class EntryData(Struct):
 __slots__ = ('entity', 'ops', )
 entity: list[EntityData]
 ops: list[OpData]
 def __init__(self, entity: list[EntityData] = FRESH, ops: list[OpData] = FRESH) -> None:
  self.entity = [] if entity is FRESH else entity
  self.ops = [] if ops is FRESH else ops


class AlterClientQuotasRequest(Message):
 __slots__ = ('entries', 'validate_only', )
 api_key: ClassVar[int] = 49
 versions: ClassVar[range] = range(0, 2)
 first_flexible: ClassVar[int | None] = 1
 entries: list[EntryData]
 validate_only: bool
 def __init__(self, entries: list[EntryData] = FRESH, validate_only: bool = False) -> None:
  self.entries = [] if entries is FRESH else entries
  self.validate_only = validate_only

def _decode_alter_client_quotas_request_0(view, size):
 pos = 0
 o0 = new(AlterClientQuotasRequest)
 n0, = U_i(view, pos)
 pos += 4
 if n0 < 0: raise null('AlterClientQuotasRequest.entries')
 if n0 * 8 > size - pos: raise beyond('AlterClientQuotasRequest.entries')
 a0 = []
 for _ in range(n0):
  o1 = new(EntryData)
  n1, = U_i(view, pos)
  pos += 4
  if n1 < 0: raise null('EntryData.entity')
  if n1 * 4 > size - pos: raise beyond('EntryData.entity')
  a1 = []
  for _ in range(n1):
   o2 = new(EntityData)
   n2, = U_h(view, pos)
   pos += 2
   if n2 < 0: raise null('EntityData.entity_type')
   end = pos + n2
   if end > size: raise beyond('EntityData.entity_type')
   o2.entity_type = view[pos:end].tobytes().decode()
   pos = end
   n3, = U_h(view, pos)
   pos += 2
   if n3 < 0: o2.entity_name = None
   else:
    end = pos + n3
    if end > size: raise beyond('EntityData.entity_name')
    o2.entity_name = view[pos:end].tobytes().decode()
    pos = end
   a1.append(o2)
  o1.entity = a1
  n4, = U_i(view, pos)
  pos += 4
  if n4 < 0: raise null('EntryData.ops')
  if n4 * 11 > size - pos: raise beyond('EntryData.ops')
  a2 = []
  for _ in range(n4):
   o3 = new(OpData)
   n5, = U_h(view, pos)
   pos += 2
   if n5 < 0: raise null('OpData.key')
   end = pos + n5
   if end > size: raise beyond('OpData.key')
   o3.key = view[pos:end].tobytes().decode()
   pos = end
   o3.value, o3.remove = U_dt(view, pos)
   pos += 9
   a2.append(o3)
  o1.ops = a2
  a0.append(o1)
 o0.entries = a0
 o0.validate_only, = U_t(view, pos)
 pos += 1
 return o0, pos
def _decode_alter_client_quotas_request_1(view, size):
 pos = 0
 o0 = new(AlterClientQuotasRequest)
 n0 = view[pos]
 pos += 1
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('AlterClientQuotasRequest.entries')
 n0 -= 1
 if n0 * 3 > size - pos: raise beyond('AlterClientQuotasRequest.entries')
 a0 = []
 for _ in range(n0):
  o1 = new(EntryData)
  n1 = view[pos]
  pos += 1
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('EntryData.entity')
  n1 -= 1
  if n1 * 3 > size - pos: raise beyond('EntryData.entity')
  a1 = []
  for _ in range(n1):
   o2 = new(EntityData)
   n2 = view[pos]
   pos += 1
   if n2 > 127:
    n2, pos = varint_rest(view, pos, n2)
   if not n2: raise null('EntityData.entity_type')
   end = pos + n2 - 1
   if end > size: raise beyond('EntityData.entity_type')
   o2.entity_type = view[pos:end].tobytes().decode()
   pos = end
   n3 = view[pos]
   pos += 1
   if n3 > 127:
    n3, pos = varint_rest(view, pos, n3)
   if not n3: o2.entity_name = None
   else:
    end = pos + n3 - 1
    if end > size: raise beyond('EntityData.entity_name')
    o2.entity_name = view[pos:end].tobytes().decode()
    pos = end
   t0 = view[pos]
   pos += 1
   if t0:
    pos = skip_tags(view, pos, t0, size)
   a1.append(o2)
  o1.entity = a1
  n4 = view[pos]
  pos += 1
  if n4 > 127:
   n4, pos = varint_rest(view, pos, n4)
  if not n4: raise null('EntryData.ops')
  n4 -= 1
  if n4 * 11 > size - pos: raise beyond('EntryData.ops')
  a2 = []
  for _ in range(n4):
   o3 = new(OpData)
   n5 = view[pos]
   pos += 1
   if n5 > 127:
    n5, pos = varint_rest(view, pos, n5)
   if not n5: raise null('OpData.key')
   end = pos + n5 - 1
   if end > size: raise beyond('OpData.key')
   o3.key = view[pos:end].tobytes().decode()
   pos = end
   o3.value, o3.remove, t1 = U_dtB(view, pos)
   pos += 10
   if t1:
    pos = skip_tags(view, pos, t1, size)
   a2.append(o3)
  o1.ops = a2
  t2 = view[pos]
  pos += 1
  if t2:
   pos = skip_tags(view, pos, t2, size)
  a0.append(o1)
 o0.entries = a0
 o0.validate_only, t3 = U_tB(view, pos)
 pos += 2
 if t3:
  pos = skip_tags(view, pos, t3, size)
 return o0, pos
AlterClientQuotasRequest.decoders = {0: _decode_alter_client_quotas_request_0, 1: _decode_alter_client_quotas_request_1}

def _encode_alter_client_quotas_request_0(m):
 out = []
 a0 = m.entries
 n0 = len(a0)
 out.append(P_i(n0))
 for m0 in a0:
  a1 = m0.entity
  n1 = len(a1)
  out.append(P_i(n1))
  for m1 in a1:
   b0 = m1.entity_type.encode()
   n2 = len(b0)
   out.append(P_h(n2))
   out.append(b0)
   b1 = m1.entity_name
   if b1 is None:
    b1 = b''; n3 = -1
   else:
    b1 = b1.encode()
    n3 = len(b1)
   out.append(P_h(n3))
   out.append(b1)
  a2 = m0.ops
  n4 = len(a2)
  out.append(P_i(n4))
  for m2 in a2:
   b2 = m2.key.encode()
   n5 = len(b2)
   out.append(P_h(n5))
   out.append(b2)
   out.append(P_dt(m2.value, m2.remove))
 out.append(P_t(m.validate_only))
 return [b''.join(out)]
def _encode_alter_client_quotas_request_1(m):
 out = []
 a0 = m.entries
 n0 = len(a0) + 1
 out.append(U8[n0] if n0 < 128 else varint(n0))
 for m0 in a0:
  a1 = m0.entity
  n1 = len(a1) + 1
  out.append(U8[n1] if n1 < 128 else varint(n1))
  for m1 in a1:
   b0 = m1.entity_type.encode()
   n2 = len(b0) + 1
   out.append(U8[n2] if n2 < 128 else varint(n2))
   out.append(b0)
   b1 = m1.entity_name
   if b1 is None:
    b1 = b''; n3 = 0
   else:
    b1 = b1.encode()
    n3 = len(b1) + 1
   out.append(U8[n3] if n3 < 128 else varint(n3))
   out.append(b1)
   out.append(b'\x00')
  a2 = m0.ops
  n4 = len(a2) + 1
  out.append(U8[n4] if n4 < 128 else varint(n4))
  for m2 in a2:
   b2 = m2.key.encode()
   n5 = len(b2) + 1
   out.append(U8[n5] if n5 < 128 else varint(n5))
   out.append(b2)
   out.append(P_dtx(m2.value, m2.remove))
  out.append(b'\x00')
 out.append(P_tx(m.validate_only))
 return [b''.join(out)]
AlterClientQuotasRequest.encoders = {0: _encode_alter_client_quotas_request_0, 1: _encode_alter_client_quotas_request_1}


class ResponseEntryData(Struct):
 __slots__ = ('error_code', 'error_message', 'entity', )
 error_code: int
 error_message: str | None
 entity: list[EntityData]
 def __init__(self, error_code: int = 0, error_message: str | None = '', entity: list[EntityData] = FRESH) -> None:
  self.error_code = error_code
  self.error_message = error_message
  self.entity = [] if entity is FRESH else entity


class AlterClientQuotasResponse(Message):
 __slots__ = ('throttle_time_ms', 'entries', )
 api_key: ClassVar[int] = 49
 versions: ClassVar[range] = range(0, 2)
 first_flexible: ClassVar[int | None] = 1
 throttle_time_ms: int
 entries: list[ResponseEntryData]
 def __init__(self, throttle_time_ms: int = 0, entries: list[ResponseEntryData] = FRESH) -> None:
  self.throttle_time_ms = throttle_time_ms
  self.entries = [] if entries is FRESH else entries

def _decode_alter_client_quotas_response_0(view, size):
 pos = 0
 o0 = new(AlterClientQuotasResponse)
 o0.throttle_time_ms, n0 = U_ii(view, pos)
 pos += 8
 if n0 < 0: raise null('AlterClientQuotasResponse.entries')
 if n0 * 8 > size - pos: raise beyond('AlterClientQuotasResponse.entries')
 a0 = []
 for _ in range(n0):
  o1 = new(ResponseEntryData)
  o1.error_code, n1 = U_hh(view, pos)
  pos += 4
  if n1 < 0: o1.error_message = None
  else:
   end = pos + n1
   if end > size: raise beyond('ResponseEntryData.error_message')
   o1.error_message = view[pos:end].tobytes().decode()
   pos = end
  n2, = U_i(view, pos)
  pos += 4
  if n2 < 0: raise null('ResponseEntryData.entity')
  if n2 * 4 > size - pos: raise beyond('ResponseEntryData.entity')
  a1 = []
  for _ in range(n2):
   o2 = new(EntityData)
   n3, = U_h(view, pos)
   pos += 2
   if n3 < 0: raise null('EntityData.entity_type')
   end = pos + n3
   if end > size: raise beyond('EntityData.entity_type')
   o2.entity_type = view[pos:end].tobytes().decode()
   pos = end
   n4, = U_h(view, pos)
   pos += 2
   if n4 < 0: o2.entity_name = None
   else:
    end = pos + n4
    if end > size: raise beyond('EntityData.entity_name')
    o2.entity_name = view[pos:end].tobytes().decode()
    pos = end
   a1.append(o2)
  o1.entity = a1
  a0.append(o1)
 o0.entries = a0
 return o0, pos
def _decode_alter_client_quotas_response_1(view, size):
 pos = 0
 o0 = new(AlterClientQuotasResponse)
 o0.throttle_time_ms, n0 = U_iB(view, pos)
 pos += 5
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('AlterClientQuotasResponse.entries')
 n0 -= 1
 if n0 * 5 > size - pos: raise beyond('AlterClientQuotasResponse.entries')
 a0 = []
 for _ in range(n0):
  o1 = new(ResponseEntryData)
  o1.error_code, n1 = U_hB(view, pos)
  pos += 3
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: o1.error_message = None
  else:
   end = pos + n1 - 1
   if end > size: raise beyond('ResponseEntryData.error_message')
   o1.error_message = view[pos:end].tobytes().decode()
   pos = end
  n2 = view[pos]
  pos += 1
  if n2 > 127:
   n2, pos = varint_rest(view, pos, n2)
  if not n2: raise null('ResponseEntryData.entity')
  n2 -= 1
  if n2 * 3 > size - pos: raise beyond('ResponseEntryData.entity')
  a1 = []
  for _ in range(n2):
   o2 = new(EntityData)
   n3 = view[pos]
   pos += 1
   if n3 > 127:
    n3, pos = varint_rest(view, pos, n3)
   if not n3: raise null('EntityData.entity_type')
   end = pos + n3 - 1
   if end > size: raise beyond('EntityData.entity_type')
   o2.entity_type = view[pos:end].tobytes().decode()
   pos = end
   n4 = view[pos]
   pos += 1
   if n4 > 127:
    n4, pos = varint_rest(view, pos, n4)
   if not n4: o2.entity_name = None
   else:
    end = pos + n4 - 1
    if end > size: raise beyond('EntityData.entity_name')
    o2.entity_name = view[pos:end].tobytes().decode()
    pos = end
   t0 = view[pos]
   pos += 1
   if t0:
    pos = skip_tags(view, pos, t0, size)
   a1.append(o2)
  o1.entity = a1
  t1 = view[pos]
  pos += 1
  if t1:
   pos = skip_tags(view, pos, t1, size)
  a0.append(o1)
 o0.entries = a0
 t2 = view[pos]
 pos += 1
 if t2:
  pos = skip_tags(view, pos, t2, size)
 return o0, pos
AlterClientQuotasResponse.decoders = {0: _decode_alter_client_quotas_response_0, 1: _decode_alter_client_quotas_response_1}

def _encode_alter_client_quotas_response_0(m):
 out = []
 a0 = m.entries
 n0 = len(a0)
 out.append(P_ii(m.throttle_time_ms, n0))
 for m0 in a0:
  b0 = m0.error_message
  if b0 is None:
   b0 = b''; n1 = -1
  else:
   b0 = b0.encode()
   n1 = len(b0)
  out.append(P_hh(m0.error_code, n1))
  out.append(b0)
  a1 = m0.entity
  n2 = len(a1)
  out.append(P_i(n2))
  for m1 in a1:
   b1 = m1.entity_type.encode()
   n3 = len(b1)
   out.append(P_h(n3))
   out.append(b1)
   b2 = m1.entity_name
   if b2 is None:
    b2 = b''; n4 = -1
   else:
    b2 = b2.encode()
    n4 = len(b2)
   out.append(P_h(n4))
   out.append(b2)
 return [b''.join(out)]
def _encode_alter_client_quotas_response_1(m):
 out = []
 a0 = m.entries
 n0 = len(a0) + 1
 out.append(P_iB(m.throttle_time_ms, n0) if n0 < 128 else P_i(m.throttle_time_ms) + varint(n0))
 for m0 in a0:
  b0 = m0.error_message
  if b0 is None:
   b0 = b''; n1 = 0
  else:
   b0 = b0.encode()
   n1 = len(b0) + 1
  out.append(P_hB(m0.error_code, n1) if n1 < 128 else P_h(m0.error_code) + varint(n1))
  out.append(b0)
  a1 = m0.entity
  n2 = len(a1) + 1
  out.append(U8[n2] if n2 < 128 else varint(n2))
  for m1 in a1:
   b1 = m1.entity_type.encode()
   n3 = len(b1) + 1
   out.append(U8[n3] if n3 < 128 else varint(n3))
   out.append(b1)
   b2 = m1.entity_name
   if b2 is None:
    b2 = b''; n4 = 0
   else:
    b2 = b2.encode()
    n4 = len(b2) + 1
   out.append(U8[n4] if n4 < 128 else varint(n4))
   out.append(b2)
   out.append(b'\x00')
  out.append(b'\x00')
 out.append(b'\x00')
 return [b''.join(out)]
AlterClientQuotasResponse.encoders = {0: _encode_alter_client_quotas_response_0, 1: _encode_alter_client_quotas_response_1}
