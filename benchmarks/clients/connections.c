/* Many producers, each with its own connection and one request in flight, for some seconds.
 *
 * One thread serves all of them: a producer whose delivery report is there writes its number into
 * a pipe, and taking the report sends that producer's next message. */
#include <unistd.h>

#include "rdkafka_client.h"

struct producer {
    int number;
    rd_kafka_topic_t *topic;
    rd_kafka_queue_t *reports;
};

static struct producer *producers;
static void *payload;
static size_t size;
static int64_t acknowledged, in_flight, end_ns;
static int partitions, ready_read, ready_write;

static void send_next(const struct producer *producer) {
    if (rd_kafka_produce(producer->topic, producer->number % partitions, 0, payload, size, NULL, 0, NULL))
        die("the client's queue refused a message");
    in_flight++;
}

static void take_reports(const struct producer *producer, rd_kafka_event_t *event) {
    const rd_kafka_message_t *message;
    while ((message = rd_kafka_event_message_next(event))) {
        if (message->err) die("delivery failed: %s", rd_kafka_err2str(message->err));
        in_flight--, acknowledged++;
        if (now_ns() < end_ns) send_next(producer);
    }
}

static void serve(const struct producer *producer) {
    rd_kafka_event_t *event;
    while ((event = rd_kafka_queue_poll(producer->reports, 0))) {
        if (rd_kafka_event_type(event) == RD_KAFKA_EVENT_ERROR) die("client error: %s", rd_kafka_event_error_string(event));
        if (rd_kafka_event_type(event) == RD_KAFKA_EVENT_DR) take_reports(producer, event);
        rd_kafka_event_destroy(event);
    }
}

static void open_producer(struct producer *producer, int number) {
    rd_kafka_conf_t *conf = client_conf();
    set_option(conf, "linger.ms", "0");
    rd_kafka_conf_set_error_cb(conf, NULL);
    rd_kafka_conf_set_events(conf, RD_KAFKA_EVENT_DR | RD_KAFKA_EVENT_ERROR);
    rd_kafka_t *client = client_new(RD_KAFKA_PRODUCER, conf);
    producer->number = number;
    producer->topic = rd_kafka_topic_new(client, text_arg("topic", NULL), NULL);
    await_topic(client, producer->topic, partitions);
    producer->reports = rd_kafka_queue_get_main(client);
    rd_kafka_queue_io_event_enable(producer->reports, ready_write, &producer->number, sizeof producer->number);
}

int main(int argc, char **argv) {
    arg_count = argc, arg_values = argv;
    int connections = (int)number_arg("connections", 64), pipe_ends[2], ready[1024];
    int64_t length_ns = number_arg("ms", 5000) * 1000000;
    partitions = (int)number_arg("partitions", 1), size = (size_t)number_arg("size", 100);
    payload = random_payload(size);
    producers = must_alloc(sizeof *producers * (size_t)connections);
    if (pipe(pipe_ends)) die("no pipe");
    ready_read = pipe_ends[0], ready_write = pipe_ends[1];
    for (int i = 0; i < connections; i++) open_producer(&producers[i], i);

    int64_t start = now_ns();
    end_ns = start + length_ns;
    for (int i = 0; i < connections; i++) send_next(&producers[i]);
    while (in_flight) {
        ssize_t got = read(ready_read, ready, sizeof ready);
        if (got <= 0 || got % (ssize_t)sizeof *ready) die("the pipe broke");
        for (ssize_t i = 0; i < got / (ssize_t)sizeof *ready; i++) serve(&producers[ready[i]]);
    }
    double seconds = seconds_since(start);

    printf("{\"acknowledged\": %lld, \"errors\": 0, \"seconds\": %.6f, \"messages_per_s\": %.1f}\n",
           (long long)acknowledged, seconds, (double)acknowledged / seconds);
    return 0;
}
