/* SPDX-License-Identifier: Apache-2.0 */
/* Places of devices in a program of this machine: lines are sockets of the folder that it runs in,
 * windows lie in its file "memory". */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "harness/devices.h"

#define POLLS_PER_MS 1u /* get waits so long: the far end may need the processor */

static int32_t put(void *context, uint8_t byte)
{
    const int *line = context;
    return send(*line, &byte, 1, MSG_DONTWAIT | MSG_NOSIGNAL) == 1;
}

static int32_t get(void *context, uint8_t *byte)
{
    const int *line = context;
    struct pollfd p = {*line, POLLIN, 0};
    return poll(&p, 1, 1) > 0 && recv(*line, byte, 1, MSG_DONTWAIT) == 1;
}

int32_t oribi_place_line(struct tvm_verify_line *line, int32_t index)
{
    struct sockaddr_un address;
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    memset(&address, 0, sizeof address);
    address.sun_family = AF_UNIX;
    (void)snprintf(address.sun_path, sizeof address.sun_path, "device_%d", (int)index);
    if (fd < 0 || connect(fd, (const struct sockaddr *)&address, sizeof address) != 0) {
        return TVM_DEVICE_E_IO;
    }
    (void)signal(SIGPIPE, SIG_IGN); /* a far end that is gone is the driver's to tell */
    line->descriptor = fd;
    line->context = &line->descriptor;
    line->put = put;
    line->get = get;
    line->polls_per_ms = POLLS_PER_MS;
    return TVM_DEVICE_OK;
}

void *oribi_place_window(uint32_t at, uint32_t bytes)
{
    const int fd = open("memory", O_RDWR);
    void *window =
        fd < 0 ? MAP_FAILED : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)at);
    if (fd >= 0) {
        (void)close(fd);
    }
    return window != MAP_FAILED ? window : NULL;
}
