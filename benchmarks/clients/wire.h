/* A few requests of the protocol over a plain socket, where a client library would add delays of its own. */
#pragma once
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench.h"

enum { FRAME_MAX = 4 << 20, PRODUCE = 0, FETCH = 1, API_VERSIONS = 18 };

struct frame {
    unsigned char bytes[FRAME_MAX];
    size_t length, position;
};

static inline void put(struct frame *frame, uint64_t value, int width) {
    for (int i = width - 1; i >= 0; i--) frame->bytes[frame->length++] = (unsigned char)(value >> (8 * i));
}

static inline void put_bytes(struct frame *frame, const void *bytes, size_t length) {
    memcpy(frame->bytes + frame->length, bytes, length);
    frame->length += length;
}

static inline void put_string(struct frame *frame, const char *text) {
    put(frame, strlen(text), 2);
    put_bytes(frame, text, strlen(text));
}

static inline void patch(struct frame *frame, size_t at, uint64_t value, int width) {
    size_t length = frame->length;
    frame->length = at;
    put(frame, value, width);
    frame->length = length;
}

static inline int64_t take(struct frame *frame, int width) {
    if (frame->position + (size_t)width > frame->length) die("an answer ends too early");
    uint64_t value = 0;
    for (int i = 0; i < width; i++) value = value << 8 | frame->bytes[frame->position++];
    int unused = 64 - 8 * width;
    return (int64_t)(value << unused) >> unused;
}

static inline void skip(struct frame *frame, int64_t bytes) { frame->position += (size_t)(bytes > 0 ? bytes : 0); }

static inline void begin_request(struct frame *frame, int api, int version) {
    frame->length = 0;
    put(frame, 0, 4);
    put(frame, (uint64_t)api, 2);
    put(frame, (uint64_t)version, 2);
    put(frame, 7, 4);
    put_string(frame, "bench");
}

static inline void end_request(struct frame *frame) { patch(frame, 0, frame->length - 4, 4); }

static inline uint32_t crc32c(const unsigned char *bytes, size_t length) {
    uint32_t crc = ~0u;
    for (size_t i = 0; i < length; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0x82F63B78u : 0);
    }
    return ~crc;
}

/* One record batch with one record of `size` < 8000 bytes, no key and no headers. */
static inline void put_batch(struct frame *frame, const void *value, size_t size) {
    unsigned char head[16];
    size_t used = 0;
    head[used++] = 0, head[used++] = 0, head[used++] = 0, head[used++] = 1; /* attributes, deltas, null key */
    for (size_t rest = size * 2; used < sizeof head; rest >>= 7) {
        head[used++] = (unsigned char)(rest > 127 ? rest | 128 : rest);
        if (rest <= 127) break;
    }
    size_t record = used + size + 1, start = frame->length, wide = record * 2 > 127;
    put(frame, 0, 8);
    put(frame, 49 + 1 + wide + record, 4);
    put(frame, (uint64_t)-1, 4);
    put(frame, 2, 1);
    put(frame, 0, 4);
    put(frame, 0, 2);
    put(frame, 0, 4);
    uint64_t now_ms = (uint64_t)time(NULL) * 1000;
    put(frame, now_ms, 8);
    put(frame, now_ms, 8);
    put(frame, (uint64_t)-1, 8);
    put(frame, (uint64_t)-1, 2);
    put(frame, (uint64_t)-1, 4);
    put(frame, 1, 4);
    put(frame, wide ? (record * 2 & 127) | 128 : record * 2, 1);
    if (wide) put(frame, record * 2 >> 7, 1);
    put_bytes(frame, head, used);
    put_bytes(frame, value, size);
    put(frame, 0, 1);
    patch(frame, start + 17, crc32c(frame->bytes + start + 21, frame->length - start - 21), 4);
}

static inline int connect_to(const char *servers) {
    char host[64];
    int port;
    if (sscanf(servers, "%63[^:]:%d", host, &port) != 2) die("servers=%s is not host:port", servers);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    if (inet_pton(AF_INET, host, &address.sin_addr) != 1) die("%s is not an address", host);
    int socket_fd = socket(AF_INET, SOCK_STREAM, 0), on = 1;
    if (connect(socket_fd, (struct sockaddr *)&address, sizeof address)) {
        close(socket_fd);
        return -1;
    }
    setsockopt(socket_fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return socket_fd;
}

static inline int read_fully(int socket_fd, unsigned char *into, size_t wanted) {
    for (size_t have = 0; have < wanted;) {
        ssize_t got = recv(socket_fd, into + have, wanted - have, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return 0;
        have += (size_t)got;
    }
    return 1;
}

/* Reads an answer and stands behind its correlation id; 0 if the connection broke. */
static inline int read_answer(int socket_fd, struct frame *answer) {
    answer->length = 4, answer->position = 0;
    if (!read_fully(socket_fd, answer->bytes, 4)) return 0;
    int64_t size = take(answer, 4);
    if (size < 4 || size > FRAME_MAX) die("an answer of %lld bytes", (long long)size);
    answer->length = (size_t)size, answer->position = 0;
    if (!read_fully(socket_fd, answer->bytes, answer->length)) return 0;
    return take(answer, 4) == 7;
}

static inline int exchange(int socket_fd, const struct frame *request, struct frame *answer) {
    if (send(socket_fd, request->bytes, request->length, MSG_NOSIGNAL) != (ssize_t)request->length) return 0;
    return read_answer(socket_fd, answer);
}

/* Produce one message of `size` bytes to partition 0, acknowledged by the leader. */
static inline void build_produce(struct frame *request, const char *topic, const void *value, size_t size) {
    begin_request(request, PRODUCE, 7);
    put(request, (uint64_t)-1, 2);
    put(request, 1, 2);
    put(request, 10000, 4);
    put(request, 1, 4);
    put_string(request, topic);
    put(request, 1, 4);
    put(request, 0, 4);
    size_t records_at = request->length;
    put(request, 0, 4);
    put_batch(request, value, size);
    patch(request, records_at, request->length - records_at - 4, 4);
    end_request(request);
}

/* The error code in the answer to build_produce's request, read from behind the correlation id. */
static inline int64_t produce_error(struct frame *answer) {
    skip(answer, 4);
    skip(answer, take(answer, 2));
    skip(answer, 8);
    return take(answer, 2);
}
