"""DeleteGroups: request in versions 0 to 2 and response in versions 0 to 2.

Generated from the message definitions of kafka-clients 4.1.0 by ``python -m generator``: do not edit.
"""
from typing import ClassVar

from chronik.protocol.wire import FRESH, U8, Message, Packing, Struct, beyond, new, null, skip_tags, varint, varint_rest

P_h = Packing('>h').pack
P_hx = Packing('>hx').pack
P_i = Packing('>i').pack
P_iB = Packing('>iB').pack
P_ii = Packing('>ii').pack
U_h = Packing('>h').unpack_from
U_hB = Packing('>hB').unpack_from
U_i = Packing('>i').unpack_from
U_iB = Packing('>iB').unpack_from
U_ii = Packing('>ii').unpack_from


class DeleteGroupsRequest(Message):
 __slots__ = ('groups_names', )
 api_key: ClassVar[int] = 42
 versions: ClassVar[range] = range(0, 3)
 first_flexible: ClassVar[int | None] = 2
 groups_names: list[str]
 def __init__(self, groups_names: list[str] = FRESH) -> None:
  self.groups_names = [] if groups_names is FRESH else groups_names

def _decode_delete_groups_request_0(view, size):
 pos = 0
 o0 = new(DeleteGroupsRequest)
 n0, = U_i(view, pos)
 pos += 4
 if n0 < 0: raise null('DeleteGroupsRequest.groups_names')
 if n0 * 2 > size - pos: raise beyond('DeleteGroupsRequest.groups_names')
 a0 = []
 for _ in range(n0):
  n1, = U_h(view, pos)
  pos += 2
  if n1 < 0: raise null('DeleteGroupsRequest.groups_names')
  end = pos + n1
  if end > size: raise beyond('DeleteGroupsRequest.groups_names')
  e0 = view[pos:end].tobytes().decode()
  pos = end
  a0.append(e0)
 o0.groups_names = a0
 return o0, pos
def _decode_delete_groups_request_2(view, size):
 pos = 0
 o0 = new(DeleteGroupsRequest)
 n0 = view[pos]
 pos += 1
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('DeleteGroupsRequest.groups_names')
 n0 -= 1
 if n0 > size - pos: raise beyond('DeleteGroupsRequest.groups_names')
 a0 = []
 for _ in range(n0):
  n1 = view[pos]
  pos += 1
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('DeleteGroupsRequest.groups_names')
  end = pos + n1 - 1
  if end > size: raise beyond('DeleteGroupsRequest.groups_names')
  e0 = view[pos:end].tobytes().decode()
  pos = end
  a0.append(e0)
 o0.groups_names = a0
 t0 = view[pos]
 pos += 1
 if t0:
  pos = skip_tags(view, pos, t0, size)
 return o0, pos
DeleteGroupsRequest.decoders = {0: _decode_delete_groups_request_0, 1: _decode_delete_groups_request_0, 2: _decode_delete_groups_request_2}

def _encode_delete_groups_request_0(m):
 out = []
 a0 = m.groups_names
 n0 = len(a0)
 out.append(P_i(n0))
 for m0 in a0:
  m0 = m0.encode()
  n1 = len(m0)
  out.append(P_h(n1))
  out.append(m0)
 return [b''.join(out)]
def _encode_delete_groups_request_2(m):
 out = []
 a0 = m.groups_names
 n0 = len(a0) + 1
 out.append(U8[n0] if n0 < 128 else varint(n0))
 for m0 in a0:
  m0 = m0.encode()
  n1 = len(m0) + 1
  out.append(U8[n1] if n1 < 128 else varint(n1))
  out.append(m0)
 out.append(b'\x00')
 return [b''.join(out)]
DeleteGroupsRequest.encoders = {0: _encode_delete_groups_request_0, 1: _encode_delete_groups_request_0, 2: _encode_delete_groups_request_2}


class DeletableGroupResult(Struct):
 __slots__ = ('group_id', 'error_code', )
 group_id: str
 error_code: int
 def __init__(self, group_id: str = '', error_code: int = 0) -> None:
  self.group_id = group_id
  self.error_code = error_code


class DeleteGroupsResponse(Message):
 __slots__ = ('throttle_time_ms', 'results', )
 api_key: ClassVar[int] = 42
 versions: ClassVar[range] = range(0, 3)
 first_flexible: ClassVar[int | None] = 2
 throttle_time_ms: int
 results: list[DeletableGroupResult]
 def __init__(self, throttle_time_ms: int = 0, results: list[DeletableGroupResult] = FRESH) -> None:
  self.throttle_time_ms = throttle_time_ms
  self.results = [] if results is FRESH else results

def _decode_delete_groups_response_0(view, size):
 pos = 0
 o0 = new(DeleteGroupsResponse)
 o0.throttle_time_ms, n0 = U_ii(view, pos)
 pos += 8
 if n0 < 0: raise null('DeleteGroupsResponse.results')
 if n0 * 4 > size - pos: raise beyond('DeleteGroupsResponse.results')
 a0 = []
 for _ in range(n0):
  o1 = new(DeletableGroupResult)
  n1, = U_h(view, pos)
  pos += 2
  if n1 < 0: raise null('DeletableGroupResult.group_id')
  end = pos + n1
  if end > size: raise beyond('DeletableGroupResult.group_id')
  o1.group_id = view[pos:end].tobytes().decode()
  pos = end
  o1.error_code, = U_h(view, pos)
  pos += 2
  a0.append(o1)
 o0.results = a0
 return o0, pos
def _decode_delete_groups_response_2(view, size):
 pos = 0
 o0 = new(DeleteGroupsResponse)
 o0.throttle_time_ms, n0 = U_iB(view, pos)
 pos += 5
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('DeleteGroupsResponse.results')
 n0 -= 1
 if n0 * 4 > size - pos: raise beyond('DeleteGroupsResponse.results')
 a0 = []
 for _ in range(n0):
  o1 = new(DeletableGroupResult)
  n1 = view[pos]
  pos += 1
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('DeletableGroupResult.group_id')
  end = pos + n1 - 1
  if end > size: raise beyond('DeletableGroupResult.group_id')
  o1.group_id = view[pos:end].tobytes().decode()
  pos = end
  o1.error_code, t0 = U_hB(view, pos)
  pos += 3
  if t0:
   pos = skip_tags(view, pos, t0, size)
  a0.append(o1)
 o0.results = a0
 t1 = view[pos]
 pos += 1
 if t1:
  pos = skip_tags(view, pos, t1, size)
 return o0, pos
DeleteGroupsResponse.decoders = {0: _decode_delete_groups_response_0, 1: _decode_delete_groups_response_0, 2: _decode_delete_groups_response_2}

def _encode_delete_groups_response_0(m):
 out = []
 a0 = m.results
 n0 = len(a0)
 out.append(P_ii(m.throttle_time_ms, n0))
 for m0 in a0:
  b0 = m0.group_id.encode()
  n1 = len(b0)
  out.append(P_h(n1))
  out.append(b0)
  out.append(P_h(m0.error_code))
 return [b''.join(out)]
def _encode_delete_groups_response_2(m):
 out = []
 a0 = m.results
 n0 = len(a0) + 1
 out.append(P_iB(m.throttle_time_ms, n0) if n0 < 128 else P_i(m.throttle_time_ms) + varint(n0))
 for m0 in a0:
  b0 = m0.group_id.encode()
  n1 = len(b0) + 1
  out.append(U8[n1] if n1 < 128 else varint(n1))
  out.append(b0)
  out.append(P_hx(m0.error_code))
 out.append(b'\x00')
 return [b''.join(out)]
DeleteGroupsResponse.encoders = {0: _encode_delete_groups_response_0, 1: _encode_delete_groups_response_0, 2: _encode_delete_groups_response_2}
