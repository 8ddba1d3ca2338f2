/* SPDX-License-Identifier: Apache-2.0 */
/* Control groups of Linux, versions 1 and 2: what a container may use of the machine. The parsers
 * take text, so that tests can feed them. Not here: affinity, RAM (thread.c).
 */
#ifndef ORIBI_BASE_CGROUP_H_
#define ORIBI_BASE_CGROUP_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Path of this process in /proc/self/cgroup: controller "" is the unified hierarchy (version 2),
 * "cpu" or "memory" one of version 1. False when absent or longer than `room`. */
bool oribi_cgroup_find_path(const char *proc_text, const char *controller, char *out, size_t room);
/* Whole processors of "quota period" (file cpu.max), rounded down but at least 1: a fraction more
 * would have all threads stopped at the end of each period. 0: no limit, or not understood. */
int oribi_cgroup_parse_cpu_max(const char *text);
/* Bytes of memory.max or memory.limit_in_bytes; UINT64_MAX: no limit, or not understood. */
uint64_t oribi_cgroup_parse_bytes(const char *text);

/* The smallest limit from this process's group up to the root. 0 and UINT64_MAX: none. */
int oribi_cgroup_processor_limit(void);
uint64_t oribi_cgroup_memory_limit(void);

#endif
