"""ConsumerGroupDescribe: request in versions 0 to 1 and response in versions 0 to 1.

Generated from the message definitions of kafka-clients 4.1.0 by ``python -m generator``: do not edit.
"""
from typing import ClassVar

from chronik.protocol.wire import FRESH, NO_UUID, U8, UUID, UUIDS, Message, Packing, Struct, beyond, new, null, pack, skip_tags, unpack_from, uuid_of, varint, varint_rest

P_16s = Packing('>16s').pack
P_16sB = Packing('>16sB').pack
P_tx = Packing('>?x').pack
P_h = Packing('>h').pack
P_hB = Packing('>hB').pack
P_i = Packing('>i').pack
P_iB = Packing('>iB').pack
P_ii = Packing('>ii').pack
P_iiB = Packing('>iiB').pack
P_ix = Packing('>ix').pack
P_xB = Packing('>xB').pack
P_xbx = Packing('>xbx').pack
U_16sB = Packing('>16sB').unpack_from
U_tB = Packing('>?B').unpack_from
U_bB = Packing('>bB').unpack_from
U_hB = Packing('>hB').unpack_from
U_iB = Packing('>iB').unpack_from
U_iiB = Packing('>iiB').unpack_from


class ConsumerGroupDescribeRequest(Message):
 __slots__ = ('group_ids', 'include_authorized_operations', )
 api_key: ClassVar[int] = 69
 versions: ClassVar[range] = range(0, 2)
 first_flexible: ClassVar[int | None] = 0
 group_ids: list[str]
 include_authorized_operations: bool
 def __init__(self, group_ids: list[str] = FRESH, include_authorized_operations: bool = False) -> None:
  self.group_ids = [] if group_ids is FRESH else group_ids
  self.include_authorized_operations = include_authorized_operations

def _decode_consumer_group_describe_request_0(view, size):
 pos = 0
 o0 = new(ConsumerGroupDescribeRequest)
 n0 = view[pos]
 pos += 1
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('ConsumerGroupDescribeRequest.group_ids')
 n0 -= 1
 if n0 > size - pos: raise beyond('ConsumerGroupDescribeRequest.group_ids')
 a0 = []
 for _ in range(n0):
  n1 = view[pos]
  pos += 1
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('ConsumerGroupDescribeRequest.group_ids')
  end = pos + n1 - 1
  if end > size: raise beyond('ConsumerGroupDescribeRequest.group_ids')
  e0 = view[pos:end].tobytes().decode()
  pos = end
  a0.append(e0)
 o0.group_ids = a0
 o0.include_authorized_operations, t0 = U_tB(view, pos)
 pos += 2
 if t0:
  pos = skip_tags(view, pos, t0, size)
 return o0, pos
ConsumerGroupDescribeRequest.decoders = {0: _decode_consumer_group_describe_request_0, 1: _decode_consumer_group_describe_request_0}

def _encode_consumer_group_describe_request_0(m):
 out = []
 a0 = m.group_ids
 n0 = len(a0) + 1
 out.append(U8[n0] if n0 < 128 else varint(n0))
 for m0 in a0:
  m0 = m0.encode()
  n1 = len(m0) + 1
  out.append(U8[n1] if n1 < 128 else varint(n1))
  out.append(m0)
 out.append(P_tx(m.include_authorized_operations))
 return [b''.join(out)]
ConsumerGroupDescribeRequest.encoders = {0: _encode_consumer_group_describe_request_0, 1: _encode_consumer_group_describe_request_0}


class TopicPartitions(Struct):
 __slots__ = ('topic_id', 'topic_name', 'partitions', )
 topic_id: UUID
 topic_name: str
 partitions: list[int]
 def __init__(self, topic_id: UUID = NO_UUID, topic_name: str = '', partitions: list[int] = FRESH) -> None:
  self.topic_id = topic_id
  self.topic_name = topic_name
  self.partitions = [] if partitions is FRESH else partitions


class Assignment(Struct):
 __slots__ = ('topic_partitions', )
 topic_partitions: list[TopicPartitions]
 def __init__(self, topic_partitions: list[TopicPartitions] = FRESH) -> None:
  self.topic_partitions = [] if topic_partitions is FRESH else topic_partitions


class Member(Struct):
 __slots__ = ('member_id', 'instance_id', 'rack_id', 'member_epoch', 'client_id', 'client_host', 'subscribed_topic_names', 'subscribed_topic_regex', 'assignment', 'target_assignment', 'member_type', )
 member_id: str
 instance_id: str | None
 rack_id: str | None
 member_epoch: int
 client_id: str
 client_host: str
 subscribed_topic_names: list[str]
 subscribed_topic_regex: str | None
 assignment: Assignment
 target_assignment: Assignment
 member_type: int
 def __init__(self, member_id: str = '', instance_id: str | None = None, rack_id: str | None = None, member_epoch: int = 0, client_id: str = '', client_host: str = '', subscribed_topic_names: list[str] = FRESH, subscribed_topic_regex: str | None = None, assignment: Assignment = FRESH, target_assignment: Assignment = FRESH, member_type: int = -1) -> None:
  self.member_id = member_id
  self.instance_id = instance_id
  self.rack_id = rack_id
  self.member_epoch = member_epoch
  self.client_id = client_id
  self.client_host = client_host
  self.subscribed_topic_names = [] if subscribed_topic_names is FRESH else subscribed_topic_names
  self.subscribed_topic_regex = subscribed_topic_regex
  self.assignment = Assignment() if assignment is FRESH else assignment
  self.target_assignment = Assignment() if target_assignment is FRESH else target_assignment
  self.member_type = member_type


class DescribedGroup(Struct):
 __slots__ = ('error_code', 'error_message', 'group_id', 'group_state', 'group_epoch', 'assignment_epoch', 'assignor_name', 'members', 'authorized_operations', )
 error_code: int
 error_message: str | None
 group_id: str
 group_state: str
 group_epoch: int
 assignment_epoch: int
 assignor_name: str
 members: list[Member]
 authorized_operations: int
 def __init__(self, error_code: int = 0, error_message: str | None = None, group_id: str = '', group_state: str = '', group_epoch: int = 0, assignment_epoch: int = 0, assignor_name: str = '', members: list[Member] = FRESH, authorized_operations: int = -2147483648) -> None:
  self.error_code = error_code
  self.error_message = error_message
  self.group_id = group_id
  self.group_state = group_state
  self.group_epoch = group_epoch
  self.assignment_epoch = assignment_epoch
  self.assignor_name = assignor_name
  self.members = [] if members is FRESH else members
  self.authorized_operations = authorized_operations


class ConsumerGroupDescribeResponse(Message):
 __slots__ = ('throttle_time_ms', 'groups', )
 api_key: ClassVar[int] = 69
 versions: ClassVar[range] = range(0, 2)
 first_flexible: ClassVar[int | None] = 0
 throttle_time_ms: int
 groups: list[DescribedGroup]
 def __init__(self, throttle_time_ms: int = 0, groups: list[DescribedGroup] = FRESH) -> None:
  self.throttle_time_ms = throttle_time_ms
  self.groups = [] if groups is FRESH else groups

def _decode_consumer_group_describe_response_0(view, size):
 pos = 0
 o0 = new(ConsumerGroupDescribeResponse)
 o0.throttle_time_ms, n0 = U_iB(view, pos)
 pos += 5
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('ConsumerGroupDescribeResponse.groups')
 n0 -= 1
 if n0 * 20 > size - pos: raise beyond('ConsumerGroupDescribeResponse.groups')
 a0 = []
 for _ in range(n0):
  o1 = new(DescribedGroup)
  o1.error_code, n1 = U_hB(view, pos)
  pos += 3
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: o1.error_message = None
  else:
   end = pos + n1 - 1
   if end > size: raise beyond('DescribedGroup.error_message')
   o1.error_message = view[pos:end].tobytes().decode()
   pos = end
  n2 = view[pos]
  pos += 1
  if n2 > 127:
   n2, pos = varint_rest(view, pos, n2)
  if not n2: raise null('DescribedGroup.group_id')
  end = pos + n2 - 1
  if end > size: raise beyond('DescribedGroup.group_id')
  o1.group_id = view[pos:end].tobytes().decode()
  pos = end
  n3 = view[pos]
  pos += 1
  if n3 > 127:
   n3, pos = varint_rest(view, pos, n3)
  if not n3: raise null('DescribedGroup.group_state')
  end = pos + n3 - 1
  if end > size: raise beyond('DescribedGroup.group_state')
  o1.group_state = view[pos:end].tobytes().decode()
  pos = end
  o1.group_epoch, o1.assignment_epoch, n4 = U_iiB(view, pos)
  pos += 9
  if n4 > 127:
   n4, pos = varint_rest(view, pos, n4)
  if not n4: raise null('DescribedGroup.assignor_name')
  end = pos + n4 - 1
  if end > size: raise beyond('DescribedGroup.assignor_name')
  o1.assignor_name = view[pos:end].tobytes().decode()
  pos = end
  n5 = view[pos]
  pos += 1
  if n5 > 127:
   n5, pos = varint_rest(view, pos, n5)
  if not n5: raise null('DescribedGroup.members')
  n5 -= 1
  if n5 * 16 > size - pos: raise beyond('DescribedGroup.members')
  a1 = []
  for _ in range(n5):
   o2 = new(Member)
   n6 = view[pos]
   pos += 1
   if n6 > 127:
    n6, pos = varint_rest(view, pos, n6)
   if not n6: raise null('Member.member_id')
   end = pos + n6 - 1
   if end > size: raise beyond('Member.member_id')
   o2.member_id = view[pos:end].tobytes().decode()
   pos = end
   n7 = view[pos]
   pos += 1
   if n7 > 127:
    n7, pos = varint_rest(view, pos, n7)
   if not n7: o2.instance_id = None
   else:
    end = pos + n7 - 1
    if end > size: raise beyond('Member.instance_id')
    o2.instance_id = view[pos:end].tobytes().decode()
    pos = end
   n8 = view[pos]
   pos += 1
   if n8 > 127:
    n8, pos = varint_rest(view, pos, n8)
   if not n8: o2.rack_id = None
   else:
    end = pos + n8 - 1
    if end > size: raise beyond('Member.rack_id')
    o2.rack_id = view[pos:end].tobytes().decode()
    pos = end
   o2.member_epoch, n9 = U_iB(view, pos)
   pos += 5
   if n9 > 127:
    n9, pos = varint_rest(view, pos, n9)
   if not n9: raise null('Member.client_id')
   end = pos + n9 - 1
   if end > size: raise beyond('Member.client_id')
   o2.client_id = view[pos:end].tobytes().decode()
   pos = end
   n10 = view[pos]
   pos += 1
   if n10 > 127:
    n10, pos = varint_rest(view, pos, n10)
   if not n10: raise null('Member.client_host')
   end = pos + n10 - 1
   if end > size: raise beyond('Member.client_host')
   o2.client_host = view[pos:end].tobytes().decode()
   pos = end
   n11 = view[pos]
   pos += 1
   if n11 > 127:
    n11, pos = varint_rest(view, pos, n11)
   if not n11: raise null('Member.subscribed_topic_names')
   n11 -= 1
   if n11 > size - pos: raise beyond('Member.subscribed_topic_names')
   a2 = []
   for _ in range(n11):
    n12 = view[pos]
    pos += 1
    if n12 > 127:
     n12, pos = varint_rest(view, pos, n12)
    if not n12: raise null('Member.subscribed_topic_names')
    end = pos + n12 - 1
    if end > size: raise beyond('Member.subscribed_topic_names')
    e0 = view[pos:end].tobytes().decode()
    pos = end
    a2.append(e0)
   o2.subscribed_topic_names = a2
   n13 = view[pos]
   pos += 1
   if n13 > 127:
    n13, pos = varint_rest(view, pos, n13)
   if not n13: o2.subscribed_topic_regex = None
   else:
    end = pos + n13 - 1
    if end > size: raise beyond('Member.subscribed_topic_regex')
    o2.subscribed_topic_regex = view[pos:end].tobytes().decode()
    pos = end
   o3 = new(Assignment)
   n14 = view[pos]
   pos += 1
   if n14 > 127:
    n14, pos = varint_rest(view, pos, n14)
   if not n14: raise null('Assignment.topic_partitions')
   n14 -= 1
   if n14 * 19 > size - pos: raise beyond('Assignment.topic_partitions')
   a3 = []
   for _ in range(n14):
    o4 = new(TopicPartitions)
    o4.topic_id, n15 = U_16sB(view, pos)
    pos += 17
    o4.topic_id = UUIDS.get(o4.topic_id) or uuid_of(o4.topic_id)
    if n15 > 127:
     n15, pos = varint_rest(view, pos, n15)
    if not n15: raise null('TopicPartitions.topic_name')
    end = pos + n15 - 1
    if end > size: raise beyond('TopicPartitions.topic_name')
    o4.topic_name = view[pos:end].tobytes().decode()
    pos = end
    n16 = view[pos]
    pos += 1
    if n16 > 127:
     n16, pos = varint_rest(view, pos, n16)
    if not n16: raise null('TopicPartitions.partitions')
    n16 -= 1
    if n16 * 4 > size - pos: raise beyond('TopicPartitions.partitions')
    o4.partitions = list(unpack_from(f'>{n16}i', view, pos))
    pos += n16 * 4
    t0 = view[pos]
    pos += 1
    if t0:
     pos = skip_tags(view, pos, t0, size)
    a3.append(o4)
   o3.topic_partitions = a3
   t1 = view[pos]
   pos += 1
   if t1:
    pos = skip_tags(view, pos, t1, size)
   o2.assignment = o3
   o5 = new(Assignment)
   n17 = view[pos]
   pos += 1
   if n17 > 127:
    n17, pos = varint_rest(view, pos, n17)
   if not n17: raise null('Assignment.topic_partitions')
   n17 -= 1
   if n17 * 19 > size - pos: raise beyond('Assignment.topic_partitions')
   a4 = []
   for _ in range(n17):
    o6 = new(TopicPartitions)
    o6.topic_id, n18 = U_16sB(view, pos)
    pos += 17
    o6.topic_id = UUIDS.get(o6.topic_id) or uuid_of(o6.topic_id)
    if n18 > 127:
     n18, pos = varint_rest(view, pos, n18)
    if not n18: raise null('TopicPartitions.topic_name')
    end = pos + n18 - 1
    if end > size: raise beyond('TopicPartitions.topic_name')
    o6.topic_name = view[pos:end].tobytes().decode()
    pos = end
    n19 = view[pos]
    pos += 1
    if n19 > 127:
     n19, pos = varint_rest(view, pos, n19)
    if not n19: raise null('TopicPartitions.partitions')
    n19 -= 1
    if n19 * 4 > size - pos: raise beyond('TopicPartitions.partitions')
    o6.partitions = list(unpack_from(f'>{n19}i', view, pos))
    pos += n19 * 4
    t2 = view[pos]
    pos += 1
    if t2:
     pos = skip_tags(view, pos, t2, size)
    a4.append(o6)
   o5.topic_partitions = a4
   t3 = view[pos]
   pos += 1
   if t3:
    pos = skip_tags(view, pos, t3, size)
   o2.target_assignment = o5
   o2.member_type = -1
   t4 = view[pos]
   pos += 1
   if t4:
    pos = skip_tags(view, pos, t4, size)
   a1.append(o2)
  o1.members = a1
  o1.authorized_operations, t5 = U_iB(view, pos)
  pos += 5
  if t5:
   pos = skip_tags(view, pos, t5, size)
  a0.append(o1)
 o0.groups = a0
 t6 = view[pos]
 pos += 1
 if t6:
  pos = skip_tags(view, pos, t6, size)
 return o0, pos
def _decode_consumer_group_describe_response_1(view, size):
 pos = 0
 o0 = new(ConsumerGroupDescribeResponse)
 o0.throttle_time_ms, n0 = U_iB(view, pos)
 pos += 5
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('ConsumerGroupDescribeResponse.groups')
 n0 -= 1
 if n0 * 20 > size - pos: raise beyond('ConsumerGroupDescribeResponse.groups')
 a0 = []
 for _ in range(n0):
  o1 = new(DescribedGroup)
  o1.error_code, n1 = U_hB(view, pos)
  pos += 3
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: o1.error_message = None
  else:
   end = pos + n1 - 1
   if end > size: raise beyond('DescribedGroup.error_message')
   o1.error_message = view[pos:end].tobytes().decode()
   pos = end
  n2 = view[pos]
  pos += 1
  if n2 > 127:
   n2, pos = varint_rest(view, pos, n2)
  if not n2: raise null('DescribedGroup.group_id')
  end = pos + n2 - 1
  if end > size: raise beyond('DescribedGroup.group_id')
  o1.group_id = view[pos:end].tobytes().decode()
  pos = end
  n3 = view[pos]
  pos += 1
  if n3 > 127:
   n3, pos = varint_rest(view, pos, n3)
  if not n3: raise null('DescribedGroup.group_state')
  end = pos + n3 - 1
  if end > size: raise beyond('DescribedGroup.group_state')
  o1.group_state = view[pos:end].tobytes().decode()
  pos = end
  o1.group_epoch, o1.assignment_epoch, n4 = U_iiB(view, pos)
  pos += 9
  if n4 > 127:
   n4, pos = varint_rest(view, pos, n4)
  if not n4: raise null('DescribedGroup.assignor_name')
  end = pos + n4 - 1
  if end > size: raise beyond('DescribedGroup.assignor_name')
  o1.assignor_name = view[pos:end].tobytes().decode()
  pos = end
  n5 = view[pos]
  pos += 1
  if n5 > 127:
   n5, pos = varint_rest(view, pos, n5)
  if not n5: raise null('DescribedGroup.members')
  n5 -= 1
  if n5 * 17 > size - pos: raise beyond('DescribedGroup.members')
  a1 = []
  for _ in range(n5):
   o2 = new(Member)
   n6 = view[pos]
   pos += 1
   if n6 > 127:
    n6, pos = varint_rest(view, pos, n6)
   if not n6: raise null('Member.member_id')
   end = pos + n6 - 1
   if end > size: raise beyond('Member.member_id')
   o2.member_id = view[pos:end].tobytes().decode()
   pos = end
   n7 = view[pos]
   pos += 1
   if n7 > 127:
    n7, pos = varint_rest(view, pos, n7)
   if not n7: o2.instance_id = None
   else:
    end = pos + n7 - 1
    if end > size: raise beyond('Member.instance_id')
    o2.instance_id = view[pos:end].tobytes().decode()
    pos = end
   n8 = view[pos]
   pos += 1
   if n8 > 127:
    n8, pos = varint_rest(view, pos, n8)
   if not n8: o2.rack_id = None
   else:
    end = pos + n8 - 1
    if end > size: raise beyond('Member.rack_id')
    o2.rack_id = view[pos:end].tobytes().decode()
    pos = end
   o2.member_epoch, n9 = U_iB(view, pos)
   pos += 5
   if n9 > 127:
    n9, pos = varint_rest(view, pos, n9)
   if not n9: raise null('Member.client_id')
   end = pos + n9 - 1
   if end > size: raise beyond('Member.client_id')
   o2.client_id = view[pos:end].tobytes().decode()
   pos = end
   n10 = view[pos]
   pos += 1
   if n10 > 127:
    n10, pos = varint_rest(view, pos, n10)
   if not n10: raise null('Member.client_host')
   end = pos + n10 - 1
   if end > size: raise beyond('Member.client_host')
   o2.client_host = view[pos:end].tobytes().decode()
   pos = end
   n11 = view[pos]
   pos += 1
   if n11 > 127:
    n11, pos = varint_rest(view, pos, n11)
   if not n11: raise null('Member.subscribed_topic_names')
   n11 -= 1
   if n11 > size - pos: raise beyond('Member.subscribed_topic_names')
   a2 = []
   for _ in range(n11):
    n12 = view[pos]
    pos += 1
    if n12 > 127:
     n12, pos = varint_rest(view, pos, n12)
    if not n12: raise null('Member.subscribed_topic_names')
    end = pos + n12 - 1
    if end > size: raise beyond('Member.subscribed_topic_names')
    e0 = view[pos:end].tobytes().decode()
    pos = end
    a2.append(e0)
   o2.subscribed_topic_names = a2
   n13 = view[pos]
   pos += 1
   if n13 > 127:
    n13, pos = varint_rest(view, pos, n13)
   if not n13: o2.subscribed_topic_regex = None
   else:
    end = pos + n13 - 1
    if end > size: raise beyond('Member.subscribed_topic_regex')
    o2.subscribed_topic_regex = view[pos:end].tobytes().decode()
    pos = end
   o3 = new(Assignment)
   n14 = view[pos]
   pos += 1
   if n14 > 127:
    n14, pos = varint_rest(view, pos, n14)
   if not n14: raise null('Assignment.topic_partitions')
   n14 -= 1
   if n14 * 19 > size - pos: raise beyond('Assignment.topic_partitions')
   a3 = []
   for _ in range(n14):
    o4 = new(TopicPartitions)
    o4.topic_id, n15 = U_16sB(view, pos)
    pos += 17
    o4.topic_id = UUIDS.get(o4.topic_id) or uuid_of(o4.topic_id)
    if n15 > 127:
     n15, pos = varint_rest(view, pos, n15)
    if not n15: raise null('TopicPartitions.topic_name')
    end = pos + n15 - 1
    if end > size: raise beyond('TopicPartitions.topic_name')
    o4.topic_name = view[pos:end].tobytes().decode()
    pos = end
    n16 = view[pos]
    pos += 1
    if n16 > 127:
     n16, pos = varint_rest(view, pos, n16)
    if not n16: raise null('TopicPartitions.partitions')
    n16 -= 1
    if n16 * 4 > size - pos: raise beyond('TopicPartitions.partitions')
    o4.partitions = list(unpack_from(f'>{n16}i', view, pos))
    pos += n16 * 4
    t0 = view[pos]
    pos += 1
    if t0:
     pos = skip_tags(view, pos, t0, size)
    a3.append(o4)
   o3.topic_partitions = a3
   t1 = view[pos]
   pos += 1
   if t1:
    pos = skip_tags(view, pos, t1, size)
   o2.assignment = o3
   o5 = new(Assignment)
   n17 = view[pos]
   pos += 1
   if n17 > 127:
    n17, pos = varint_rest(view, pos, n17)
   if not n17: raise null('Assignment.topic_partitions')
   n17 -= 1
   if n17 * 19 > size - pos: raise beyond('Assignment.topic_partitions')
   a4 = []
   for _ in range(n17):
    o6 = new(TopicPartitions)
    o6.topic_id, n18 = U_16sB(view, pos)
    pos += 17
    o6.topic_id = UUIDS.get(o6.topic_id) or uuid_of(o6.topic_id)
    if n18 > 127:
     n18, pos = varint_rest(view, pos, n18)
    if not n18: raise null('TopicPartitions.topic_name')
    end = pos + n18 - 1
    if end > size: raise beyond('TopicPartitions.topic_name')
    o6.topic_name = view[pos:end].tobytes().decode()
    pos = end
    n19 = view[pos]
    pos += 1
    if n19 > 127:
     n19, pos = varint_rest(view, pos, n19)
    if not n19: raise null('TopicPartitions.partitions')
    n19 -= 1
    if n19 * 4 > size - pos: raise beyond('TopicPartitions.partitions')
    o6.partitions = list(unpack_from(f'>{n19}i', view, pos))
    pos += n19 * 4
    t2 = view[pos]
    pos += 1
    if t2:
     pos = skip_tags(view, pos, t2, size)
    a4.append(o6)
   o5.topic_partitions = a4
   t3 = view[pos]
   pos += 1
   if t3:
    pos = skip_tags(view, pos, t3, size)
   o2.target_assignment = o5
   o2.member_type, t4 = U_bB(view, pos)
   pos += 2
   if t4:
    pos = skip_tags(view, pos, t4, size)
   a1.append(o2)
  o1.members = a1
  o1.authorized_operations, t5 = U_iB(view, pos)
  pos += 5
  if t5:
   pos = skip_tags(view, pos, t5, size)
  a0.append(o1)
 o0.groups = a0
 t6 = view[pos]
 pos += 1
 if t6:
  pos = skip_tags(view, pos, t6, size)
 return o0, pos
ConsumerGroupDescribeResponse.decoders = {0: _decode_consumer_group_describe_response_0, 1: _decode_consumer_group_describe_response_1}

def _encode_consumer_group_describe_response_0(m):
 out = []
 a0 = m.groups
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
  b1 = m0.group_id.encode()
  n2 = len(b1) + 1
  out.append(U8[n2] if n2 < 128 else varint(n2))
  out.append(b1)
  b2 = m0.group_state.encode()
  n3 = len(b2) + 1
  out.append(U8[n3] if n3 < 128 else varint(n3))
  out.append(b2)
  b3 = m0.assignor_name.encode()
  n4 = len(b3) + 1
  out.append(P_iiB(m0.group_epoch, m0.assignment_epoch, n4) if n4 < 128 else P_ii(m0.group_epoch, m0.assignment_epoch) + varint(n4))
  out.append(b3)
  a1 = m0.members
  n5 = len(a1) + 1
  out.append(U8[n5] if n5 < 128 else varint(n5))
  for m1 in a1:
   b4 = m1.member_id.encode()
   n6 = len(b4) + 1
   out.append(U8[n6] if n6 < 128 else varint(n6))
   out.append(b4)
   b5 = m1.instance_id
   if b5 is None:
    b5 = b''; n7 = 0
   else:
    b5 = b5.encode()
    n7 = len(b5) + 1
   out.append(U8[n7] if n7 < 128 else varint(n7))
   out.append(b5)
   b6 = m1.rack_id
   if b6 is None:
    b6 = b''; n8 = 0
   else:
    b6 = b6.encode()
    n8 = len(b6) + 1
   out.append(U8[n8] if n8 < 128 else varint(n8))
   out.append(b6)
   b7 = m1.client_id.encode()
   n9 = len(b7) + 1
   out.append(P_iB(m1.member_epoch, n9) if n9 < 128 else P_i(m1.member_epoch) + varint(n9))
   out.append(b7)
   b8 = m1.client_host.encode()
   n10 = len(b8) + 1
   out.append(U8[n10] if n10 < 128 else varint(n10))
   out.append(b8)
   a2 = m1.subscribed_topic_names
   n11 = len(a2) + 1
   out.append(U8[n11] if n11 < 128 else varint(n11))
   for m2 in a2:
    m2 = m2.encode()
    n12 = len(m2) + 1
    out.append(U8[n12] if n12 < 128 else varint(n12))
    out.append(m2)
   b9 = m1.subscribed_topic_regex
   if b9 is None:
    b9 = b''; n13 = 0
   else:
    b9 = b9.encode()
    n13 = len(b9) + 1
   out.append(U8[n13] if n13 < 128 else varint(n13))
   out.append(b9)
   m3 = m1.assignment
   a3 = m3.topic_partitions
   n14 = len(a3) + 1
   out.append(U8[n14] if n14 < 128 else varint(n14))
   for m4 in a3:
    b10 = m4.topic_name.encode()
    n15 = len(b10) + 1
    out.append(P_16sB(m4.topic_id.bytes, n15) if n15 < 128 else P_16s(m4.topic_id.bytes) + varint(n15))
    out.append(b10)
    a4 = m4.partitions
    n16 = len(a4) + 1
    out.append(U8[n16] if n16 < 128 else varint(n16))
    if a4: out.append(pack(f'>{len(a4)}i', *a4))
    out.append(b'\x00')
   m5 = m1.target_assignment
   a5 = m5.topic_partitions
   n17 = len(a5) + 1
   out.append(P_xB(n17) if n17 < 128 else b'\x00' + varint(n17))
   for m6 in a5:
    b11 = m6.topic_name.encode()
    n18 = len(b11) + 1
    out.append(P_16sB(m6.topic_id.bytes, n18) if n18 < 128 else P_16s(m6.topic_id.bytes) + varint(n18))
    out.append(b11)
    a6 = m6.partitions
    n19 = len(a6) + 1
    out.append(U8[n19] if n19 < 128 else varint(n19))
    if a6: out.append(pack(f'>{len(a6)}i', *a6))
    out.append(b'\x00')
   out.append(b'\x00\x00')
  out.append(P_ix(m0.authorized_operations))
 out.append(b'\x00')
 return [b''.join(out)]
def _encode_consumer_group_describe_response_1(m):
 out = []
 a0 = m.groups
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
  b1 = m0.group_id.encode()
  n2 = len(b1) + 1
  out.append(U8[n2] if n2 < 128 else varint(n2))
  out.append(b1)
  b2 = m0.group_state.encode()
  n3 = len(b2) + 1
  out.append(U8[n3] if n3 < 128 else varint(n3))
  out.append(b2)
  b3 = m0.assignor_name.encode()
  n4 = len(b3) + 1
  out.append(P_iiB(m0.group_epoch, m0.assignment_epoch, n4) if n4 < 128 else P_ii(m0.group_epoch, m0.assignment_epoch) + varint(n4))
  out.append(b3)
  a1 = m0.members
  n5 = len(a1) + 1
  out.append(U8[n5] if n5 < 128 else varint(n5))
  for m1 in a1:
   b4 = m1.member_id.encode()
   n6 = len(b4) + 1
   out.append(U8[n6] if n6 < 128 else varint(n6))
   out.append(b4)
   b5 = m1.instance_id
   if b5 is None:
    b5 = b''; n7 = 0
   else:
    b5 = b5.encode()
    n7 = len(b5) + 1
   out.append(U8[n7] if n7 < 128 else varint(n7))
   out.append(b5)
   b6 = m1.rack_id
   if b6 is None:
    b6 = b''; n8 = 0
   else:
    b6 = b6.encode()
    n8 = len(b6) + 1
   out.append(U8[n8] if n8 < 128 else varint(n8))
   out.append(b6)
   b7 = m1.client_id.encode()
   n9 = len(b7) + 1
   out.append(P_iB(m1.member_epoch, n9) if n9 < 128 else P_i(m1.member_epoch) + varint(n9))
   out.append(b7)
   b8 = m1.client_host.encode()
   n10 = len(b8) + 1
   out.append(U8[n10] if n10 < 128 else varint(n10))
   out.append(b8)
   a2 = m1.subscribed_topic_names
   n11 = len(a2) + 1
   out.append(U8[n11] if n11 < 128 else varint(n11))
   for m2 in a2:
    m2 = m2.encode()
    n12 = len(m2) + 1
    out.append(U8[n12] if n12 < 128 else varint(n12))
    out.append(m2)
   b9 = m1.subscribed_topic_regex
   if b9 is None:
    b9 = b''; n13 = 0
   else:
    b9 = b9.encode()
    n13 = len(b9) + 1
   out.append(U8[n13] if n13 < 128 else varint(n13))
   out.append(b9)
   m3 = m1.assignment
   a3 = m3.topic_partitions
   n14 = len(a3) + 1
   out.append(U8[n14] if n14 < 128 else varint(n14))
   for m4 in a3:
    b10 = m4.topic_name.encode()
    n15 = len(b10) + 1
    out.append(P_16sB(m4.topic_id.bytes, n15) if n15 < 128 else P_16s(m4.topic_id.bytes) + varint(n15))
    out.append(b10)
    a4 = m4.partitions
    n16 = len(a4) + 1
    out.append(U8[n16] if n16 < 128 else varint(n16))
    if a4: out.append(pack(f'>{len(a4)}i', *a4))
    out.append(b'\x00')
   m5 = m1.target_assignment
   a5 = m5.topic_partitions
   n17 = len(a5) + 1
   out.append(P_xB(n17) if n17 < 128 else b'\x00' + varint(n17))
   for m6 in a5:
    b11 = m6.topic_name.encode()
    n18 = len(b11) + 1
    out.append(P_16sB(m6.topic_id.bytes, n18) if n18 < 128 else P_16s(m6.topic_id.bytes) + varint(n18))
    out.append(b11)
    a6 = m6.partitions
    n19 = len(a6) + 1
    out.append(U8[n19] if n19 < 128 else varint(n19))
    if a6: out.append(pack(f'>{len(a6)}i', *a6))
    out.append(b'\x00')
   out.append(P_xbx(m1.member_type))
  out.append(P_ix(m0.authorized_operations))
 out.append(b'\x00')
 return [b''.join(out)]
ConsumerGroupDescribeResponse.encoders = {0: _encode_consumer_group_describe_response_0, 1: _encode_consumer_group_describe_response_1}
