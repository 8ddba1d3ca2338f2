/* SPDX-License-Identifier: Apache-2.0 */
/* Stands for Zephyr's header, with as much as docs/reference/design-example.md uses. */
#ifndef ORIBI_STAND_IN_ZEPHYR_DEVICE_H_
#define ORIBI_STAND_IN_ZEPHYR_DEVICE_H_

struct device {
    const char *name;
};
const struct device *device_get_binding(const char *name);

#endif
