"""DeleteTopics: request in versions 1 to 6 and response in versions 1 to 6.

Generated from the message definitions of kafka-clients 4.1.0 by ``python -m generator``: do not edit.
"""
from typing import ClassVar

from chronik.protocol.wire import FRESH, NO_UUID, U8, UUID, UUIDS, Message, Packing, Struct, beyond, new, null, skip_tags, unsupported, uuid_of, varint, varint_rest

P_16sh = Packing('>16sh').pack
P_16shB = Packing('>16shB').pack
P_16sx = Packing('>16sx').pack
P_h = Packing('>h').pack
P_hB = Packing('>hB').pack
P_hx = Packing('>hx').pack
P_i = Packing('>i').pack
P_iB = Packing('>iB').pack
P_ii = Packing('>ii').pack
P_ix = Packing('>ix').pack
U_16sB = Packing('>16sB').unpack_from
U_16shB = Packing('>16shB').unpack_from
U_h = Packing('>h').unpack_from
U_hB = Packing('>hB').unpack_from
U_i = Packing('>i').unpack_from
U_iB = Packing('>iB').unpack_from
U_ii = Packing('>ii').unpack_from


class DeleteTopicState(Struct):
 __slots__ = ('name', 'topic_id', )
 name: str | None
 topic_id: UUID
 def __init__(self, name: str | None = None, topic_id: UUID = NO_UUID) -> None:
  self.name = name
  self.topic_id = topic_id


class DeleteTopicsRequest(Message):
 __slots__ = ('topics', 'topic_names', 'timeout_ms', )
 api_key: ClassVar[int] = 20
 versions: ClassVar[range] = range(1, 7)
 first_flexible: ClassVar[int | None] = 4
 topics: list[DeleteTopicState]
 topic_names: list[str]
 timeout_ms: int
 def __init__(self, topics: list[DeleteTopicState] = FRESH, topic_names: list[str] = FRESH, timeout_ms: int = 0) -> None:
  self.topics = [] if topics is FRESH else topics
  self.topic_names = [] if topic_names is FRESH else topic_names
  self.timeout_ms = timeout_ms

def _decode_delete_topics_request_1(view, size):
 pos = 0
 o0 = new(DeleteTopicsRequest)
 o0.topics = []
 n0, = U_i(view, pos)
 pos += 4
 if n0 < 0: raise null('DeleteTopicsRequest.topic_names')
 if n0 * 2 > size - pos: raise beyond('DeleteTopicsRequest.topic_names')
 a0 = []
 for _ in range(n0):
  n1, = U_h(view, pos)
  pos += 2
  if n1 < 0: raise null('DeleteTopicsRequest.topic_names')
  end = pos + n1
  if end > size: raise beyond('DeleteTopicsRequest.topic_names')
  e0 = view[pos:end].tobytes().decode()
  pos = end
  a0.append(e0)
 o0.topic_names = a0
 o0.timeout_ms, = U_i(view, pos)
 pos += 4
 return o0, pos
def _decode_delete_topics_request_4(view, size):
 pos = 0
 o0 = new(DeleteTopicsRequest)
 o0.topics = []
 n0 = view[pos]
 pos += 1
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('DeleteTopicsRequest.topic_names')
 n0 -= 1
 if n0 > size - pos: raise beyond('DeleteTopicsRequest.topic_names')
 a0 = []
 for _ in range(n0):
  n1 = view[pos]
  pos += 1
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('DeleteTopicsRequest.topic_names')
  end = pos + n1 - 1
  if end > size: raise beyond('DeleteTopicsRequest.topic_names')
  e0 = view[pos:end].tobytes().decode()
  pos = end
  a0.append(e0)
 o0.topic_names = a0
 o0.timeout_ms, t0 = U_iB(view, pos)
 pos += 5
 if t0:
  pos = skip_tags(view, pos, t0, size)
 return o0, pos
def _decode_delete_topics_request_6(view, size):
 pos = 0
 o0 = new(DeleteTopicsRequest)
 n0 = view[pos]
 pos += 1
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('DeleteTopicsRequest.topics')
 n0 -= 1
 if n0 * 18 > size - pos: raise beyond('DeleteTopicsRequest.topics')
 a0 = []
 for _ in range(n0):
  o1 = new(DeleteTopicState)
  n1 = view[pos]
  pos += 1
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: o1.name = None
  else:
   end = pos + n1 - 1
   if end > size: raise beyond('DeleteTopicState.name')
   o1.name = view[pos:end].tobytes().decode()
   pos = end
  o1.topic_id, t0 = U_16sB(view, pos)
  pos += 17
  o1.topic_id = UUIDS.get(o1.topic_id) or uuid_of(o1.topic_id)
  if t0:
   pos = skip_tags(view, pos, t0, size)
  a0.append(o1)
 o0.topics = a0
 o0.topic_names = []
 o0.timeout_ms, t1 = U_iB(view, pos)
 pos += 5
 if t1:
  pos = skip_tags(view, pos, t1, size)
 return o0, pos
DeleteTopicsRequest.decoders = {1: _decode_delete_topics_request_1, 2: _decode_delete_topics_request_1, 3: _decode_delete_topics_request_1, 4: _decode_delete_topics_request_4, 5: _decode_delete_topics_request_4, 6: _decode_delete_topics_request_6}

def _encode_delete_topics_request_1(m):
 out = []
 if m.topics: raise unsupported('DeleteTopicsRequest.topics')
 a0 = m.topic_names
 n0 = len(a0)
 out.append(P_i(n0))
 for m0 in a0:
  m0 = m0.encode()
  n1 = len(m0)
  out.append(P_h(n1))
  out.append(m0)
 out.append(P_i(m.timeout_ms))
 return [b''.join(out)]
def _encode_delete_topics_request_4(m):
 out = []
 if m.topics: raise unsupported('DeleteTopicsRequest.topics')
 a0 = m.topic_names
 n0 = len(a0) + 1
 out.append(U8[n0] if n0 < 128 else varint(n0))
 for m0 in a0:
  m0 = m0.encode()
  n1 = len(m0) + 1
  out.append(U8[n1] if n1 < 128 else varint(n1))
  out.append(m0)
 out.append(P_ix(m.timeout_ms))
 return [b''.join(out)]
def _encode_delete_topics_request_6(m):
 out = []
 a0 = m.topics
 n0 = len(a0) + 1
 out.append(U8[n0] if n0 < 128 else varint(n0))
 for m0 in a0:
  b0 = m0.name
  if b0 is None:
   b0 = b''; n1 = 0
  else:
   b0 = b0.encode()
   n1 = len(b0) + 1
  out.append(U8[n1] if n1 < 128 else varint(n1))
  out.append(b0)
  out.append(P_16sx(m0.topic_id.bytes))
 out.append(P_ix(m.timeout_ms))
 return [b''.join(out)]
DeleteTopicsRequest.encoders = {1: _encode_delete_topics_request_1, 2: _encode_delete_topics_request_1, 3: _encode_delete_topics_request_1, 4: _encode_delete_topics_request_4, 5: _encode_delete_topics_request_4, 6: _encode_delete_topics_request_6}


class DeletableTopicResult(Struct):
 __slots__ = ('name', 'topic_id', 'error_code', 'error_message', )
 name: str | None
 topic_id: UUID
 error_code: int
 error_message: str | None
 def __init__(self, name: str | None = '', topic_id: UUID = NO_UUID, error_code: int = 0, error_message: str | None = None) -> None:
  self.name = name
  self.topic_id = topic_id
  self.error_code = error_code
  self.error_message = error_message


class DeleteTopicsResponse(Message):
 __slots__ = ('throttle_time_ms', 'responses', )
 api_key: ClassVar[int] = 20
 versions: ClassVar[range] = range(1, 7)
 first_flexible: ClassVar[int | None] = 4
 throttle_time_ms: int
 responses: list[DeletableTopicResult]
 def __init__(self, throttle_time_ms: int = 0, responses: list[DeletableTopicResult] = FRESH) -> None:
  self.throttle_time_ms = throttle_time_ms
  self.responses = [] if responses is FRESH else responses

def _decode_delete_topics_response_1(view, size):
 pos = 0
 o0 = new(DeleteTopicsResponse)
 o0.throttle_time_ms, n0 = U_ii(view, pos)
 pos += 8
 if n0 < 0: raise null('DeleteTopicsResponse.responses')
 if n0 * 4 > size - pos: raise beyond('DeleteTopicsResponse.responses')
 a0 = []
 for _ in range(n0):
  o1 = new(DeletableTopicResult)
  n1, = U_h(view, pos)
  pos += 2
  if n1 < 0: raise null('DeletableTopicResult.name')
  end = pos + n1
  if end > size: raise beyond('DeletableTopicResult.name')
  o1.name = view[pos:end].tobytes().decode()
  pos = end
  o1.topic_id = NO_UUID
  o1.error_message = None
  o1.error_code, = U_h(view, pos)
  pos += 2
  a0.append(o1)
 o0.responses = a0
 return o0, pos
def _decode_delete_topics_response_4(view, size):
 pos = 0
 o0 = new(DeleteTopicsResponse)
 o0.throttle_time_ms, n0 = U_iB(view, pos)
 pos += 5
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('DeleteTopicsResponse.responses')
 n0 -= 1
 if n0 * 4 > size - pos: raise beyond('DeleteTopicsResponse.responses')
 a0 = []
 for _ in range(n0):
  o1 = new(DeletableTopicResult)
  n1 = view[pos]
  pos += 1
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('DeletableTopicResult.name')
  end = pos + n1 - 1
  if end > size: raise beyond('DeletableTopicResult.name')
  o1.name = view[pos:end].tobytes().decode()
  pos = end
  o1.topic_id = NO_UUID
  o1.error_message = None
  o1.error_code, t0 = U_hB(view, pos)
  pos += 3
  if t0:
   pos = skip_tags(view, pos, t0, size)
  a0.append(o1)
 o0.responses = a0
 t1 = view[pos]
 pos += 1
 if t1:
  pos = skip_tags(view, pos, t1, size)
 return o0, pos
def _decode_delete_topics_response_5(view, size):
 pos = 0
 o0 = new(DeleteTopicsResponse)
 o0.throttle_time_ms, n0 = U_iB(view, pos)
 pos += 5
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('DeleteTopicsResponse.responses')
 n0 -= 1
 if n0 * 5 > size - pos: raise beyond('DeleteTopicsResponse.responses')
 a0 = []
 for _ in range(n0):
  o1 = new(DeletableTopicResult)
  n1 = view[pos]
  pos += 1
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('DeletableTopicResult.name')
  end = pos + n1 - 1
  if end > size: raise beyond('DeletableTopicResult.name')
  o1.name = view[pos:end].tobytes().decode()
  pos = end
  o1.topic_id = NO_UUID
  o1.error_code, n2 = U_hB(view, pos)
  pos += 3
  if n2 > 127:
   n2, pos = varint_rest(view, pos, n2)
  if not n2: o1.error_message = None
  else:
   end = pos + n2 - 1
   if end > size: raise beyond('DeletableTopicResult.error_message')
   o1.error_message = view[pos:end].tobytes().decode()
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
def _decode_delete_topics_response_6(view, size):
 pos = 0
 o0 = new(DeleteTopicsResponse)
 o0.throttle_time_ms, n0 = U_iB(view, pos)
 pos += 5
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('DeleteTopicsResponse.responses')
 n0 -= 1
 if n0 * 21 > size - pos: raise beyond('DeleteTopicsResponse.responses')
 a0 = []
 for _ in range(n0):
  o1 = new(DeletableTopicResult)
  n1 = view[pos]
  pos += 1
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: o1.name = None
  else:
   end = pos + n1 - 1
   if end > size: raise beyond('DeletableTopicResult.name')
   o1.name = view[pos:end].tobytes().decode()
   pos = end
  o1.topic_id, o1.error_code, n2 = U_16shB(view, pos)
  pos += 19
  o1.topic_id = UUIDS.get(o1.topic_id) or uuid_of(o1.topic_id)
  if n2 > 127:
   n2, pos = varint_rest(view, pos, n2)
  if not n2: o1.error_message = None
  else:
   end = pos + n2 - 1
   if end > size: raise beyond('DeletableTopicResult.error_message')
   o1.error_message = view[pos:end].tobytes().decode()
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
DeleteTopicsResponse.decoders = {1: _decode_delete_topics_response_1, 2: _decode_delete_topics_response_1, 3: _decode_delete_topics_response_1, 4: _decode_delete_topics_response_4, 5: _decode_delete_topics_response_5, 6: _decode_delete_topics_response_6}

def _encode_delete_topics_response_1(m):
 out = []
 a0 = m.responses
 n0 = len(a0)
 out.append(P_ii(m.throttle_time_ms, n0))
 for m0 in a0:
  b0 = m0.name.encode()
  n1 = len(b0)
  out.append(P_h(n1))
  out.append(b0)
  out.append(P_h(m0.error_code))
 return [b''.join(out)]
def _encode_delete_topics_response_4(m):
 out = []
 a0 = m.responses
 n0 = len(a0) + 1
 out.append(P_iB(m.throttle_time_ms, n0) if n0 < 128 else P_i(m.throttle_time_ms) + varint(n0))
 for m0 in a0:
  b0 = m0.name.encode()
  n1 = len(b0) + 1
  out.append(U8[n1] if n1 < 128 else varint(n1))
  out.append(b0)
  out.append(P_hx(m0.error_code))
 out.append(b'\x00')
 return [b''.join(out)]
def _encode_delete_topics_response_5(m):
 out = []
 a0 = m.responses
 n0 = len(a0) + 1
 out.append(P_iB(m.throttle_time_ms, n0) if n0 < 128 else P_i(m.throttle_time_ms) + varint(n0))
 for m0 in a0:
  b0 = m0.name.encode()
  n1 = len(b0) + 1
  out.append(U8[n1] if n1 < 128 else varint(n1))
  out.append(b0)
  b1 = m0.error_message
  if b1 is None:
   b1 = b''; n2 = 0
  else:
   b1 = b1.encode()
   n2 = len(b1) + 1
  out.append(P_hB(m0.error_code, n2) if n2 < 128 else P_h(m0.error_code) + varint(n2))
  out.append(b1)
  out.append(b'\x00')
 out.append(b'\x00')
 return [b''.join(out)]
def _encode_delete_topics_response_6(m):
 out = []
 a0 = m.responses
 n0 = len(a0) + 1
 out.append(P_iB(m.throttle_time_ms, n0) if n0 < 128 else P_i(m.throttle_time_ms) + varint(n0))
 for m0 in a0:
  b0 = m0.name
  if b0 is None:
   b0 = b''; n1 = 0
  else:
   b0 = b0.encode()
   n1 = len(b0) + 1
  out.append(U8[n1] if n1 < 128 else varint(n1))
  out.append(b0)
  b1 = m0.error_message
  if b1 is None:
   b1 = b''; n2 = 0
  else:
   b1 = b1.encode()
   n2 = len(b1) + 1
  out.append(P_16shB(m0.topic_id.bytes, m0.error_code, n2) if n2 < 128 else P_16sh(m0.topic_id.bytes, m0.error_code) + varint(n2))
  out.append(b1)
  out.append(b'\x00')
 out.append(b'\x00')
 return [b''.join(out)]
DeleteTopicsResponse.encoders = {1: _encode_delete_topics_response_1, 2: _encode_delete_topics_response_1, 3: _encode_delete_topics_response_1, 4: _encode_delete_topics_response_4, 5: _encode_delete_topics_response_5, 6: _encode_delete_topics_response_6}
