/* One producer, one request in flight: the time of each from the call to its delivery report. */
#include "rdkafka_client.h"

static int64_t reports, failed;

static void on_delivery(rd_kafka_t *client, const rd_kafka_message_t *message, void *opaque) {
    (void)client, (void)opaque;
    if (message->err && !failed++) fprintf(stderr, "delivery failed: %s\n", rd_kafka_err2str(message->err));
    reports++;
}

static int64_t send_one(rd_kafka_t *client, rd_kafka_topic_t *topic, void *payload, size_t size) {
    int64_t wanted = reports + 1, start = now_ns();
    if (rd_kafka_produce(topic, 0, 0, payload, size, NULL, 0, NULL)) die("the client's queue refused a message");
    while (reports < wanted) rd_kafka_poll(client, 1000);
    return now_ns() - start;
}

int main(int argc, char **argv) {
    arg_count = argc, arg_values = argv;
    int64_t count = number_arg("count", 10000), warmup = number_arg("warmup", 500);
    size_t size = (size_t)number_arg("size", 100);
    rd_kafka_conf_t *conf = client_conf();
    set_option(conf, "linger.ms", "0");
    rd_kafka_conf_set_dr_msg_cb(conf, on_delivery);
    rd_kafka_t *client = client_new(RD_KAFKA_PRODUCER, conf);
    rd_kafka_topic_t *topic = rd_kafka_topic_new(client, text_arg("topic", NULL), NULL);
    await_topic(client, topic, 1);
    void *payload = random_payload(size);

    for (int64_t i = 0; i < warmup; i++) send_one(client, topic, payload, size);
    int64_t *took_ns = must_alloc(sizeof *took_ns * (size_t)count), start = now_ns();
    for (int64_t i = 0; i < count; i++) took_ns[i] = send_one(client, topic, payload, size);
    double seconds = seconds_since(start);
    qsort(took_ns, (size_t)count, sizeof *took_ns, by_value);

    printf("{\"acknowledged\": %lld, \"errors\": %lld, \"seconds\": %.6f, \"messages_per_s\": %.1f, "
           "\"p50_us\": %.1f, \"p99_us\": %.1f, \"p999_us\": %.1f, \"max_us\": %.1f}\n",
           (long long)(reports - failed), (long long)failed, seconds, (double)count / seconds,
           percentile_us(took_ns, count, 0.5), percentile_us(took_ns, count, 0.99), percentile_us(took_ns, count, 0.999),
           percentile_us(took_ns, count, 1.0));
    return failed ? 1 : 0;
}
