/* Many producers, each with its own connection and one request in flight, for some seconds.
 *
 * One thread serves all of them: their delivery reports arrive in one queue, and each report sends
 * that producer's next message. */
#include "rdkafka_client.h"

static rd_kafka_topic_t **topics;
static void *payload;
static size_t size;
static int64_t acknowledged, in_flight;
static int partitions;

static void send_next(int producer) {
    void *self = (void *)(intptr_t)producer;
    if (rd_kafka_produce(topics[producer], producer % partitions, 0, payload, size, NULL, 0, self))
        die("the client's queue refused a message");
    in_flight++;
}

static void take_reports(rd_kafka_event_t *event, int64_t end_ns) {
    const rd_kafka_message_t *message;
    while ((message = rd_kafka_event_message_next(event))) {
        if (message->err) die("delivery failed: %s", rd_kafka_err2str(message->err));
        in_flight--, acknowledged++;
        if (now_ns() < end_ns) send_next((int)(intptr_t)message->_private);
    }
}

static rd_kafka_topic_t *open_producer(rd_kafka_queue_t *reports) {
    rd_kafka_conf_t *conf = client_conf();
    set_option(conf, "linger.ms", "0");
    rd_kafka_conf_set_error_cb(conf, NULL);
    rd_kafka_conf_set_events(conf, RD_KAFKA_EVENT_DR | RD_KAFKA_EVENT_ERROR);
    rd_kafka_t *client = client_new(RD_KAFKA_PRODUCER, conf);
    rd_kafka_topic_t *topic = rd_kafka_topic_new(client, text_arg("topic", NULL), NULL);
    await_topic(client, topic, partitions);
    rd_kafka_queue_forward(rd_kafka_queue_get_main(client), reports);
    return topic;
}

int main(int argc, char **argv) {
    arg_count = argc, arg_values = argv;
    int connections = (int)number_arg("connections", 64);
    double seconds_wanted = (double)number_arg("ms", 5000) / 1000.0;
    partitions = (int)number_arg("partitions", 1), size = (size_t)number_arg("size", 100);
    payload = random_payload(size);
    topics = must_alloc(sizeof *topics * (size_t)connections);
    rd_kafka_conf_t *idle = rd_kafka_conf_new();
    rd_kafka_queue_t *reports = rd_kafka_queue_new(client_new(RD_KAFKA_PRODUCER, idle));
    for (int i = 0; i < connections; i++) topics[i] = open_producer(reports);

    int64_t start = now_ns(), end = start + (int64_t)(seconds_wanted * 1e9);
    for (int i = 0; i < connections; i++) send_next(i);
    while (in_flight) {
        rd_kafka_event_t *event = rd_kafka_queue_poll(reports, 1000);
        if (!event) continue;
        if (rd_kafka_event_type(event) == RD_KAFKA_EVENT_ERROR) die("client error: %s", rd_kafka_event_error_string(event));
        if (rd_kafka_event_type(event) == RD_KAFKA_EVENT_DR) take_reports(event, end);
        rd_kafka_event_destroy(event);
    }
    double seconds = seconds_since(start);

    printf("{\"acknowledged\": %lld, \"errors\": 0, \"seconds\": %.6f, \"messages_per_s\": %.1f}\n",
           (long long)acknowledged, seconds, (double)acknowledged / seconds);
    return 0;
}
