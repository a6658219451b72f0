"""DeleteAcls: request in versions 1 to 3 and response in versions 1 to 3.

Generated from the message definitions of kafka-clients 4.1.0 by ``python -m generator``: do not edit.
"""
from typing import ClassVar

from chronik.protocol.wire import FRESH, U8, Message, Packing, Struct, beyond, new, null, skip_tags, varint, varint_rest

P_b = Packing('>b').pack
P_bB = Packing('>bB').pack
P_bb = Packing('>bb').pack
P_bbx = Packing('>bbx').pack
P_bh = Packing('>bh').pack
P_h = Packing('>h').pack
P_hB = Packing('>hB').pack
P_hh = Packing('>hh').pack
P_i = Packing('>i').pack
P_iB = Packing('>iB').pack
P_ii = Packing('>ii').pack
U_bB = Packing('>bB').unpack_from
U_bb = Packing('>bb').unpack_from
U_bbB = Packing('>bbB').unpack_from
U_bh = Packing('>bh').unpack_from
U_h = Packing('>h').unpack_from
U_hB = Packing('>hB').unpack_from
U_hh = Packing('>hh').unpack_from
U_i = Packing('>i').unpack_from
U_iB = Packing('>iB').unpack_from
U_ii = Packing('>ii').unpack_from


class DeleteAclsFilter(Struct):
 __slots__ = ('resource_type_filter', 'resource_name_filter', 'pattern_type_filter', 'principal_filter', 'host_filter', 'operation', 'permission_type', )
 resource_type_filter: int
 resource_name_filter: str | None
 pattern_type_filter: int
 principal_filter: str | None
 host_filter: str | None
 operation: int
 permission_type: int
 def __init__(self, resource_type_filter: int = 0, resource_name_filter: str | None = '', pattern_type_filter: int = 3, principal_filter: str | None = '', host_filter: str | None = '', operation: int = 0, permission_type: int = 0) -> None:
  self.resource_type_filter = resource_type_filter
  self.resource_name_filter = resource_name_filter
  self.pattern_type_filter = pattern_type_filter
  self.principal_filter = principal_filter
  self.host_filter = host_filter
  self.operation = operation
  self.permission_type = permission_type


class DeleteAclsRequest(Message):
 __slots__ = ('filters', )
 api_key: ClassVar[int] = 31
 versions: ClassVar[range] = range(1, 4)
 first_flexible: ClassVar[int | None] = 2
 filters: list[DeleteAclsFilter]
 def __init__(self, filters: list[DeleteAclsFilter] = FRESH) -> None:
  self.filters = [] if filters is FRESH else filters

def _decode_delete_acls_request_1(view, size):
 pos = 0
 o0 = new(DeleteAclsRequest)
 n0, = U_i(view, pos)
 pos += 4
 if n0 < 0: raise null('DeleteAclsRequest.filters')
 if n0 * 10 > size - pos: raise beyond('DeleteAclsRequest.filters')
 a0 = []
 for _ in range(n0):
  o1 = new(DeleteAclsFilter)
  o1.resource_type_filter, n1 = U_bh(view, pos)
  pos += 3
  if n1 < 0: o1.resource_name_filter = None
  else:
   end = pos + n1
   if end > size: raise beyond('DeleteAclsFilter.resource_name_filter')
   o1.resource_name_filter = view[pos:end].tobytes().decode()
   pos = end
  o1.pattern_type_filter, n2 = U_bh(view, pos)
  pos += 3
  if n2 < 0: o1.principal_filter = None
  else:
   end = pos + n2
   if end > size: raise beyond('DeleteAclsFilter.principal_filter')
   o1.principal_filter = view[pos:end].tobytes().decode()
   pos = end
  n3, = U_h(view, pos)
  pos += 2
  if n3 < 0: o1.host_filter = None
  else:
   end = pos + n3
   if end > size: raise beyond('DeleteAclsFilter.host_filter')
   o1.host_filter = view[pos:end].tobytes().decode()
   pos = end
  o1.operation, o1.permission_type = U_bb(view, pos)
  pos += 2
  a0.append(o1)
 o0.filters = a0
 return o0, pos
def _decode_delete_acls_request_2(view, size):
 pos = 0
 o0 = new(DeleteAclsRequest)
 n0 = view[pos]
 pos += 1
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('DeleteAclsRequest.filters')
 n0 -= 1
 if n0 * 8 > size - pos: raise beyond('DeleteAclsRequest.filters')
 a0 = []
 for _ in range(n0):
  o1 = new(DeleteAclsFilter)
  o1.resource_type_filter, n1 = U_bB(view, pos)
  pos += 2
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: o1.resource_name_filter = None
  else:
   end = pos + n1 - 1
   if end > size: raise beyond('DeleteAclsFilter.resource_name_filter')
   o1.resource_name_filter = view[pos:end].tobytes().decode()
   pos = end
  o1.pattern_type_filter, n2 = U_bB(view, pos)
  pos += 2
  if n2 > 127:
   n2, pos = varint_rest(view, pos, n2)
  if not n2: o1.principal_filter = None
  else:
   end = pos + n2 - 1
   if end > size: raise beyond('DeleteAclsFilter.principal_filter')
   o1.principal_filter = view[pos:end].tobytes().decode()
   pos = end
  n3 = view[pos]
  pos += 1
  if n3 > 127:
   n3, pos = varint_rest(view, pos, n3)
  if not n3: o1.host_filter = None
  else:
   end = pos + n3 - 1
   if end > size: raise beyond('DeleteAclsFilter.host_filter')
   o1.host_filter = view[pos:end].tobytes().decode()
   pos = end
  o1.operation, o1.permission_type, t0 = U_bbB(view, pos)
  pos += 3
  if t0:
   pos = skip_tags(view, pos, t0, size)
  a0.append(o1)
 o0.filters = a0
 t1 = view[pos]
 pos += 1
 if t1:
  pos = skip_tags(view, pos, t1, size)
 return o0, pos
DeleteAclsRequest.decoders = {1: _decode_delete_acls_request_1, 2: _decode_delete_acls_request_2, 3: _decode_delete_acls_request_2}

def _encode_delete_acls_request_1(m):
 out = []
 a0 = m.filters
 n0 = len(a0)
 out.append(P_i(n0))
 for m0 in a0:
  b0 = m0.resource_name_filter
  if b0 is None:
   b0 = b''; n1 = -1
  else:
   b0 = b0.encode()
   n1 = len(b0)
  out.append(P_bh(m0.resource_type_filter, n1))
  out.append(b0)
  b1 = m0.principal_filter
  if b1 is None:
   b1 = b''; n2 = -1
  else:
   b1 = b1.encode()
   n2 = len(b1)
  out.append(P_bh(m0.pattern_type_filter, n2))
  out.append(b1)
  b2 = m0.host_filter
  if b2 is None:
   b2 = b''; n3 = -1
  else:
   b2 = b2.encode()
   n3 = len(b2)
  out.append(P_h(n3))
  out.append(b2)
  out.append(P_bb(m0.operation, m0.permission_type))
 return [b''.join(out)]
def _encode_delete_acls_request_2(m):
 out = []
 a0 = m.filters
 n0 = len(a0) + 1
 out.append(U8[n0] if n0 < 128 else varint(n0))
 for m0 in a0:
  b0 = m0.resource_name_filter
  if b0 is None:
   b0 = b''; n1 = 0
  else:
   b0 = b0.encode()
   n1 = len(b0) + 1
  out.append(P_bB(m0.resource_type_filter, n1) if n1 < 128 else P_b(m0.resource_type_filter) + varint(n1))
  out.append(b0)
  b1 = m0.principal_filter
  if b1 is None:
   b1 = b''; n2 = 0
  else:
   b1 = b1.encode()
   n2 = len(b1) + 1
  out.append(P_bB(m0.pattern_type_filter, n2) if n2 < 128 else P_b(m0.pattern_type_filter) + varint(n2))
  out.append(b1)
  b2 = m0.host_filter
  if b2 is None:
   b2 = b''; n3 = 0
  else:
   b2 = b2.encode()
   n3 = len(b2) + 1
  out.append(U8[n3] if n3 < 128 else varint(n3))
  out.append(b2)
  out.append(P_bbx(m0.operation, m0.permission_type))
 out.append(b'\x00')
 return [b''.join(out)]
DeleteAclsRequest.encoders = {1: _encode_delete_acls_request_1, 2: _encode_delete_acls_request_2, 3: _encode_delete_acls_request_2}


class DeleteAclsMatchingAcl(Struct):
 __slots__ = ('error_code', 'error_message', 'resource_type', 'resource_name', 'pattern_type', 'principal', 'host', 'operation', 'permission_type', )
 error_code: int
 error_message: str | None
 resource_type: int
 resource_name: str
 pattern_type: int
 principal: str
 host: str
 operation: int
 permission_type: int
 def __init__(self, error_code: int = 0, error_message: str | None = '', resource_type: int = 0, resource_name: str = '', pattern_type: int = 3, principal: str = '', host: str = '', operation: int = 0, permission_type: int = 0) -> None:
  self.error_code = error_code
  self.error_message = error_message
  self.resource_type = resource_type
  self.resource_name = resource_name
  self.pattern_type = pattern_type
  self.principal = principal
  self.host = host
  self.operation = operation
  self.permission_type = permission_type


class DeleteAclsFilterResult(Struct):
 __slots__ = ('error_code', 'error_message', 'matching_acls', )
 error_code: int
 error_message: str | None
 matching_acls: list[DeleteAclsMatchingAcl]
 def __init__(self, error_code: int = 0, error_message: str | None = '', matching_acls: list[DeleteAclsMatchingAcl] = FRESH) -> None:
  self.error_code = error_code
  self.error_message = error_message
  self.matching_acls = [] if matching_acls is FRESH else matching_acls


class DeleteAclsResponse(Message):
 __slots__ = ('throttle_time_ms', 'filter_results', )
 api_key: ClassVar[int] = 31
 versions: ClassVar[range] = range(1, 4)
 first_flexible: ClassVar[int | None] = 2
 throttle_time_ms: int
 filter_results: list[DeleteAclsFilterResult]
 def __init__(self, throttle_time_ms: int = 0, filter_results: list[DeleteAclsFilterResult] = FRESH) -> None:
  self.throttle_time_ms = throttle_time_ms
  self.filter_results = [] if filter_results is FRESH else filter_results

def _decode_delete_acls_response_1(view, size):
 pos = 0
 o0 = new(DeleteAclsResponse)
 o0.throttle_time_ms, n0 = U_ii(view, pos)
 pos += 8
 if n0 < 0: raise null('DeleteAclsResponse.filter_results')
 if n0 * 8 > size - pos: raise beyond('DeleteAclsResponse.filter_results')
 a0 = []
 for _ in range(n0):
  o1 = new(DeleteAclsFilterResult)
  o1.error_code, n1 = U_hh(view, pos)
  pos += 4
  if n1 < 0: o1.error_message = None
  else:
   end = pos + n1
   if end > size: raise beyond('DeleteAclsFilterResult.error_message')
   o1.error_message = view[pos:end].tobytes().decode()
   pos = end
  n2, = U_i(view, pos)
  pos += 4
  if n2 < 0: raise null('DeleteAclsFilterResult.matching_acls')
  if n2 * 14 > size - pos: raise beyond('DeleteAclsFilterResult.matching_acls')
  a1 = []
  for _ in range(n2):
   o2 = new(DeleteAclsMatchingAcl)
   o2.error_code, n3 = U_hh(view, pos)
   pos += 4
   if n3 < 0: o2.error_message = None
   else:
    end = pos + n3
    if end > size: raise beyond('DeleteAclsMatchingAcl.error_message')
    o2.error_message = view[pos:end].tobytes().decode()
    pos = end
   o2.resource_type, n4 = U_bh(view, pos)
   pos += 3
   if n4 < 0: raise null('DeleteAclsMatchingAcl.resource_name')
   end = pos + n4
   if end > size: raise beyond('DeleteAclsMatchingAcl.resource_name')
   o2.resource_name = view[pos:end].tobytes().decode()
   pos = end
   o2.pattern_type, n5 = U_bh(view, pos)
   pos += 3
   if n5 < 0: raise null('DeleteAclsMatchingAcl.principal')
   end = pos + n5
   if end > size: raise beyond('DeleteAclsMatchingAcl.principal')
   o2.principal = view[pos:end].tobytes().decode()
   pos = end
   n6, = U_h(view, pos)
   pos += 2
   if n6 < 0: raise null('DeleteAclsMatchingAcl.host')
   end = pos + n6
   if end > size: raise beyond('DeleteAclsMatchingAcl.host')
   o2.host = view[pos:end].tobytes().decode()
   pos = end
   o2.operation, o2.permission_type = U_bb(view, pos)
   pos += 2
   a1.append(o2)
  o1.matching_acls = a1
  a0.append(o1)
 o0.filter_results = a0
 return o0, pos
def _decode_delete_acls_response_2(view, size):
 pos = 0
 o0 = new(DeleteAclsResponse)
 o0.throttle_time_ms, n0 = U_iB(view, pos)
 pos += 5
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('DeleteAclsResponse.filter_results')
 n0 -= 1
 if n0 * 5 > size - pos: raise beyond('DeleteAclsResponse.filter_results')
 a0 = []
 for _ in range(n0):
  o1 = new(DeleteAclsFilterResult)
  o1.error_code, n1 = U_hB(view, pos)
  pos += 3
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: o1.error_message = None
  else:
   end = pos + n1 - 1
   if end > size: raise beyond('DeleteAclsFilterResult.error_message')
   o1.error_message = view[pos:end].tobytes().decode()
   pos = end
  n2 = view[pos]
  pos += 1
  if n2 > 127:
   n2, pos = varint_rest(view, pos, n2)
  if not n2: raise null('DeleteAclsFilterResult.matching_acls')
  n2 -= 1
  if n2 * 11 > size - pos: raise beyond('DeleteAclsFilterResult.matching_acls')
  a1 = []
  for _ in range(n2):
   o2 = new(DeleteAclsMatchingAcl)
   o2.error_code, n3 = U_hB(view, pos)
   pos += 3
   if n3 > 127:
    n3, pos = varint_rest(view, pos, n3)
   if not n3: o2.error_message = None
   else:
    end = pos + n3 - 1
    if end > size: raise beyond('DeleteAclsMatchingAcl.error_message')
    o2.error_message = view[pos:end].tobytes().decode()
    pos = end
   o2.resource_type, n4 = U_bB(view, pos)
   pos += 2
   if n4 > 127:
    n4, pos = varint_rest(view, pos, n4)
   if not n4: raise null('DeleteAclsMatchingAcl.resource_name')
   end = pos + n4 - 1
   if end > size: raise beyond('DeleteAclsMatchingAcl.resource_name')
   o2.resource_name = view[pos:end].tobytes().decode()
   pos = end
   o2.pattern_type, n5 = U_bB(view, pos)
   pos += 2
   if n5 > 127:
    n5, pos = varint_rest(view, pos, n5)
   if not n5: raise null('DeleteAclsMatchingAcl.principal')
   end = pos + n5 - 1
   if end > size: raise beyond('DeleteAclsMatchingAcl.principal')
   o2.principal = view[pos:end].tobytes().decode()
   pos = end
   n6 = view[pos]
   pos += 1
   if n6 > 127:
    n6, pos = varint_rest(view, pos, n6)
   if not n6: raise null('DeleteAclsMatchingAcl.host')
   end = pos + n6 - 1
   if end > size: raise beyond('DeleteAclsMatchingAcl.host')
   o2.host = view[pos:end].tobytes().decode()
   pos = end
   o2.operation, o2.permission_type, t0 = U_bbB(view, pos)
   pos += 3
   if t0:
    pos = skip_tags(view, pos, t0, size)
   a1.append(o2)
  o1.matching_acls = a1
  t1 = view[pos]
  pos += 1
  if t1:
   pos = skip_tags(view, pos, t1, size)
  a0.append(o1)
 o0.filter_results = a0
 t2 = view[pos]
 pos += 1
 if t2:
  pos = skip_tags(view, pos, t2, size)
 return o0, pos
DeleteAclsResponse.decoders = {1: _decode_delete_acls_response_1, 2: _decode_delete_acls_response_2, 3: _decode_delete_acls_response_2}

def _encode_delete_acls_response_1(m):
 out = []
 a0 = m.filter_results
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
  a1 = m0.matching_acls
  n2 = len(a1)
  out.append(P_i(n2))
  for m1 in a1:
   b1 = m1.error_message
   if b1 is None:
    b1 = b''; n3 = -1
   else:
    b1 = b1.encode()
    n3 = len(b1)
   out.append(P_hh(m1.error_code, n3))
   out.append(b1)
   b2 = m1.resource_name.encode()
   n4 = len(b2)
   out.append(P_bh(m1.resource_type, n4))
   out.append(b2)
   b3 = m1.principal.encode()
   n5 = len(b3)
   out.append(P_bh(m1.pattern_type, n5))
   out.append(b3)
   b4 = m1.host.encode()
   n6 = len(b4)
   out.append(P_h(n6))
   out.append(b4)
   out.append(P_bb(m1.operation, m1.permission_type))
 return [b''.join(out)]
def _encode_delete_acls_response_2(m):
 out = []
 a0 = m.filter_results
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
  a1 = m0.matching_acls
  n2 = len(a1) + 1
  out.append(U8[n2] if n2 < 128 else varint(n2))
  for m1 in a1:
   b1 = m1.error_message
   if b1 is None:
    b1 = b''; n3 = 0
   else:
    b1 = b1.encode()
    n3 = len(b1) + 1
   out.append(P_hB(m1.error_code, n3) if n3 < 128 else P_h(m1.error_code) + varint(n3))
   out.append(b1)
   b2 = m1.resource_name.encode()
   n4 = len(b2) + 1
   out.append(P_bB(m1.resource_type, n4) if n4 < 128 else P_b(m1.resource_type) + varint(n4))
   out.append(b2)
   b3 = m1.principal.encode()
   n5 = len(b3) + 1
   out.append(P_bB(m1.pattern_type, n5) if n5 < 128 else P_b(m1.pattern_type) + varint(n5))
   out.append(b3)
   b4 = m1.host.encode()
   n6 = len(b4) + 1
   out.append(U8[n6] if n6 < 128 else varint(n6))
   out.append(b4)
   out.append(P_bbx(m1.operation, m1.permission_type))
  out.append(b'\x00')
 out.append(b'\x00')
 return [b''.join(out)]
DeleteAclsResponse.encoders = {1: _encode_delete_acls_response_1, 2: _encode_delete_acls_response_2, 3: _encode_delete_acls_response_2}
