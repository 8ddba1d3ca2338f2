/* SPDX-License-Identifier: Apache-2.0 */
/* A board on a serial line: the frames that go to an emulator in a file go here one by one, each
 * when the one before was answered. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "oribi/verify_wire.h"
#include "verify.h"

enum { HELLO_MS = 1000 }; /* a board that is just starting may miss the first ones */

static const struct {
    int64_t baud;
    speed_t speed;
} speeds[] = {{9600, B9600},     {19200, B19200},   {38400, B38400},   {57600, B57600},
              {115200, B115200}, {230400, B230400}, {460800, B460800}, {921600, B921600}};

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Raw, 8 bits, no parity, no flow control; -1 after a message. */
static int open_line(const char *path, int64_t baud)
{
    struct termios line;
    speed_t speed = B0;
    for (size_t i = 0; i < sizeof speeds / sizeof speeds[0]; i++) {
        speed = speeds[i].baud == baud ? speeds[i].speed : speed;
    }
    if (speed == B0) {
        cli_error("verify: --baud %lld is not supported; choose 9600, 19200, 38400, 57600, 115200, "
                  "230400, 460800 or 921600",
                  (long long)baud);
        return -1;
    }
    const int file = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0 || tcgetattr(file, &line) != 0) {
        cli_error("%s: %s", path, file < 0 ? strerror(errno) : "it is not a serial line");
        if (file >= 0) {
            close(file);
        }
        return -1;
    }
    cfmakeraw(&line);
    line.c_cflag |= CLOCAL | CREAD;
    line.c_cflag &= ~(tcflag_t)(CSTOPB | CRTSCTS);
    cfsetispeed(&line, speed);
    cfsetospeed(&line, speed);
    (void)tcsetattr(file, TCSANOW, &line);
    (void)tcflush(file, TCIOFLUSH);
    return file;
}

/* Waits until the line is ready for `events`; false at the deadline. */
static bool wait_for(int file, short events, int64_t deadline_ms)
{
    for (;;) {
        struct pollfd ready = {.fd = file, .events = events};
        const int64_t left = deadline_ms - now_ms();
        if (left <= 0) {
            return false;
        }
        const int n = poll(&ready, 1, left > 1000 ? 1000 : (int)left);
        if (n > 0) {
            return true;
        }
        if (n < 0 && errno != EINTR) {
            return false;
        }
    }
}

static bool send_all(int file, const uint8_t *bytes, size_t n, int64_t deadline_ms)
{
    while (n > 0) {
        const ssize_t sent = write(file, bytes, n);
        if (sent > 0) {
            bytes += sent;
            n -= (size_t)sent;
        } else if (sent < 0 && errno != EAGAIN && errno != EINTR) {
            return false;
        } else if (!wait_for(file, POLLOUT, deadline_ms)) {
            return false;
        }
    }
    return true;
}

/* Drops bytes before the next mark: what the line carried before. */
static void find_mark(verify_bytes *bytes, size_t from)
{
    size_t at = from;
    if (bytes->n == from) {
        return;
    }
    while (at < bytes->n && (bytes->data[at] != ORIBI_WIRE_MARK_0 ||
                             (at + 1 < bytes->n && bytes->data[at + 1] != ORIBI_WIRE_MARK_1))) {
        at++;
    }
    memmove(bytes->data + from, bytes->data + at, bytes->n - at);
    bytes->n -= at - from;
}

/* Decides what to do with a frame: an answer to an earlier request may still be on the line. */
enum { DROP, KEEP, LAST };

static int use_of(uint8_t request, uint8_t frame)
{
    const bool is_run = request == ORIBI_WIRE_RUN || request == ORIBI_WIRE_FEED;
    switch (frame) {
    case ORIBI_WIRE_FAULT:
        return LAST;
    case ORIBI_WIRE_IDENTITY:
        return is_run ? DROP : LAST;
    case ORIBI_WIRE_RESULT:
    case ORIBI_WIRE_REALS:
    case ORIBI_WIRE_REFUSAL:
        return is_run ? LAST : DROP;
    default:
        return is_run ? KEEP : DROP;
    }
}

/* Frames that came; those before `whole` are answers that were waited for. */
typedef struct answers {
    int file;
    verify_bytes *bytes;
    size_t whole;
    bool has_stopped; /* the board told a fault, and answers no more */
} answers;

static void drop_until(answers *a, size_t at)
{
    memmove(a->bytes->data + a->whole, a->bytes->data + at, a->bytes->n - at);
    a->bytes->n -= at - a->whole;
}

/* Takes whole frames until one that ends the answer. */
static bool take(answers *a, uint8_t request)
{
    for (;;) {
        verify_frame_view frame;
        find_mark(a->bytes, a->whole);
        size_t at = a->whole;
        const bool is_good = verify_next_frame(a->bytes, &at, &frame);
        if (!is_good && at == a->whole) { /* more has to come */
            return false;
        }
        const int use = is_good ? use_of(request, frame.type) : DROP;
        if (use == DROP) {
            drop_until(a, at);
        } else {
            a->whole = at;
        }
        if (use == LAST) {
            a->has_stopped = frame.type == ORIBI_WIRE_FAULT;
            return true;
        }
    }
}

/* Reads until the answer is there; false at the deadline. */
static bool receive(answers *a, uint8_t request, int64_t deadline_ms)
{
    while (!take(a, request)) {
        uint8_t some[4096];
        if (!wait_for(a->file, POLLIN, deadline_ms)) {
            return false;
        }
        const ssize_t got = read(a->file, some, sizeof some);
        if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {
            return false;
        }
        verify_append(a->bytes, some, got > 0 ? (size_t)got : 0);
    }
    return true;
}

/* The first request again and again, until there is an answer. */
static bool say_hello(answers *a, const uint8_t *hello, size_t n, int64_t deadline_ms)
{
    while (now_ms() < deadline_ms) {
        const int64_t until = now_ms() + HELLO_MS < deadline_ms ? now_ms() + HELLO_MS : deadline_ms;
        if (!send_all(a->file, hello, n, deadline_ms)) {
            return false;
        }
        if (receive(a, ORIBI_WIRE_HELLO, until)) {
            return true;
        }
    }
    return false;
}

int verify_serial(const verify *v, const char *path, const verify_bytes *requests,
                  verify_bytes *out_replies)
{
    bool bad = false;
    const int64_t baud = cli_number(v->args, "--baud", 115200, 1, INT32_MAX, &bad);
    const int file = bad ? -1 : open_line(path, baud);
    int code = file >= 0 ? CLI_OK : CLI_BAD_INPUT;
    answers a = {file, out_replies, 0, false};
    verify_frame_view frame;
    size_t at = 0, before = 0;
    while (code == CLI_OK && !a.has_stopped && verify_next_frame(requests, &at, &frame)) {
        const int64_t deadline = now_ms() + v->seconds * 1000;
        const uint8_t *bytes = requests->data + before;
        bool answered = true;
        if (frame.type == ORIBI_WIRE_HELLO) {
            answered = say_hello(&a, bytes, at - before, deadline);
        } else if (frame.type != ORIBI_WIRE_END) {
            answered =
                send_all(file, bytes, at - before, deadline) && receive(&a, frame.type, deadline);
        }
        cli_progress("run", (int64_t)at, (int64_t)requests->n);
        if (!answered) {
            cli_progress("run", 0, 0);
            cli_error(
                "verify: %s: no answer in %lld seconds (--timeout); does the board run the image "
                "of `oribi verify --image`?",
                path, (long long)v->seconds);
            code = CLI_LIMIT;
        }
        before = at;
    }
    cli_progress("run", 0, 0);
    out_replies->n = a.whole;
    if (file >= 0) {
        close(file);
    }
    return code;
}
