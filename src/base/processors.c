/* SPDX-License-Identifier: Apache-2.0 */
/* What this process may use of the machine: affinity, RAM, and what its control group allows
 * (cgroup.c). Declared in thread.h.
 */
#include "base/thread.h"

#include <limits.h>
#include <sched.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/cgroup.h"

static int affinity_count(void)
{
    /* The call fails while the mask is smaller than the kernel's. */
    for (size_t cpus = CPU_SETSIZE; cpus <= 1u << 16; cpus *= 4) {
        cpu_set_t *set = oribi_alloc_zero(1, CPU_ALLOC_SIZE(cpus));
        if (set == NULL) {
            break;
        }
        int count = -1;
        if (sched_getaffinity(0, CPU_ALLOC_SIZE(cpus), set) == 0) {
            count = CPU_COUNT_S(CPU_ALLOC_SIZE(cpus), set);
        }
        oribi_free(set);
        if (count > 0) {
            return count;
        }
    }
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 && online < INT_MAX ? (int)online : 1;
}

int oribi_processor_count(void)
{
    int count = affinity_count();
    int limit = oribi_cgroup_processor_limit();
    return limit > 0 && limit < count ? limit : count;
}

uint64_t oribi_memory_limit_bytes(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    uint64_t ram = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : UINT64_MAX;
    uint64_t group = oribi_cgroup_memory_limit();
    return group < ram ? group : ram;
}

uint64_t oribi_second_level_bytes(void)
{
    enum { USUAL = 512 << 10 };
#ifdef _SC_LEVEL2_CACHE_SIZE /* of glibc */
    long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
    return bytes > 0 ? (uint64_t)bytes : USUAL;
#else
    return USUAL;
#endif
}
