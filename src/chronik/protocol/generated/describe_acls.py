"""DescribeAcls: request in versions 1 to 3 and response in versions 1 to 3.

Generated from the message definitions of kafka-clients 4.1.0 by ``python -m generator``: do not edit.
"""
from typing import ClassVar

from chronik.protocol.wire import FRESH, U8, Message, Packing, Struct, beyond, new, null, skip_tags, varint, varint_rest

P_b = Packing('>b').pack
P_bB = Packing('>bB').pack
P_bb = Packing('>bb').pack
P_bbx = Packing('>bbx').pack
P_bh = Packing('>bh').pack
P_bi = Packing('>bi').pack
P_h = Packing('>h').pack
P_i = Packing('>i').pack
P_ih = Packing('>ih').pack
P_ihB = Packing('>ihB').pack
P_ihh = Packing('>ihh').pack
U_bB = Packing('>bB').unpack_from
U_bb = Packing('>bb').unpack_from
U_bbB = Packing('>bbB').unpack_from
U_bh = Packing('>bh').unpack_from
U_bi = Packing('>bi').unpack_from
U_h = Packing('>h').unpack_from
U_i = Packing('>i').unpack_from
U_ihB = Packing('>ihB').unpack_from
U_ihh = Packing('>ihh').unpack_from


class DescribeAclsRequest(Message):
 __slots__ = ('resource_type_filter', 'resource_name_filter', 'pattern_type_filter', 'principal_filter', 'host_filter', 'operation', 'permission_type', )
 api_key: ClassVar[int] = 29
 versions: ClassVar[range] = range(1, 4)
 first_flexible: ClassVar[int | None] = 2
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

def _decode_describe_acls_request_1(view, size):
 pos = 0
 o0 = new(DescribeAclsRequest)
 o0.resource_type_filter, n0 = U_bh(view, pos)
 pos += 3
 if n0 < 0: o0.resource_name_filter = None
 else:
  end = pos + n0
  if end > size: raise beyond('DescribeAclsRequest.resource_name_filter')
  o0.resource_name_filter = view[pos:end].tobytes().decode()
  pos = end
 o0.pattern_type_filter, n1 = U_bh(view, pos)
 pos += 3
 if n1 < 0: o0.principal_filter = None
 else:
  end = pos + n1
  if end > size: raise beyond('DescribeAclsRequest.principal_filter')
  o0.principal_filter = view[pos:end].tobytes().decode()
  pos = end
 n2, = U_h(view, pos)
 pos += 2
 if n2 < 0: o0.host_filter = None
 else:
  end = pos + n2
  if end > size: raise beyond('DescribeAclsRequest.host_filter')
  o0.host_filter = view[pos:end].tobytes().decode()
  pos = end
 o0.operation, o0.permission_type = U_bb(view, pos)
 pos += 2
 return o0, pos
def _decode_describe_acls_request_2(view, size):
 pos = 0
 o0 = new(DescribeAclsRequest)
 o0.resource_type_filter, n0 = U_bB(view, pos)
 pos += 2
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: o0.resource_name_filter = None
 else:
  end = pos + n0 - 1
  if end > size: raise beyond('DescribeAclsRequest.resource_name_filter')
  o0.resource_name_filter = view[pos:end].tobytes().decode()
  pos = end
 o0.pattern_type_filter, n1 = U_bB(view, pos)
 pos += 2
 if n1 > 127:
  n1, pos = varint_rest(view, pos, n1)
 if not n1: o0.principal_filter = None
 else:
  end = pos + n1 - 1
  if end > size: raise beyond('DescribeAclsRequest.principal_filter')
  o0.principal_filter = view[pos:end].tobytes().decode()
  pos = end
 n2 = view[pos]
 pos += 1
 if n2 > 127:
  n2, pos = varint_rest(view, pos, n2)
 if not n2: o0.host_filter = None
 else:
  end = pos + n2 - 1
  if end > size: raise beyond('DescribeAclsRequest.host_filter')
  o0.host_filter = view[pos:end].tobytes().decode()
  pos = end
 o0.operation, o0.permission_type, t0 = U_bbB(view, pos)
 pos += 3
 if t0:
  pos = skip_tags(view, pos, t0, size)
 return o0, pos
DescribeAclsRequest.decoders = {1: _decode_describe_acls_request_1, 2: _decode_describe_acls_request_2, 3: _decode_describe_acls_request_2}

def _encode_describe_acls_request_1(m):
 out = []
 b0 = m.resource_name_filter
 if b0 is None:
  b0 = b''; n0 = -1
 else:
  b0 = b0.encode()
  n0 = len(b0)
 out.append(P_bh(m.resource_type_filter, n0))
 out.append(b0)
 b1 = m.principal_filter
 if b1 is None:
  b1 = b''; n1 = -1
 else:
  b1 = b1.encode()
  n1 = len(b1)
 out.append(P_bh(m.pattern_type_filter, n1))
 out.append(b1)
 b2 = m.host_filter
 if b2 is None:
  b2 = b''; n2 = -1
 else:
  b2 = b2.encode()
  n2 = len(b2)
 out.append(P_h(n2))
 out.append(b2)
 out.append(P_bb(m.operation, m.permission_type))
 return [b''.join(out)]
def _encode_describe_acls_request_2(m):
 out = []
 b0 = m.resource_name_filter
 if b0 is None:
  b0 = b''; n0 = 0
 else:
  b0 = b0.encode()
  n0 = len(b0) + 1
 out.append(P_bB(m.resource_type_filter, n0) if n0 < 128 else P_b(m.resource_type_filter) + varint(n0))
 out.append(b0)
 b1 = m.principal_filter
 if b1 is None:
  b1 = b''; n1 = 0
 else:
  b1 = b1.encode()
  n1 = len(b1) + 1
 out.append(P_bB(m.pattern_type_filter, n1) if n1 < 128 else P_b(m.pattern_type_filter) + varint(n1))
 out.append(b1)
 b2 = m.host_filter
 if b2 is None:
  b2 = b''; n2 = 0
 else:
  b2 = b2.encode()
  n2 = len(b2) + 1
 out.append(U8[n2] if n2 < 128 else varint(n2))
 out.append(b2)
 out.append(P_bbx(m.operation, m.permission_type))
 return [b''.join(out)]
DescribeAclsRequest.encoders = {1: _encode_describe_acls_request_1, 2: _encode_describe_acls_request_2, 3: _encode_describe_acls_request_2}


class AclDescription(Struct):
 __slots__ = ('principal', 'host', 'operation', 'permission_type', )
 principal: str
 host: str
 operation: int
 permission_type: int
 def __init__(self, principal: str = '', host: str = '', operation: int = 0, permission_type: int = 0) -> None:
  self.principal = principal
  self.host = host
  self.operation = operation
  self.permission_type = permission_type


class DescribeAclsResource(Struct):
 __slots__ = ('resource_type', 'resource_name', 'pattern_type', 'acls', )
 resource_type: int
 resource_name: str
 pattern_type: int
 acls: list[AclDescription]
 def __init__(self, resource_type: int = 0, resource_name: str = '', pattern_type: int = 3, acls: list[AclDescription] = FRESH) -> None:
  self.resource_type = resource_type
  self.resource_name = resource_name
  self.pattern_type = pattern_type
  self.acls = [] if acls is FRESH else acls


class DescribeAclsResponse(Message):
 __slots__ = ('throttle_time_ms', 'error_code', 'error_message', 'resources', )
 api_key: ClassVar[int] = 29
 versions: ClassVar[range] = range(1, 4)
 first_flexible: ClassVar[int | None] = 2
 throttle_time_ms: int
 error_code: int
 error_message: str | None
 resources: list[DescribeAclsResource]
 def __init__(self, throttle_time_ms: int = 0, error_code: int = 0, error_message: str | None = '', resources: list[DescribeAclsResource] = FRESH) -> None:
  self.throttle_time_ms = throttle_time_ms
  self.error_code = error_code
  self.error_message = error_message
  self.resources = [] if resources is FRESH else resources

def _decode_describe_acls_response_1(view, size):
 pos = 0
 o0 = new(DescribeAclsResponse)
 o0.throttle_time_ms, o0.error_code, n0 = U_ihh(view, pos)
 pos += 8
 if n0 < 0: o0.error_message = None
 else:
  end = pos + n0
  if end > size: raise beyond('DescribeAclsResponse.error_message')
  o0.error_message = view[pos:end].tobytes().decode()
  pos = end
 n1, = U_i(view, pos)
 pos += 4
 if n1 < 0: raise null('DescribeAclsResponse.resources')
 if n1 * 8 > size - pos: raise beyond('DescribeAclsResponse.resources')
 a0 = []
 for _ in range(n1):
  o1 = new(DescribeAclsResource)
  o1.resource_type, n2 = U_bh(view, pos)
  pos += 3
  if n2 < 0: raise null('DescribeAclsResource.resource_name')
  end = pos + n2
  if end > size: raise beyond('DescribeAclsResource.resource_name')
  o1.resource_name = view[pos:end].tobytes().decode()
  pos = end
  o1.pattern_type, n3 = U_bi(view, pos)
  pos += 5
  if n3 < 0: raise null('DescribeAclsResource.acls')
  if n3 * 6 > size - pos: raise beyond('DescribeAclsResource.acls')
  a1 = []
  for _ in range(n3):
   o2 = new(AclDescription)
   n4, = U_h(view, pos)
   pos += 2
   if n4 < 0: raise null('AclDescription.principal')
   end = pos + n4
   if end > size: raise beyond('AclDescription.principal')
   o2.principal = view[pos:end].tobytes().decode()
   pos = end
   n5, = U_h(view, pos)
   pos += 2
   if n5 < 0: raise null('AclDescription.host')
   end = pos + n5
   if end > size: raise beyond('AclDescription.host')
   o2.host = view[pos:end].tobytes().decode()
   pos = end
   o2.operation, o2.permission_type = U_bb(view, pos)
   pos += 2
   a1.append(o2)
  o1.acls = a1
  a0.append(o1)
 o0.resources = a0
 return o0, pos
def _decode_describe_acls_response_2(view, size):
 pos = 0
 o0 = new(DescribeAclsResponse)
 o0.throttle_time_ms, o0.error_code, n0 = U_ihB(view, pos)
 pos += 7
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: o0.error_message = None
 else:
  end = pos + n0 - 1
  if end > size: raise beyond('DescribeAclsResponse.error_message')
  o0.error_message = view[pos:end].tobytes().decode()
  pos = end
 n1 = view[pos]
 pos += 1
 if n1 > 127:
  n1, pos = varint_rest(view, pos, n1)
 if not n1: raise null('DescribeAclsResponse.resources')
 n1 -= 1
 if n1 * 5 > size - pos: raise beyond('DescribeAclsResponse.resources')
 a0 = []
 for _ in range(n1):
  o1 = new(DescribeAclsResource)
  o1.resource_type, n2 = U_bB(view, pos)
  pos += 2
  if n2 > 127:
   n2, pos = varint_rest(view, pos, n2)
  if not n2: raise null('DescribeAclsResource.resource_name')
  end = pos + n2 - 1
  if end > size: raise beyond('DescribeAclsResource.resource_name')
  o1.resource_name = view[pos:end].tobytes().decode()
  pos = end
  o1.pattern_type, n3 = U_bB(view, pos)
  pos += 2
  if n3 > 127:
   n3, pos = varint_rest(view, pos, n3)
  if not n3: raise null('DescribeAclsResource.acls')
  n3 -= 1
  if n3 * 5 > size - pos: raise beyond('DescribeAclsResource.acls')
  a1 = []
  for _ in range(n3):
   o2 = new(AclDescription)
   n4 = view[pos]
   pos += 1
   if n4 > 127:
    n4, pos = varint_rest(view, pos, n4)
   if not n4: raise null('AclDescription.principal')
   end = pos + n4 - 1
   if end > size: raise beyond('AclDescription.principal')
   o2.principal = view[pos:end].tobytes().decode()
   pos = end
   n5 = view[pos]
   pos += 1
   if n5 > 127:
    n5, pos = varint_rest(view, pos, n5)
   if not n5: raise null('AclDescription.host')
   end = pos + n5 - 1
   if end > size: raise beyond('AclDescription.host')
   o2.host = view[pos:end].tobytes().decode()
   pos = end
   o2.operation, o2.permission_type, t0 = U_bbB(view, pos)
   pos += 3
   if t0:
    pos = skip_tags(view, pos, t0, size)
   a1.append(o2)
  o1.acls = a1
  t1 = view[pos]
  pos += 1
  if t1:
   pos = skip_tags(view, pos, t1, size)
  a0.append(o1)
 o0.resources = a0
 t2 = view[pos]
 pos += 1
 if t2:
  pos = skip_tags(view, pos, t2, size)
 return o0, pos
DescribeAclsResponse.decoders = {1: _decode_describe_acls_response_1, 2: _decode_describe_acls_response_2, 3: _decode_describe_acls_response_2}

def _encode_describe_acls_response_1(m):
 out = []
 b0 = m.error_message
 if b0 is None:
  b0 = b''; n0 = -1
 else:
  b0 = b0.encode()
  n0 = len(b0)
 out.append(P_ihh(m.throttle_time_ms, m.error_code, n0))
 out.append(b0)
 a0 = m.resources
 n1 = len(a0)
 out.append(P_i(n1))
 for m0 in a0:
  b1 = m0.resource_name.encode()
  n2 = len(b1)
  out.append(P_bh(m0.resource_type, n2))
  out.append(b1)
  a1 = m0.acls
  n3 = len(a1)
  out.append(P_bi(m0.pattern_type, n3))
  for m1 in a1:
   b2 = m1.principal.encode()
   n4 = len(b2)
   out.append(P_h(n4))
   out.append(b2)
   b3 = m1.host.encode()
   n5 = len(b3)
   out.append(P_h(n5))
   out.append(b3)
   out.append(P_bb(m1.operation, m1.permission_type))
 return [b''.join(out)]
def _encode_describe_acls_response_2(m):
 out = []
 b0 = m.error_message
 if b0 is None:
  b0 = b''; n0 = 0
 else:
  b0 = b0.encode()
  n0 = len(b0) + 1
 out.append(P_ihB(m.throttle_time_ms, m.error_code, n0) if n0 < 128 else P_ih(m.throttle_time_ms, m.error_code) + varint(n0))
 out.append(b0)
 a0 = m.resources
 n1 = len(a0) + 1
 out.append(U8[n1] if n1 < 128 else varint(n1))
 for m0 in a0:
  b1 = m0.resource_name.encode()
  n2 = len(b1) + 1
  out.append(P_bB(m0.resource_type, n2) if n2 < 128 else P_b(m0.resource_type) + varint(n2))
  out.append(b1)
  a1 = m0.acls
  n3 = len(a1) + 1
  out.append(P_bB(m0.pattern_type, n3) if n3 < 128 else P_b(m0.pattern_type) + varint(n3))
  for m1 in a1:
   b2 = m1.principal.encode()
   n4 = len(b2) + 1
   out.append(U8[n4] if n4 < 128 else varint(n4))
   out.append(b2)
   b3 = m1.host.encode()
   n5 = len(b3) + 1
   out.append(U8[n5] if n5 < 128 else varint(n5))
   out.append(b3)
   out.append(P_bbx(m1.operation, m1.permission_type))
  out.append(b'\x00')
 out.append(b'\x00')
 return [b''.join(out)]
DescribeAclsResponse.encoders = {1: _encode_describe_acls_response_1, 2: _encode_describe_acls_response_2, 3: _encode_describe_acls_response_2}
