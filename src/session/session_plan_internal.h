/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by plan_build.c and plan_concat.c: classes of values that share storage. */
#ifndef ORIBI_SESSION_PLAN_INTERNAL_H_
#define ORIBI_SESSION_PLAN_INTERNAL_H_

#include "session/session_internal.h"

/* One value or temporary; the fields after `parent` count at the root of its class. */
typedef struct oribi_plan_item {
    int32_t parent;
    bool is_stored; /* has planned bytes: an arena's or a graph output's */
    bool is_piece;  /* written inside the output of a placed concatenation */
    size_t piece_offset;
    int64_t row_stride;
    int32_t first, last; /* steps */
    size_t bytes;
    int32_t output; /* graph output whose buffer it lives in, or -1 */
    int32_t n_members;
    int32_t buffer;  /* of the planner, or -1 */
    int32_t device;  /* whose memory */
    int32_t crosses; /* host memory: the device that copies a member of the class, or 0 */
} oribi_plan_item;

typedef struct oribi_plan_builder {
    const oribi_session *session;
    oribi_plan *plan;
    oribi_plan_item *items; /* n_values, then n_temps */
    int32_t n_items;
} oribi_plan_builder;

int32_t oribi_plan_root(oribi_plan_builder *builder, int32_t item);
void oribi_plan_unite(oribi_plan_builder *builder, int32_t to, int32_t item);
/* Lets producers write straight into the outputs of concatenations where they can. */
void oribi_plan_place_concats(oribi_plan_builder *builder);

/* Places what lies in the memory of devices; see plan_device.c. */
bool oribi_plan_place_devices(oribi_plan_builder *builder, TF_Status *status);
/* Is the item the root of a class that wants bytes of its own, in the memory of the device?
 * `crosses`: for host memory, that which the device copies; 0: that which no device does. */
bool oribi_plan_is_planned(const oribi_plan_builder *builder, int32_t item, int32_t device,
                           int32_t crosses);
/* The buffer that the memory planner gets for an item, its bytes rounded up and added to *total;
 * RESOURCE_EXHAUSTED when either passes what an address space has. */
bool oribi_plan_add_buffer(const oribi_plan_item *item, size_t alignment, oribi_plan_buffer *out,
                           size_t *total, TF_Status *status);

#endif
