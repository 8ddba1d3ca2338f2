/* SPDX-License-Identifier: Apache-2.0 */
/* What boxes Slice and StridedSlice cut out of a value. The rules of the masks are those of
 * tf.strided_slice. Host half: emitted code never carries it.
 */
#ifndef ORIBI_MICRO_GEOMETRY_GEOMETRY_SLICE_H_
#define ORIBI_MICRO_GEOMETRY_GEOMETRY_SLICE_H_

#include "micro/dims.h"

/* The numbers and masks of a StridedSlice as its node has them: n entries, which are fewer than
 * dimensions when there is an ellipsis and more when there are new axes. begin and end may be NULL:
 * not known. */
typedef struct oribi_geometry_strided {
    int32_t n;
    const int64_t *begin, *end, *step;
    int64_t begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask;
} oribi_geometry_strided;

/* TensorFlow refuses such a node whatever its inputs are. */
static inline bool oribi_geometry_has_two_ellipses(const oribi_geometry_strided *spec)
{
    const uint64_t ellipses = (uint64_t)spec->ellipsis_mask;
    return (ellipses & (ellipses - 1)) != 0;
}

typedef enum oribi_geometry_cut {
    ORIBI_GEOMETRY_END,            /* no part is left */
    ORIBI_GEOMETRY_PART,           /* a part of a dimension */
    ORIBI_GEOMETRY_INDEX,          /* one element of a dimension, which the result lacks */
    ORIBI_GEOMETRY_NEW,            /* a dimension of 1 that the input lacks */
    ORIBI_GEOMETRY_TWO_ELLIPSES,   /* from here on: errors */
    ORIBI_GEOMETRY_TOO_MANY,       /* entries speak of more dimensions than the input has */
    ORIBI_GEOMETRY_ZERO_STEP,      /* step[entry] is 0 */
    ORIBI_GEOMETRY_BACKWARD_INDEX, /* step[entry] of an index is below 1 */
    ORIBI_GEOMETRY_OUTSIDE         /* index begin[entry] is not within dimension `axis` */
} oribi_geometry_cut;

/* Where the walk over a specification stands, and the part that it stands on. */
typedef struct oribi_geometry_slice {
    const oribi_geometry_strided *spec;
    int32_t rank, n_named; /* dimensions of the input; those that entries name */
    int32_t next_entry, next_axis, whole_until;
    int32_t entry, axis;        /* of this part; entry is -1 for dimensions that no entry names */
    int64_t first, count, step; /* elements of the dimension. count and first are -1 where they are
                                   not known; step is 1 where count is 0 or 1 */
} oribi_geometry_slice;

/* Starts the walk over an input of `rank` dimensions; PART, or TWO_ELLIPSES or TOO_MANY. `spec`
 * must live as long as the walk. */
oribi_geometry_cut oribi_geometry_slice_open(oribi_geometry_slice *slice,
                                             const oribi_geometry_strided *spec, int32_t rank);

/* The next part, in the order of the result's dimensions; END after the last one, or an error, of
 * which entry and axis say where. dims are those of the input, -1 where one is not known. */
oribi_geometry_cut oribi_geometry_slice_next(oribi_geometry_slice *slice, const int64_t *dims);

/* Is this part its whole dimension, in order? */
bool oribi_geometry_is_whole(const oribi_geometry_slice *slice, const int64_t *dims);

/* The numbers of a specification that names each axis once. */
typedef struct oribi_geometry_strided_dims {
    oribi_dims begin, end, step;
    int64_t begin_mask, end_mask;
} oribi_geometry_strided_dims;

/* The same slice of a value whose axis i is perm->at[i] there. Axes that no entry names are whole:
 * full masks stand for them. False: there is an ellipsis, a new axis or an index, or there are more
 * entries than axes. */
bool oribi_geometry_strided_reorder(const oribi_geometry_strided *spec, const oribi_perm *perm,
                                    oribi_geometry_strided_dims *out);

/* Elements of a dimension of `in` from `begin` on that Slice takes; a size of -1 means up to the
 * end. -1 stands for a number of in or begin that is not known, and for the result then. False: the
 * box is not within the dimension, or the size is below -1. */
bool oribi_geometry_slice_size(int64_t in, int64_t begin, int64_t size, int64_t *out_count);

/* What ONNX's Slice takes of a dimension of `in`: bounds below 0 count from the end, and those
 * outside are moved to the nearest element. False: the step is 0. */
bool oribi_geometry_slice_axis(int64_t in, int64_t start, int64_t end, int64_t step,
                               int64_t *out_first, int64_t *out_count);

#endif
