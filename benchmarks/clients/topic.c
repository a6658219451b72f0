/* Creates (`partitions=`, `config.NAME=VALUE`) or deletes (`delete=1`) a topic. */
#include "rdkafka_client.h"

static rd_kafka_NewTopic_t *new_topic(const char *name) {
    char error[512];
    rd_kafka_NewTopic_t *topic = rd_kafka_NewTopic_new(name, (int)number_arg("partitions", 1), 1, error, sizeof error);
    if (!topic) die("%s", error);
    for (int i = 1; i < arg_count; i++) {
        if (strncmp(arg_values[i], "config.", 7)) continue;
        char *key = strdup(arg_values[i] + 7), *equals = strchr(key, '=');
        if (!equals) die("%s has no value", arg_values[i]);
        *equals = 0;
        rd_kafka_NewTopic_set_config(topic, key, equals + 1);
        free(key);
    }
    return topic;
}

static rd_kafka_event_t *ask(rd_kafka_t *client, const char *name) {
    rd_kafka_queue_t *answers = rd_kafka_queue_new(client);
    if (number_arg("delete", 0)) {
        rd_kafka_DeleteTopic_t *topic = rd_kafka_DeleteTopic_new(name);
        rd_kafka_DeleteTopics(client, &topic, 1, NULL, answers);
    } else {
        rd_kafka_NewTopic_t *topic = new_topic(name);
        rd_kafka_CreateTopics(client, &topic, 1, NULL, answers);
    }
    return rd_kafka_queue_poll(answers, 60000);
}

static const rd_kafka_topic_result_t *result_of(rd_kafka_event_t *event) {
    size_t count;
    if (number_arg("delete", 0))
        return rd_kafka_DeleteTopics_result_topics(rd_kafka_event_DeleteTopics_result(event), &count)[0];
    return rd_kafka_CreateTopics_result_topics(rd_kafka_event_CreateTopics_result(event), &count)[0];
}

int main(int argc, char **argv) {
    arg_count = argc, arg_values = argv;
    rd_kafka_t *client = client_new(RD_KAFKA_PRODUCER, client_conf());
    rd_kafka_event_t *event = ask(client, text_arg("topic", NULL));
    if (!event) die("no answer within 60 s");
    if (rd_kafka_event_error(event)) die("%s", rd_kafka_event_error_string(event));
    const rd_kafka_topic_result_t *result = result_of(event);
    if (rd_kafka_topic_result_error(result)) die("%s", rd_kafka_topic_result_error_string(result));
    printf("{\"errors\": 0}\n");
    return 0;
}
