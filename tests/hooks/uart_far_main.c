/* SPDX-License-Identifier: Apache-2.0 */
/* The far end of the line of an emulated board: uart_far_main SOCKET [SPOIL_EVERY]. With the second
 * argument one byte in so many is changed on its way to the board. */
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "platform/common/uart_far_end.h"
#include "platform/common/woofles_device.h"

typedef struct line {
    int fd;
    unsigned long spoil_every, sent;
} line;

static int32_t receive(void *context, void *data, uint32_t bytes, int32_t timeout_ms)
{
    const line *l = context;
    uint8_t *at = data;
    while (bytes > 0) {
        struct pollfd p = {.fd = l->fd, .events = POLLIN};
        if (poll(&p, 1, timeout_ms) == 0) {
            return 1;
        }
        const ssize_t n = read(l->fd, at, bytes);
        if (n <= 0) {
            return -1;
        }
        at += n;
        bytes -= (uint32_t)n;
    }
    return 0;
}

static int32_t transmit(void *context, const void *data, uint32_t bytes)
{
    line *l = context;
    for (uint32_t i = 0; i < bytes; i++) {
        uint8_t byte = ((const uint8_t *)data)[i];
        l->sent++;
        if (l->spoil_every != 0 && l->sent % l->spoil_every == 0) {
            byte ^= 0x20;
        }
        if (send(l->fd, &byte, 1, MSG_NOSIGNAL) != 1) {
            return -1;
        }
    }
    return 0;
}

static int32_t invoke(void *context, int32_t op, const uint8_t *params, uint32_t params_bytes,
                      const uint8_t *in, uint32_t in_bytes, uint8_t *out, uint32_t out_bytes)
{
    const struct woofles_span input = {(uint8_t *)(uintptr_t)in, in_bytes};
    const struct woofles_span output = {out, out_bytes};
    (void)context;
    return woofles_compute((uint32_t)op, params, params_bytes, &input, 1, &output, 1);
}

int main(int argc, char **argv)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    line l = {.fd = socket(AF_UNIX, SOCK_STREAM, 0)};
    if (argc < 2 || strlen(argv[1]) >= sizeof address.sun_path) {
        return 2;
    }
    strcpy(address.sun_path, argv[1]);
    for (int i = 0; connect(l.fd, (struct sockaddr *)&address, sizeof address) != 0; i++) {
        if (i == 100) {
            return 3;
        }
        poll(NULL, 0, 50);
    }
    l.spoil_every = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
    struct uart_far_end end = {.context = &l,
                               .receive = receive,
                               .send = transmit,
                               .invoke = invoke,
                               .buffer = malloc(1u << 20),
                               .buffer_bytes = 1u << 20,
                               .gap_ms = 1000};
    while (end.buffer != NULL && uart_far_end_serve(&end) == 0) {
    }
    printf("%llu requests, %llu broken\n", (unsigned long long)end.requests,
           (unsigned long long)end.broken);
    free(end.buffer);
    return 0;
}
