/* Fetches one batch at a time from random offsets of partition 0 below `end=`, and times each. */
#include "wire.h"

static struct frame request, answer;

static void build_request(const char *topic, uint64_t offset) {
    begin_request(&request, FETCH, 11);
    put(&request, (uint64_t)-1, 4);
    put(&request, 500, 4);
    put(&request, 1, 4);
    put(&request, 1, 4); /* max bytes: the first batch comes whole, and nothing beside it */
    put(&request, 0, 1);
    put(&request, 0, 4);
    put(&request, (uint64_t)-1, 4);
    put(&request, 1, 4);
    put_string(&request, topic);
    put(&request, 1, 4);
    put(&request, 0, 4);
    put(&request, (uint64_t)-1, 4);
    put(&request, offset, 8);
    put(&request, (uint64_t)-1, 8);
    put(&request, 1, 4);
    put(&request, 0, 4);
    put_string(&request, "");
    end_request(&request);
}

/* The answer's batch must hold the offset that was asked for. */
static void check_answer(int64_t offset) {
    skip(&answer, 4);
    int64_t error = take(&answer, 2);
    skip(&answer, 8);
    skip(&answer, take(&answer, 2));
    skip(&answer, 8);
    int64_t partition_error = take(&answer, 2);
    if (error || partition_error) die("fetch at %lld: errors %lld, %lld", (long long)offset, (long long)error, (long long)partition_error);
    skip(&answer, 24);
    skip(&answer, 16 * take(&answer, 4));
    skip(&answer, 4);
    if (take(&answer, 4) < 61) die("fetch at %lld: no batch came", (long long)offset);
    int64_t base = take(&answer, 8);
    skip(&answer, 15);
    if (offset < base || offset > base + take(&answer, 4)) die("fetch at %lld: a batch from %lld", (long long)offset, (long long)base);
}

int main(int argc, char **argv) {
    arg_count = argc, arg_values = argv;
    int64_t count = number_arg("count", 5000), end = number_arg("end", 0);
    uint64_t dice = (uint64_t)number_arg("seed", 1);
    const char *topic = text_arg("topic", NULL);
    int connection = connect_to(text_arg("servers", NULL));
    if (connection < 0) die("cannot connect");
    int64_t *took_ns = must_alloc(sizeof *took_ns * (size_t)count);
    for (int64_t i = -count / 10; i < count; i++) {
        dice = dice * 6364136223846793005u + 1442695040888963407u;
        int64_t offset = (int64_t)((dice >> 20) % (uint64_t)end);
        build_request(topic, (uint64_t)offset);
        int64_t start = now_ns();
        if (!exchange(connection, &request, &answer)) die("the connection broke");
        if (i >= 0) took_ns[i] = now_ns() - start;
        check_answer(offset);
    }
    qsort(took_ns, (size_t)count, sizeof *took_ns, by_value);
    printf("{\"errors\": 0, \"fetches\": %lld, \"p50_us\": %.1f, \"p99_us\": %.1f}\n", (long long)count,
           percentile_us(took_ns, count, 0.5), percentile_us(took_ns, count, 0.99));
    return 0;
}
