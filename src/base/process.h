/* SPDX-License-Identifier: Apache-2.0 */
/* Child processes: run a program to its end or a time limit, with what it said. */
#ifndef ORIBI_BASE_PROCESS_H_
#define ORIBI_BASE_PROCESS_H_

#include <stdint.h>

#include "base/text.h"

typedef struct oribi_process_result {
    int exit_code;  /* of a normal end, else -1 */
    int signal;     /* that ended it, else 0 */
    bool timed_out; /* its group was killed at the limit */
    bool truncated; /* it said more than was kept */
    oribi_text out, err;
} oribi_process_result;

/* Runs argv[0] (a path, no search) in a process group of its own, stdin from /dev/null, default
 * signals, environment inherited. Keeps the first max_bytes of stdout, and of stderr as
 * many from its beginning and its end. At the
 * end, or after timeout_ms, what is left of the group is killed. 0, or the errno of what failed;
 * *out_result is set on 0 only and is then destroyed by the caller. */
int oribi_process_run(const char *const *argv, size_t max_bytes, uint64_t timeout_ms,
                      oribi_process_result *out_result);
void oribi_process_result_destroy(oribi_process_result *result);

#endif
