/* Setting up librdkafka: `servers=`, and every `conf.NAME=VALUE` argument handed to it. */
#pragma once
#include <librdkafka/rdkafka.h>

#include "bench.h"

static inline void set_option(rd_kafka_conf_t *conf, const char *name, const char *value) {
    char error[512];
    if (rd_kafka_conf_set(conf, name, value, error, sizeof error) != RD_KAFKA_CONF_OK) die("%s", error);
}

static inline void stop_on_fatal(rd_kafka_t *client, int error, const char *reason, void *opaque) {
    (void)client, (void)opaque;
    /* A lost connection is retried silently by the client: in a benchmark it must be loud. */
    die("client error %s: %s", rd_kafka_err2name((rd_kafka_resp_err_t)error), reason);
}

static inline rd_kafka_conf_t *client_conf(void) {
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    set_option(conf, "bootstrap.servers", text_arg("servers", NULL));
    set_option(conf, "broker.address.family", "v4");
    rd_kafka_conf_set_error_cb(conf, stop_on_fatal);
    for (int i = 1; i < arg_count; i++) {
        if (strncmp(arg_values[i], "conf.", 5)) continue;
        char *name = strdup(arg_values[i] + 5), *equals = strchr(name, '=');
        if (!equals) die("%s has no value", arg_values[i]);
        *equals = 0;
        set_option(conf, name, equals + 1);
        free(name);
    }
    return conf;
}

static inline rd_kafka_t *client_new(rd_kafka_type_t type, rd_kafka_conf_t *conf) {
    char error[512];
    rd_kafka_t *client = rd_kafka_new(type, conf, error, sizeof error);
    if (!client) die("%s", error);
    return client;
}

static inline int has_leaders(rd_kafka_t *client, rd_kafka_topic_t *topic, int partitions) {
    const struct rd_kafka_metadata *metadata;
    rd_kafka_resp_err_t error = rd_kafka_metadata(client, 0, topic, &metadata, 10000);
    if (error) die("metadata: %s", rd_kafka_err2str(error));
    int led = 0;
    if (metadata->topic_cnt == 1 && !metadata->topics[0].err)
        for (int i = 0; i < metadata->topics[0].partition_cnt; i++) led += metadata->topics[0].partitions[i].leader >= 0;
    rd_kafka_metadata_destroy(metadata);
    return led >= partitions;
}

/* A leader may be named before it serves the partition: the first messages would be refused and sent again. */
static inline int leaders_serve(rd_kafka_t *client, rd_kafka_topic_t *topic, int partitions) {
    int64_t low, high;
    for (int i = 0; i < partitions; i++)
        if (rd_kafka_query_watermark_offsets(client, rd_kafka_topic_name(topic), i, &low, &high, 5000)) return 0;
    return 1;
}

/* Waits until the topic can be used, so that no measurement holds the connecting and the looking up. */
static inline void await_topic(rd_kafka_t *client, rd_kafka_topic_t *topic, int partitions) {
    int64_t start = now_ns();
    while (seconds_since(start) < 30) {
        if (has_leaders(client, topic, partitions) && leaders_serve(client, topic, partitions)) return;
        rd_kafka_poll(client, 10);
    }
    die("topic %s is not served after 30 s", rd_kafka_topic_name(topic));
}
