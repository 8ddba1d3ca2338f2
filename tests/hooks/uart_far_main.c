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
#include "tests/hooks/far_line.h"

typedef struct line {
    int fd;
    unsigned long spoil_every, sent;
} line;

static int32_t receive(void *context, void *data, uint32_t bytes, int32_t timeout_ms)
{
    const line *l = context;
    return far_line_receive(l->fd, data, bytes, timeout_ms);
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
                               .invoke = far_line_invoke,
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
