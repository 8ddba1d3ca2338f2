/* SPDX-License-Identifier: Apache-2.0 */
/* From options to devices: instances, their names in C, the partition of the graph. */
#include "compile/plan/planning.h"

#include <string.h>

#include "compile/plan/planning.h"
#include "compile/plan/names.h"
#include "tensor/status.h"

/* --- Names ------------------------------------------------------------------------------------ */

/* "ethos-u" as "EthosU": '-' and '_' begin a word, digits stay. */
static char *camel_case(oribi_arena *arena, const char *kind)
{
    char *out = oribi_arena_strdup(arena, kind);
    size_t n = 0;
    bool begins = true;
    for (size_t i = 0; out != NULL && kind[i] != '\0'; i++) {
        char c = kind[i];
        if (c == '-' || c == '_') {
            begins = true;
            continue;
        }
        const bool is_upper = c >= 'A' && c <= 'Z', is_lower = c >= 'a' && c <= 'z';
        if (begins && is_lower) {
            c = (char)(c - 'a' + 'A');
        } else if (!begins && is_upper) {
            c = (char)(c - 'A' + 'a');
        }
        out[n++] = c;
        begins = false;
    }
    if (out != NULL) {
        out[n] = '\0';
    }
    return out;
}

static char *lower_case(oribi_arena *arena, const char *text)
{
    char *out = oribi_arena_strdup(arena, text);
    for (char *c = out; c != NULL && *c != '\0'; c++) {
        *c = *c == '-' ? '_' : *c >= 'A' && *c <= 'Z' ? (char)(*c - 'A' + 'a') : *c;
    }
    return out;
}

/* The platform of "npu=zephyr" among the options; NULL: none is named. */
static const char *platform_of(const oribi_program *c, const char *kind)
{
    const oribi_option_list *list = &c->options->device_platforms;
    const char *found = NULL;
    for (int32_t i = 0; i < list->n; i++) {
        int32_t length;
        const char *platform = oribi_option_split(list->items[i], '=', &length);
        if (strlen(kind) == (size_t)length && memcmp(list->items[i], kind, (size_t)length) == 0) {
            found = platform;
        }
    }
    return found;
}

static bool name_device(oribi_program *c, int32_t index, TF_Status *status)
{
    const oribi_device_instance *d = &c->devices.partition.devices[index];
    oribi_device_names *names = &c->devices.names[index];
    oribi_arena *arena = &c->arena;
    const char *platform = platform_of(c, d->target->name);
    const char *name = oribi_program_renamed(c, ORIBI_NAME_DEVICE, d->name);
    names->member = oribi_compile_member(arena, lower_case(arena, name), ORIBI_OWN_DEVICE);
    names->kind = lower_case(arena, d->target->name);
    names->camel = camel_case(arena, d->target->name);
    names->macro = names->member != NULL ? oribi_compile_upper(arena, names->member) : NULL;
    names->upper = names->kind != NULL ? oribi_compile_upper(arena, names->kind) : NULL;
    names->header = NULL;
    if (platform != NULL) {
        names->header = oribi_arena_printf(arena, "tvm/device/%s/%s.h", names->kind, platform);
    }
    return (names->member != NULL && names->kind != NULL && names->camel != NULL &&
            names->macro != NULL && names->upper != NULL &&
            (platform == NULL || names->header != NULL)) ||
           oribi_fail_memory(status);
}

/* Kinds are kept apart whose hooks would be the same functions; names.c does so with members. */
static bool check_names(const oribi_program *c, int32_t index, TF_Status *status)
{
    const oribi_devices *d = &c->devices;
    const oribi_device_names *a = &d->names[index];
    for (int32_t i = 0; i < index; i++) {
        const oribi_device_names *b = &d->names[i];
        const bool is_same_kind =
            d->partition.devices[i].target == d->partition.devices[index].target;
        if (!is_same_kind && (strcmp(a->camel, b->camel) == 0 || strcmp(a->kind, b->kind) == 0)) {
            return oribi_fail(status, TF_INVALID_ARGUMENT,
                              "targets '%s' and '%s' would both have the hooks TVMDevice%s...",
                              d->partition.devices[i].target->name,
                              d->partition.devices[index].target->name, a->camel);
        }
    }
    return true;
}

/* A platform for a kind that no device is of would be ignored. */
static bool check_platforms(const oribi_program *c, TF_Status *status)
{
    const oribi_option_list *list = &c->options->device_platforms;
    const oribi_partition *p = &c->devices.partition;
    for (int32_t i = 0; i < list->n; i++) {
        int32_t length;
        bool is_known = false;
        oribi_text kinds = {0};
        (void)oribi_option_split(list->items[i], '=', &length);
        for (int32_t k = 0; k < p->n_devices; k++) {
            const char *kind = p->devices[k].target->name;
            if (oribi_device_has_hooks(&c->devices, k)) {
                is_known = is_known || (strlen(kind) == (size_t)length &&
                                        memcmp(list->items[i], kind, (size_t)length) == 0);
                oribi_text_printf(&kinds, "%s%s", kinds.length > 0 ? ", " : "", kind);
            }
        }
        if (!is_known) {
            oribi_fail(status, TF_INVALID_ARGUMENT,
                       "--device-platform %s: no device with hooks is of the kind '%.*s'; the "
                       "kinds are: %s",
                       list->items[i], (int)length, list->items[i],
                       kinds.length > 0 ? oribi_text_string(&kinds) : "none");
        }
        oribi_text_destroy(&kinds);
        ORIBI_TRY(is_known);
    }
    return true;
}

/* --- Flow ------------------------------------------------------------------------------------- */

/* --device host=KIND: a device for the host's own use, which takes no operators. */
static bool add_host(oribi_program *c, const char *kind, TF_Status *status)
{
    oribi_partition *p = &c->devices.partition;
    oribi_target *target = oribi_claim_array(&c->arena, 1, sizeof *target, status);
    ORIBI_TRY(target != NULL);
    if (p->n_devices == ORIBI_DEVICES_MAX) {
        return oribi_fail(status, TF_RESOURCE_EXHAUSTED, "a model has at most %d devices",
                          (int)ORIBI_DEVICES_MAX);
    }
    const oribi_target *known = oribi_target_find(kind);
    *target = (oribi_target){.struct_size = sizeof *target, .name = kind, .device_api = 1};
    c->devices.host = p->n_devices;
    p->devices[p->n_devices++] = (oribi_device_instance){"host", known != NULL ? known : target};
    return true;
}

/* The assignments of this model: of several, each has those whose node it has. */
static const char **assignments_of(oribi_program *c, int32_t *out_n)
{
    const oribi_option_list *all = &c->options->assignments;
    const char **mine = oribi_arena_array(&c->arena, (size_t)all->n + 1, sizeof *mine);
    *out_n = 0;
    for (int32_t i = 0; mine != NULL && i < all->n; i++) {
        if (!c->has_siblings || oribi_partition_has_node(c->graph, all->items[i])) {
            mine[(*out_n)++] = all->items[i];
        }
    }
    return mine;
}

bool oribi_program_add_devices(oribi_program *c, TF_Status *status)
{
    const oribi_option_list *wanted = &c->options->target_devices;
    int32_t n_assigned;
    const char **assigned = assignments_of(c, &n_assigned);
    oribi_partition *p = &c->devices.partition;
    c->devices.host = c->devices.overfull = -1;
    p->kept_off = c->kept_off;
    p->n_kept_off = c->n_kept_off;
    for (int32_t i = 0; i < wanted->n; i++) {
        ORIBI_TRY(oribi_partition_add_device(p, wanted->items[i], status));
    }
    ORIBI_TRY(assigned != NULL || oribi_fail_memory(status));
    ORIBI_TRY(oribi_partition_graph(p, c->graph, assigned, n_assigned, status));
    c->is_partitioned = true;
    for (int32_t i = 0; i < c->options->devices.n; i++) {
        int32_t length;
        ORIBI_TRY(
            add_host(c, oribi_option_split(c->options->devices.items[i], '=', &length), status));
    }
    for (int32_t i = 0; i < p->n_devices; i++) {
        ORIBI_TRY(name_device(c, i, status) && check_names(c, i, status));
    }
    return check_platforms(c, status);
}

int32_t oribi_device_line(const oribi_devices *devices, int32_t device)
{
    const oribi_target *target = devices->partition.devices[device].target;
    return target->cache_line > 0         ? target->cache_line
           : target->has_cache_hooks != 0 ? ORIBI_CACHE_LINE
                                          : 1;
}

int32_t oribi_device_alignment(const oribi_devices *devices, int32_t device)
{
    const int32_t line = oribi_device_line(devices, device);
    const int64_t wanted = devices->partition.devices[device].target->memory_alignment;
    const int32_t alignment =
        oribi_device_has_memory(devices, device) || wanted < 4 ? 4 : (int32_t)wanted;
    return line > alignment ? line : alignment;
}

bool oribi_device_is_bound(const oribi_program *c, int32_t device)
{
    const oribi_devices *d = &c->devices;
    const oribi_target *target = d->partition.devices[device].target;
    return !oribi_device_has_memory(d, device) &&
           (target->has_cache_hooks != 0 || (d->named_by_pools >> device & 1) != 0);
}

void oribi_devices_destroy(oribi_devices *devices)
{
    if (devices == NULL) {
        return;
    }
    oribi_partition_destroy(&devices->partition);
    oribi_arena_destroy(&devices->arena);
}
