/* SPDX-License-Identifier: Apache-2.0 */
/* What this process may use of the machine, on Windows. */
#include "base/thread.h"

#include <windows.h>

int oribi_processor_count(void)
{
    DWORD_PTR own = 0, all = 0;
    if (!GetProcessAffinityMask(GetCurrentProcess(), &own, &all) || own == 0) {
        return 1;
    }
    return __builtin_popcountll((unsigned long long)own);
}

uint64_t oribi_memory_limit_bytes(void)
{
    MEMORYSTATUSEX status = {.dwLength = sizeof status};
    return GlobalMemoryStatusEx(&status) ? status.ullTotalPhys : UINT64_MAX;
}

uint64_t oribi_second_level_bytes(void)
{
    enum { USUAL = 512 << 10 }; /* what the system lists has no fixed size */
    return USUAL;
}
