/* What every client here shares: the clock, key=value arguments, and a death that says why.
 *
 * A client prints one JSON object on standard output and exits with 0, or says on standard error
 * what went wrong and exits with 1: no error goes unnoticed. */
#pragma once
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int arg_count;
static char **arg_values;

static inline int64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static inline double seconds_since(int64_t start_ns) { return (double)(now_ns() - start_ns) / 1e9; }

static inline void die(const char *format, ...) {
    va_list rest;
    va_start(rest, format);
    vfprintf(stderr, format, rest);
    va_end(rest);
    fputc('\n', stderr);
    exit(1);
}

static inline const char *text_arg(const char *name, const char *fallback) {
    size_t length = strlen(name);
    for (int i = 1; i < arg_count; i++)
        if (!strncmp(arg_values[i], name, length) && arg_values[i][length] == '=') return arg_values[i] + length + 1;
    if (!fallback) die("missing argument %s=", name);
    return fallback;
}

static inline int64_t number_arg(const char *name, int64_t fallback) {
    const char *text = text_arg(name, "");
    return *text ? strtoll(text, NULL, 10) : fallback;
}

static inline void *must_alloc(size_t bytes) {
    void *memory = calloc(1, bytes);
    if (!memory) die("out of memory");
    return memory;
}

/* The same bytes in every run, and not so regular that anything could compress them away. */
static inline void *random_payload(size_t bytes) {
    unsigned char *payload = must_alloc(bytes + 1);
    uint64_t state = 0x9E3779B97F4A7C15u;
    for (size_t i = 0; i < bytes; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        payload[i] = (unsigned char)(state >> 56);
    }
    return payload;
}

static inline int by_value(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static inline double percentile_us(const int64_t *sorted_ns, int64_t count, double share) {
    int64_t rank = (int64_t)(share * (double)(count - 1) + 0.5);
    return (double)sorted_ns[rank] / 1000.0;
}
