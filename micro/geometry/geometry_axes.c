/* SPDX-License-Identifier: Apache-2.0 */
/* See geometry_axes.h. */
#include "micro/geometry/geometry_axes.h"

oribi_geometry_naming oribi_geometry_name_axes(const int64_t *axes, int32_t n, int32_t rank,
                                               oribi_geometry_axes *out, int32_t *out_at)
{
    oribi_geometry_naming result = ORIBI_GEOMETRY_NAMED;
    *out = (oribi_geometry_axes){{0}};
    for (int32_t i = 0; i < n; i++) {
        int32_t axis = 0;
        if (!oribi_geometry_axis(axes[i], rank, &axis)) {
            *out_at = i;
            return ORIBI_GEOMETRY_NO_AXIS;
        }
        if (!oribi_geometry_add_axis(out, axis) && result == ORIBI_GEOMETRY_NAMED) {
            *out_at = i;
            result = ORIBI_GEOMETRY_TWICE;
        }
    }
    return result;
}

int32_t oribi_geometry_reduce(const int64_t *dims, int32_t n, const oribi_geometry_axes *reduced,
                              bool keeps_dims, int64_t *out)
{
    int32_t kept = 0;
    for (int32_t i = 0; i < n; i++) {
        const bool is_reduced = oribi_geometry_has_axis(reduced, i);
        if (!is_reduced || keeps_dims) {
            out[kept++] = is_reduced ? 1 : dims[i];
        }
    }
    return kept;
}

oribi_geometry_naming oribi_geometry_permutation(int64_t *perm, int32_t n, int32_t *out_at)
{
    oribi_geometry_axes seen;
    const oribi_geometry_naming result = oribi_geometry_name_axes(perm, n, n, &seen, out_at);
    for (int32_t i = 0; result != ORIBI_GEOMETRY_NO_AXIS && i < n; i++) {
        perm[i] += perm[i] < 0 ? n : 0;
    }
    return result;
}

bool oribi_geometry_stays(const int64_t *dims, const int64_t *perm, int32_t n)
{
    int64_t last = -1;
    for (int32_t i = 0; i < n; i++) {
        if (dims[perm[i]] == 1) {
            continue;
        }
        if (perm[i] < last) {
            return false;
        }
        last = perm[i];
    }
    return true;
}
