// Kafka's own Java client as a program of the matrix: producer, consumer and admin client behind lines of JSON.

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.ListGroupsOptions;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.utils.AppInfoParser;

public class JavaClient {
    static final int SECONDS_MAX = 30;
    static final ObjectMapper JSON = new ObjectMapper();
    static final Map<String, Member> MEMBERS = new HashMap<>();
    static String bootstrap;
    static Admin admin;

    public static void main(String[] arguments) throws Exception {
        bootstrap = arguments[0];
        PrintStream answers = System.out;
        System.setOut(System.err);
        BufferedReader requests = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = requests.readLine(); line != null; line = requests.readLine()) {
            answers.println(JSON.writeValueAsString(answer(JSON.readTree(line))));
            answers.flush();
        }
        Runtime.getRuntime().halt(0);
    }

    static Map<String, Object> answer(JsonNode request) {
        Map<String, Object> answer = new HashMap<>();
        try {
            answer.put("ok", serve(request));
        } catch (Throwable error) {
            error.printStackTrace();
            answer.put("error", error.toString());
        }
        return answer;
    }

    static Object serve(JsonNode asked) throws Exception {
        switch (asked.get("do").asText()) {
            case "version": return AppInfoParser.getVersion();
            case "produce": return produce(asked);
            case "consume": return consume(text(asked, "topic"), asked.get("count").asInt());
            case "join": MEMBERS.put(text(asked, "member"), new Member(asked)); return null;
            case "member": return MEMBERS.get(text(asked, "member")).shown();
            case "leave": MEMBERS.get(text(asked, "member")).leave(); return null;
            case "transact": transact(asked); return null;
            default: return administer(asked);
        }
    }

    static String text(JsonNode asked, String name) {
        return asked.hasNonNull(name) ? asked.get(name).asText() : null;
    }

    static byte[] bytes(JsonNode asked, String name) {
        return asked.hasNonNull(name) ? Base64.getDecoder().decode(asked.get(name).asText()) : null;
    }

    static String shown(byte[] data) {
        return data == null ? null : Base64.getEncoder().encodeToString(data);
    }

    static Properties settings(Object... pairs) {
        Properties settings = new Properties();
        settings.put("bootstrap.servers", bootstrap);
        for (int index = 0; index < pairs.length; index += 2) {
            settings.put(pairs[index], pairs[index + 1].toString());
        }
        return settings;
    }

    static KafkaProducer<byte[], byte[]> producer(Object... pairs) {
        return new KafkaProducer<>(settings(pairs), new ByteArraySerializer(), new ByteArraySerializer());
    }

    static KafkaConsumer<byte[], byte[]> consumer(Properties settings) {
        return new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    // --- sending and reading

    static List<Long> produce(JsonNode asked) throws Exception {
        List<Future<RecordMetadata>> sent = new ArrayList<>();
        try (KafkaProducer<byte[], byte[]> producer = producer(
                "compression.type", text(asked, "codec"),
                "enable.idempotence", asked.get("idempotent").asBoolean(),
                "max.request.size", asked.get("bytes_max").asInt() + 100_000,
                "buffer.memory", 64_000_000,
                "acks", "all",
                "linger.ms", 5)) {
            for (JsonNode one : asked.get("records")) {
                ProducerRecord<byte[], byte[]> record =
                    new ProducerRecord<>(text(asked, "topic"), bytes(one, "key"), bytes(one, "value"));
                for (JsonNode header : one.get("headers")) {
                    record.headers().add(header.get(0).asText(), Base64.getDecoder().decode(header.get(1).asText()));
                }
                sent.add(producer.send(record));
            }
        }
        List<Long> offsets = new ArrayList<>();
        for (Future<RecordMetadata> one : sent) {
            offsets.add(one.get(SECONDS_MAX, TimeUnit.SECONDS).offset());
        }
        return offsets;
    }

    static List<Map<String, Object>> consume(String topic, int count) {
        List<Map<String, Object>> found = new ArrayList<>();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS_MAX);
        try (KafkaConsumer<byte[], byte[]> consumer = consumer(settings("check.crcs", true))) {
            List<TopicPartition> partitions = List.of(new TopicPartition(topic, 0));
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            while (found.size() < count && System.nanoTime() < deadline) {
                consumer.poll(Duration.ofMillis(200)).forEach(record -> found.add(recordOf(record)));
            }
        }
        return found;
    }

    static Map<String, Object> recordOf(ConsumerRecord<byte[], byte[]> record) {
        List<List<String>> headers = new ArrayList<>();
        for (Header header : record.headers()) {
            headers.add(List.of(header.key(), shown(header.value())));
        }
        Map<String, Object> read = new HashMap<>();
        read.put("key", shown(record.key()));
        read.put("value", shown(record.value()));
        read.put("headers", headers);
        return read;
    }

    static void transact(JsonNode asked) throws Exception {
        try (KafkaProducer<byte[], byte[]> producer = producer("transactional.id", text(asked, "transactional_id"))) {
            producer.initTransactions();
            producer.beginTransaction();
            producer.send(new ProducerRecord<>(text(asked, "topic"), "in a transaction".getBytes())).get();
            producer.commitTransaction();
        }
    }

    // --- groups

    /** A consumer of a group, polled by a thread of its own. */
    static class Member implements ConsumerRebalanceListener, Runnable {
        private final KafkaConsumer<byte[], byte[]> consumer;
        private final TreeSet<Integer> assigned = new TreeSet<>();
        private final List<List<Object>> history = new ArrayList<>();
        private final List<String> values = new ArrayList<>();
        private final Thread thread = new Thread(this);
        private final String topic;
        private volatile boolean leaving;
        private volatile String error;

        Member(JsonNode asked) {
            topic = text(asked, "topic");
            String assignor = asked.get("cooperative").asBoolean() ? "CooperativeStickyAssignor" : "RangeAssignor";
            Properties settings = settings(
                "group.id", text(asked, "group"),
                "session.timeout.ms", asked.get("session_ms").asInt(),
                "heartbeat.interval.ms", 300,
                "auto.offset.reset", "earliest",
                "partition.assignment.strategy", "org.apache.kafka.clients.consumer." + assignor);
            if (asked.hasNonNull("instance")) {
                settings.put("group.instance.id", text(asked, "instance"));
            }
            consumer = consumer(settings);
            thread.setDaemon(true);
            thread.start();
        }

        @Override
        public void run() {
            try (consumer) {
                consumer.subscribe(List.of(topic), this);
                while (!leaving) {
                    consumer.poll(Duration.ofMillis(50)).forEach(this::onRecord);
                }
            } catch (Throwable problem) {
                problem.printStackTrace();
                error = problem.toString();
            }
        }

        private synchronized void onRecord(ConsumerRecord<byte[], byte[]> record) {
            values.add(new String(record.value(), StandardCharsets.UTF_8));
        }

        private static List<Integer> numbers(Collection<TopicPartition> partitions) {
            return partitions.stream().map(TopicPartition::partition).sorted().toList();
        }

        @Override
        public synchronized void onPartitionsAssigned(Collection<TopicPartition> partitions) {
            assigned.addAll(numbers(partitions));
            history.add(List.of("assigned", numbers(partitions)));
        }

        @Override
        public synchronized void onPartitionsRevoked(Collection<TopicPartition> partitions) {
            assigned.removeAll(numbers(partitions));
            history.add(List.of("revoked", numbers(partitions)));
        }

        synchronized Map<String, Object> shown() {
            Map<String, Object> shown = new HashMap<>();
            shown.put("assigned", new ArrayList<>(assigned));
            shown.put("history", new ArrayList<>(history));
            shown.put("values", new ArrayList<>(values));
            shown.put("error", error);
            return shown;
        }

        void leave() throws InterruptedException {
            leaving = true;
            thread.join(TimeUnit.SECONDS.toMillis(SECONDS_MAX));
        }
    }

    // --- administration

    static <T> T wait(KafkaFuture<T> future) throws Exception {
        return future.get(SECONDS_MAX, TimeUnit.SECONDS);
    }

    static Object administer(JsonNode asked) throws Exception {
        if (admin == null) {
            admin = Admin.create(settings());
        }
        String topic = text(asked, "topic");
        String group = text(asked, "group");
        switch (asked.get("do").asText()) {
            case "create_topic":
                Map<String, String> configs = new HashMap<>();
                asked.get("configs").fields().forEachRemaining(one -> configs.put(one.getKey(), one.getValue().asText()));
                NewTopic created = new NewTopic(topic, asked.get("partitions").asInt(), (short) 1).configs(configs);
                return wait(admin.createTopics(List.of(created)).all());
            case "topics":
                Map<String, Integer> counts = new HashMap<>();
                wait(admin.describeTopics(wait(admin.listTopics().names())).allTopicNames())
                    .forEach((name, described) -> counts.put(name, described.partitions().size()));
                return counts;
            case "add_partitions":
                NewPartitions partitions = NewPartitions.increaseTo(asked.get("partitions").asInt());
                return wait(admin.createPartitions(Map.of(topic, partitions)).all());
            case "delete_topic":
                return wait(admin.deleteTopics(List.of(topic)).all());
            case "config":
                ConfigResource shown = new ConfigResource(ConfigResource.Type.TOPIC, topic);
                return wait(admin.describeConfigs(List.of(shown)).all()).get(shown).get(text(asked, "name")).value();
            case "set_config":
                ConfigResource changed = new ConfigResource(ConfigResource.Type.TOPIC, topic);
                ConfigEntry entry = new ConfigEntry(text(asked, "name"), text(asked, "value"));
                AlterConfigOp set = new AlterConfigOp(entry, AlterConfigOp.OpType.SET);
                return wait(admin.incrementalAlterConfigs(Map.of(changed, List.of(set))).all());
            case "groups":
                return wait(admin.listGroups(ListGroupsOptions.forConsumerGroups()).all())
                    .stream().map(one -> one.groupId()).toList();
            case "describe_group":
                var described = wait(admin.describeConsumerGroups(List.of(group)).all()).get(group);
                return Map.of("state", described.groupState().toString(), "members", described.members().size());
            case "committed":
                Map<String, Long> offsets = new HashMap<>();
                wait(admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata())
                    .forEach((one, position) -> offsets.put(String.valueOf(one.partition()), position.offset()));
                return offsets;
            case "delete_group":
                return wait(admin.deleteConsumerGroups(List.of(group)).all());
            default:
                throw new IllegalArgumentException(asked.get("do").asText());
        }
    }
}
