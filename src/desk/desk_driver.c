/* SPDX-License-Identifier: Apache-2.0 */
/* Drivers as shared objects: which functions a device needs follows from its target. */
#include <inttypes.h>
#include <string.h>

#include "desk/desk.h"
#include "tensor/status.h"

/* A function of the driver that the target asks for. */
typedef struct wanted {
    const char *name; /* of TVMDevice<X><name> */
    void *out;        /* a pointer to a function */
    bool is_needed;
} wanted;

typedef int32_t create_function(const char *options, uint32_t memory_bytes, void **out_dev);

static bool find_all(oribi_dynlib *library, const char *path, const char *camel, const wanted *list,
                     size_t n, TF_Status *status)
{
    for (size_t i = 0; i < n; i++) {
        if (!list[i].is_needed) {
            continue;
        }
        oribi_text name = {0};
        oribi_text_printf(&name, "TVMDevice%s%s", camel, list[i].name);
        const oribi_dynlib_function found =
            name.failed ? NULL : oribi_dynlib_find_function(library, oribi_text_string(&name));
        memcpy(list[i].out, &found, sizeof found);
        if (found == NULL) {
            oribi_fail(status, TF_NOT_FOUND,
                       "driver '%s' has no function %s, which its target asks for", path,
                       name.failed ? list[i].name : oribi_text_string(&name));
            oribi_text_destroy(&name);
            return false;
        }
        oribi_text_destroy(&name);
    }
    return true;
}

/* Fills the hooks; *create is the maker of the struct. */
static bool find_hooks(oribi_desk_driver *d, const char *path, const char *camel,
                       const oribi_target *t, create_function **create, TF_Status *status)
{
    const bool has_hooks = t->device_api != 0, is_async = t->is_asynchronous != 0;
    const bool has_memory = t->memory_bytes > 0, has_cache = t->has_cache_hooks != 0;
    const wanted list[] = {
        {"DeskCreate", create, true},
        {"DeskDestroy", &d->destroy, true},
        {"Activate", &d->hooks[TVM_DEVICE_HOOK_ACTIVATE], has_hooks},
        {"Open", &d->hooks[TVM_DEVICE_HOOK_OPEN], has_hooks},
        {"Close", &d->hooks[TVM_DEVICE_HOOK_CLOSE], has_hooks},
        {"Deactivate", &d->hooks[TVM_DEVICE_HOOK_DEACTIVATE], has_hooks},
        {"Invoke", &d->invoke, !is_async},
        {"Start", &d->start, is_async},
        {"Load", &d->load, oribi_target_has_load(t)},
        {"Wait", &d->hooks[TVM_DEVICE_HOOK_WAIT], is_async},
        {"Cancel", &d->hooks[TVM_DEVICE_HOOK_CANCEL], is_async},
        {"CopyTo", &d->copy_to, has_memory},
        {"CopyFrom", &d->copy_from, has_memory},
        {"CopyToStart", &d->copy_to_start, has_memory && is_async},
        {"CopyFromStart", &d->copy_from_start, has_memory && is_async},
        {"CopyPeer", &d->copy_peer, t->has_copy_peer != 0},
        {"CacheClean", &d->clean, has_cache},
        {"CacheInvalidate", &d->invalidate, has_cache},
        {"Address", &d->address, t->has_address != 0},
    };
    return find_all(d->library, path, camel, list, sizeof list / sizeof list[0], status);
}

/* The record of a driver, where it has one, says what it was built for. */
static bool check_contract(const oribi_desk_driver *d, const char *path, const char *camel,
                           const oribi_target *t, TF_Status *status)
{
    oribi_text name = {0};
    oribi_text_printf(&name, "TVMDevice%sDriver", camel);
    const struct tvm_device_driver *found =
        name.failed ? NULL : oribi_dynlib_find(d->library, oribi_text_string(&name));
    oribi_text_destroy(&name);
    if (found == NULL && oribi_target_driver_contract(t) != 0) {
        return oribi_fail(status, TF_NOT_FOUND,
                          "driver '%s' has no TVMDevice%sDriver, which its target asks for: "
                          "TVM_DEVICE_DRIVER(%s) of tvm/runtime/device.h defines it",
                          path, camel, camel);
    }
    return found == NULL || tvm_device_driver_fits(found) != 0 ||
           oribi_fail(status, TF_FAILED_PRECONDITION,
                      "driver '%s' was built for contract %u.%u of tvm/runtime/device.h, with %u "
                      "bytes a call and %u a tensor; this Oribi has %d.%d, %zu and %zu: build the "
                      "driver anew with its headers",
                      path, (unsigned)(found->contract / 100u), (unsigned)(found->contract % 100u),
                      (unsigned)found->call_bytes, (unsigned)found->tensor_bytes,
                      TVM_DEVICE_CONTRACT / 100, TVM_DEVICE_CONTRACT % 100,
                      sizeof(struct tvm_device_call), sizeof(struct tvm_device_tensor));
}

void oribi__desk_driver_close(oribi_desk_driver *driver)
{
    if (driver == NULL) {
        return;
    }
    if (driver->dev != NULL) {
        (void)driver->destroy(driver->dev);
    }
    oribi_dynlib_close(driver->library);
    *driver = (oribi_desk_driver){.library = NULL};
}

static bool load(oribi_desk *desk, int32_t index, const char *path, const char *options,
                 TF_Status *status)
{
    const oribi_devices *devices = &desk->program->devices;
    const oribi_device_instance *instance = &devices->partition.devices[index];
    oribi_desk_driver *d = &desk->drivers[index];
    create_function *create = NULL;
    oribi_text why = {0};
    if (d->library != NULL) {
        return oribi_fail(status, TF_ALREADY_EXISTS, "device '%s' already has its driver",
                          instance->name);
    }
    d->library = oribi_dynlib_open(path, ORIBI_DYNLIB_LOCAL, &why);
    if (d->library == NULL) {
        oribi_fail(status, TF_NOT_FOUND, "driver of device '%s': %s", instance->name,
                   why.length > 0 ? oribi_text_string(&why) : "it cannot be loaded");
    }
    oribi_text_destroy(&why);
    if (d->library == NULL ||
        !find_hooks(d, path, devices->names[index].camel, instance->target, &create, status) ||
        !check_contract(d, path, devices->names[index].camel, instance->target, status)) {
        oribi__desk_driver_close(d);
        return false;
    }
    const int32_t code = create(options, (uint32_t)devices->memory_bytes[index], &d->dev);
    if (code != 0 || d->dev == NULL) {
        d->dev = NULL;
        oribi__desk_driver_close(d);
        return oribi_fail(status, TF_UNAVAILABLE,
                          "driver '%s' cannot make device '%s': code %" PRId32
                          "%s%s; is what its options name there?",
                          path, instance->name, code, options[0] != '\0' ? " with options " : "",
                          options);
    }
    return true;
}

/* "NAME=FILE[:OPTIONS]" */
static bool split(oribi_arena *arena, const char *spec, const char **name, const char **path,
                  const char **options, TF_Status *status)
{
    const char *equals = strchr(spec, '=');
    if (equals == NULL || equals == spec || equals[1] == '\0') {
        return oribi_fail(
            status, TF_INVALID_ARGUMENT,
            "'%s': write a driver as NAME=FILE or NAME=FILE:OPTIONS; NAME is a device or its kind",
            spec);
    }
    const char *colon = strchr(equals, ':');
    const size_t length = colon != NULL ? (size_t)(colon - equals) - 1 : strlen(equals + 1);
    *name = oribi_arena_strndup(arena, spec, (size_t)(equals - spec));
    *path = oribi_arena_strndup(arena, equals + 1, length);
    if (*path != NULL && strchr(*path, '/') == NULL) {
        *path = oribi_arena_printf(arena, "./%s", *path); /* a file here, not of the system */
    }
    *options = colon != NULL ? colon + 1 : "";
    return (*name != NULL && *path != NULL) || oribi_fail_memory(status);
}

void oribi_desk_load_driver(oribi_desk *desk, const char *spec, TF_Status *status)
{
    if (!ORIBI_GIVEN(status, desk, spec)) {
        return;
    }
    const oribi_partition *p = &desk->program->devices.partition;
    const char *name = NULL, *path = NULL, *options = NULL;
    int32_t exact = -1, n = 0;
    if (!split(&desk->arena, spec, &name, &path, &options, status)) {
        return;
    }
    for (int32_t i = 0; i < p->n_devices; i++) {
        exact = strcmp(p->devices[i].name, name) == 0 ? i : exact;
    }
    for (int32_t i = 0; i < p->n_devices; i++) {
        if (i == exact || (exact < 0 && strcmp(p->devices[i].target->name, name) == 0)) {
            n++;
            if (!load(desk, i, path, options, status)) {
                return;
            }
        }
    }
    if (n == 0) {
        oribi_fail(status, TF_NOT_FOUND,
                   "there is no device '%s' and none of that kind; name devices with "
                   "--target-device [NAME=]KIND",
                   name);
    }
}
