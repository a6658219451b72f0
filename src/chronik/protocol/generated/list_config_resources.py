"""ListConfigResources: request in versions 0 to 1 and response in versions 0 to 1.

Generated from the message definitions of kafka-clients 4.1.0 by ``python -m generator``: do not edit.
"""
from typing import ClassVar

from chronik.protocol.wire import FRESH, U8, Message, Packing, Struct, beyond, new, null, pack, skip_tags, unpack_from, unsupported, varint, varint_rest

P_bx = Packing('>bx').pack
P_ih = Packing('>ih').pack
P_ihB = Packing('>ihB').pack
U_bB = Packing('>bB').unpack_from
U_ihB = Packing('>ihB').unpack_from


class ListConfigResourcesRequest(Message):
 __slots__ = ('resource_types', )
 api_key: ClassVar[int] = 74
 versions: ClassVar[range] = range(0, 2)
 first_flexible: ClassVar[int | None] = 0
 resource_types: list[int]
 def __init__(self, resource_types: list[int] = FRESH) -> None:
  self.resource_types = [] if resource_types is FRESH else resource_types

def _decode_list_config_resources_request_0(view, size):
 pos = 0
 o0 = new(ListConfigResourcesRequest)
 o0.resource_types = []
 t0 = view[pos]
 pos += 1
 if t0:
  pos = skip_tags(view, pos, t0, size)
 return o0, pos
def _decode_list_config_resources_request_1(view, size):
 pos = 0
 o0 = new(ListConfigResourcesRequest)
 n0 = view[pos]
 pos += 1
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('ListConfigResourcesRequest.resource_types')
 n0 -= 1
 if n0 > size - pos: raise beyond('ListConfigResourcesRequest.resource_types')
 o0.resource_types = list(unpack_from(f'>{n0}b', view, pos))
 pos += n0
 t0 = view[pos]
 pos += 1
 if t0:
  pos = skip_tags(view, pos, t0, size)
 return o0, pos
ListConfigResourcesRequest.decoders = {0: _decode_list_config_resources_request_0, 1: _decode_list_config_resources_request_1}

def _encode_list_config_resources_request_0(m):
 out = []
 if m.resource_types: raise unsupported('ListConfigResourcesRequest.resource_types')
 out.append(b'\x00')
 return [b''.join(out)]
def _encode_list_config_resources_request_1(m):
 out = []
 a0 = m.resource_types
 n0 = len(a0) + 1
 out.append(U8[n0] if n0 < 128 else varint(n0))
 if a0: out.append(pack(f'>{len(a0)}b', *a0))
 out.append(b'\x00')
 return [b''.join(out)]
ListConfigResourcesRequest.encoders = {0: _encode_list_config_resources_request_0, 1: _encode_list_config_resources_request_1}


class ConfigResource(Struct):
 __slots__ = ('resource_name', 'resource_type', )
 resource_name: str
 resource_type: int
 def __init__(self, resource_name: str = '', resource_type: int = 16) -> None:
  self.resource_name = resource_name
  self.resource_type = resource_type


class ListConfigResourcesResponse(Message):
 __slots__ = ('throttle_time_ms', 'error_code', 'config_resources', )
 api_key: ClassVar[int] = 74
 versions: ClassVar[range] = range(0, 2)
 first_flexible: ClassVar[int | None] = 0
 throttle_time_ms: int
 error_code: int
 config_resources: list[ConfigResource]
 def __init__(self, throttle_time_ms: int = 0, error_code: int = 0, config_resources: list[ConfigResource] = FRESH) -> None:
  self.throttle_time_ms = throttle_time_ms
  self.error_code = error_code
  self.config_resources = [] if config_resources is FRESH else config_resources

def _decode_list_config_resources_response_0(view, size):
 pos = 0
 o0 = new(ListConfigResourcesResponse)
 o0.throttle_time_ms, o0.error_code, n0 = U_ihB(view, pos)
 pos += 7
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('ListConfigResourcesResponse.config_resources')
 n0 -= 1
 if n0 * 2 > size - pos: raise beyond('ListConfigResourcesResponse.config_resources')
 a0 = []
 for _ in range(n0):
  o1 = new(ConfigResource)
  n1 = view[pos]
  pos += 1
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('ConfigResource.resource_name')
  end = pos + n1 - 1
  if end > size: raise beyond('ConfigResource.resource_name')
  o1.resource_name = view[pos:end].tobytes().decode()
  pos = end
  o1.resource_type = 16
  t0 = view[pos]
  pos += 1
  if t0:
   pos = skip_tags(view, pos, t0, size)
  a0.append(o1)
 o0.config_resources = a0
 t1 = view[pos]
 pos += 1
 if t1:
  pos = skip_tags(view, pos, t1, size)
 return o0, pos
def _decode_list_config_resources_response_1(view, size):
 pos = 0
 o0 = new(ListConfigResourcesResponse)
 o0.throttle_time_ms, o0.error_code, n0 = U_ihB(view, pos)
 pos += 7
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('ListConfigResourcesResponse.config_resources')
 n0 -= 1
 if n0 * 3 > size - pos: raise beyond('ListConfigResourcesResponse.config_resources')
 a0 = []
 for _ in range(n0):
  o1 = new(ConfigResource)
  n1 = view[pos]
  pos += 1
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('ConfigResource.resource_name')
  end = pos + n1 - 1
  if end > size: raise beyond('ConfigResource.resource_name')
  o1.resource_name = view[pos:end].tobytes().decode()
  pos = end
  o1.resource_type, t0 = U_bB(view, pos)
  pos += 2
  if t0:
   pos = skip_tags(view, pos, t0, size)
  a0.append(o1)
 o0.config_resources = a0
 t1 = view[pos]
 pos += 1
 if t1:
  pos = skip_tags(view, pos, t1, size)
 return o0, pos
ListConfigResourcesResponse.decoders = {0: _decode_list_config_resources_response_0, 1: _decode_list_config_resources_response_1}

def _encode_list_config_resources_response_0(m):
 out = []
 a0 = m.config_resources
 n0 = len(a0) + 1
 out.append(P_ihB(m.throttle_time_ms, m.error_code, n0) if n0 < 128 else P_ih(m.throttle_time_ms, m.error_code) + varint(n0))
 for m0 in a0:
  b0 = m0.resource_name.encode()
  n1 = len(b0) + 1
  out.append(U8[n1] if n1 < 128 else varint(n1))
  out.append(b0)
  out.append(b'\x00')
 out.append(b'\x00')
 return [b''.join(out)]
def _encode_list_config_resources_response_1(m):
 out = []
 a0 = m.config_resources
 n0 = len(a0) + 1
 out.append(P_ihB(m.throttle_time_ms, m.error_code, n0) if n0 < 128 else P_ih(m.throttle_time_ms, m.error_code) + varint(n0))
 for m0 in a0:
  b0 = m0.resource_name.encode()
  n1 = len(b0) + 1
  out.append(U8[n1] if n1 < 128 else varint(n1))
  out.append(b0)
  out.append(P_bx(m0.resource_type))
 out.append(b'\x00')
 return [b''.join(out)]
ListConfigResourcesResponse.encoders = {0: _encode_list_config_resources_response_0, 1: _encode_list_config_resources_response_1}
