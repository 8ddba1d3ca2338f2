/* SPDX-License-Identifier: Apache-2.0 */
/* The recorder of recorder_main.c as a driver for `oribi run --device`: the same hooks, and a file
 * that says which were called. Options: index=N (of the device), first=N (the hook that fails),
 * second=N, log=FILE.
 */
#include <stdio.h>
#include <stdlib.h>

#define main recorder_unused_main
#include "recorder_main.c"
#undef main

static char log_path[512];

static int32_t number(const char *options, const char *key)
{
    const char *at = strstr(options, key);
    return at != NULL ? (int32_t)strtol(at + strlen(key), NULL, 10) : 0;
}

static int32_t create(const char *options, void **out_dev)
{
    const char *log = strstr(options, "log=");
    struct recorder_device *dev = &devices[number(options, "index=")];
    dev->index = number(options, "index=");
    events.first = number(options, "first=");
    events.second = number(options, "second=");
    if (log != NULL) {
        (void)snprintf(log_path, sizeof log_path, "%s", log + 4);
    }
    *out_dev = dev;
    return 0;
}

static int32_t destroy(void)
{
    FILE *file = fopen(log_path, "w");
    if (file == NULL) {
        return 1;
    }
    for (int32_t i = 0; i < events.n; i++) {
        fprintf(file, "%c%d ", events.what[i], (int)events.device[i]);
    }
    return fclose(file) == 0 ? 0 : 1;
}

#define DESK(Camel)                                                                                \
    int32_t TVMDevice##Camel##DeskCreate(const char *options, uint32_t bytes, void **out_dev);     \
    int32_t TVMDevice##Camel##DeskDestroy(void *dev);                                              \
    int32_t TVMDevice##Camel##DeskCreate(const char *options, uint32_t bytes, void **out_dev)      \
    {                                                                                              \
        return bytes <= RECORDER_MEMORY ? create(options, out_dev) : TVM_DEVICE_E_RANGE;           \
    }                                                                                              \
    int32_t TVMDevice##Camel##DeskDestroy(void *dev)                                               \
    {                                                                                              \
        (void)dev;                                                                                 \
        return destroy();                                                                          \
    }
DESK(Woofles)
DESK(UartAccel)
