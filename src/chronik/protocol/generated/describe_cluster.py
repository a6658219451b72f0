"""DescribeCluster: request in versions 0 to 2 and response in versions 0 to 2.

Generated from the message definitions of kafka-clients 4.1.0 by ``python -m generator``: do not edit.
"""
from typing import ClassVar

from chronik.protocol.wire import FRESH, U8, Message, Packing, Struct, beyond, new, null, skip_tags, unsupported, varint, varint_rest

P_tbtx = Packing('>?b?x').pack
P_tbx = Packing('>?bx').pack
P_tx = Packing('>?x').pack
P_b = Packing('>b').pack
P_bB = Packing('>bB').pack
P_i = Packing('>i').pack
P_iB = Packing('>iB').pack
P_ih = Packing('>ih').pack
P_ihB = Packing('>ihB').pack
P_ix = Packing('>ix').pack
U_tB = Packing('>?B').unpack_from
U_tbtB = Packing('>?b?B').unpack_from
U_tbB = Packing('>?bB').unpack_from
U_bB = Packing('>bB').unpack_from
U_iB = Packing('>iB').unpack_from
U_ihB = Packing('>ihB').unpack_from


class DescribeClusterRequest(Message):
 __slots__ = ('include_cluster_authorized_operations', 'endpoint_type', 'include_fenced_brokers', )
 api_key: ClassVar[int] = 60
 versions: ClassVar[range] = range(0, 3)
 first_flexible: ClassVar[int | None] = 0
 include_cluster_authorized_operations: bool
 endpoint_type: int
 include_fenced_brokers: bool
 def __init__(self, include_cluster_authorized_operations: bool = False, endpoint_type: int = 1, include_fenced_brokers: bool = False) -> None:
  self.include_cluster_authorized_operations = include_cluster_authorized_operations
  self.endpoint_type = endpoint_type
  self.include_fenced_brokers = include_fenced_brokers

def _decode_describe_cluster_request_0(view, size):
 pos = 0
 o0 = new(DescribeClusterRequest)
 o0.endpoint_type = 1
 o0.include_fenced_brokers = False
 o0.include_cluster_authorized_operations, t0 = U_tB(view, pos)
 pos += 2
 if t0:
  pos = skip_tags(view, pos, t0, size)
 return o0, pos
def _decode_describe_cluster_request_1(view, size):
 pos = 0
 o0 = new(DescribeClusterRequest)
 o0.include_fenced_brokers = False
 o0.include_cluster_authorized_operations, o0.endpoint_type, t0 = U_tbB(view, pos)
 pos += 3
 if t0:
  pos = skip_tags(view, pos, t0, size)
 return o0, pos
def _decode_describe_cluster_request_2(view, size):
 pos = 0
 o0 = new(DescribeClusterRequest)
 o0.include_cluster_authorized_operations, o0.endpoint_type, o0.include_fenced_brokers, t0 = U_tbtB(view, pos)
 pos += 4
 if t0:
  pos = skip_tags(view, pos, t0, size)
 return o0, pos
DescribeClusterRequest.decoders = {0: _decode_describe_cluster_request_0, 1: _decode_describe_cluster_request_1, 2: _decode_describe_cluster_request_2}

def _encode_describe_cluster_request_0(m):
 out = []
 if m.endpoint_type != 1: raise unsupported('DescribeClusterRequest.endpoint_type')
 if m.include_fenced_brokers: raise unsupported('DescribeClusterRequest.include_fenced_brokers')
 out.append(P_tx(m.include_cluster_authorized_operations))
 return [b''.join(out)]
def _encode_describe_cluster_request_1(m):
 out = []
 if m.include_fenced_brokers: raise unsupported('DescribeClusterRequest.include_fenced_brokers')
 out.append(P_tbx(m.include_cluster_authorized_operations, m.endpoint_type))
 return [b''.join(out)]
def _encode_describe_cluster_request_2(m):
 out = []
 out.append(P_tbtx(m.include_cluster_authorized_operations, m.endpoint_type, m.include_fenced_brokers))
 return [b''.join(out)]
DescribeClusterRequest.encoders = {0: _encode_describe_cluster_request_0, 1: _encode_describe_cluster_request_1, 2: _encode_describe_cluster_request_2}


class DescribeClusterBroker(Struct):
 __slots__ = ('broker_id', 'host', 'port', 'rack', 'is_fenced', )
 broker_id: int
 host: str
 port: int
 rack: str | None
 is_fenced: bool
 def __init__(self, broker_id: int = 0, host: str = '', port: int = 0, rack: str | None = None, is_fenced: bool = False) -> None:
  self.broker_id = broker_id
  self.host = host
  self.port = port
  self.rack = rack
  self.is_fenced = is_fenced


class DescribeClusterResponse(Message):
 __slots__ = ('throttle_time_ms', 'error_code', 'error_message', 'endpoint_type', 'cluster_id', 'controller_id', 'brokers', 'cluster_authorized_operations', )
 api_key: ClassVar[int] = 60
 versions: ClassVar[range] = range(0, 3)
 first_flexible: ClassVar[int | None] = 0
 throttle_time_ms: int
 error_code: int
 error_message: str | None
 endpoint_type: int
 cluster_id: str
 controller_id: int
 brokers: list[DescribeClusterBroker]
 cluster_authorized_operations: int
 def __init__(self, throttle_time_ms: int = 0, error_code: int = 0, error_message: str | None = None, endpoint_type: int = 1, cluster_id: str = '', controller_id: int = -1, brokers: list[DescribeClusterBroker] = FRESH, cluster_authorized_operations: int = -2147483648) -> None:
  self.throttle_time_ms = throttle_time_ms
  self.error_code = error_code
  self.error_message = error_message
  self.endpoint_type = endpoint_type
  self.cluster_id = cluster_id
  self.controller_id = controller_id
  self.brokers = [] if brokers is FRESH else brokers
  self.cluster_authorized_operations = cluster_authorized_operations

def _decode_describe_cluster_response_0(view, size):
 pos = 0
 o0 = new(DescribeClusterResponse)
 o0.throttle_time_ms, o0.error_code, n0 = U_ihB(view, pos)
 pos += 7
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: o0.error_message = None
 else:
  end = pos + n0 - 1
  if end > size: raise beyond('DescribeClusterResponse.error_message')
  o0.error_message = view[pos:end].tobytes().decode()
  pos = end
 o0.endpoint_type = 1
 n1 = view[pos]
 pos += 1
 if n1 > 127:
  n1, pos = varint_rest(view, pos, n1)
 if not n1: raise null('DescribeClusterResponse.cluster_id')
 end = pos + n1 - 1
 if end > size: raise beyond('DescribeClusterResponse.cluster_id')
 o0.cluster_id = view[pos:end].tobytes().decode()
 pos = end
 o0.controller_id, n2 = U_iB(view, pos)
 pos += 5
 if n2 > 127:
  n2, pos = varint_rest(view, pos, n2)
 if not n2: raise null('DescribeClusterResponse.brokers')
 n2 -= 1
 if n2 * 11 > size - pos: raise beyond('DescribeClusterResponse.brokers')
 a0 = []
 for _ in range(n2):
  o1 = new(DescribeClusterBroker)
  o1.broker_id, n3 = U_iB(view, pos)
  pos += 5
  if n3 > 127:
   n3, pos = varint_rest(view, pos, n3)
  if not n3: raise null('DescribeClusterBroker.host')
  end = pos + n3 - 1
  if end > size: raise beyond('DescribeClusterBroker.host')
  o1.host = view[pos:end].tobytes().decode()
  pos = end
  o1.port, n4 = U_iB(view, pos)
  pos += 5
  if n4 > 127:
   n4, pos = varint_rest(view, pos, n4)
  if not n4: o1.rack = None
  else:
   end = pos + n4 - 1
   if end > size: raise beyond('DescribeClusterBroker.rack')
   o1.rack = view[pos:end].tobytes().decode()
   pos = end
  o1.is_fenced = False
  t0 = view[pos]
  pos += 1
  if t0:
   pos = skip_tags(view, pos, t0, size)
  a0.append(o1)
 o0.brokers = a0
 o0.cluster_authorized_operations, t1 = U_iB(view, pos)
 pos += 5
 if t1:
  pos = skip_tags(view, pos, t1, size)
 return o0, pos
def _decode_describe_cluster_response_1(view, size):
 pos = 0
 o0 = new(DescribeClusterResponse)
 o0.throttle_time_ms, o0.error_code, n0 = U_ihB(view, pos)
 pos += 7
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: o0.error_message = None
 else:
  end = pos + n0 - 1
  if end > size: raise beyond('DescribeClusterResponse.error_message')
  o0.error_message = view[pos:end].tobytes().decode()
  pos = end
 o0.endpoint_type, n1 = U_bB(view, pos)
 pos += 2
 if n1 > 127:
  n1, pos = varint_rest(view, pos, n1)
 if not n1: raise null('DescribeClusterResponse.cluster_id')
 end = pos + n1 - 1
 if end > size: raise beyond('DescribeClusterResponse.cluster_id')
 o0.cluster_id = view[pos:end].tobytes().decode()
 pos = end
 o0.controller_id, n2 = U_iB(view, pos)
 pos += 5
 if n2 > 127:
  n2, pos = varint_rest(view, pos, n2)
 if not n2: raise null('DescribeClusterResponse.brokers')
 n2 -= 1
 if n2 * 11 > size - pos: raise beyond('DescribeClusterResponse.brokers')
 a0 = []
 for _ in range(n2):
  o1 = new(DescribeClusterBroker)
  o1.broker_id, n3 = U_iB(view, pos)
  pos += 5
  if n3 > 127:
   n3, pos = varint_rest(view, pos, n3)
  if not n3: raise null('DescribeClusterBroker.host')
  end = pos + n3 - 1
  if end > size: raise beyond('DescribeClusterBroker.host')
  o1.host = view[pos:end].tobytes().decode()
  pos = end
  o1.port, n4 = U_iB(view, pos)
  pos += 5
  if n4 > 127:
   n4, pos = varint_rest(view, pos, n4)
  if not n4: o1.rack = None
  else:
   end = pos + n4 - 1
   if end > size: raise beyond('DescribeClusterBroker.rack')
   o1.rack = view[pos:end].tobytes().decode()
   pos = end
  o1.is_fenced = False
  t0 = view[pos]
  pos += 1
  if t0:
   pos = skip_tags(view, pos, t0, size)
  a0.append(o1)
 o0.brokers = a0
 o0.cluster_authorized_operations, t1 = U_iB(view, pos)
 pos += 5
 if t1:
  pos = skip_tags(view, pos, t1, size)
 return o0, pos
def _decode_describe_cluster_response_2(view, size):
 pos = 0
 o0 = new(DescribeClusterResponse)
 o0.throttle_time_ms, o0.error_code, n0 = U_ihB(view, pos)
 pos += 7
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: o0.error_message = None
 else:
  end = pos + n0 - 1
  if end > size: raise beyond('DescribeClusterResponse.error_message')
  o0.error_message = view[pos:end].tobytes().decode()
  pos = end
 o0.endpoint_type, n1 = U_bB(view, pos)
 pos += 2
 if n1 > 127:
  n1, pos = varint_rest(view, pos, n1)
 if not n1: raise null('DescribeClusterResponse.cluster_id')
 end = pos + n1 - 1
 if end > size: raise beyond('DescribeClusterResponse.cluster_id')
 o0.cluster_id = view[pos:end].tobytes().decode()
 pos = end
 o0.controller_id, n2 = U_iB(view, pos)
 pos += 5
 if n2 > 127:
  n2, pos = varint_rest(view, pos, n2)
 if not n2: raise null('DescribeClusterResponse.brokers')
 n2 -= 1
 if n2 * 12 > size - pos: raise beyond('DescribeClusterResponse.brokers')
 a0 = []
 for _ in range(n2):
  o1 = new(DescribeClusterBroker)
  o1.broker_id, n3 = U_iB(view, pos)
  pos += 5
  if n3 > 127:
   n3, pos = varint_rest(view, pos, n3)
  if not n3: raise null('DescribeClusterBroker.host')
  end = pos + n3 - 1
  if end > size: raise beyond('DescribeClusterBroker.host')
  o1.host = view[pos:end].tobytes().decode()
  pos = end
  o1.port, n4 = U_iB(view, pos)
  pos += 5
  if n4 > 127:
   n4, pos = varint_rest(view, pos, n4)
  if not n4: o1.rack = None
  else:
   end = pos + n4 - 1
   if end > size: raise beyond('DescribeClusterBroker.rack')
   o1.rack = view[pos:end].tobytes().decode()
   pos = end
  o1.is_fenced, t0 = U_tB(view, pos)
  pos += 2
  if t0:
   pos = skip_tags(view, pos, t0, size)
  a0.append(o1)
 o0.brokers = a0
 o0.cluster_authorized_operations, t1 = U_iB(view, pos)
 pos += 5
 if t1:
  pos = skip_tags(view, pos, t1, size)
 return o0, pos
DescribeClusterResponse.decoders = {0: _decode_describe_cluster_response_0, 1: _decode_describe_cluster_response_1, 2: _decode_describe_cluster_response_2}

def _encode_describe_cluster_response_0(m):
 out = []
 b0 = m.error_message
 if b0 is None:
  b0 = b''; n0 = 0
 else:
  b0 = b0.encode()
  n0 = len(b0) + 1
 out.append(P_ihB(m.throttle_time_ms, m.error_code, n0) if n0 < 128 else P_ih(m.throttle_time_ms, m.error_code) + varint(n0))
 out.append(b0)
 if m.endpoint_type != 1: raise unsupported('DescribeClusterResponse.endpoint_type')
 b1 = m.cluster_id.encode()
 n1 = len(b1) + 1
 out.append(U8[n1] if n1 < 128 else varint(n1))
 out.append(b1)
 a0 = m.brokers
 n2 = len(a0) + 1
 out.append(P_iB(m.controller_id, n2) if n2 < 128 else P_i(m.controller_id) + varint(n2))
 for m0 in a0:
  b2 = m0.host.encode()
  n3 = len(b2) + 1
  out.append(P_iB(m0.broker_id, n3) if n3 < 128 else P_i(m0.broker_id) + varint(n3))
  out.append(b2)
  b3 = m0.rack
  if b3 is None:
   b3 = b''; n4 = 0
  else:
   b3 = b3.encode()
   n4 = len(b3) + 1
  out.append(P_iB(m0.port, n4) if n4 < 128 else P_i(m0.port) + varint(n4))
  out.append(b3)
  if m0.is_fenced: raise unsupported('DescribeClusterBroker.is_fenced')
  out.append(b'\x00')
 out.append(P_ix(m.cluster_authorized_operations))
 return [b''.join(out)]
def _encode_describe_cluster_response_1(m):
 out = []
 b0 = m.error_message
 if b0 is None:
  b0 = b''; n0 = 0
 else:
  b0 = b0.encode()
  n0 = len(b0) + 1
 out.append(P_ihB(m.throttle_time_ms, m.error_code, n0) if n0 < 128 else P_ih(m.throttle_time_ms, m.error_code) + varint(n0))
 out.append(b0)
 b1 = m.cluster_id.encode()
 n1 = len(b1) + 1
 out.append(P_bB(m.endpoint_type, n1) if n1 < 128 else P_b(m.endpoint_type) + varint(n1))
 out.append(b1)
 a0 = m.brokers
 n2 = len(a0) + 1
 out.append(P_iB(m.controller_id, n2) if n2 < 128 else P_i(m.controller_id) + varint(n2))
 for m0 in a0:
  b2 = m0.host.encode()
  n3 = len(b2) + 1
  out.append(P_iB(m0.broker_id, n3) if n3 < 128 else P_i(m0.broker_id) + varint(n3))
  out.append(b2)
  b3 = m0.rack
  if b3 is None:
   b3 = b''; n4 = 0
  else:
   b3 = b3.encode()
   n4 = len(b3) + 1
  out.append(P_iB(m0.port, n4) if n4 < 128 else P_i(m0.port) + varint(n4))
  out.append(b3)
  if m0.is_fenced: raise unsupported('DescribeClusterBroker.is_fenced')
  out.append(b'\x00')
 out.append(P_ix(m.cluster_authorized_operations))
 return [b''.join(out)]
def _encode_describe_cluster_response_2(m):
 out = []
 b0 = m.error_message
 if b0 is None:
  b0 = b''; n0 = 0
 else:
  b0 = b0.encode()
  n0 = len(b0) + 1
 out.append(P_ihB(m.throttle_time_ms, m.error_code, n0) if n0 < 128 else P_ih(m.throttle_time_ms, m.error_code) + varint(n0))
 out.append(b0)
 b1 = m.cluster_id.encode()
 n1 = len(b1) + 1
 out.append(P_bB(m.endpoint_type, n1) if n1 < 128 else P_b(m.endpoint_type) + varint(n1))
 out.append(b1)
 a0 = m.brokers
 n2 = len(a0) + 1
 out.append(P_iB(m.controller_id, n2) if n2 < 128 else P_i(m.controller_id) + varint(n2))
 for m0 in a0:
  b2 = m0.host.encode()
  n3 = len(b2) + 1
  out.append(P_iB(m0.broker_id, n3) if n3 < 128 else P_i(m0.broker_id) + varint(n3))
  out.append(b2)
  b3 = m0.rack
  if b3 is None:
   b3 = b''; n4 = 0
  else:
   b3 = b3.encode()
   n4 = len(b3) + 1
  out.append(P_iB(m0.port, n4) if n4 < 128 else P_i(m0.port) + varint(n4))
  out.append(b3)
  out.append(P_tx(m0.is_fenced))
 out.append(P_ix(m.cluster_authorized_operations))
 return [b''.join(out)]
DescribeClusterResponse.encoders = {0: _encode_describe_cluster_response_0, 1: _encode_describe_cluster_response_1, 2: _encode_describe_cluster_response_2}
