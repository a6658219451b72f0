/* Many connections with one request in flight on each, over plain sockets, for some seconds.
 *
 * Dozens of librdkafka producers cost the machine more than a broker does; this client costs
 * a few microseconds per request, so it shows what the broker can do. */
#include <sys/epoll.h>

#include "wire.h"

enum { CONNECTIONS_MAX = 1024 };

static struct frame request, answer;

static void send_request(int connection) {
    if (send(connection, request.bytes, request.length, MSG_NOSIGNAL) != (ssize_t)request.length) die("the connection broke");
}

/* Answers are far smaller than a socket's buffer, so what has begun to arrive is read to its end. */
static void take_answer(int connection) {
    if (!read_answer(connection, &answer)) die("the connection broke");
    int64_t error = produce_error(&answer);
    if (error) die("error code %lld", (long long)error);
}

static int open_connection(int epoll) {
    int connection = connect_to(text_arg("servers", NULL));
    if (connection < 0) die("cannot connect");
    struct epoll_event event = {.events = EPOLLIN, .data.fd = connection};
    if (epoll_ctl(epoll, EPOLL_CTL_ADD, connection, &event)) die("cannot wait for a connection");
    send_request(connection);
    take_answer(connection);
    return connection;
}

int main(int argc, char **argv) {
    arg_count = argc, arg_values = argv;
    int connections = (int)number_arg("connections", 64), epoll = epoll_create1(0), in_flight = 0;
    size_t size = (size_t)number_arg("size", 100);
    int64_t acknowledged = 0, length_ns = number_arg("ms", 5000) * 1000000;
    static int opened[CONNECTIONS_MAX];
    static struct epoll_event events[CONNECTIONS_MAX];
    if (connections > CONNECTIONS_MAX) die("at most %d connections", CONNECTIONS_MAX);
    build_produce(&request, text_arg("topic", NULL), random_payload(size), size);
    for (int i = 0; i < connections; i++) opened[i] = open_connection(epoll);

    int64_t start = now_ns();
    for (int i = 0; i < connections; i++) send_request(opened[i]), in_flight++;
    while (in_flight) {
        int ready = epoll_wait(epoll, events, CONNECTIONS_MAX, 30000);
        if (ready <= 0) die("no answer within 30 s");
        int more = now_ns() - start < length_ns;
        for (int i = 0; i < ready; i++) {
            take_answer(events[i].data.fd);
            acknowledged++, in_flight--;
            if (more) send_request(events[i].data.fd), in_flight++;
        }
    }
    double seconds = seconds_since(start);

    printf("{\"acknowledged\": %lld, \"errors\": 0, \"seconds\": %.6f, \"messages_per_s\": %.1f}\n",
           (long long)acknowledged, seconds, (double)acknowledged / seconds);
    return 0;
}
