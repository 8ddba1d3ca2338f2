/* SPDX-License-Identifier: Apache-2.0 */
/* `uart_accel` for `oribi run --device uart_accel=uart_accel_driver.so:path=LINE`: see
 * tvm/runtime/desk.h. LINE is a socket, of `oribi device-serve` for one, or a terminal, of a real
 * accelerator, that is set up already (stty). With `,timeout=MS` answers may take so long.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "tvm/device/uart_accel/posix.h"
#include "tvm/runtime/desk.h"

int32_t TVMDeviceUartAccelDeskCreate(const char *options, uint32_t memory_bytes, void **out_dev);
int32_t TVMDeviceUartAccelDeskDestroy(void *dev);

/* The value of "key=" in "a=x,b=y", copied; 0 when it is absent or too long. */
static int find(const char *options, const char *key, char *out, size_t size)
{
    const size_t length = strlen(key);
    for (const char *at = options; at != NULL && *at != '\0'; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, key, length) == 0 && at[length] == '=') {
            const char *value = at + length + 1;
            const size_t n = strcspn(value, ",");
            if (n >= size) {
                return 0;
            }
            memcpy(out, value, n);
            out[n] = '\0';
            return 1;
        }
    }
    return 0;
}

static int open_socket(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (fd < 0) {
        return -1;
    }
    if (strlen(path) < sizeof address.sun_path) {
        strcpy(address.sun_path, path);
        if (connect(fd, (const struct sockaddr *)&address, sizeof address) == 0) {
            return fd;
        }
    }
    (void)close(fd);
    return -1;
}

static int open_line(const char *path)
{
    struct stat info;
    if (stat(path, &info) != 0) {
        return -1;
    }
    return S_ISSOCK(info.st_mode) ? open_socket(path) : open(path, O_RDWR | O_NOCTTY);
}

int32_t TVMDeviceUartAccelDeskCreate(const char *options, uint32_t memory_bytes, void **out_dev)
{
    char path[256], timeout[16];
    (void)memory_bytes; /* tensors stay in the host's memory */
    if (!find(options, "path", path, sizeof path)) {
        return TVM_DEVICE_E_UNSUPPORTED;
    }
    const int fd = open_line(path);
    if (fd < 0) {
        return TVM_DEVICE_E_IO;
    }
    tvm_device_uart_accel_t *dev = calloc(1, sizeof *dev);
    const int32_t code = dev != NULL ? TVMDeviceUartAccelInit(dev, fd) : TVM_DEVICE_E_STATE;
    if (code != 0) {
        free(dev);
        (void)close(fd);
        return code;
    }
    (void)signal(SIGPIPE, SIG_IGN); /* a line that is gone is an error code, not the end */
    if (find(options, "timeout", timeout, sizeof timeout)) {
        dev->timeout_ms = (int32_t)strtol(timeout, NULL, 10);
    }
    *out_dev = dev;
    return TVM_DEVICE_OK;
}

int32_t TVMDeviceUartAccelDeskDestroy(void *dev)
{
    tvm_device_uart_accel_t *own = dev;
    const int fd = own->fd;
    const int32_t code = TVMDeviceUartAccelDestroy(own);
    (void)close(fd);
    free(own);
    return code;
}
