/* The neighbour that fills the disk: writes a file of `mb=` megabytes over and over until SIGTERM.
 *
 * Every `sync_mb=` megabytes it waits for the disk. So the disk always has work, while a writer that
 * only dirtied pages would mostly take a processor away from the broker. */
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "bench.h"

enum { BLOCK = 1 << 20 };

static volatile sig_atomic_t stopped;

static void on_stop(int signal_number) { stopped = signal_number; }

int main(int argc, char **argv) {
    arg_count = argc, arg_values = argv;
    const char *path = text_arg("path", NULL);
    int64_t blocks = number_arg("mb", 4000), sync_blocks = number_arg("sync_mb", 128), written = 0;
    signal(SIGTERM, on_stop);
    void *block = random_payload(BLOCK);
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file < 0) die("cannot open %s", path);
    int64_t start = now_ns();
    while (!stopped) {
        if (pwrite(file, block, BLOCK, (off_t)(written % blocks) * BLOCK) != BLOCK && !stopped) die("cannot write %s", path);
        if (++written % sync_blocks == 0 && fdatasync(file)) die("cannot sync %s", path);
    }
    double seconds = seconds_since(start);
    unlink(path);
    printf("{\"errors\": 0, \"written_mb\": %lld, \"mb_per_s\": %.1f}\n", (long long)written, (double)written / seconds);
    return 0;
}
