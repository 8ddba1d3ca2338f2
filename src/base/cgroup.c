/* SPDX-License-Identifier: Apache-2.0 */
/* Control groups: parsers of the files and the walk from the process's group to the root. No
 * allocation, since the answer sizes the first pool and the first budget.
 */
#include "base/cgroup.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_ROOM = 1024, TEXT_ROOM = 4096 };

/* Is `controller` one of the comma-separated names in [list, end)? */
static bool list_has(const char *list, const char *end, const char *controller)
{
    size_t length = strlen(controller);
    while (list <= end) {
        const char *comma = memchr(list, ',', (size_t)(end - list));
        const char *stop = comma != NULL ? comma : end;
        if ((size_t)(stop - list) == length && memcmp(list, controller, length) == 0) {
            return true;
        }
        list = stop + 1;
    }
    return false;
}

bool oribi_cgroup_find_path(const char *proc_text, const char *controller, char *out, size_t room)
{
    for (const char *line = proc_text; *line != '\0';) {
        const char *end = strchr(line, '\n');
        end = end != NULL ? end : line + strlen(line);
        const char *names = memchr(line, ':', (size_t)(end - line));
        const char *path = names == NULL ? NULL : memchr(names + 1, ':', (size_t)(end - names - 1));
        if (path != NULL && list_has(names + 1, path, controller)) {
            size_t length = (size_t)(end - path - 1);
            if (length >= room) {
                return false;
            }
            memcpy(out, path + 1, length);
            out[length] = '\0';
            return true;
        }
        line = *end == '\n' ? end + 1 : end;
    }
    return false;
}

int oribi_cgroup_parse_cpu_max(const char *text)
{
    int64_t quota = 0, period = 0;
    if (sscanf(text, "%" SCNd64 " %" SCNd64, &quota, &period) != 2 || quota <= 0 || period <= 0) {
        return 0;
    }
    int64_t whole = quota / period;
    return whole < 1 ? 1 : whole > 1 << 20 ? 1 << 20 : (int)whole;
}

uint64_t oribi_cgroup_parse_bytes(const char *text)
{
    uint64_t bytes = 0;
    if (sscanf(text, "%" SCNu64, &bytes) != 1 || text[0] == '-') {
        return UINT64_MAX;
    }
    return bytes;
}

static bool read_text(const char *path, char text[TEXT_ROOM])
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return false;
    }
    size_t used = 0;
    ssize_t n = 0;
    while (used < TEXT_ROOM - 1 && (n = read(fd, text + used, TEXT_ROOM - 1 - used)) > 0) {
        used += (size_t)n;
    }
    (void)close(fd);
    text[used] = '\0';
    return n >= 0 && used > 0;
}

static bool read_group_file(const char *root, const char *group, const char *file,
                            char text[TEXT_ROOM])
{
    char path[PATH_ROOM * 2];
    int length = snprintf(path, sizeof(path), "%s%s/%s", root, group, file);
    return length > 0 && (size_t)length < sizeof(path) && read_text(path, text);
}

/* Cuts the last folder off the group's path; false at the root. */
static bool go_up(char *group)
{
    char *slash = strrchr(group, '/');
    if (slash == NULL) {
        return false;
    }
    *slash = '\0';
    return true;
}

/* Where the process's group is, without a slash at the end; the root when it cannot be told. */
static bool own_group(const char *controller, char group[PATH_ROOM])
{
    char text[TEXT_ROOM];
    if (!read_text("/proc/self/cgroup", text) ||
        !oribi_cgroup_find_path(text, controller, group, PATH_ROOM)) {
        return false;
    }
    size_t length = strlen(group);
    if (length > 0 && group[length - 1] == '/') {
        group[length - 1] = '\0';
    }
    return true;
}

static int cpu_limit_v1(const char *group)
{
    char quota[TEXT_ROOM], period[TEXT_ROOM], both[64];
    if (!read_group_file("/sys/fs/cgroup/cpu", group, "cpu.cfs_quota_us", quota) ||
        !read_group_file("/sys/fs/cgroup/cpu", group, "cpu.cfs_period_us", period)) {
        return 0;
    }
    (void)snprintf(both, sizeof(both), "%lld %lld", atoll(quota), atoll(period));
    return oribi_cgroup_parse_cpu_max(both);
}

static int smaller_limit(int a, int b)
{
    return a == 0 || (b != 0 && b < a) ? b : a;
}

int oribi_cgroup_processor_limit(void)
{
    char group[PATH_ROOM], text[TEXT_ROOM];
    int limit = 0;
    if (own_group("", group)) {
        do {
            if (read_group_file("/sys/fs/cgroup", group, "cpu.max", text)) {
                limit = smaller_limit(limit, oribi_cgroup_parse_cpu_max(text));
            }
        } while (go_up(group));
    }
    if (own_group("cpu", group)) {
        do {
            limit = smaller_limit(limit, cpu_limit_v1(group));
        } while (go_up(group));
    }
    return limit;
}

static uint64_t walk_memory(const char *controller, const char *root, const char *file)
{
    char group[PATH_ROOM], text[TEXT_ROOM];
    uint64_t limit = UINT64_MAX;
    if (!own_group(controller, group)) {
        return limit;
    }
    do {
        if (read_group_file(root, group, file, text)) {
            uint64_t bytes = oribi_cgroup_parse_bytes(text);
            limit = bytes < limit ? bytes : limit;
        }
    } while (go_up(group));
    return limit;
}

uint64_t oribi_cgroup_memory_limit(void)
{
    uint64_t unified = walk_memory("", "/sys/fs/cgroup", "memory.max");
    uint64_t old = walk_memory("memory", "/sys/fs/cgroup/memory", "memory.limit_in_bytes");
    return unified < old ? unified : old;
}
