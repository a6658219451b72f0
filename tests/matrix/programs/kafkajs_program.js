// kafkajs as a program of the matrix, with the codecs that it leaves to others.
"use strict";

const { randomUUID } = require("crypto");
const { CompressionCodecs, CompressionTypes, ConfigResourceTypes, Kafka, logLevel } = require("kafkajs");
const lz4 = require("lz4-napi");
const { ZstdCodec } = require("zstd-codec");
const { BOOTSTRAP, MemberLog, headersFrom, recordOf, serve, toBytes } = require("./line_server.js");

const CODECS = {
  none: CompressionTypes.None,
  gzip: CompressionTypes.GZIP,
  snappy: CompressionTypes.Snappy,
  lz4: CompressionTypes.LZ4,
  zstd: CompressionTypes.ZSTD,
};
CompressionCodecs[CompressionTypes.Snappy] = require("kafkajs-snappy");
CompressionCodecs[CompressionTypes.LZ4] = () => ({
  compress: (encoder) => lz4.compressFrame(encoder.buffer),
  decompress: (buffer) => lz4.decompressFrame(buffer),
});
const zstd = new Promise((resolve) => ZstdCodec.run((module) => resolve(new module.Streaming())));
CompressionCodecs[CompressionTypes.ZSTD] = () => ({
  compress: async (encoder) => Buffer.from((await zstd).compress(encoder.buffer)),
  decompress: async (buffer) => Buffer.from((await zstd).decompress(buffer)),
});

const kafka = new Kafka({ brokers: [BOOTSTRAP], logLevel: logLevel.WARN, retry: { retries: 8 } });
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

async function produce({ topic, records, codec, idempotent }) {
  const messages = records.map((one) => ({
    key: toBytes(one.key),
    value: toBytes(one.value),
    headers: headersFrom(one),
  }));
  await withClient(kafka.producer({ idempotent }), (producer) =>
    producer.send({ topic, messages, acks: -1, compression: CODECS[codec] }),
  );
  return [];
}

/** It reads in a group always; this group is of no other use. */
async function consume({ topic, count }) {
  const consumer = kafka.consumer({ groupId: randomUUID(), maxWaitTimeInMs: 100, maxBytesPerPartition: 20000000 });
  return withClient(consumer, async () => {
    const found = [];
    await consumer.subscribe({ topic, fromBeginning: true });
    await new Promise((resolve, reject) => {
      consumer.on(consumer.events.CRASH, ({ payload }) => reject(payload.error));
      const eachMessage = async ({ message }) => {
        found.push(recordOf(message));
        if (found.length >= count) resolve();
      };
      consumer.run({ eachMessage }).catch(reject);
    });
    return found;
  });
}

async function join({ member, group, topic, session_ms }) {
  const log = new MemberLog();
  const consumer = kafka.consumer({
    groupId: group,
    sessionTimeout: session_ms,
    heartbeatInterval: 300,
    maxWaitTimeInMs: 100,
  });
  members[member] = { consumer, log };
  consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
    log.onRevoked([...log.assigned]);
    log.onAssigned(payload.memberAssignment[topic] ?? []);
  });
  consumer.on(consumer.events.CRASH, ({ payload }) => {
    if (!payload.restart) log.error = String(payload.error);
  });
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  consumer
    .run({ autoCommitInterval: 300, eachMessage: async ({ message }) => log.onValue(message.value) })
    .catch((error) => (log.error = String(error)));
}

async function transact({ topic, transactional_id }) {
  const producer = kafka.producer({ transactionalId: transactional_id, idempotent: true, maxInFlightRequests: 1 });
  await withClient(producer, async () => {
    const transaction = await producer.transaction();
    await transaction.send({ topic, messages: [{ value: "in a transaction" }] });
    await transaction.commit();
  });
}

const topicResource = (topic) => ({ type: ConfigResourceTypes.TOPIC, name: topic });

async function config({ topic, name }) {
  const resources = [{ ...topicResource(topic), configNames: [name] }];
  const found = await administer((admin) => admin.describeConfigs({ resources, includeSynonyms: false }));
  return found.resources[0].configEntries[0].configValue;
}

async function topics() {
  const { topics: found } = await administer((admin) => admin.fetchTopicMetadata());
  return Object.fromEntries(found.map((one) => [one.name, one.partitions.length]));
}

async function describeGroup({ group }) {
  const { groups } = await administer((admin) => admin.describeGroups([group]));
  return { state: groups[0].state, members: groups[0].members.length };
}

async function committed({ group, topic }) {
  const found = await administer((admin) => admin.fetchOffsets({ groupId: group, topics: [topic] }));
  return Object.fromEntries(found[0].partitions.map((one) => [one.partition, Number(one.offset)]));
}

serve({
  version: () => require("kafkajs/package.json").version,
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
  add_partitions: ({ topic, partitions }) =>
    administer((admin) => admin.createPartitions({ topicPartitions: [{ topic, count: partitions }] })),
  delete_topic: ({ topic }) => administer((admin) => admin.deleteTopics({ topics: [topic] })),
  config,
  set_config: ({ topic, name, value }) =>
    administer((admin) =>
      admin.alterConfigs({ resources: [{ ...topicResource(topic), configEntries: [{ name, value }] }] }),
    ),
  groups: async () => (await administer((admin) => admin.listGroups())).groups.map((one) => one.groupId),
  describe_group: describeGroup,
  committed,
  delete_group: ({ group }) => administer((admin) => admin.deleteGroups([group])),
});
