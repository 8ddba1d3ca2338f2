/* SPDX-License-Identifier: Apache-2.0 */
/* Dynamic libraries: open, look up, close. Not here: which files are plugins (plugin). */
#ifndef ORIBI_BASE_DYNLIB_H_
#define ORIBI_BASE_DYNLIB_H_

#include "base/text.h"

/* All symbols are resolved at open, and are seen by this library alone unless flags say so. */
enum {
    ORIBI_DYNLIB_LOCAL = 0,
    ORIBI_DYNLIB_GLOBAL = 1, /* later libraries resolve against it */
    ORIBI_DYNLIB_NOLOAD = 2, /* only if it is mapped already; with GLOBAL it is promoted */
    ORIBI_DYNLIB_KEEP = 4    /* stays mapped for ever; the handle may be closed */
};

typedef struct oribi_dynlib oribi_dynlib;
typedef void (*oribi_dynlib_function)(void);

/* path NULL: the running program. NULL: failed, and the system's reason is appended to `error`
 * (NULL ok). */
oribi_dynlib *oribi_dynlib_open(const char *path, unsigned flags, oribi_text *error);
void oribi_dynlib_close(oribi_dynlib *library); /* NULL ok */
/* NULL: no such symbol. */
void *oribi_dynlib_find(oribi_dynlib *library, const char *name);
oribi_dynlib_function oribi_dynlib_find_function(oribi_dynlib *library, const char *name);

#endif
