/* SPDX-License-Identifier: Apache-2.0 */
/* Platforms: SE_InitPlugin is called, checked, and the result kept to the end. Not here: which
 * members must be there (platform_check.c), devices (device.c).
 */
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/alloc.h"
#include "base/text.h"
#include "device/device_internal.h"

enum { MAX_DEVICES = 4096 }; /* numbers go up to 4095 in names */

static oribi_mutex list_lock = ORIBI_MUTEX_INIT;
static oribi_platform *first, **last = &first;

/* --- Making ---------------------------------------------------------------------------------- */

static oribi_platform *platform_new(const char *provider, TF_Status *status)
{
    oribi_platform *platform = oribi_alloc_zero(1, sizeof *platform);
    char *name = oribi_strdup(provider);
    if (platform == NULL || name == NULL || !oribi_mutex_init(&platform->lock)) {
        oribi_free(platform);
        oribi_free(name);
        oribi_fail_memory(status);
        return NULL;
    }
    oribi_platform_parts *parts = &platform->parts;
    platform->provider = name;
    parts->platform.struct_size = SP_PLATFORM_STRUCT_SIZE;
    parts->fns.struct_size = SP_PLATFORM_FNS_STRUCT_SIZE;
    parts->device_fns.struct_size = SP_DEVICE_FNS_STRUCT_SIZE;
    parts->executor.struct_size = SP_STREAMEXECUTOR_STRUCT_SIZE;
    parts->timer_fns.struct_size = SP_TIMER_FNS_STRUCT_SIZE;
    parts->params = (SE_PlatformRegistrationParams){
        .struct_size = SE_PLATFORM_REGISTRATION_PARAMS_STRUCT_SIZE,
        .major_version = SE_MAJOR,
        .minor_version = SE_MINOR,
        .patch_version = SE_PATCH,
        .platform = &parts->platform,
        .platform_fns = &parts->fns,
    };
    return platform;
}

/* In the order in which TensorFlow takes a platform down. */
static void platform_destroy(oribi_platform *platform)
{
    oribi_platform_parts *parts = &platform->parts;
    const SP_PlatformFns *fns = &parts->fns;
    if (platform->has_device_fns) {
        fns->destroy_device_fns(&parts->platform, &parts->device_fns);
    }
    if (platform->has_executor) {
        fns->destroy_stream_executor(&parts->platform, &parts->executor);
    }
    if (platform->has_timer_fns) {
        fns->destroy_timer_fns(&parts->platform, &parts->timer_fns);
    }
    if (platform->is_filled && parts->params.destroy_platform != NULL) {
        parts->params.destroy_platform(&parts->platform);
    }
    if (platform->is_filled && parts->params.destroy_platform_fns != NULL) {
        parts->params.destroy_platform_fns(&parts->fns);
    }
    oribi_mutex_destroy(&platform->lock);
    oribi_free((char *)platform->provider);
    oribi_free(platform);
}

static bool called(const oribi_platform *platform, const char *what, TF_Status *status)
{
    if (oribi_ok(status)) {
        return true;
    }
    oribi_status_prefix(status, "device plugin '%s': %s: ", platform->provider, what);
    return false;
}

static bool make_functions(oribi_platform *platform, TF_Status *status)
{
    oribi_platform_parts *parts = &platform->parts;
    SE_CreateDeviceFnsParams fns = {.struct_size = SE_CREATE_DEVICE_FNS_PARAMS_STRUCT_SIZE,
                                    .device_fns = &parts->device_fns};
    parts->fns.create_device_fns(&parts->platform, &fns, status);
    ORIBI_TRY(called(platform, "create_device_fns", status));
    platform->has_device_fns = true;
    SE_CreateStreamExecutorParams executor = {.struct_size =
                                                  SE_CREATE_STREAM_EXECUTOR_PARAMS_STRUCT_SIZE,
                                              .stream_executor = &parts->executor};
    parts->fns.create_stream_executor(&parts->platform, &executor, status);
    ORIBI_TRY(called(platform, "create_stream_executor", status));
    platform->has_executor = true;
    parts->fns.create_timer_fns(&parts->platform, &parts->timer_fns, status);
    ORIBI_TRY(called(platform, "create_timer_fns", status));
    platform->has_timer_fns = true;
    return oribi__platform_check_executor(platform, status);
}

static bool check_unique(const oribi_platform *platform, TF_Status *status)
{
    const SP_Platform *p = &platform->parts.platform;
    for (const oribi_platform *other = oribi_platform_next(NULL); other != NULL;
         other = oribi_platform_next(other)) {
        const SP_Platform *o = &other->parts.platform;
        if (strcmp(o->name, p->name) == 0 || strcmp(o->type, p->type) == 0) {
            return oribi_fail(
                status, TF_ALREADY_EXISTS,
                "device plugin '%s': there is already a platform '%s' of type '%s', from '%s'",
                platform->provider, o->name, o->type, other->provider);
        }
    }
    return true;
}

oribi_platform *oribi_platform_create(oribi_platform_init init, const char *provider,
                                      TF_Status *status)
{
    oribi_platform *platform = platform_new(provider, status);
    if (platform == NULL) {
        return NULL;
    }
    init(&platform->parts.params, status);
    bool ok = called(platform, "SE_InitPlugin", status);
    platform->is_filled = ok;
    ok = ok && oribi__platform_check(platform, status) && check_unique(platform, status) &&
         make_functions(platform, status);
    if (!ok) {
        platform_destroy(platform);
        return NULL;
    }
    return platform;
}

void oribi_platform_rollback(oribi_platform *platform)
{
    if (platform != NULL) {
        platform_destroy(platform);
    }
}

/* --- The list -------------------------------------------------------------------------------- */

void oribi_platform_forget_all(void)
{
    oribi_mutex_lock(&list_lock);
    oribi_platform **link = &first;
    while (*link != NULL) {
        oribi_platform *platform = *link;
        oribi_mutex_lock(&platform->lock); /* a late kernel's thread may be closing one */
        const bool is_idle = platform->devices == NULL;
        oribi_mutex_unlock(&platform->lock);
        if (is_idle) {
            *link = platform->next;
            platform_destroy(platform);
        } else {
            link = &platform->next;
        }
    }
    last = link;
    oribi_mutex_unlock(&list_lock);
}

void oribi_platform_commit(oribi_platform *platform)
{
    if (platform == NULL) {
        return;
    }
    oribi_mutex_lock(&list_lock);
    *last = platform;
    last = &platform->next;
    oribi_mutex_unlock(&list_lock);
    (void)atexit(
        oribi_platform_forget_all); /* once for each, so that it runs before the plugin's own */
}

const oribi_platform *oribi_platform_next(const oribi_platform *platform)
{
    oribi_mutex_lock(&list_lock);
    const oribi_platform *next = platform == NULL ? first : platform->next;
    oribi_mutex_unlock(&list_lock);
    return next;
}

static bool same_letters(const char *a, const char *b, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (oribi_to_upper(a[i]) != oribi_to_upper(b[i])) {
            return false;
        }
    }
    return b[length] == '\0';
}

static const oribi_platform *find(const char *name, size_t length)
{
    for (const oribi_platform *p = oribi_platform_next(NULL); p != NULL;
         p = oribi_platform_next(p)) {
        if (same_letters(name, p->parts.platform.type, length) ||
            same_letters(name, p->parts.platform.name, length)) {
            return p;
        }
    }
    return NULL;
}

const oribi_platform *oribi_platform_find(const char *name)
{
    return find(name, strlen(name));
}

const char *oribi_platform_name(const oribi_platform *platform)
{
    return platform->parts.platform.name;
}

const char *oribi_platform_type(const oribi_platform *platform)
{
    return platform->parts.platform.type;
}

const TF_DeviceExtension *oribi_platform_extension(const oribi_platform *platform)
{
    return &platform->extension;
}

bool oribi_platform_count(const oribi_platform *platform, int *out_devices, TF_Status *status)
{
    *out_devices = 1;
    if (platform->parts.fns.get_device_count == NULL) {
        return true;
    }
    platform->parts.fns.get_device_count(&platform->parts.platform, out_devices, status);
    if (oribi_ok(status) && (*out_devices < 0 || *out_devices > MAX_DEVICES)) {
        oribi_fail(status, TF_INTERNAL, "there are %d devices, and 0 to %d are possible",
                   *out_devices, MAX_DEVICES);
    }
    *out_devices = oribi_ok(status) ? *out_devices : 0;
    return called(platform, "get_device_count", status);
}

/* --- Names ----------------------------------------------------------------------------------- */

static bool fail_unknown(const char *text, TF_Status *status)
{
    oribi_text known = {0}, absent = {0};
    oribi__absent_tell(&absent);
    for (const oribi_platform *p = oribi_platform_next(NULL); p != NULL;
         p = oribi_platform_next(p)) {
        oribi_text_printf(&known, ", %s", oribi_platform_type(p));
    }
    oribi_fail(status, TF_NOT_FOUND,
               "there is no device '%s': the devices are CPU%s; load the plugin that brings it%s",
               text, oribi_text_string(&known), oribi_text_string(&absent));
    oribi_text_destroy(&absent);
    oribi_text_destroy(&known);
    return false;
}

const oribi_platform *oribi_device_parse(const char *text, int *out_ordinal, TF_Status *status)
{
    const size_t length = strcspn(text, ":");
    char *end = NULL;
    long ordinal = 0;
    if (text[length] == ':') {
        ordinal = strtol(text + length + 1, &end, 10);
        if (end == text + length + 1 || *end != '\0' || ordinal < 0 || ordinal > 4095) {
            oribi_fail(status, TF_INVALID_ARGUMENT, "device '%s': write NAME or NAME:N, N from 0",
                       text);
            return NULL;
        }
    }
    const oribi_platform *platform = find(text, length);
    if (platform == NULL) {
        fail_unknown(text, status);
        return NULL;
    }
    int n_devices = 0;
    if (!oribi_platform_count(platform, &n_devices, status)) {
        return NULL;
    }
    if (ordinal >= n_devices) {
        oribi_fail(status, TF_NOT_FOUND, "device '%s': %s has %d devices, numbered from 0", text,
                   oribi_platform_type(platform), n_devices);
        return NULL;
    }
    *out_ordinal = (int)ordinal;
    return platform;
}

/* --- Extension ------------------------------------------------------------------------------- */

void TF_SetDeviceExtension(SE_PlatformRegistrationParams *params,
                           const TF_DeviceExtension *extension, TF_Status *status)
{
    TF_SetStatus(status, TF_OK, "");
    if (extension->struct_size < TF_DEVICE_EXTENSION_STRUCT_SIZE ||
        (extension->flags & ~(uint32_t)TF_DEVICE_PEER_COPIES) != 0) {
        oribi_fail(status, TF_INVALID_ARGUMENT,
                   "TF_SetDeviceExtension: struct_size is %zu (must be at least %zu), flags are "
                   "0x%x (known are 0x%x)",
                   extension->struct_size, (size_t)TF_DEVICE_EXTENSION_STRUCT_SIZE,
                   (unsigned)extension->flags, (unsigned)TF_DEVICE_PEER_COPIES);
        return;
    }
    oribi_platform_parts *parts =
        (oribi_platform_parts *)((char *)params - offsetof(oribi_platform_parts, params));
    oribi_platform *platform = (oribi_platform *)parts;
    const size_t known = sizeof platform->extension;
    memcpy(&platform->extension, extension,
           extension->struct_size < known ? extension->struct_size : known);
}
