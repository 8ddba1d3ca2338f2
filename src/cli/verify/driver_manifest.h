/* SPDX-License-Identifier: Apache-2.0 */
/* What does the folder of an accelerator's driver say about itself? Its manifest, `driver.json`, as
 * plain data: docs/reference/driver-manifest.md has the format. Read next: verify_device.c,
 * far_end.c. */
#ifndef ORIBI_CLI_DRIVER_MANIFEST_H_
#define ORIBI_CLI_DRIVER_MANIFEST_H_

#include <stdbool.h>
#include <stdint.h>

#include "cli.h"

/* Words, or files and folders relative to the driver's folder. */
typedef struct driver_list {
    char **at;
    int n;
} driver_list;

/* One way to build the driver: "posix" for a program of this machine, "baremetal" for a board. */
typedef struct driver_platform {
    char *name;
    driver_list sources, flags, link;
    bool has_line;
    uint32_t window_bytes; /* 0: none */
} driver_platform;

typedef struct driver_kind {
    char *name;         /* "ethos-u" */
    const char *folder; /* absolute, of the whole driver */
    driver_list include, sources;
    driver_platform *platforms;
    int n_platforms;
    struct {
        driver_list sources;
        char *start, *stop; /* functions of tvm/runtime/verify.h */
    } verify;
    struct {
        driver_list sources, flags, link;
        char *prepare, *serve; /* functions of tvm/runtime/far_end.h; serve NULL: no far end */
    } far_end;
} driver_kind;

typedef struct driver_manifest {
    char *folder, *path; /* absolute; "DIR/driver.json" */
    driver_kind *kinds;
    int n;
} driver_manifest;

/* The folders that --driver names, in their order, and all they say; false after a message. */
typedef struct driver_set {
    driver_manifest *at;
    int n;
} driver_set;
bool driver_set_read(const cli_args *args, driver_set *out);
void driver_set_free(driver_set *set);
/* The driver of a kind; NULL after a message. */
const driver_kind *driver_find(const driver_set *set, const char *command, const char *kind);
bool driver_has(const driver_set *set, const char *kind);
/* "'npu', 'dsp'", for messages; until the next call. */
const char *driver_kinds(const driver_set *set);
/* NULL: the driver is not for that platform. */
const driver_platform *driver_platform_find(const driver_kind *kind, const char *name);

#endif
