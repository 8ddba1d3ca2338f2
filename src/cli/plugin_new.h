/* SPDX-License-Identifier: Apache-2.0 */
/* Files that `oribi plugin new` writes. */
#ifndef ORIBI_CLI_PLUGIN_NEW_H_
#define ORIBI_CLI_PLUGIN_NEW_H_

#include <stddef.h>

typedef struct plugin_new_file {
    const char *name; /* with marks, like the text */
    const unsigned char *bytes;
    size_t n_bytes;
} plugin_new_file;

/* The example device and its project, ended by a row without a name; made at build time. */
extern const plugin_new_file plugin_new_device_files[];
/* The same of the smallest accelerator of compiled models. */
extern const plugin_new_file plugin_new_target_files[];

/* The source of an op of one kernel, with marks. */
extern const char plugin_new_micro_source[];

#endif
