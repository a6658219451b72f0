"""DescribeConfigs: request in versions 1 to 4 and response in versions 1 to 4.

Generated from the message definitions of kafka-clients 4.1.0 by ``python -m generator``: do not edit.
"""
from typing import ClassVar

from chronik.protocol.wire import FRESH, U8, Message, Packing, Struct, beyond, new, null, skip_tags, unsupported, varint, varint_rest

P_t = Packing('>?').pack
P_tt = Packing('>??').pack
P_ttx = Packing('>??x').pack
P_tbt = Packing('>?b?').pack
P_tbtB = Packing('>?b?B').pack
P_tbti = Packing('>?b?i').pack
P_b = Packing('>b').pack
P_bB = Packing('>bB').pack
P_bh = Packing('>bh').pack
P_bx = Packing('>bx').pack
P_h = Packing('>h').pack
P_hB = Packing('>hB').pack
P_hh = Packing('>hh').pack
P_i = Packing('>i').pack
P_iB = Packing('>iB').pack
P_ii = Packing('>ii').pack
U_t = Packing('>?').unpack_from
U_tt = Packing('>??').unpack_from
U_ttB = Packing('>??B').unpack_from
U_tbtB = Packing('>?b?B').unpack_from
U_tbti = Packing('>?b?i').unpack_from
U_b = Packing('>b').unpack_from
U_bB = Packing('>bB').unpack_from
U_bh = Packing('>bh').unpack_from
U_h = Packing('>h').unpack_from
U_hB = Packing('>hB').unpack_from
U_hh = Packing('>hh').unpack_from
U_i = Packing('>i').unpack_from
U_iB = Packing('>iB').unpack_from
U_ii = Packing('>ii').unpack_from


class DescribeConfigsResource(Struct):
 __slots__ = ('resource_type', 'resource_name', 'configuration_keys', )
 resource_type: int
 resource_name: str
 configuration_keys: list[str] | None
 def __init__(self, resource_type: int = 0, resource_name: str = '', configuration_keys: list[str] | None = FRESH) -> None:
  self.resource_type = resource_type
  self.resource_name = resource_name
  self.configuration_keys = [] if configuration_keys is FRESH else configuration_keys


class DescribeConfigsRequest(Message):
 __slots__ = ('resources', 'include_synonyms', 'include_documentation', )
 api_key: ClassVar[int] = 32
 versions: ClassVar[range] = range(1, 5)
 first_flexible: ClassVar[int | None] = 4
 resources: list[DescribeConfigsResource]
 include_synonyms: bool
 include_documentation: bool
 def __init__(self, resources: list[DescribeConfigsResource] = FRESH, include_synonyms: bool = False, include_documentation: bool = False) -> None:
  self.resources = [] if resources is FRESH else resources
  self.include_synonyms = include_synonyms
  self.include_documentation = include_documentation

def _decode_describe_configs_request_1(view, size):
 pos = 0
 o0 = new(DescribeConfigsRequest)
 n0, = U_i(view, pos)
 pos += 4
 if n0 < 0: raise null('DescribeConfigsRequest.resources')
 if n0 * 7 > size - pos: raise beyond('DescribeConfigsRequest.resources')
 a0 = []
 for _ in range(n0):
  o1 = new(DescribeConfigsResource)
  o1.resource_type, n1 = U_bh(view, pos)
  pos += 3
  if n1 < 0: raise null('DescribeConfigsResource.resource_name')
  end = pos + n1
  if end > size: raise beyond('DescribeConfigsResource.resource_name')
  o1.resource_name = view[pos:end].tobytes().decode()
  pos = end
  n2, = U_i(view, pos)
  pos += 4
  if n2 < 0: o1.configuration_keys = None
  else:
   if n2 * 2 > size - pos: raise beyond('DescribeConfigsResource.configuration_keys')
   a1 = []
   for _ in range(n2):
    n3, = U_h(view, pos)
    pos += 2
    if n3 < 0: raise null('DescribeConfigsResource.configuration_keys')
    end = pos + n3
    if end > size: raise beyond('DescribeConfigsResource.configuration_keys')
    e0 = view[pos:end].tobytes().decode()
    pos = end
    a1.append(e0)
   o1.configuration_keys = a1
  a0.append(o1)
 o0.resources = a0
 o0.include_documentation = False
 o0.include_synonyms, = U_t(view, pos)
 pos += 1
 return o0, pos
def _decode_describe_configs_request_3(view, size):
 pos = 0
 o0 = new(DescribeConfigsRequest)
 n0, = U_i(view, pos)
 pos += 4
 if n0 < 0: raise null('DescribeConfigsRequest.resources')
 if n0 * 7 > size - pos: raise beyond('DescribeConfigsRequest.resources')
 a0 = []
 for _ in range(n0):
  o1 = new(DescribeConfigsResource)
  o1.resource_type, n1 = U_bh(view, pos)
  pos += 3
  if n1 < 0: raise null('DescribeConfigsResource.resource_name')
  end = pos + n1
  if end > size: raise beyond('DescribeConfigsResource.resource_name')
  o1.resource_name = view[pos:end].tobytes().decode()
  pos = end
  n2, = U_i(view, pos)
  pos += 4
  if n2 < 0: o1.configuration_keys = None
  else:
   if n2 * 2 > size - pos: raise beyond('DescribeConfigsResource.configuration_keys')
   a1 = []
   for _ in range(n2):
    n3, = U_h(view, pos)
    pos += 2
    if n3 < 0: raise null('DescribeConfigsResource.configuration_keys')
    end = pos + n3
    if end > size: raise beyond('DescribeConfigsResource.configuration_keys')
    e0 = view[pos:end].tobytes().decode()
    pos = end
    a1.append(e0)
   o1.configuration_keys = a1
  a0.append(o1)
 o0.resources = a0
 o0.include_synonyms, o0.include_documentation = U_tt(view, pos)
 pos += 2
 return o0, pos
def _decode_describe_configs_request_4(view, size):
 pos = 0
 o0 = new(DescribeConfigsRequest)
 n0 = view[pos]
 pos += 1
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('DescribeConfigsRequest.resources')
 n0 -= 1
 if n0 * 4 > size - pos: raise beyond('DescribeConfigsRequest.resources')
 a0 = []
 for _ in range(n0):
  o1 = new(DescribeConfigsResource)
  o1.resource_type, n1 = U_bB(view, pos)
  pos += 2
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('DescribeConfigsResource.resource_name')
  end = pos + n1 - 1
  if end > size: raise beyond('DescribeConfigsResource.resource_name')
  o1.resource_name = view[pos:end].tobytes().decode()
  pos = end
  n2 = view[pos]
  pos += 1
  if n2 > 127:
   n2, pos = varint_rest(view, pos, n2)
  if not n2: o1.configuration_keys = None
  else:
   n2 -= 1
   if n2 > size - pos: raise beyond('DescribeConfigsResource.configuration_keys')
   a1 = []
   for _ in range(n2):
    n3 = view[pos]
    pos += 1
    if n3 > 127:
     n3, pos = varint_rest(view, pos, n3)
    if not n3: raise null('DescribeConfigsResource.configuration_keys')
    end = pos + n3 - 1
    if end > size: raise beyond('DescribeConfigsResource.configuration_keys')
    e0 = view[pos:end].tobytes().decode()
    pos = end
    a1.append(e0)
   o1.configuration_keys = a1
  t0 = view[pos]
  pos += 1
  if t0:
   pos = skip_tags(view, pos, t0, size)
  a0.append(o1)
 o0.resources = a0
 o0.include_synonyms, o0.include_documentation, t1 = U_ttB(view, pos)
 pos += 3
 if t1:
  pos = skip_tags(view, pos, t1, size)
 return o0, pos
DescribeConfigsRequest.decoders = {1: _decode_describe_configs_request_1, 2: _decode_describe_configs_request_1, 3: _decode_describe_configs_request_3, 4: _decode_describe_configs_request_4}

def _encode_describe_configs_request_1(m):
 out = []
 a0 = m.resources
 n0 = len(a0)
 out.append(P_i(n0))
 for m0 in a0:
  b0 = m0.resource_name.encode()
  n1 = len(b0)
  out.append(P_bh(m0.resource_type, n1))
  out.append(b0)
  a1 = m0.configuration_keys
  n2 = -1 if a1 is None else len(a1)
  out.append(P_i(n2))
  for m1 in a1 or ():
   m1 = m1.encode()
   n3 = len(m1)
   out.append(P_h(n3))
   out.append(m1)
 if m.include_documentation: raise unsupported('DescribeConfigsRequest.include_documentation')
 out.append(P_t(m.include_synonyms))
 return [b''.join(out)]
def _encode_describe_configs_request_3(m):
 out = []
 a0 = m.resources
 n0 = len(a0)
 out.append(P_i(n0))
 for m0 in a0:
  b0 = m0.resource_name.encode()
  n1 = len(b0)
  out.append(P_bh(m0.resource_type, n1))
  out.append(b0)
  a1 = m0.configuration_keys
  n2 = -1 if a1 is None else len(a1)
  out.append(P_i(n2))
  for m1 in a1 or ():
   m1 = m1.encode()
   n3 = len(m1)
   out.append(P_h(n3))
   out.append(m1)
 out.append(P_tt(m.include_synonyms, m.include_documentation))
 return [b''.join(out)]
def _encode_describe_configs_request_4(m):
 out = []
 a0 = m.resources
 n0 = len(a0) + 1
 out.append(U8[n0] if n0 < 128 else varint(n0))
 for m0 in a0:
  b0 = m0.resource_name.encode()
  n1 = len(b0) + 1
  out.append(P_bB(m0.resource_type, n1) if n1 < 128 else P_b(m0.resource_type) + varint(n1))
  out.append(b0)
  a1 = m0.configuration_keys
  n2 = 0 if a1 is None else len(a1) + 1
  out.append(U8[n2] if n2 < 128 else varint(n2))
  for m1 in a1 or ():
   m1 = m1.encode()
   n3 = len(m1) + 1
   out.append(U8[n3] if n3 < 128 else varint(n3))
   out.append(m1)
  out.append(b'\x00')
 out.append(P_ttx(m.include_synonyms, m.include_documentation))
 return [b''.join(out)]
DescribeConfigsRequest.encoders = {1: _encode_describe_configs_request_1, 2: _encode_describe_configs_request_1, 3: _encode_describe_configs_request_3, 4: _encode_describe_configs_request_4}


class DescribeConfigsSynonym(Struct):
 __slots__ = ('name', 'value', 'source', )
 name: str
 value: str | None
 source: int
 def __init__(self, name: str = '', value: str | None = '', source: int = 0) -> None:
  self.name = name
  self.value = value
  self.source = source


class DescribeConfigsResourceResult(Struct):
 __slots__ = ('name', 'value', 'read_only', 'config_source', 'is_sensitive', 'synonyms', 'config_type', 'documentation', )
 name: str
 value: str | None
 read_only: bool
 config_source: int
 is_sensitive: bool
 synonyms: list[DescribeConfigsSynonym]
 config_type: int
 documentation: str | None
 def __init__(self, name: str = '', value: str | None = '', read_only: bool = False, config_source: int = -1, is_sensitive: bool = False, synonyms: list[DescribeConfigsSynonym] = FRESH, config_type: int = 0, documentation: str | None = '') -> None:
  self.name = name
  self.value = value
  self.read_only = read_only
  self.config_source = config_source
  self.is_sensitive = is_sensitive
  self.synonyms = [] if synonyms is FRESH else synonyms
  self.config_type = config_type
  self.documentation = documentation


class DescribeConfigsResult(Struct):
 __slots__ = ('error_code', 'error_message', 'resource_type', 'resource_name', 'configs', )
 error_code: int
 error_message: str | None
 resource_type: int
 resource_name: str
 configs: list[DescribeConfigsResourceResult]
 def __init__(self, error_code: int = 0, error_message: str | None = '', resource_type: int = 0, resource_name: str = '', configs: list[DescribeConfigsResourceResult] = FRESH) -> None:
  self.error_code = error_code
  self.error_message = error_message
  self.resource_type = resource_type
  self.resource_name = resource_name
  self.configs = [] if configs is FRESH else configs


class DescribeConfigsResponse(Message):
 __slots__ = ('throttle_time_ms', 'results', )
 api_key: ClassVar[int] = 32
 versions: ClassVar[range] = range(1, 5)
 first_flexible: ClassVar[int | None] = 4
 throttle_time_ms: int
 results: list[DescribeConfigsResult]
 def __init__(self, throttle_time_ms: int = 0, results: list[DescribeConfigsResult] = FRESH) -> None:
  self.throttle_time_ms = throttle_time_ms
  self.results = [] if results is FRESH else results

def _decode_describe_configs_response_1(view, size):
 pos = 0
 o0 = new(DescribeConfigsResponse)
 o0.throttle_time_ms, n0 = U_ii(view, pos)
 pos += 8
 if n0 < 0: raise null('DescribeConfigsResponse.results')
 if n0 * 11 > size - pos: raise beyond('DescribeConfigsResponse.results')
 a0 = []
 for _ in range(n0):
  o1 = new(DescribeConfigsResult)
  o1.error_code, n1 = U_hh(view, pos)
  pos += 4
  if n1 < 0: o1.error_message = None
  else:
   end = pos + n1
   if end > size: raise beyond('DescribeConfigsResult.error_message')
   o1.error_message = view[pos:end].tobytes().decode()
   pos = end
  o1.resource_type, n2 = U_bh(view, pos)
  pos += 3
  if n2 < 0: raise null('DescribeConfigsResult.resource_name')
  end = pos + n2
  if end > size: raise beyond('DescribeConfigsResult.resource_name')
  o1.resource_name = view[pos:end].tobytes().decode()
  pos = end
  n3, = U_i(view, pos)
  pos += 4
  if n3 < 0: raise null('DescribeConfigsResult.configs')
  if n3 * 11 > size - pos: raise beyond('DescribeConfigsResult.configs')
  a1 = []
  for _ in range(n3):
   o2 = new(DescribeConfigsResourceResult)
   n4, = U_h(view, pos)
   pos += 2
   if n4 < 0: raise null('DescribeConfigsResourceResult.name')
   end = pos + n4
   if end > size: raise beyond('DescribeConfigsResourceResult.name')
   o2.name = view[pos:end].tobytes().decode()
   pos = end
   n5, = U_h(view, pos)
   pos += 2
   if n5 < 0: o2.value = None
   else:
    end = pos + n5
    if end > size: raise beyond('DescribeConfigsResourceResult.value')
    o2.value = view[pos:end].tobytes().decode()
    pos = end
   o2.read_only, o2.config_source, o2.is_sensitive, n6 = U_tbti(view, pos)
   pos += 7
   if n6 < 0: raise null('DescribeConfigsResourceResult.synonyms')
   if n6 * 5 > size - pos: raise beyond('DescribeConfigsResourceResult.synonyms')
   a2 = []
   for _ in range(n6):
    o3 = new(DescribeConfigsSynonym)
    n7, = U_h(view, pos)
    pos += 2
    if n7 < 0: raise null('DescribeConfigsSynonym.name')
    end = pos + n7
    if end > size: raise beyond('DescribeConfigsSynonym.name')
    o3.name = view[pos:end].tobytes().decode()
    pos = end
    n8, = U_h(view, pos)
    pos += 2
    if n8 < 0: o3.value = None
    else:
     end = pos + n8
     if end > size: raise beyond('DescribeConfigsSynonym.value')
     o3.value = view[pos:end].tobytes().decode()
     pos = end
    o3.source, = U_b(view, pos)
    pos += 1
    a2.append(o3)
   o2.synonyms = a2
   o2.config_type = 0
   o2.documentation = ''
   a1.append(o2)
  o1.configs = a1
  a0.append(o1)
 o0.results = a0
 return o0, pos
def _decode_describe_configs_response_3(view, size):
 pos = 0
 o0 = new(DescribeConfigsResponse)
 o0.throttle_time_ms, n0 = U_ii(view, pos)
 pos += 8
 if n0 < 0: raise null('DescribeConfigsResponse.results')
 if n0 * 11 > size - pos: raise beyond('DescribeConfigsResponse.results')
 a0 = []
 for _ in range(n0):
  o1 = new(DescribeConfigsResult)
  o1.error_code, n1 = U_hh(view, pos)
  pos += 4
  if n1 < 0: o1.error_message = None
  else:
   end = pos + n1
   if end > size: raise beyond('DescribeConfigsResult.error_message')
   o1.error_message = view[pos:end].tobytes().decode()
   pos = end
  o1.resource_type, n2 = U_bh(view, pos)
  pos += 3
  if n2 < 0: raise null('DescribeConfigsResult.resource_name')
  end = pos + n2
  if end > size: raise beyond('DescribeConfigsResult.resource_name')
  o1.resource_name = view[pos:end].tobytes().decode()
  pos = end
  n3, = U_i(view, pos)
  pos += 4
  if n3 < 0: raise null('DescribeConfigsResult.configs')
  if n3 * 14 > size - pos: raise beyond('DescribeConfigsResult.configs')
  a1 = []
  for _ in range(n3):
   o2 = new(DescribeConfigsResourceResult)
   n4, = U_h(view, pos)
   pos += 2
   if n4 < 0: raise null('DescribeConfigsResourceResult.name')
   end = pos + n4
   if end > size: raise beyond('DescribeConfigsResourceResult.name')
   o2.name = view[pos:end].tobytes().decode()
   pos = end
   n5, = U_h(view, pos)
   pos += 2
   if n5 < 0: o2.value = None
   else:
    end = pos + n5
    if end > size: raise beyond('DescribeConfigsResourceResult.value')
    o2.value = view[pos:end].tobytes().decode()
    pos = end
   o2.read_only, o2.config_source, o2.is_sensitive, n6 = U_tbti(view, pos)
   pos += 7
   if n6 < 0: raise null('DescribeConfigsResourceResult.synonyms')
   if n6 * 5 > size - pos: raise beyond('DescribeConfigsResourceResult.synonyms')
   a2 = []
   for _ in range(n6):
    o3 = new(DescribeConfigsSynonym)
    n7, = U_h(view, pos)
    pos += 2
    if n7 < 0: raise null('DescribeConfigsSynonym.name')
    end = pos + n7
    if end > size: raise beyond('DescribeConfigsSynonym.name')
    o3.name = view[pos:end].tobytes().decode()
    pos = end
    n8, = U_h(view, pos)
    pos += 2
    if n8 < 0: o3.value = None
    else:
     end = pos + n8
     if end > size: raise beyond('DescribeConfigsSynonym.value')
     o3.value = view[pos:end].tobytes().decode()
     pos = end
    o3.source, = U_b(view, pos)
    pos += 1
    a2.append(o3)
   o2.synonyms = a2
   o2.config_type, n9 = U_bh(view, pos)
   pos += 3
   if n9 < 0: o2.documentation = None
   else:
    end = pos + n9
    if end > size: raise beyond('DescribeConfigsResourceResult.documentation')
    o2.documentation = view[pos:end].tobytes().decode()
    pos = end
   a1.append(o2)
  o1.configs = a1
  a0.append(o1)
 o0.results = a0
 return o0, pos
def _decode_describe_configs_response_4(view, size):
 pos = 0
 o0 = new(DescribeConfigsResponse)
 o0.throttle_time_ms, n0 = U_iB(view, pos)
 pos += 5
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('DescribeConfigsResponse.results')
 n0 -= 1
 if n0 * 7 > size - pos: raise beyond('DescribeConfigsResponse.results')
 a0 = []
 for _ in range(n0):
  o1 = new(DescribeConfigsResult)
  o1.error_code, n1 = U_hB(view, pos)
  pos += 3
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: o1.error_message = None
  else:
   end = pos + n1 - 1
   if end > size: raise beyond('DescribeConfigsResult.error_message')
   o1.error_message = view[pos:end].tobytes().decode()
   pos = end
  o1.resource_type, n2 = U_bB(view, pos)
  pos += 2
  if n2 > 127:
   n2, pos = varint_rest(view, pos, n2)
  if not n2: raise null('DescribeConfigsResult.resource_name')
  end = pos + n2 - 1
  if end > size: raise beyond('DescribeConfigsResult.resource_name')
  o1.resource_name = view[pos:end].tobytes().decode()
  pos = end
  n3 = view[pos]
  pos += 1
  if n3 > 127:
   n3, pos = varint_rest(view, pos, n3)
  if not n3: raise null('DescribeConfigsResult.configs')
  n3 -= 1
  if n3 * 9 > size - pos: raise beyond('DescribeConfigsResult.configs')
  a1 = []
  for _ in range(n3):
   o2 = new(DescribeConfigsResourceResult)
   n4 = view[pos]
   pos += 1
   if n4 > 127:
    n4, pos = varint_rest(view, pos, n4)
   if not n4: raise null('DescribeConfigsResourceResult.name')
   end = pos + n4 - 1
   if end > size: raise beyond('DescribeConfigsResourceResult.name')
   o2.name = view[pos:end].tobytes().decode()
   pos = end
   n5 = view[pos]
   pos += 1
   if n5 > 127:
    n5, pos = varint_rest(view, pos, n5)
   if not n5: o2.value = None
   else:
    end = pos + n5 - 1
    if end > size: raise beyond('DescribeConfigsResourceResult.value')
    o2.value = view[pos:end].tobytes().decode()
    pos = end
   o2.read_only, o2.config_source, o2.is_sensitive, n6 = U_tbtB(view, pos)
   pos += 4
   if n6 > 127:
    n6, pos = varint_rest(view, pos, n6)
   if not n6: raise null('DescribeConfigsResourceResult.synonyms')
   n6 -= 1
   if n6 * 4 > size - pos: raise beyond('DescribeConfigsResourceResult.synonyms')
   a2 = []
   for _ in range(n6):
    o3 = new(DescribeConfigsSynonym)
    n7 = view[pos]
    pos += 1
    if n7 > 127:
     n7, pos = varint_rest(view, pos, n7)
    if not n7: raise null('DescribeConfigsSynonym.name')
    end = pos + n7 - 1
    if end > size: raise beyond('DescribeConfigsSynonym.name')
    o3.name = view[pos:end].tobytes().decode()
    pos = end
    n8 = view[pos]
    pos += 1
    if n8 > 127:
     n8, pos = varint_rest(view, pos, n8)
    if not n8: o3.value = None
    else:
     end = pos + n8 - 1
     if end > size: raise beyond('DescribeConfigsSynonym.value')
     o3.value = view[pos:end].tobytes().decode()
     pos = end
    o3.source, t0 = U_bB(view, pos)
    pos += 2
    if t0:
     pos = skip_tags(view, pos, t0, size)
    a2.append(o3)
   o2.synonyms = a2
   o2.config_type, n9 = U_bB(view, pos)
   pos += 2
   if n9 > 127:
    n9, pos = varint_rest(view, pos, n9)
   if not n9: o2.documentation = None
   else:
    end = pos + n9 - 1
    if end > size: raise beyond('DescribeConfigsResourceResult.documentation')
    o2.documentation = view[pos:end].tobytes().decode()
    pos = end
   t1 = view[pos]
   pos += 1
   if t1:
    pos = skip_tags(view, pos, t1, size)
   a1.append(o2)
  o1.configs = a1
  t2 = view[pos]
  pos += 1
  if t2:
   pos = skip_tags(view, pos, t2, size)
  a0.append(o1)
 o0.results = a0
 t3 = view[pos]
 pos += 1
 if t3:
  pos = skip_tags(view, pos, t3, size)
 return o0, pos
DescribeConfigsResponse.decoders = {1: _decode_describe_configs_response_1, 2: _decode_describe_configs_response_1, 3: _decode_describe_configs_response_3, 4: _decode_describe_configs_response_4}

def _encode_describe_configs_response_1(m):
 out = []
 a0 = m.results
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
  a1 = m0.configs
  n3 = len(a1)
  out.append(P_i(n3))
  for m1 in a1:
   b2 = m1.name.encode()
   n4 = len(b2)
   out.append(P_h(n4))
   out.append(b2)
   b3 = m1.value
   if b3 is None:
    b3 = b''; n5 = -1
   else:
    b3 = b3.encode()
    n5 = len(b3)
   out.append(P_h(n5))
   out.append(b3)
   a2 = m1.synonyms
   n6 = len(a2)
   out.append(P_tbti(m1.read_only, m1.config_source, m1.is_sensitive, n6))
   for m2 in a2:
    b4 = m2.name.encode()
    n7 = len(b4)
    out.append(P_h(n7))
    out.append(b4)
    b5 = m2.value
    if b5 is None:
     b5 = b''; n8 = -1
    else:
     b5 = b5.encode()
     n8 = len(b5)
    out.append(P_h(n8))
    out.append(b5)
    out.append(P_b(m2.source))
 return [b''.join(out)]
def _encode_describe_configs_response_3(m):
 out = []
 a0 = m.results
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
  a1 = m0.configs
  n3 = len(a1)
  out.append(P_i(n3))
  for m1 in a1:
   b2 = m1.name.encode()
   n4 = len(b2)
   out.append(P_h(n4))
   out.append(b2)
   b3 = m1.value
   if b3 is None:
    b3 = b''; n5 = -1
   else:
    b3 = b3.encode()
    n5 = len(b3)
   out.append(P_h(n5))
   out.append(b3)
   a2 = m1.synonyms
   n6 = len(a2)
   out.append(P_tbti(m1.read_only, m1.config_source, m1.is_sensitive, n6))
   for m2 in a2:
    b4 = m2.name.encode()
    n7 = len(b4)
    out.append(P_h(n7))
    out.append(b4)
    b5 = m2.value
    if b5 is None:
     b5 = b''; n8 = -1
    else:
     b5 = b5.encode()
     n8 = len(b5)
    out.append(P_h(n8))
    out.append(b5)
    out.append(P_b(m2.source))
   b6 = m1.documentation
   if b6 is None:
    b6 = b''; n9 = -1
   else:
    b6 = b6.encode()
    n9 = len(b6)
   out.append(P_bh(m1.config_type, n9))
   out.append(b6)
 return [b''.join(out)]
def _encode_describe_configs_response_4(m):
 out = []
 a0 = m.results
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
  a1 = m0.configs
  n3 = len(a1) + 1
  out.append(U8[n3] if n3 < 128 else varint(n3))
  for m1 in a1:
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
   a2 = m1.synonyms
   n6 = len(a2) + 1
   out.append(P_tbtB(m1.read_only, m1.config_source, m1.is_sensitive, n6) if n6 < 128 else P_tbt(m1.read_only, m1.config_source, m1.is_sensitive) + varint(n6))
   for m2 in a2:
    b4 = m2.name.encode()
    n7 = len(b4) + 1
    out.append(U8[n7] if n7 < 128 else varint(n7))
    out.append(b4)
    b5 = m2.value
    if b5 is None:
     b5 = b''; n8 = 0
    else:
     b5 = b5.encode()
     n8 = len(b5) + 1
    out.append(U8[n8] if n8 < 128 else varint(n8))
    out.append(b5)
    out.append(P_bx(m2.source))
   b6 = m1.documentation
   if b6 is None:
    b6 = b''; n9 = 0
   else:
    b6 = b6.encode()
    n9 = len(b6) + 1
   out.append(P_bB(m1.config_type, n9) if n9 < 128 else P_b(m1.config_type) + varint(n9))
   out.append(b6)
   out.append(b'\x00')
  out.append(b'\x00')
 out.append(b'\x00')
 return [b''.join(out)]
DescribeConfigsResponse.encoders = {1: _encode_describe_configs_response_1, 2: _encode_describe_configs_response_1, 3: _encode_describe_configs_response_3, 4: _encode_describe_configs_response_4}
