"""CreateAcls: request in versions 1 to 3 and response in versions 1 to 3.

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


class AclCreation(Struct):
 __slots__ = ('resource_type', 'resource_name', 'resource_pattern_type', 'principal', 'host', 'operation', 'permission_type', )
 resource_type: int
 resource_name: str
 resource_pattern_type: int
 principal: str
 host: str
 operation: int
 permission_type: int
 def __init__(self, resource_type: int = 0, resource_name: str = '', resource_pattern_type: int = 3, principal: str = '', host: str = '', operation: int = 0, permission_type: int = 0) -> None:
  self.resource_type = resource_type
  self.resource_name = resource_name
  self.resource_pattern_type = resource_pattern_type
  self.principal = principal
  self.host = host
  self.operation = operation
  self.permission_type = permission_type


class CreateAclsRequest(Message):
 __slots__ = ('creations', )
 api_key: ClassVar[int] = 30
 versions: ClassVar[range] = range(1, 4)
 first_flexible: ClassVar[int | None] = 2
 creations: list[AclCreation]
 def __init__(self, creations: list[AclCreation] = FRESH) -> None:
  self.creations = [] if creations is FRESH else creations

def _decode_create_acls_request_1(view, size):
 pos = 0
 o0 = new(CreateAclsRequest)
 n0, = U_i(view, pos)
 pos += 4
 if n0 < 0: raise null('CreateAclsRequest.creations')
 if n0 * 10 > size - pos: raise beyond('CreateAclsRequest.creations')
 a0 = []
 for _ in range(n0):
  o1 = new(AclCreation)
  o1.resource_type, n1 = U_bh(view, pos)
  pos += 3
  if n1 < 0: raise null('AclCreation.resource_name')
  end = pos + n1
  if end > size: raise beyond('AclCreation.resource_name')
  o1.resource_name = view[pos:end].tobytes().decode()
  pos = end
  o1.resource_pattern_type, n2 = U_bh(view, pos)
  pos += 3
  if n2 < 0: raise null('AclCreation.principal')
  end = pos + n2
  if end > size: raise beyond('AclCreation.principal')
  o1.principal = view[pos:end].tobytes().decode()
  pos = end
  n3, = U_h(view, pos)
  pos += 2
  if n3 < 0: raise null('AclCreation.host')
  end = pos + n3
  if end > size: raise beyond('AclCreation.host')
  o1.host = view[pos:end].tobytes().decode()
  pos = end
  o1.operation, o1.permission_type = U_bb(view, pos)
  pos += 2
  a0.append(o1)
 o0.creations = a0
 return o0, pos
def _decode_create_acls_request_2(view, size):
 pos = 0
 o0 = new(CreateAclsRequest)
 n0 = view[pos]
 pos += 1
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('CreateAclsRequest.creations')
 n0 -= 1
 if n0 * 8 > size - pos: raise beyond('CreateAclsRequest.creations')
 a0 = []
 for _ in range(n0):
  o1 = new(AclCreation)
  o1.resource_type, n1 = U_bB(view, pos)
  pos += 2
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('AclCreation.resource_name')
  end = pos + n1 - 1
  if end > size: raise beyond('AclCreation.resource_name')
  o1.resource_name = view[pos:end].tobytes().decode()
  pos = end
  o1.resource_pattern_type, n2 = U_bB(view, pos)
  pos += 2
  if n2 > 127:
   n2, pos = varint_rest(view, pos, n2)
  if not n2: raise null('AclCreation.principal')
  end = pos + n2 - 1
  if end > size: raise beyond('AclCreation.principal')
  o1.principal = view[pos:end].tobytes().decode()
  pos = end
  n3 = view[pos]
  pos += 1
  if n3 > 127:
   n3, pos = varint_rest(view, pos, n3)
  if not n3: raise null('AclCreation.host')
  end = pos + n3 - 1
  if end > size: raise beyond('AclCreation.host')
  o1.host = view[pos:end].tobytes().decode()
  pos = end
  o1.operation, o1.permission_type, t0 = U_bbB(view, pos)
  pos += 3
  if t0:
   pos = skip_tags(view, pos, t0, size)
  a0.append(o1)
 o0.creations = a0
 t1 = view[pos]
 pos += 1
 if t1:
  pos = skip_tags(view, pos, t1, size)
 return o0, pos
CreateAclsRequest.decoders = {1: _decode_create_acls_request_1, 2: _decode_create_acls_request_2, 3: _decode_create_acls_request_2}

def _encode_create_acls_request_1(m):
 out = []
 a0 = m.creations
 n0 = len(a0)
 out.append(P_i(n0))
 for m0 in a0:
  b0 = m0.resource_name.encode()
  n1 = len(b0)
  out.append(P_bh(m0.resource_type, n1))
  out.append(b0)
  b1 = m0.principal.encode()
  n2 = len(b1)
  out.append(P_bh(m0.resource_pattern_type, n2))
  out.append(b1)
  b2 = m0.host.encode()
  n3 = len(b2)
  out.append(P_h(n3))
  out.append(b2)
  out.append(P_bb(m0.operation, m0.permission_type))
 return [b''.join(out)]
def _encode_create_acls_request_2(m):
 out = []
 a0 = m.creations
 n0 = len(a0) + 1
 out.append(U8[n0] if n0 < 128 else varint(n0))
 for m0 in a0:
  b0 = m0.resource_name.encode()
  n1 = len(b0) + 1
  out.append(P_bB(m0.resource_type, n1) if n1 < 128 else P_b(m0.resource_type) + varint(n1))
  out.append(b0)
  b1 = m0.principal.encode()
  n2 = len(b1) + 1
  out.append(P_bB(m0.resource_pattern_type, n2) if n2 < 128 else P_b(m0.resource_pattern_type) + varint(n2))
  out.append(b1)
  b2 = m0.host.encode()
  n3 = len(b2) + 1
  out.append(U8[n3] if n3 < 128 else varint(n3))
  out.append(b2)
  out.append(P_bbx(m0.operation, m0.permission_type))
 out.append(b'\x00')
 return [b''.join(out)]
CreateAclsRequest.encoders = {1: _encode_create_acls_request_1, 2: _encode_create_acls_request_2, 3: _encode_create_acls_request_2}


class AclCreationResult(Struct):
 __slots__ = ('error_code', 'error_message', )
 error_code: int
 error_message: str | None
 def __init__(self, error_code: int = 0, error_message: str | None = '') -> None:
  self.error_code = error_code
  self.error_message = error_message


class CreateAclsResponse(Message):
 __slots__ = ('throttle_time_ms', 'results', )
 api_key: ClassVar[int] = 30
 versions: ClassVar[range] = range(1, 4)
 first_flexible: ClassVar[int | None] = 2
 throttle_time_ms: int
 results: list[AclCreationResult]
 def __init__(self, throttle_time_ms: int = 0, results: list[AclCreationResult] = FRESH) -> None:
  self.throttle_time_ms = throttle_time_ms
  self.results = [] if results is FRESH else results

def _decode_create_acls_response_1(view, size):
 pos = 0
 o0 = new(CreateAclsResponse)
 o0.throttle_time_ms, n0 = U_ii(view, pos)
 pos += 8
 if n0 < 0: raise null('CreateAclsResponse.results')
 if n0 * 4 > size - pos: raise beyond('CreateAclsResponse.results')
 a0 = []
 for _ in range(n0):
  o1 = new(AclCreationResult)
  o1.error_code, n1 = U_hh(view, pos)
  pos += 4
  if n1 < 0: o1.error_message = None
  else:
   end = pos + n1
   if end > size: raise beyond('AclCreationResult.error_message')
   o1.error_message = view[pos:end].tobytes().decode()
   pos = end
  a0.append(o1)
 o0.results = a0
 return o0, pos
def _decode_create_acls_response_2(view, size):
 pos = 0
 o0 = new(CreateAclsResponse)
 o0.throttle_time_ms, n0 = U_iB(view, pos)
 pos += 5
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('CreateAclsResponse.results')
 n0 -= 1
 if n0 * 4 > size - pos: raise beyond('CreateAclsResponse.results')
 a0 = []
 for _ in range(n0):
  o1 = new(AclCreationResult)
  o1.error_code, n1 = U_hB(view, pos)
  pos += 3
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: o1.error_message = None
  else:
   end = pos + n1 - 1
   if end > size: raise beyond('AclCreationResult.error_message')
   o1.error_message = view[pos:end].tobytes().decode()
   pos = end
  t0 = view[pos]
  pos += 1
  if t0:
   pos = skip_tags(view, pos, t0, size)
  a0.append(o1)
 o0.results = a0
 t1 = view[pos]
 pos += 1
 if t1:
  pos = skip_tags(view, pos, t1, size)
 return o0, pos
CreateAclsResponse.decoders = {1: _decode_create_acls_response_1, 2: _decode_create_acls_response_2, 3: _decode_create_acls_response_2}

def _encode_create_acls_response_1(m):
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
 return [b''.join(out)]
def _encode_create_acls_response_2(m):
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
  out.append(b'\x00')
 out.append(b'\x00')
 return [b''.join(out)]
CreateAclsResponse.encoders = {1: _encode_create_acls_response_1, 2: _encode_create_acls_response_2, 3: _encode_create_acls_response_2}
