// @confluentinc/kafka-javascript (librdkafka) as a program of the matrix, by its promise API.
"use strict";

const { randomUUID } = require("crypto");
const confluent = require("@confluentinc/kafka-javascript");
const { BOOTSTRAP, MemberLog, headersFrom, recordOf, serve, toBytes } = require("./line_server.js");

const { Kafka, ErrorCodes, logLevel } = confluent.KafkaJS;
const kafka = new Kafka({ kafkaJS: { brokers: [BOOTSTRAP], logLevel: logLevel.ERROR } });
const SECONDS_MAX = 30;
const members = {};

async function withClient(client, use) {
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.disconnect();
  }
}

const administer = (use) => withClient(kafka.admin(), use);

async function produce({ topic, records, codec, idempotent, bytes_max }) {
  const messages = records.map((one) => ({
    key: toBytes(one.key),
    value: toBytes(one.value),
    headers: headersFrom(one),
  }));
  const producer = kafka.producer({
    "compression.type": codec,
    "enable.idempotence": idempotent,
    "message.max.bytes": bytes_max + 100000,
    "linger.ms": 5,
  });
  await withClient(producer, () => producer.send({ topic, messages }));
  return [];
}

/** Its promise API reads in a group always; this group is of no other use. */
async function consume({ topic, count }) {
  const consumer = kafka.consumer({ "group.id": randomUUID(), "auto.offset.reset": "earliest" });
  return withClient(consumer, async () => {
    const found = [];
    await consumer.subscribe({ topic });
    await new Promise((resolve, reject) => {
      setTimeout(() => reject(new Error(`${found.length} of ${count} records`)), SECONDS_MAX * 1000).unref();
      const eachMessage = async ({ message }) => {
        found.push(recordOf(message));
        if (found.length >= count) resolve();
      };
      consumer.run({ eachMessage }).catch(reject);
    });
    return found;
  });
}

async function join({ member, group, topic, instance, cooperative, session_ms }) {
  const log = new MemberLog();
  const settings = {
    "group.id": group,
    "session.timeout.ms": session_ms,
    "heartbeat.interval.ms": 300,
    "auto.offset.reset": "earliest",
    "partition.assignment.strategy": cooperative ? "cooperative-sticky" : "range",
    rebalance_cb: (error, assignment) => {
      const partitions = assignment.map((one) => one.partition);
      if (error.code === ErrorCodes.ERR__ASSIGN_PARTITIONS) log.onAssigned(partitions);
      else log.onRevoked(partitions);
    },
  };
  if (instance !== null) settings["group.instance.id"] = instance;
  const consumer = kafka.consumer(settings);
  members[member] = { consumer, log };
  await consumer.connect();
  await consumer.subscribe({ topic });
  await consumer.run({ eachMessage: async ({ message }) => log.onValue(message.value) });
}

async function transact({ topic, transactional_id }) {
  const producer = kafka.producer({ "transactional.id": transactional_id });
  await withClient(producer, async () => {
    const transaction = await producer.transaction();
    await transaction.send({ topic, messages: [{ value: "in a transaction" }] });
    await transaction.commit();
  });
}

async function topics() {
  const found = await administer((admin) => admin.fetchTopicMetadata());
  return Object.fromEntries(found.map((one) => [one.name, one.partitions.length]));
}

/** Only its older API adds partitions. */
async function addPartitions({ topic, partitions }) {
  const client = confluent.AdminClient.create({ "bootstrap.servers": BOOTSTRAP });
  try {
    await new Promise((resolve, reject) =>
      client.createPartitions(topic, partitions, SECONDS_MAX * 1000, (error) => (error ? reject(error) : resolve())),
    );
  } finally {
    client.disconnect();
  }
}

const STATES = Object.fromEntries(Object.entries(confluent.KafkaJS.ConsumerGroupStates).map(([name, code]) => [code, name]));

async function describeGroup({ group }) {
  const { groups } = await administer((admin) => admin.describeGroups([group]));
  return { state: STATES[groups[0].state], members: groups[0].members.length };
}

async function committed({ group, topic }) {
  const found = await administer((admin) => admin.fetchOffsets({ groupId: group }));
  const partitions = found.find((one) => one.topic === topic).partitions;
  return Object.fromEntries(partitions.map((one) => [one.partition, Number(one.offset)]));
}

serve({
  version: () => `${require("@confluentinc/kafka-javascript/package.json").version} (librdkafka ${confluent.librdkafkaVersion})`,
  produce,
  consume,
  join,
  member: ({ member }) => members[member].log.shown(),
  leave: ({ member }) => members[member].consumer.disconnect(),
  transact,
  create_topic: ({ topic, partitions, configs }) => {
    const configEntries = Object.entries(configs).map(([name, value]) => ({ name, value }));
    return administer((admin) => admin.createTopics({ topics: [{ topic, numPartitions: partitions, configEntries }] }));
  },
  topics,
  add_partitions: addPartitions,
  delete_topic: ({ topic }) => administer((admin) => admin.deleteTopics({ topics: [topic] })),
  groups: async () => (await administer((admin) => admin.listGroups())).groups.map((one) => one.groupId),
  describe_group: describeGroup,
  committed,
  delete_group: ({ group }) => administer((admin) => admin.deleteGroups([group])),
});
