/* SPDX-License-Identifier: Apache-2.0 */
/* See places_prepare.h. */
#include "micro/index/places_prepare.h"

#include <stddef.h>

#include "micro/geometry/geometry_walk.h"

enum { MOST = 1 << 28 };

static int32_t steps_of(const oribi_sizes *sizes, oribi_dims *out)
{
    oribi_dims wide = {.n = sizes->n};
    int64_t count = 0;
    for (int32_t i = 0; i < sizes->n; i++) {
        wide.at[i] = sizes->at[i];
    }
    out->n = sizes->n;
    oribi_geometry_steps(wide.at, wide.n, 1, out->at);
    return oribi_dims_count(&wide, &count) && count <= MOST ? ORIBI_MICRO_OK
                                                            : ORIBI_MICRO_TOO_LARGE;
}

static void clear(struct oribi_micro_places *out)
{
    *out = (struct oribi_micro_places){.slice = 1};
    for (int32_t k = 0; k < ORIBI_MICRO_PLACES_RANK; k++) {
        out->dims[k] = out->limits[k] = 1;
    }
}

int32_t oribi_micro_places_of_elements(const oribi_sizes *data, const oribi_sizes *indices,
                                       int32_t axis, struct oribi_micro_places *out)
{
    oribi_dims steps, unused;
    clear(out);
    if (steps_of(data, &steps) != ORIBI_MICRO_OK || steps_of(indices, &unused) != ORIBI_MICRO_OK) {
        return ORIBI_MICRO_TOO_LARGE;
    }
    if (data->n != indices->n || axis < 0 || axis >= data->n) {
        return ORIBI_MICRO_INVALID;
    }
    out->index_rank = 1;
    out->limits[0] = data->at[axis];
    out->index_steps[0] = (int32_t)steps.at[axis];
    out->rank = data->n;
    for (int32_t k = 0; k < data->n; k++) {
        if (k != axis && indices->at[k] > data->at[k]) {
            return ORIBI_MICRO_INVALID;
        }
        out->dims[k] = indices->at[k];
        out->steps[k] = k == axis ? 0 : (int32_t)steps.at[k];
    }
    return ORIBI_MICRO_OK;
}

int32_t oribi_micro_places_of_tuples(const oribi_sizes *data, const oribi_sizes *indices,
                                     int32_t batch, struct oribi_micro_places *out)
{
    oribi_dims steps, unused;
    clear(out);
    if (steps_of(data, &steps) != ORIBI_MICRO_OK || steps_of(indices, &unused) != ORIBI_MICRO_OK) {
        return ORIBI_MICRO_TOO_LARGE;
    }
    const int32_t depth = indices->n > 0 ? indices->at[indices->n - 1] : 0;
    if (batch < 0 || batch >= indices->n || depth > data->n - batch) {
        return ORIBI_MICRO_INVALID;
    }
    out->index_rank = depth;
    for (int32_t k = 0; k < depth; k++) {
        out->limits[k] = data->at[batch + k];
        out->index_steps[k] = (int32_t)steps.at[batch + k];
    }
    for (int32_t k = batch + depth; k < data->n; k++) {
        out->slice *= data->at[k];
    }
    out->rank = indices->n > 1 ? indices->n - 1 : 1;
    for (int32_t k = 0; k < indices->n - 1; k++) {
        if (k < batch && indices->at[k] != data->at[k]) {
            return ORIBI_MICRO_INVALID;
        }
        out->dims[k] = indices->at[k];
        out->steps[k] = k < batch ? (int32_t)steps.at[k] : 0;
    }
    return (int64_t)oribi_micro_places_count(out) * out->slice <= MOST ? ORIBI_MICRO_OK
                                                                       : ORIBI_MICRO_TOO_LARGE;
}
