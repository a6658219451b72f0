/* Asks for the API versions every millisecond on a connection of its own, until SIGTERM.
 *
 * The longest answer time is the delay of the broker as seen from outside. It holds whatever kept
 * the probe itself from running: `late_max_ms` says how late the probe was at most. */
#include <signal.h>
#include <sys/resource.h>

#include "wire.h"

enum { SAMPLES_MAX = 2000000 };

static volatile sig_atomic_t stopped;
static struct frame request, answer;

static void on_stop(int signal_number) { stopped = signal_number; }

static void sleep_until(int64_t when_ns) {
    struct timespec t = {.tv_sec = when_ns / 1000000000, .tv_nsec = when_ns % 1000000000};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

int main(int argc, char **argv) {
    arg_count = argc, arg_values = argv;
    int64_t period_ns = number_arg("period_us", 1000) * 1000, count = 0, late_max_ns = 0;
    int64_t *took_ns = must_alloc(sizeof *took_ns * SAMPLES_MAX);
    signal(SIGTERM, on_stop);
    int own_priority = !setpriority(PRIO_PROCESS, 0, -20);
    int connection = connect_to(text_arg("servers", NULL));
    if (connection < 0) die("cannot connect");
    begin_request(&request, API_VERSIONS, 0);
    end_request(&request);

    int64_t due = now_ns();
    while (!stopped && count < SAMPLES_MAX) {
        sleep_until(due);
        int64_t start = now_ns();
        if (start - due > late_max_ns && !stopped) late_max_ns = start - due;
        if (!exchange(connection, &request, &answer)) die("the connection broke");
        int64_t end = now_ns();
        took_ns[count++] = end - start;
        due = due + period_ns > end ? due + period_ns : end;
    }
    qsort(took_ns, (size_t)count, sizeof *took_ns, by_value);
    printf("{\"errors\": 0, \"samples\": %lld, \"p50_us\": %.1f, \"p99_us\": %.1f, \"p999_us\": %.1f, \"max_ms\": %.3f, "
           "\"late_max_ms\": %.3f, \"own_priority\": %d}\n",
           (long long)count, percentile_us(took_ns, count, 0.5), percentile_us(took_ns, count, 0.99),
           percentile_us(took_ns, count, 0.999), percentile_us(took_ns, count, 1.0) / 1000, (double)late_max_ns / 1e6, own_priority);
    return 0;
}
