"""AlterConfigs: request in versions 0 to 2 and response in versions 0 to 2.

Generated from the message definitions of kafka-clients 4.1.0 by ``python -m generator``: do not edit.
"""
from typing import ClassVar

from chronik.protocol.wire import FRESH, U8, Message, Packing, Struct, beyond, new, null, skip_tags, varint, varint_rest

P_t = Packing('>?').pack
P_tx = Packing('>?x').pack
P_b = Packing('>b').pack
P_bB = Packing('>bB').pack
P_bh = Packing('>bh').pack
P_h = Packing('>h').pack
P_hB = Packing('>hB').pack
P_hh = Packing('>hh').pack
P_i = Packing('>i').pack
P_iB = Packing('>iB').pack
P_ii = Packing('>ii').pack
U_t = Packing('>?').unpack_from
U_tB = Packing('>?B').unpack_from
U_bB = Packing('>bB').unpack_from
U_bh = Packing('>bh').unpack_from
U_h = Packing('>h').unpack_from
U_hB = Packing('>hB').unpack_from
U_hh = Packing('>hh').unpack_from
U_i = Packing('>i').unpack_from
U_iB = Packing('>iB').unpack_from
U_ii = Packing('>ii').unpack_from


class AlterableConfig(Struct):
 __slots__ = ('name', 'value', )
 name: str
 value: str | None
 def __init__(self, name: str = '', value: str | None = '') -> None:
  self.name = name
  self.value = value


class AlterConfigsResource(Struct):
 __slots__ = ('resource_type', 'resource_name', 'configs', )
 resource_type: int
 resource_name: str
 configs: list[AlterableConfig]
 def __init__(self, resource_type: int = 0, resource_name: str = '', configs: list[AlterableConfig] = FRESH) -> None:
  self.resource_type = resource_type
  self.resource_name = resource_name
  self.configs = [] if configs is FRESH else configs


class AlterConfigsRequest(Message):
 __slots__ = ('resources', 'validate_only', )
 api_key: ClassVar[int] = 33
 versions: ClassVar[range] = range(0, 3)
 first_flexible: ClassVar[int | None] = 2
 resources: list[AlterConfigsResource]
 validate_only: bool
 def __init__(self, resources: list[AlterConfigsResource] = FRESH, validate_only: bool = False) -> None:
  self.resources = [] if resources is FRESH else resources
  self.validate_only = validate_only

def _decode_alter_configs_request_0(view, size):
 pos = 0
 o0 = new(AlterConfigsRequest)
 n0, = U_i(view, pos)
 pos += 4
 if n0 < 0: raise null('AlterConfigsRequest.resources')
 if n0 * 7 > size - pos: raise beyond('AlterConfigsRequest.resources')
 a0 = []
 for _ in range(n0):
  o1 = new(AlterConfigsResource)
  o1.resource_type, n1 = U_bh(view, pos)
  pos += 3
  if n1 < 0: raise null('AlterConfigsResource.resource_name')
  end = pos + n1
  if end > size: raise beyond('AlterConfigsResource.resource_name')
  o1.resource_name = view[pos:end].tobytes().decode()
  pos = end
  n2, = U_i(view, pos)
  pos += 4
  if n2 < 0: raise null('AlterConfigsResource.configs')
  if n2 * 4 > size - pos: raise beyond('AlterConfigsResource.configs')
  a1 = []
  for _ in range(n2):
   o2 = new(AlterableConfig)
   n3, = U_h(view, pos)
   pos += 2
   if n3 < 0: raise null('AlterableConfig.name')
   end = pos + n3
   if end > size: raise beyond('AlterableConfig.name')
   o2.name = view[pos:end].tobytes().decode()
   pos = end
   n4, = U_h(view, pos)
   pos += 2
   if n4 < 0: o2.value = None
   else:
    end = pos + n4
    if end > size: raise beyond('AlterableConfig.value')
    o2.value = view[pos:end].tobytes().decode()
    pos = end
   a1.append(o2)
  o1.configs = a1
  a0.append(o1)
 o0.resources = a0
 o0.validate_only, = U_t(view, pos)
 pos += 1
 return o0, pos
def _decode_alter_configs_request_2(view, size):
 pos = 0
 o0 = new(AlterConfigsRequest)
 n0 = view[pos]
 pos += 1
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('AlterConfigsRequest.resources')
 n0 -= 1
 if n0 * 4 > size - pos: raise beyond('AlterConfigsRequest.resources')
 a0 = []
 for _ in range(n0):
  o1 = new(AlterConfigsResource)
  o1.resource_type, n1 = U_bB(view, pos)
  pos += 2
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('AlterConfigsResource.resource_name')
  end = pos + n1 - 1
  if end > size: raise beyond('AlterConfigsResource.resource_name')
  o1.resource_name = view[pos:end].tobytes().decode()
  pos = end
  n2 = view[pos]
  pos += 1
  if n2 > 127:
   n2, pos = varint_rest(view, pos, n2)
  if not n2: raise null('AlterConfigsResource.configs')
  n2 -= 1
  if n2 * 3 > size - pos: raise beyond('AlterConfigsResource.configs')
  a1 = []
  for _ in range(n2):
   o2 = new(AlterableConfig)
   n3 = view[pos]
   pos += 1
   if n3 > 127:
    n3, pos = varint_rest(view, pos, n3)
   if not n3: raise null('AlterableConfig.name')
   end = pos + n3 - 1
   if end > size: raise beyond('AlterableConfig.name')
   o2.name = view[pos:end].tobytes().decode()
   pos = end
   n4 = view[pos]
   pos += 1
   if n4 > 127:
    n4, pos = varint_rest(view, pos, n4)
   if not n4: o2.value = None
   else:
    end = pos + n4 - 1
    if end > size: raise beyond('AlterableConfig.value')
    o2.value = view[pos:end].tobytes().decode()
    pos = end
   t0 = view[pos]
   pos += 1
   if t0:
    pos = skip_tags(view, pos, t0, size)
   a1.append(o2)
  o1.configs = a1
  t1 = view[pos]
  pos += 1
  if t1:
   pos = skip_tags(view, pos, t1, size)
  a0.append(o1)
 o0.resources = a0
 o0.validate_only, t2 = U_tB(view, pos)
 pos += 2
 if t2:
  pos = skip_tags(view, pos, t2, size)
 return o0, pos
AlterConfigsRequest.decoders = {0: _decode_alter_configs_request_0, 1: _decode_alter_configs_request_0, 2: _decode_alter_configs_request_2}

def _encode_alter_configs_request_0(m):
 out = []
 a0 = m.resources
 n0 = len(a0)
 out.append(P_i(n0))
 for m0 in a0:
  b0 = m0.resource_name.encode()
  n1 = len(b0)
  out.append(P_bh(m0.resource_type, n1))
  out.append(b0)
  a1 = m0.configs
  n2 = len(a1)
  out.append(P_i(n2))
  for m1 in a1:
   b1 = m1.name.encode()
   n3 = len(b1)
   out.append(P_h(n3))
   out.append(b1)
   b2 = m1.value
   if b2 is None:
    b2 = b''; n4 = -1
   else:
    b2 = b2.encode()
    n4 = len(b2)
   out.append(P_h(n4))
   out.append(b2)
 out.append(P_t(m.validate_only))
 return [b''.join(out)]
def _encode_alter_configs_request_2(m):
 out = []
 a0 = m.resources
 n0 = len(a0) + 1
 out.append(U8[n0] if n0 < 128 else varint(n0))
 for m0 in a0:
  b0 = m0.resource_name.encode()
  n1 = len(b0) + 1
  out.append(P_bB(m0.resource_type, n1) if n1 < 128 else P_b(m0.resource_type) + varint(n1))
  out.append(b0)
  a1 = m0.configs
  n2 = len(a1) + 1
  out.append(U8[n2] if n2 < 128 else varint(n2))
  for m1 in a1:
   b1 = m1.name.encode()
   n3 = len(b1) + 1
   out.append(U8[n3] if n3 < 128 else varint(n3))
   out.append(b1)
   b2 = m1.value
   if b2 is None:
    b2 = b''; n4 = 0
   else:
    b2 = b2.encode()
    n4 = len(b2) + 1
   out.append(U8[n4] if n4 < 128 else varint(n4))
   out.append(b2)
   out.append(b'\x00')
  out.append(b'\x00')
 out.append(P_tx(m.validate_only))
 return [b''.join(out)]
AlterConfigsRequest.encoders = {0: _encode_alter_configs_request_0, 1: _encode_alter_configs_request_0, 2: _encode_alter_configs_request_2}


class AlterConfigsResourceResponse(Struct):
 __slots__ = ('error_code', 'error_message', 'resource_type', 'resource_name', )
 error_code: int
 error_message: str | None
 resource_type: int
 resource_name: str
 def __init__(self, error_code: int = 0, error_message: str | None = '', resource_type: int = 0, resource_name: str = '') -> None:
  self.error_code = error_code
  self.error_message = error_message
  self.resource_type = resource_type
  self.resource_name = resource_name


class AlterConfigsResponse(Message):
 __slots__ = ('throttle_time_ms', 'responses', )
 api_key: ClassVar[int] = 33
 versions: ClassVar[range] = range(0, 3)
 first_flexible: ClassVar[int | None] = 2
 throttle_time_ms: int
 responses: list[AlterConfigsResourceResponse]
 def __init__(self, throttle_time_ms: int = 0, responses: list[AlterConfigsResourceResponse] = FRESH) -> None:
  self.throttle_time_ms = throttle_time_ms
  self.responses = [] if responses is FRESH else responses

def _decode_alter_configs_response_0(view, size):
 pos = 0
 o0 = new(AlterConfigsResponse)
 o0.throttle_time_ms, n0 = U_ii(view, pos)
 pos += 8
 if n0 < 0: raise null('AlterConfigsResponse.responses')
 if n0 * 7 > size - pos: raise beyond('AlterConfigsResponse.responses')
 a0 = []
 for _ in range(n0):
  o1 = new(AlterConfigsResourceResponse)
  o1.error_code, n1 = U_hh(view, pos)
  pos += 4
  if n1 < 0: o1.error_message = None
  else:
   end = pos + n1
   if end > size: raise beyond('AlterConfigsResourceResponse.error_message')
   o1.error_message = view[pos:end].tobytes().decode()
   pos = end
  o1.resource_type, n2 = U_bh(view, pos)
  pos += 3
  if n2 < 0: raise null('AlterConfigsResourceResponse.resource_name')
  end = pos + n2
  if end > size: raise beyond('AlterConfigsResourceResponse.resource_name')
  o1.resource_name = view[pos:end].tobytes().decode()
  pos = end
  a0.append(o1)
 o0.responses = a0
 return o0, pos
def _decode_alter_configs_response_2(view, size):
 pos = 0
 o0 = new(AlterConfigsResponse)
 o0.throttle_time_ms, n0 = U_iB(view, pos)
 pos += 5
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('AlterConfigsResponse.responses')
 n0 -= 1
 if n0 * 6 > size - pos: raise beyond('AlterConfigsResponse.responses')
 a0 = []
 for _ in range(n0):
  o1 = new(AlterConfigsResourceResponse)
  o1.error_code, n1 = U_hB(view, pos)
  pos += 3
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: o1.error_message = None
  else:
   end = pos + n1 - 1
   if end > size: raise beyond('AlterConfigsResourceResponse.error_message')
   o1.error_message = view[pos:end].tobytes().decode()
   pos = end
  o1.resource_type, n2 = U_bB(view, pos)
  pos += 2
  if n2 > 127:
   n2, pos = varint_rest(view, pos, n2)
  if not n2: raise null('AlterConfigsResourceResponse.resource_name')
  end = pos + n2 - 1
  if end > size: raise beyond('AlterConfigsResourceResponse.resource_name')
  o1.resource_name = view[pos:end].tobytes().decode()
  pos = end
  t0 = view[pos]
  pos += 1
  if t0:
   pos = skip_tags(view, pos, t0, size)
  a0.append(o1)
 o0.responses = a0
 t1 = view[pos]
 pos += 1
 if t1:
  pos = skip_tags(view, pos, t1, size)
 return o0, pos
AlterConfigsResponse.decoders = {0: _decode_alter_configs_response_0, 1: _decode_alter_configs_response_0, 2: _decode_alter_configs_response_2}

def _encode_alter_configs_response_0(m):
 out = []
 a0 = m.responses
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
  b1 = m0.resource_name.encode()
  n2 = len(b1)
  out.append(P_bh(m0.resource_type, n2))
  out.append(b1)
 return [b''.join(out)]
def _encode_alter_configs_response_2(m):
 out = []
 a0 = m.responses
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
  b1 = m0.resource_name.encode()
  n2 = len(b1) + 1
  out.append(P_bB(m0.resource_type, n2) if n2 < 128 else P_b(m0.resource_type) + varint(n2))
  out.append(b1)
  out.append(b'\x00')
 out.append(b'\x00')
 return [b''.join(out)]
AlterConfigsResponse.encoders = {0: _encode_alter_configs_response_0, 1: _encode_alter_configs_response_0, 2: _encode_alter_configs_response_2}
