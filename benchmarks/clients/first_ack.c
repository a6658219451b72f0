/* Tries to produce one message, from before the broker listens until it is acknowledged.
 *
 * Prints the monotonic time of that moment, which the starter of the broker shares. */
#include "wire.h"

static struct frame request, answer;

static void build_request(const char *topic) {
    begin_request(&request, PRODUCE, 7);
    put(&request, (uint64_t)-1, 2);
    put(&request, 1, 2);
    put(&request, 10000, 4);
    put(&request, 1, 4);
    put_string(&request, topic);
    put(&request, 1, 4);
    put(&request, 0, 4);
    size_t records_at = request.length;
    put(&request, 0, 4);
    put_batch(&request, "the first message", 17);
    patch(&request, records_at, request.length - records_at - 4, 4);
    end_request(&request);
}

static int64_t error_in_answer(void) {
    skip(&answer, 4);
    skip(&answer, take(&answer, 2));
    skip(&answer, 8);
    return take(&answer, 2);
}

int main(int argc, char **argv) {
    arg_count = argc, arg_values = argv;
    double limit_s = (double)number_arg("limit_s", 60);
    build_request(text_arg("topic", NULL));
    int64_t begin = now_ns(), open_ns = 0, error = -1;
    for (int connection = -1; seconds_since(begin) < limit_s; usleep(1000)) {
        if (connection < 0) connection = connect_to(text_arg("servers", NULL));
        if (connection < 0) continue;
        if (!open_ns) open_ns = now_ns();
        if (!exchange(connection, &request, &answer)) {
            close(connection);
            connection = -1;
            continue;
        }
        if (!(error = error_in_answer())) {
            printf("{\"errors\": 0, \"open_ns\": %lld, \"acknowledged_ns\": %lld}\n", (long long)open_ns, (long long)now_ns());
            return 0;
        }
    }
    die("nothing acknowledged within %.0f s, last error code %lld", limit_s, (long long)error);
}
