/* SPDX-License-Identifier: Apache-2.0 */
/* What a plugin filled in: sizes of all released layouts, and each required member by its name. */
#include <string.h>

#include "device/device_internal.h"

static bool fail_size(const oribi_platform *platform, const char *what, size_t found, size_t least,
                      TF_Status *status)
{
    return oribi_fail(status, TF_FAILED_PRECONDITION,
                      "device plugin '%s': struct_size of %s is %zu, less than %zu, the smallest "
                      "that was released; set it to the ..._STRUCT_SIZE of the plugin's headers",
                      platform->provider, what, found, least);
}

static bool fail_member(const oribi_platform *platform, const char *type, const char *member,
                        TF_Status *status)
{
    return oribi_fail(status, TF_FAILED_PRECONDITION,
                      "device plugin '%s': '%s' field in %s must be set.", platform->provider,
                      member, type);
}

#define SIZED(type, value, least)                                                                  \
    do {                                                                                           \
        if ((value)->struct_size < (size_t)(least)) {                                              \
            return fail_size(platform, type, (value)->struct_size, (size_t)(least), status);       \
        }                                                                                          \
    } while (0)
#define WANTED(type, value, member)                                                                \
    do {                                                                                           \
        if ((value)->member == NULL) {                                                             \
            return fail_member(platform, type, #member, status);                                   \
        }                                                                                          \
    } while (0)

/* A capital letter, then capital letters and underscores; 40 at most, for our own names. */
static bool is_name(const char *text)
{
    size_t n = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_");
    return n > 0 && n <= 40 && text[n] == '\0' && text[0] != '_';
}

static bool check_names(const oribi_platform *platform, TF_Status *status)
{
    const SP_Platform *p = &platform->parts.platform;
    WANTED("SP_Platform", p, name);
    WANTED("SP_Platform", p, type);
    if (!is_name(p->name) || !is_name(p->type)) {
        return oribi_fail(status, TF_FAILED_PRECONDITION,
                          "device plugin '%s': name '%.40s' and type '%.40s' must be a capital "
                          "letter, then capital letters and underscores, 40 at most",
                          platform->provider, p->name, p->type);
    }
    if (strcmp(p->type, "CPU") == 0 || strcmp(p->type, "DEFAULT") == 0) {
        return oribi_fail(status, TF_FAILED_PRECONDITION,
                          "device plugin '%s': type '%s' is the host's own", platform->provider,
                          p->type);
    }
    return true;
}

bool oribi__platform_check(const oribi_platform *platform, TF_Status *status)
{
    const SE_PlatformRegistrationParams *params = &platform->parts.params;
    const SP_PlatformFns *fns = &platform->parts.fns;
    SIZED("SE_PlatformRegistrationParams", params, SE_PLATFORM_REGISTRATION_PARAMS_STRUCT_SIZE);
    WANTED("SE_PlatformRegistrationParams", params, destroy_platform);
    WANTED("SE_PlatformRegistrationParams", params, destroy_platform_fns);
    SIZED("SP_Platform", &platform->parts.platform, ORIBI_PLATFORM_OLD_BYTES);
    ORIBI_TRY(check_names(platform, status));
    SIZED("SP_PlatformFns", fns, SP_PLATFORM_FNS_STRUCT_SIZE);
    WANTED("SP_PlatformFns", fns, create_device);
    WANTED("SP_PlatformFns", fns, destroy_device);
    WANTED("SP_PlatformFns", fns, create_device_fns);
    WANTED("SP_PlatformFns", fns, destroy_device_fns);
    WANTED("SP_PlatformFns", fns, create_stream_executor);
    WANTED("SP_PlatformFns", fns, destroy_stream_executor);
    WANTED("SP_PlatformFns", fns, create_timer_fns);
    WANTED("SP_PlatformFns", fns, destroy_timer_fns);
    return true;
}

/* Old headers have host_callback where the first of the three fills is now. */
static void adopt_old_layout(SP_StreamExecutor *se)
{
    memcpy(&se->host_callback, &se->mem_zero, sizeof se->host_callback);
    se->mem_zero = NULL;
    se->memset = NULL;
    se->memset32 = NULL;
}

static bool check_work(const oribi_platform *platform, const SP_StreamExecutor *se,
                       TF_Status *status)
{
    static const char type[] = "SP_StreamExecutor";
    WANTED(type, se, create_stream);
    WANTED(type, se, destroy_stream);
    WANTED(type, se, create_stream_dependency);
    WANTED(type, se, get_stream_status);
    WANTED(type, se, create_event);
    WANTED(type, se, destroy_event);
    WANTED(type, se, get_event_status);
    WANTED(type, se, record_event);
    WANTED(type, se, wait_for_event);
    WANTED(type, se, memcpy_dtoh);
    WANTED(type, se, memcpy_htod);
    WANTED(type, se, sync_memcpy_dtoh);
    WANTED(type, se, sync_memcpy_htod);
    WANTED(type, se, block_host_for_event);
    WANTED(type, se, synchronize_all_activity);
    WANTED(type, se, host_callback);
    return true;
}

/* Members that come together or not at all. */
static bool check_groups(oribi_platform *platform, const SP_StreamExecutor *se, TF_Status *status)
{
    static const char type[] = "SP_StreamExecutor";
    platform->has_fills = se->mem_zero != NULL || se->memset != NULL || se->memset32 != NULL;
    if (platform->has_fills) {
        WANTED(type, se, mem_zero);
        WANTED(type, se, memset);
        WANTED(type, se, memset32);
    }
    platform->has_timers = se->create_timer != NULL || se->destroy_timer != NULL ||
                           se->start_timer != NULL || se->stop_timer != NULL;
    if (platform->has_timers) {
        WANTED(type, se, create_timer);
        WANTED(type, se, destroy_timer);
        WANTED(type, se, start_timer);
        WANTED(type, se, stop_timer);
        SIZED("SP_TimerFns", &platform->parts.timer_fns, SP_TIMER_FNS_STRUCT_SIZE);
        WANTED("SP_TimerFns", &platform->parts.timer_fns, nanoseconds);
    }
    return true;
}

bool oribi__platform_check_executor(oribi_platform *platform, TF_Status *status)
{
    static const char type[] = "SP_StreamExecutor";
    SP_StreamExecutor *se = &platform->parts.executor;
    SIZED("SP_DeviceFns", &platform->parts.device_fns, SP_DEVICE_FNS_STRUCT_SIZE);
    SIZED(type, se, ORIBI_SE_OLD_BYTES);
    if (se->struct_size < SP_STREAMEXECUTOR_STRUCT_SIZE) {
        adopt_old_layout(se);
    }
    WANTED(type, se, allocate);
    WANTED(type, se, deallocate);
    WANTED(type, se, host_memory_allocate);
    WANTED(type, se, host_memory_deallocate);
    if (platform->parts.platform.supports_unified_memory) {
        WANTED(type, se, unified_memory_allocate);
        WANTED(type, se, unified_memory_deallocate);
    }
    WANTED(type, se, get_allocator_stats);
    WANTED(type, se, device_memory_usage);
    return check_work(platform, se, status) && check_groups(platform, se, status);
}
