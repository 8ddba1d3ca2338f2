/* SPDX-License-Identifier: Apache-2.0 */
/* Our declarations of what the drivers for zephyr call: see README.md. */
#ifndef DECLARATIONS_ZEPHYR_DEVICE_H_
#define DECLARATIONS_ZEPHYR_DEVICE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct device {
    const char *name;
    const void *config;
    const void *api;
    void *data;
};

bool device_is_ready(const struct device *dev);

#endif
