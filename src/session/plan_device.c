/* SPDX-License-Identifier: Apache-2.0 */
/* Places in the memory of devices, and in host memory that they copy. Where a device allows
 * arithmetic on addresses, one allocation for all values, planned like the host's arena; elsewhere
 * whole slots, each lent to one value after the other. Work on a device is in order, so that lives
 * are counted in steps here too.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "session/session_plan_internal.h"

enum { DEVICE_ALIGNMENT = 256 };

typedef struct device_plan {
    oribi_plan_builder *builder;
    int32_t device;
    bool is_host;   /* host memory that the device copies */
    int32_t *items; /* roots, by first use */
    int32_t n_items;
} device_plan;

static bool add_unit(const device_plan *p, int32_t step, size_t bytes)
{
    oribi_plan *plan = p->builder->plan;
    oribi_plan_unit *units =
        oribi_arena_array(&plan->arena, (size_t)plan->n_units + 1, sizeof *units);
    if (units == NULL) {
        return false;
    }
    if (plan->n_units > 0) {
        memcpy(units, plan->units, (size_t)plan->n_units * sizeof *units);
    }
    units[plan->n_units++] = (oribi_plan_unit){p->device, step, p->is_host, bytes};
    plan->units = units;
    return true;
}

/* --- With offsets ---------------------------------------------------------------------------- */

static bool place_in_slab(const device_plan *p, TF_Status *status)
{
    oribi_plan_builder *builder = p->builder;
    oribi_plan *plan = builder->plan;
    oribi_plan_pool pool = {.max_bytes =
                                p->is_host ? builder->session->meter->max_bytes : SIZE_MAX / 2};
    oribi_plan_bounds bounds;
    oribi_plan_buffer *buffers = oribi_claim_zero((size_t)p->n_items + 1, sizeof *buffers, status);
    ORIBI_TRY(buffers != NULL);
    bool ok = true;
    size_t total = 0;
    for (int32_t k = 0; ok && k < p->n_items; k++) {
        ok = oribi_plan_add_buffer(&builder->items[p->items[k]], DEVICE_ALIGNMENT, &buffers[k],
                                   &total, status);
    }
    ok = ok && oribi_plan_memory(buffers, p->n_items, NULL, 0, &pool, 1, &bounds, status);
    const int32_t unit = plan->n_units;
    if (ok && !add_unit(p, builder->items[p->items[0]].first, (size_t)pool.out_bytes)) {
        ok = oribi_fail_memory(status);
    }
    for (int32_t k = 0; ok && k < p->n_items; k++) {
        plan->places[p->items[k]].unit = unit;
        plan->places[p->items[k]].offset = (size_t)buffers[k].out_offset;
    }
    oribi_free(buffers);
    return ok;
}

/* --- Without --------------------------------------------------------------------------------- */

/* A unit whose last value is dead: the smallest that is large enough, else the largest. */
static int32_t find_unit(const oribi_plan *plan, int32_t from, const int32_t *busy_until,
                         int32_t first, size_t bytes)
{
    int32_t best = -1;
    for (int32_t u = from; u < plan->n_units; u++) {
        if (busy_until[u - from] >= first) {
            continue;
        }
        const size_t size = plan->units[u].bytes;
        const size_t known = best >= 0 ? plan->units[best].bytes : 0;
        const bool is_better = known >= bytes ? size >= bytes && size < known : size > known;
        if (best < 0 || is_better) {
            best = u;
        }
    }
    return best;
}

static bool place_in_slots(const device_plan *p, TF_Status *status)
{
    oribi_plan *plan = p->builder->plan;
    const int32_t from = plan->n_units;
    bool ok = true;
    int32_t *busy_until = oribi_alloc_array((size_t)p->n_items + 1, sizeof *busy_until);
    ORIBI_TRY(busy_until != NULL || oribi_fail_memory(status));
    for (int32_t k = 0; ok && k < p->n_items; k++) {
        const oribi_plan_item *item = &p->builder->items[p->items[k]];
        int32_t unit = find_unit(plan, from, busy_until, item->first, item->bytes);
        if (unit < 0) {
            unit = plan->n_units;
            ok = add_unit(p, item->first, item->bytes) || oribi_fail_memory(status);
        }
        if (ok) {
            oribi_plan_unit *own = &plan->units[unit];
            own->bytes = own->bytes > item->bytes ? own->bytes : item->bytes;
            busy_until[unit - from] = item->last > item->first ? item->last : item->first;
            plan->places[p->items[k]].unit = unit;
        }
    }
    oribi_free(busy_until);
    return ok;
}

/* --- Both ------------------------------------------------------------------------------------ */

/* Insertion keeps the order of items that begin at one step; lists are nearly sorted already. */
static void sort_items(const device_plan *p)
{
    const oribi_plan_item *items = p->builder->items;
    for (int32_t k = 1; k < p->n_items; k++) {
        const int32_t item = p->items[k];
        int32_t at = k;
        while (at > 0 && items[p->items[at - 1]].first > items[item].first) {
            p->items[at] = p->items[at - 1];
            at--;
        }
        p->items[at] = item;
    }
}

/* Names the largest value when what was planned is more than the session may have there. */
static bool check_limit(const device_plan *p, TF_Status *status)
{
    const oribi_plan *plan = p->builder->plan;
    const oribi_session *session = p->builder->session;
    const oribi_session_device *device = &session->devices[p->device];
    const oribi_plan_item *largest = &p->builder->items[p->items[0]];
    uint64_t bytes = 0;
    for (int32_t u = 0; u < plan->n_units; u++) {
        const oribi_plan_unit *unit = &plan->units[u];
        bytes += unit->device == p->device && !unit->is_host ? unit->bytes : 0;
    }
    for (int32_t k = 1; k < p->n_items; k++) {
        const oribi_plan_item *item = &p->builder->items[p->items[k]];
        largest = item->bytes > largest->bytes ? item : largest;
    }
    if (!oribi_device_account_check(device->device, device->account, device->constant_bytes, bytes,
                                    status)) {
        oribi_status_prefix(status, "node '%s' (%zu bytes, the largest value): ",
                            session->steps[largest->first].node->name, largest->bytes);
        return false;
    }
    return true;
}

static void gather_items(device_plan *p)
{
    const oribi_plan_builder *builder = p->builder;
    const int32_t memory = p->is_host ? 0 : p->device, crosses = p->is_host ? p->device : 0;
    p->n_items = 0;
    for (int32_t i = 0; i < builder->n_items; i++) {
        if (oribi_plan_is_planned(builder, i, memory, crosses)) {
            p->items[p->n_items++] = i;
        }
    }
    sort_items(p);
}

static bool place_on_device(device_plan *p, TF_Status *status)
{
    p->is_host = true;
    gather_items(p);
    ORIBI_TRY(p->n_items == 0 || place_in_slab(p, status));
    p->is_host = false;
    gather_items(p);
    if (p->n_items == 0) {
        return true;
    }
    return (oribi_device_has_offsets(p->builder->session->devices[p->device].device)
                ? place_in_slab(p, status)
                : place_in_slots(p, status)) &&
           check_limit(p, status);
}

bool oribi_plan_place_devices(oribi_plan_builder *builder, TF_Status *status)
{
    bool ok = true;
    if (builder->session->n_devices == 1) {
        return true;
    }
    device_plan p = {.builder = builder};
    p.items = oribi_alloc_array((size_t)builder->n_items + 1, sizeof *p.items);
    ORIBI_TRY(p.items != NULL || oribi_fail_memory(status));
    for (p.device = 1; ok && p.device < builder->session->n_devices; p.device++) {
        ok = place_on_device(&p, status);
    }
    oribi_free(p.items);
    return ok;
}
