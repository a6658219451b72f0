/* Reads assigned partitions from the beginning until `count` messages are there, without a group.
 *
 * Every offset must follow its predecessor, every message must have the expected size, each number
 * must come exactly once (in any order: a client may retry), and no more than was written be stored. */
#include "rdkafka_client.h"

enum { AT_ONCE = 4096, PARTITIONS_MAX = 1024 };

static int64_t next_offset[PARTITIONS_MAX], count;
static unsigned char *seen;

static void check(const rd_kafka_message_t *message, size_t size) {
    if (message->err) die("consume: %s", rd_kafka_message_errstr(message));
    if (message->len + message->key_len != size) die("a message of %zu bytes, expected %zu", message->len + message->key_len, size);
    int64_t expected = next_offset[message->partition]++;
    if (message->offset != expected)
        die("partition %d: offset %lld, expected %lld", (int)message->partition, (long long)message->offset, (long long)expected);
    int64_t number;
    if (message->key_len != sizeof number) die("a message without its number");
    memcpy(&number, message->key, sizeof number);
    if (number < 0 || number >= count) die("a message with the number %lld", (long long)number);
    unsigned char bit = (unsigned char)(1 << (number & 7));
    if (seen[number >> 3] & bit) die("message %lld came twice", (long long)number);
    seen[number >> 3] |= bit;
}

int main(int argc, char **argv) {
    arg_count = argc, arg_values = argv;
    int64_t received = 0;
    count = number_arg("count", 0), seen = must_alloc((size_t)(count >> 3) + 1);
    size_t size = (size_t)number_arg("size", 1024);
    int partitions = (int)number_arg("partitions", 1);
    if (partitions > PARTITIONS_MAX) die("at most %d partitions", PARTITIONS_MAX);
    rd_kafka_conf_t *conf = client_conf();
    set_option(conf, "queued.min.messages", "1000000");
    rd_kafka_t *client = client_new(RD_KAFKA_CONSUMER, conf);
    rd_kafka_topic_t *topic = rd_kafka_topic_new(client, text_arg("topic", NULL), NULL);
    await_topic(client, topic, partitions);
    rd_kafka_queue_t *queue = rd_kafka_queue_new(client);
    static rd_kafka_message_t *messages[AT_ONCE];

    int64_t start = now_ns(), progress_ns = start;
    for (int i = 0; i < partitions; i++)
        if (rd_kafka_consume_start_queue(topic, i, 0, queue)) die("cannot read partition %d", i);
    while (received < count) {
        /* The call returns when it has all that was asked for: never ask for more than will come. */
        size_t wanted = (size_t)(count - received < AT_ONCE ? count - received : AT_ONCE);
        ssize_t got = rd_kafka_consume_batch_queue(queue, 1000, messages, wanted);
        for (ssize_t i = 0; i < got; i++) {
            check(messages[i], size);
            rd_kafka_message_destroy(messages[i]);
        }
        if (got > 0) received += got, progress_ns = now_ns();
        if (seconds_since(progress_ns) > 30) die("only %lld of %lld messages came", (long long)received, (long long)count);
    }
    double seconds = seconds_since(start);
    int64_t low, high, stored = 0;
    for (int i = 0; i < partitions; i++) {
        if (rd_kafka_query_watermark_offsets(client, text_arg("topic", NULL), i, &low, &high, 10000)) die("no watermarks");
        stored += high - low;
    }
    if (stored != count) die("%lld messages are stored, %lld were written", (long long)stored, (long long)count);

    printf("{\"received\": %lld, \"errors\": 0, \"seconds\": %.6f, \"messages_per_s\": %.1f, \"mb_per_s\": %.3f}\n",
           (long long)received, seconds, (double)received / seconds, (double)received * (double)size / seconds / 1e6);
    return 0;
}
