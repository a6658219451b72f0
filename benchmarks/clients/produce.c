/* One producer, many messages: batched by default, or one message per request with
 * conf.batch.num.messages=1. Every message's delivery report is counted.
 *
 * A message of `size` bytes is a key of 8, its number, which the reader checks, and a value. */
#include "rdkafka_client.h"

enum { CHUNK = 500 };

static int64_t acknowledged, failed;

static void on_delivery(rd_kafka_t *client, const rd_kafka_message_t *message, void *opaque) {
    (void)client, (void)opaque;
    if (message->err && !failed++) fprintf(stderr, "delivery failed: %s\n", rd_kafka_err2str(message->err));
    acknowledged += !message->err;
}

static int64_t send_chunk(rd_kafka_topic_t *topic, int partition, void *payload, size_t size, int64_t first, int64_t end) {
    static rd_kafka_message_t messages[CHUNK];
    static int64_t numbers[CHUNK];
    int count = (int)(end - first < CHUNK ? end - first : CHUNK);
    for (int i = 0; i < count; i++) {
        memset(&messages[i], 0, sizeof messages[i]);
        numbers[i] = first + i;
        messages[i].key = &numbers[i], messages[i].key_len = sizeof numbers[i];
        messages[i].payload = payload, messages[i].len = size - sizeof numbers[i];
    }
    if (rd_kafka_produce_batch(topic, partition, 0, messages, count) != count) die("the client's queue refused messages");
    return count;
}

int main(int argc, char **argv) {
    arg_count = argc, arg_values = argv;
    int64_t count = number_arg("count", 1000000), outstanding_max = number_arg("outstanding", 100000);
    size_t size = (size_t)number_arg("size", 1024);
    int partitions = (int)number_arg("partitions", 1);
    if (size < sizeof(int64_t)) die("a message has at least 8 bytes");
    rd_kafka_conf_t *conf = client_conf();
    set_option(conf, "queue.buffering.max.messages", "10000000");
    set_option(conf, "queue.buffering.max.kbytes", "2000000");
    rd_kafka_conf_set_dr_msg_cb(conf, on_delivery);
    rd_kafka_t *client = client_new(RD_KAFKA_PRODUCER, conf);
    rd_kafka_topic_t *topic = rd_kafka_topic_new(client, text_arg("topic", NULL), NULL);
    await_topic(client, topic, partitions);
    void *payload = random_payload(size);

    int64_t start = now_ns(), sent = 0;
    for (int turn = 0; sent < count; turn++) {
        sent += send_chunk(topic, turn % partitions, payload, size, sent, count);
        rd_kafka_poll(client, 0);
        while (sent - acknowledged - failed > outstanding_max) rd_kafka_poll(client, 100);
    }
    while (acknowledged + failed < count) rd_kafka_poll(client, 100);
    double seconds = seconds_since(start);

    printf("{\"acknowledged\": %lld, \"errors\": %lld, \"seconds\": %.6f, \"messages_per_s\": %.1f, \"mb_per_s\": %.3f}\n",
           (long long)acknowledged, (long long)failed, seconds, (double)acknowledged / seconds,
           (double)acknowledged * (double)size / seconds / 1e6);
    return failed ? 1 : 0;
}
