/* Tries to produce one message, from before the broker listens until it is acknowledged.
 *
 * Prints the monotonic time of that moment, which the starter of the broker shares. */
#include "wire.h"

static struct frame request, answer;

int main(int argc, char **argv) {
    arg_count = argc, arg_values = argv;
    double limit_s = (double)number_arg("limit_s", 60);
    build_produce(&request, text_arg("topic", NULL), "the first message", 17);
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
        if (!(error = produce_error(&answer))) {
            printf("{\"errors\": 0, \"open_ns\": %lld, \"acknowledged_ns\": %lld}\n", (long long)open_ns, (long long)now_ns());
            return 0;
        }
    }
    die("nothing acknowledged within %.0f s, last error code %lld", limit_s, (long long)error);
}
