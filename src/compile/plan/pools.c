/* SPDX-License-Identifier: Apache-2.0 */
/* The pools of memory that a model may use, in the order in which they are preferred: those of
 * --pool name=sram,size=64k, or one without limit that is called "workspace".
 */
#include <string.h>

#include "compile/plan/planning.h"
#include "compile/plan/names.h"
#include "tensor/status.h"

uint32_t oribi_program_all_pools(const oribi_program *c)
{
    return c->n_pools >= 32 ? UINT32_MAX : (1U << c->n_pools) - 1;
}

uint32_t oribi_program_cpu_pools(const oribi_program *c)
{
    return oribi_program_all_pools(c) & ~c->devices.hidden_pools;
}

int32_t oribi_program_pool_alignment(const oribi_program *c)
{
    uint64_t alignment = ORIBI_WORKSPACE_ALIGNMENT;
    for (int32_t i = 0; i < c->n_buffers; i++) {
        alignment = c->buffers[i].alignment > alignment ? c->buffers[i].alignment : alignment;
    }
    return (int32_t)alignment;
}

static bool is_taken(const char *name)
{
    return oribi_compile_is_word(name) || strcmp(name, ORIBI_OWN_POOL) == 0;
}

static bool add_pool(oribi_program *c, const char *option_name, uint64_t bytes, TF_Status *status)
{
    const char *name =
        option_name == NULL ? NULL : oribi_program_renamed(c, ORIBI_NAME_POOL, option_name);
    for (int32_t i = 0; name != NULL && i < c->n_pools; i++) {
        if (strcmp(c->pools[i].option_name, option_name) == 0) {
            return oribi_fail(status, TF_INVALID_ARGUMENT, "two pools are called '%s'",
                              option_name);
        }
    }
    if (name != NULL && is_taken(name)) {
        return oribi_fail(status, TF_INVALID_ARGUMENT,
                          "--rename '%s=%s': the C calls something else '%s'", option_name, name,
                          name);
    }
    if (c->n_pools == ORIBI_POOLS) {
        return oribi_fail(status, TF_INVALID_ARGUMENT, "there may be %d pools at most",
                          ORIBI_POOLS);
    }
    char *macro = name == NULL ? NULL : oribi_compile_upper(&c->arena, name);
    ORIBI_TRY(macro != NULL || oribi_fail_memory(status));
    c->pools[c->n_pools++] = (oribi_workspace_pool){
        .name = name, .option_name = option_name, .macro = macro, .max_bytes = bytes};
    c->pools_are_limited = c->pools_are_limited || bytes > 0;
    return true;
}

/* --- Devices ---------------------------------------------------------------------------------- */

/* The devices that an option names. */
static bool bind(oribi_program *c, oribi_workspace_pool *pool, const char *option,
                 TF_Status *status)
{
    const oribi_partition *p = &c->devices.partition;
    const char *name;
    for (int32_t nth = 0; (name = oribi_option_part(&c->arena, option, "device", nth)) != NULL;
         nth++) {
        uint32_t bit = 0;
        for (int32_t d = 0; d < p->n_devices; d++) {
            bit |= strcmp(p->devices[d].name, name) == 0 ? 1U << d : 0;
        }
        if (bit == 0) {
            return oribi_fail(
                status, TF_NOT_FOUND,
                "--pool %s: there is no device '%s'; --target-device %s=KIND adds one", option,
                name, name);
        }
        pool->devices |= bit;
    }
    pool->is_hidden = oribi_option_part(&c->arena, option, "cpu", 0) != NULL;
    return !pool->is_hidden || pool->devices != 0 ||
           oribi_fail(status, TF_INVALID_ARGUMENT,
                      "--pool %s: neither the CPU nor a device would see it; name one: device=NAME",
                      option);
}

/* A device that pools name sees those; another sees all that are not named for devices alone. */
static bool find_visible(oribi_program *c, TF_Status *status)
{
    oribi_devices *d = &c->devices;
    d->hidden_pools = d->named_by_pools = 0;
    for (int32_t p = 0; p < c->n_pools; p++) {
        d->hidden_pools |= c->pools[p].is_hidden ? 1U << p : 0;
    }
    const uint32_t of_cpu = oribi_program_cpu_pools(c);
    if (of_cpu == 0) {
        return oribi_fail(status, TF_INVALID_ARGUMENT,
                          "the CPU sees none of the pools; add one without cpu=no");
    }
    for (int32_t i = 0; i < d->partition.n_devices; i++) {
        uint32_t named = 0;
        for (int32_t p = 0; p < c->n_pools; p++) {
            named |= (c->pools[p].devices >> i & 1) != 0 ? 1U << p : 0;
        }
        d->named_by_pools |= named != 0 ? 1U << i : 0;
        d->pools[i] = named != 0 ? named : of_cpu;
        if ((d->pools[i] & of_cpu) == 0) {
            return oribi_fail(status, TF_INVALID_ARGUMENT,
                              "device '%s' sees no pool that the CPU sees, so nothing could reach "
                              "it; add device=%s to one without cpu=no",
                              d->partition.devices[i].name, d->partition.devices[i].name);
        }
    }
    return true;
}

bool oribi_program_pools(oribi_program *c, TF_Status *status)
{
    const oribi_option_list *list = &c->options->pools;
    for (int32_t i = 0; i < list->n; i++) {
        const char *size = oribi_option_part(&c->arena, list->items[i], "size", 0);
        uint64_t bytes = 0;
        if (size != NULL) {
            (void)oribi_option_size(size, &bytes);
        }
        ORIBI_TRY(
            add_pool(c, oribi_option_part(&c->arena, list->items[i], "name", 0), bytes, status) &&
            bind(c, &c->pools[i], list->items[i], status));
    }
    ORIBI_TRY(list->n > 0 || add_pool(c, "workspace", 0, status));
    return find_visible(c, status);
}
