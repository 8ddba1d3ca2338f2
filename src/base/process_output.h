/* SPDX-License-Identifier: Apache-2.0 */
/* What a child said, kept within a limit: the same on every system. */
#ifndef ORIBI_BASE_PROCESS_OUTPUT_H_
#define ORIBI_BASE_PROCESS_OUTPUT_H_

#include "base/process.h"

/* Appends n bytes, max_bytes in all. Beyond, the last ones are left out; of a stream that
 * `keeps_end` the middle is. True: some were. */
bool oribi_process_keep(oribi_text *text, const char *bytes, size_t n, size_t max_bytes,
                        bool keeps_end);

#endif
