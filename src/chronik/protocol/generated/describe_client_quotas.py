"""DescribeClientQuotas: request in versions 0 to 1 and response in versions 0 to 1.

Generated from the message definitions of kafka-clients 4.1.0 by ``python -m generator``: do not edit.
"""
from typing import ClassVar

from chronik.protocol.wire import FRESH, U8, Message, Packing, Struct, beyond, new, null, skip_tags, varint, varint_rest

P_t = Packing('>?').pack
P_tx = Packing('>?x').pack
P_b = Packing('>b').pack
P_bB = Packing('>bB').pack
P_bh = Packing('>bh').pack
P_d = Packing('>d').pack
P_dx = Packing('>dx').pack
P_h = Packing('>h').pack
P_i = Packing('>i').pack
P_ih = Packing('>ih').pack
P_ihB = Packing('>ihB').pack
P_ihh = Packing('>ihh').pack
U_t = Packing('>?').unpack_from
U_tB = Packing('>?B').unpack_from
U_bB = Packing('>bB').unpack_from
U_bh = Packing('>bh').unpack_from
U_d = Packing('>d').unpack_from
U_dB = Packing('>dB').unpack_from
U_h = Packing('>h').unpack_from
U_i = Packing('>i').unpack_from
U_ihB = Packing('>ihB').unpack_from
U_ihh = Packing('>ihh').unpack_from


class ComponentData(Struct):
 __slots__ = ('entity_type', 'match_type', 'match', )
 entity_type: str
 match_type: int
 match: str | None
 def __init__(self, entity_type: str = '', match_type: int = 0, match: str | None = '') -> None:
  self.entity_type = entity_type
  self.match_type = match_type
  self.match = match


class DescribeClientQuotasRequest(Message):
 __slots__ = ('components', 'strict', )
 api_key: ClassVar[int] = 48
 versions: ClassVar[range] = range(0, 2)
 first_flexible: ClassVar[int | None] = 1
 components: list[ComponentData]
 strict: bool
 def __init__(self, components: list[ComponentData] = FRESH, strict: bool = False) -> None:
  self.components = [] if components is FRESH else components
  self.strict = strict

def _decode_describe_client_quotas_request_0(view, size):
 pos = 0
 o0 = new(DescribeClientQuotasRequest)
 n0, = U_i(view, pos)
 pos += 4
 if n0 < 0: raise null('DescribeClientQuotasRequest.components')
 if n0 * 5 > size - pos: raise beyond('DescribeClientQuotasRequest.components')
 a0 = []
 for _ in range(n0):
  o1 = new(ComponentData)
  n1, = U_h(view, pos)
  pos += 2
  if n1 < 0: raise null('ComponentData.entity_type')
  end = pos + n1
  if end > size: raise beyond('ComponentData.entity_type')
  o1.entity_type = view[pos:end].tobytes().decode()
  pos = end
  o1.match_type, n2 = U_bh(view, pos)
  pos += 3
  if n2 < 0: o1.match = None
  else:
   end = pos + n2
   if end > size: raise beyond('ComponentData.match')
   o1.match = view[pos:end].tobytes().decode()
   pos = end
  a0.append(o1)
 o0.components = a0
 o0.strict, = U_t(view, pos)
 pos += 1
 return o0, pos
def _decode_describe_client_quotas_request_1(view, size):
 pos = 0
 o0 = new(DescribeClientQuotasRequest)
 n0 = view[pos]
 pos += 1
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('DescribeClientQuotasRequest.components')
 n0 -= 1
 if n0 * 4 > size - pos: raise beyond('DescribeClientQuotasRequest.components')
 a0 = []
 for _ in range(n0):
  o1 = new(ComponentData)
  n1 = view[pos]
  pos += 1
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('ComponentData.entity_type')
  end = pos + n1 - 1
  if end > size: raise beyond('ComponentData.entity_type')
  o1.entity_type = view[pos:end].tobytes().decode()
  pos = end
  o1.match_type, n2 = U_bB(view, pos)
  pos += 2
  if n2 > 127:
   n2, pos = varint_rest(view, pos, n2)
  if not n2: o1.match = None
  else:
   end = pos + n2 - 1
   if end > size: raise beyond('ComponentData.match')
   o1.match = view[pos:end].tobytes().decode()
   pos = end
  t0 = view[pos]
  pos += 1
  if t0:
   pos = skip_tags(view, pos, t0, size)
  a0.append(o1)
 o0.components = a0
 o0.strict, t1 = U_tB(view, pos)
 pos += 2
 if t1:
  pos = skip_tags(view, pos, t1, size)
 return o0, pos
DescribeClientQuotasRequest.decoders = {0: _decode_describe_client_quotas_request_0, 1: _decode_describe_client_quotas_request_1}

def _encode_describe_client_quotas_request_0(m):
 out = []
 a0 = m.components
 n0 = len(a0)
 out.append(P_i(n0))
 for m0 in a0:
  b0 = m0.entity_type.encode()
  n1 = len(b0)
  out.append(P_h(n1))
  out.append(b0)
  b1 = m0.match
  if b1 is None:
   b1 = b''; n2 = -1
  else:
   b1 = b1.encode()
   n2 = len(b1)
  out.append(P_bh(m0.match_type, n2))
  out.append(b1)
 out.append(P_t(m.strict))
 return [b''.join(out)]
def _encode_describe_client_quotas_request_1(m):
 out = []
 a0 = m.components
 n0 = len(a0) + 1
 out.append(U8[n0] if n0 < 128 else varint(n0))
 for m0 in a0:
  b0 = m0.entity_type.encode()
  n1 = len(b0) + 1
  out.append(U8[n1] if n1 < 128 else varint(n1))
  out.append(b0)
  b1 = m0.match
  if b1 is None:
   b1 = b''; n2 = 0
  else:
   b1 = b1.encode()
   n2 = len(b1) + 1
  out.append(P_bB(m0.match_type, n2) if n2 < 128 else P_b(m0.match_type) + varint(n2))
  out.append(b1)
  out.append(b'\x00')
 out.append(P_tx(m.strict))
 return [b''.join(out)]
DescribeClientQuotasRequest.encoders = {0: _encode_describe_client_quotas_request_0, 1: _encode_describe_client_quotas_request_1}


class EntityData(Struct):
 __slots__ = ('entity_type', 'entity_name', )
 entity_type: str
 entity_name: str | None
 def __init__(self, entity_type: str = '', entity_name: str | None = '') -> None:
  self.entity_type = entity_type
  self.entity_name = entity_name


class ValueData(Struct):
 __slots__ = ('key', 'value', )
 key: str
 value: float
 def __init__(self, key: str = '', value: float = 0.0) -> None:
  self.key = key
  self.value = value


class EntryData(Struct):
 __slots__ = ('entity', 'values', )
 entity: list[EntityData]
 values: list[ValueData]
 def __init__(self, entity: list[EntityData] = FRESH, values: list[ValueData] = FRESH) -> None:
  self.entity = [] if entity is FRESH else entity
  self.values = [] if values is FRESH else values


class DescribeClientQuotasResponse(Message):
 __slots__ = ('throttle_time_ms', 'error_code', 'error_message', 'entries', )
 api_key: ClassVar[int] = 48
 versions: ClassVar[range] = range(0, 2)
 first_flexible: ClassVar[int | None] = 1
 throttle_time_ms: int
 error_code: int
 error_message: str | None
 entries: list[EntryData] | None
 def __init__(self, throttle_time_ms: int = 0, error_code: int = 0, error_message: str | None = '', entries: list[EntryData] | None = FRESH) -> None:
  self.throttle_time_ms = throttle_time_ms
  self.error_code = error_code
  self.error_message = error_message
  self.entries = [] if entries is FRESH else entries

def _decode_describe_client_quotas_response_0(view, size):
 pos = 0
 o0 = new(DescribeClientQuotasResponse)
 o0.throttle_time_ms, o0.error_code, n0 = U_ihh(view, pos)
 pos += 8
 if n0 < 0: o0.error_message = None
 else:
  end = pos + n0
  if end > size: raise beyond('DescribeClientQuotasResponse.error_message')
  o0.error_message = view[pos:end].tobytes().decode()
  pos = end
 n1, = U_i(view, pos)
 pos += 4
 if n1 < 0: o0.entries = None
 else:
  if n1 * 8 > size - pos: raise beyond('DescribeClientQuotasResponse.entries')
  a0 = []
  for _ in range(n1):
   o1 = new(EntryData)
   n2, = U_i(view, pos)
   pos += 4
   if n2 < 0: raise null('EntryData.entity')
   if n2 * 4 > size - pos: raise beyond('EntryData.entity')
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
   n5, = U_i(view, pos)
   pos += 4
   if n5 < 0: raise null('EntryData.values')
   if n5 * 10 > size - pos: raise beyond('EntryData.values')
   a2 = []
   for _ in range(n5):
    o3 = new(ValueData)
    n6, = U_h(view, pos)
    pos += 2
    if n6 < 0: raise null('ValueData.key')
    end = pos + n6
    if end > size: raise beyond('ValueData.key')
    o3.key = view[pos:end].tobytes().decode()
    pos = end
    o3.value, = U_d(view, pos)
    pos += 8
    a2.append(o3)
   o1.values = a2
   a0.append(o1)
  o0.entries = a0
 return o0, pos
def _decode_describe_client_quotas_response_1(view, size):
 pos = 0
 o0 = new(DescribeClientQuotasResponse)
 o0.throttle_time_ms, o0.error_code, n0 = U_ihB(view, pos)
 pos += 7
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: o0.error_message = None
 else:
  end = pos + n0 - 1
  if end > size: raise beyond('DescribeClientQuotasResponse.error_message')
  o0.error_message = view[pos:end].tobytes().decode()
  pos = end
 n1 = view[pos]
 pos += 1
 if n1 > 127:
  n1, pos = varint_rest(view, pos, n1)
 if not n1: o0.entries = None
 else:
  n1 -= 1
  if n1 * 3 > size - pos: raise beyond('DescribeClientQuotasResponse.entries')
  a0 = []
  for _ in range(n1):
   o1 = new(EntryData)
   n2 = view[pos]
   pos += 1
   if n2 > 127:
    n2, pos = varint_rest(view, pos, n2)
   if not n2: raise null('EntryData.entity')
   n2 -= 1
   if n2 * 3 > size - pos: raise beyond('EntryData.entity')
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
   n5 = view[pos]
   pos += 1
   if n5 > 127:
    n5, pos = varint_rest(view, pos, n5)
   if not n5: raise null('EntryData.values')
   n5 -= 1
   if n5 * 10 > size - pos: raise beyond('EntryData.values')
   a2 = []
   for _ in range(n5):
    o3 = new(ValueData)
    n6 = view[pos]
    pos += 1
    if n6 > 127:
     n6, pos = varint_rest(view, pos, n6)
    if not n6: raise null('ValueData.key')
    end = pos + n6 - 1
    if end > size: raise beyond('ValueData.key')
    o3.key = view[pos:end].tobytes().decode()
    pos = end
    o3.value, t1 = U_dB(view, pos)
    pos += 9
    if t1:
     pos = skip_tags(view, pos, t1, size)
    a2.append(o3)
   o1.values = a2
   t2 = view[pos]
   pos += 1
   if t2:
    pos = skip_tags(view, pos, t2, size)
   a0.append(o1)
  o0.entries = a0
 t3 = view[pos]
 pos += 1
 if t3:
  pos = skip_tags(view, pos, t3, size)
 return o0, pos
DescribeClientQuotasResponse.decoders = {0: _decode_describe_client_quotas_response_0, 1: _decode_describe_client_quotas_response_1}

def _encode_describe_client_quotas_response_0(m):
 out = []
 b0 = m.error_message
 if b0 is None:
  b0 = b''; n0 = -1
 else:
  b0 = b0.encode()
  n0 = len(b0)
 out.append(P_ihh(m.throttle_time_ms, m.error_code, n0))
 out.append(b0)
 a0 = m.entries
 n1 = -1 if a0 is None else len(a0)
 out.append(P_i(n1))
 for m0 in a0 or ():
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
  a2 = m0.values
  n5 = len(a2)
  out.append(P_i(n5))
  for m2 in a2:
   b3 = m2.key.encode()
   n6 = len(b3)
   out.append(P_h(n6))
   out.append(b3)
   out.append(P_d(m2.value))
 return [b''.join(out)]
def _encode_describe_client_quotas_response_1(m):
 out = []
 b0 = m.error_message
 if b0 is None:
  b0 = b''; n0 = 0
 else:
  b0 = b0.encode()
  n0 = len(b0) + 1
 out.append(P_ihB(m.throttle_time_ms, m.error_code, n0) if n0 < 128 else P_ih(m.throttle_time_ms, m.error_code) + varint(n0))
 out.append(b0)
 a0 = m.entries
 n1 = 0 if a0 is None else len(a0) + 1
 out.append(U8[n1] if n1 < 128 else varint(n1))
 for m0 in a0 or ():
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
  a2 = m0.values
  n5 = len(a2) + 1
  out.append(U8[n5] if n5 < 128 else varint(n5))
  for m2 in a2:
   b3 = m2.key.encode()
   n6 = len(b3) + 1
   out.append(U8[n6] if n6 < 128 else varint(n6))
   out.append(b3)
   out.append(P_dx(m2.value))
  out.append(b'\x00')
 out.append(b'\x00')
 return [b''.join(out)]
DescribeClientQuotasResponse.encoders = {0: _encode_describe_client_quotas_response_0, 1: _encode_describe_client_quotas_response_1}
