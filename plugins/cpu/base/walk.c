/* SPDX-License-Identifier: Apache-2.0 */
/* See walk.h. An odometer over all dims but the innermost. The copy takes the layouts that matter
 * (dense lines, and 2-D transposes in tiles) by their strides, whatever op asked for them.
 */
#include "cpu/base/walk.h"

#include <string.h>

bool oribi_cpu_walk_add(oribi_kit_run *run, oribi_cpu_walk *walk, int64_t dim, int64_t stride)
{
    return oribi_geometry_walk_add(walk, dim, &stride) ||
           oribi_kit_fail(run, TF_UNIMPLEMENTED, "the copy has more than %d dimensions",
                          ORIBI_GEOMETRY_WALK_RANK);
}

void oribi_cpu_walk_run(const oribi_cpu_walk *walk, int64_t begin, int64_t end, void *object,
                        oribi_cpu_walk_line line)
{
    int64_t offsets[ORIBI_CPU_WALK_OPERANDS] = {0};
    oribi_wide_dims where; /* the coordinates; room for more axes than a walk has */
    int64_t *const at = where.at;
    int64_t rest = begin;
    int last = walk->rank - 1;
    if (begin >= end) { /* a dim may be 0 */
        return;
    }
    for (int i = last; i >= 0; i--) {
        at[i] = rest % walk->axes[i].dim;
        rest /= walk->axes[i].dim;
        for (int k = 0; k < walk->n_operands; k++) {
            offsets[k] += at[i] * walk->axes[i].strides[k];
        }
    }
    for (int64_t done = begin; done < end;) {
        int64_t count = walk->axes[last].dim - at[last];
        count = count < end - done ? count : end - done;
        line(object, walk, offsets, done, count);
        done += count;
        for (int k = 0; k < walk->n_operands; k++) {
            offsets[k] -= at[last] * walk->axes[last].strides[k];
        }
        at[last] = 0; /* a line that was cut short is the last one of the range */
        for (int i = last - 1; i >= 0; i--) {
            at[i]++;
            for (int k = 0; k < walk->n_operands; k++) {
                offsets[k] += walk->axes[i].strides[k];
            }
            if (at[i] < walk->axes[i].dim) {
                break;
            }
            for (int k = 0; k < walk->n_operands; k++) {
                offsets[k] -= at[i] * walk->axes[i].strides[k];
            }
            at[i] = 0;
        }
    }
}

size_t oribi_cpu_width(oribi_kit_run *run, TF_DataType dtype)
{
    size_t width = TF_DataTypeSize(dtype);
    if (width == 0) {
        (void)oribi_kit_fail(run, TF_UNIMPLEMENTED,
                             "elements of type %d have no fixed size and cannot be moved here",
                             (int)dtype);
    }
    return width;
}

#define COPY_EACH(bytes)                                                                           \
    for (int64_t i = 0; i < count; i++, target += target_step, source += source_step) {            \
        memcpy(target, source, bytes);                                                             \
    }

void oribi_cpu_copy_each(char *target, int64_t target_step, const char *source, int64_t source_step,
                         int64_t count, size_t bytes)
{
    switch (bytes) { /* a size that compilers know is a move, another one is a call */
    case 1:
        COPY_EACH(1)
        break;
    case 2:
        COPY_EACH(2)
        break;
    case 4:
        COPY_EACH(4)
        break;
    case 8:
        COPY_EACH(8)
        break;
    case 16:
        COPY_EACH(16)
        break;
    default:
        COPY_EACH(bytes)
    }
}

/* The walk's strides are of bytes. */
typedef struct copy_work {
    const oribi_cpu_walk *walk;
    const char *source;
    char *target;
    size_t width;
} copy_work;

static void copy_line(void *object, const oribi_cpu_walk *walk, const int64_t *offsets, int64_t at,
                      int64_t count)
{
    const copy_work *work = object;
    const int64_t stride = walk->axes[walk->rank - 1].strides[0], width = (int64_t)work->width;
    char *target = work->target + at * width;
    if (stride == width) {
        memcpy(target, work->source + offsets[0], (size_t)(count * width));
    } else {
        oribi_cpu_copy_each(target, width, work->source + offsets[0], stride, count, work->width);
    }
}

/* Strides become those of bytes, and short dense lines elements: two columns of four are a line of
 * 8 bytes each, and no line of the walk. */
static void widen(oribi_cpu_walk *walk, copy_work *copy)
{
    enum { SHORT = 64 };
    const int last = walk->rank - 1;
    for (int i = 0; i <= last; i++) {
        walk->axes[i].strides[0] *= (int64_t)copy->width;
    }
    const int64_t line = walk->axes[last].dim * (int64_t)copy->width;
    if (last > 0 && walk->axes[last].strides[0] == (int64_t)copy->width && line <= SHORT) {
        walk->count /= walk->axes[last].dim;
        walk->rank--;
        copy->width = (size_t)line;
    }
}

static void copy_block(void *object, int64_t begin, int64_t end)
{
    const copy_work *work = object;
    oribi_cpu_walk_run(work->walk, begin, end, object, copy_line);
}

/* A walk whose last two dims are a 2-D transpose of elements of 1, 2 or 4 bytes: target
 * [outer][rows][columns], source contiguous along rows. */
typedef struct transpose_work {
    copy_work copy;
    oribi_cpu_walk outer; /* the dims before the last two */
    int64_t rows, columns, column_stride;
    int64_t bands, band_rows; /* in one transpose */
} transpose_work;

enum {
    TILE = 16,     /* 16 x 4 bytes: one cache line each way */
    FEW_ROWS = 256 /* of a band where columns are few: a line each way is soon full */
};

/* `rows` rows of a transpose from element `from` of the source on. Three columns are pixels of
 * three planes, as the first layer of most networks reads them. */
#define TRANSPOSE(bits)                                                                            \
    static void transpose_##bits(const transpose_work *work, int64_t from, int64_t to,             \
                                 int64_t rows)                                                     \
    {                                                                                              \
        const uint##bits##_t *restrict source =                                                    \
            (const uint##bits##_t *)(const void *)work->copy.source + from;                        \
        uint##bits##_t *restrict target = (uint##bits##_t *)(void *)work->copy.target + to;        \
        const int64_t columns = work->columns, step = work->column_stride;                         \
        if (columns == 3) {                                                                        \
            for (int64_t r = 0; r < rows; r++) {                                                   \
                target[3 * r] = source[r];                                                         \
                target[3 * r + 1] = source[step + r];                                              \
                target[3 * r + 2] = source[2 * step + r];                                          \
            }                                                                                      \
            return;                                                                                \
        }                                                                                          \
        for (int64_t c = 0; c < columns; c += TILE) {                                              \
            const int64_t n = columns - c < TILE ? columns - c : TILE;                             \
            if (rows == TILE && n == TILE) {                                                       \
                for (int j = 0; j < TILE; j++) {                                                   \
                    for (int r = 0; r < TILE; r++) {                                               \
                        target[r * columns + c + j] = source[(c + j) * step + r];                  \
                    }                                                                              \
                }                                                                                  \
                continue;                                                                          \
            }                                                                                      \
            for (int64_t r = 0; r < rows; r++) {                                                   \
                for (int64_t j = c; j < c + n; j++) {                                              \
                    target[r * columns + j] = source[j * step + r];                                \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
    }

TRANSPOSE(8)
TRANSPOSE(16)
TRANSPOSE(32)

static void transpose_at(void *object, const oribi_cpu_walk *walk, const int64_t *offsets,
                         int64_t at, int64_t count)
{
    (void)walk;
    (void)at;
    (void)count;
    *(int64_t *)object = offsets[0];
}

static void transpose_bands(void *object, int64_t begin, int64_t end)
{
    const transpose_work *work = object;
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t plane = unit / work->bands, r = unit % work->bands * work->band_rows, offset = 0;
        int64_t rows = work->rows - r < work->band_rows ? work->rows - r : work->band_rows;
        oribi_cpu_walk_run(&work->outer, plane, plane + 1, &offset, transpose_at);
        const int64_t to = (plane * work->rows + r) * work->columns;
        if (work->copy.width == 4) {
            transpose_32(work, offset + r, to, rows);
        } else if (work->copy.width == 2) {
            transpose_16(work, offset + r, to, rows);
        } else {
            transpose_8(work, offset + r, to, rows);
        }
    }
}

/* The dims before the last two become the outer walk. */
static void transpose_prepare(transpose_work *work, const oribi_cpu_walk *walk)
{
    int rank = walk->rank;
    work->rows = walk->axes[rank - 2].dim;
    work->columns = walk->axes[rank - 1].dim;
    work->column_stride = walk->axes[rank - 1].strides[0];
    work->band_rows = work->columns < TILE ? FEW_ROWS : TILE;
    work->bands = (work->rows + work->band_rows - 1) / work->band_rows;
    oribi_geometry_walk_open(&work->outer, 1);
    for (int i = 0; i < rank - 2; i++) {
        work->outer.axes[work->outer.rank++] = walk->axes[i];
    }
    oribi_geometry_walk_close(&work->outer);
}

void oribi_cpu_walk_copy(oribi_kit_run *run, oribi_cpu_walk *walk, const void *source, void *target,
                         size_t width)
{
    oribi_geometry_walk_collapse(walk);
    copy_work copy = {walk, source, target, width};
    int last = walk->rank - 1;
    if (walk->count == 0) {
        return;
    }
    if ((width == 1 || width == 2 || width == 4) && last > 0 &&
        walk->axes[last - 1].strides[0] == 1 && walk->axes[last - 1].dim >= 4) {
        transpose_work work = {.copy = copy};
        transpose_prepare(&work, walk);
        oribi_kit_parallel(run, walk->count / (work.rows * work.columns) * work.bands,
                           work.band_rows * work.columns, &work, transpose_bands);
        return;
    }
    widen(walk, &copy);
    last = walk->rank - 1;
    int64_t cost = walk->axes[last].strides[0] == (int64_t)copy.width ? 1 : 2;
    oribi_kit_parallel(run, walk->count, cost, &copy, copy_block);
}
