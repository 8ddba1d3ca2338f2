/* SPDX-License-Identifier: Apache-2.0 */
/* See elementwise.h. */
#include "cpu/elementwise/elementwise.h"

#include <stdatomic.h>
#include <string.h>

enum { REPEATED_BYTES = 2048 }; /* of an operand, on the stack */

typedef struct binary_work {
    const oribi_cpu_binary_op *op;
    const oribi_cpu_walk *walk;
    const char *a, *b;
    char *y;
    atomic_bool refused;
} binary_work;

static void binary_line(void *object, const oribi_cpu_walk *walk, const int64_t *offsets,
                        int64_t at, int64_t count)
{
    binary_work *work = object;
    const oribi_cpu_binary_op *op = work->op;
    int last = walk->rank - 1;
    if (!op->line(work->a + offsets[0] * op->in_bytes, walk->axes[last].strides[0],
                  work->b + offsets[1] * op->in_bytes, walk->axes[last].strides[1],
                  work->y + at * op->out_bytes, count)) {
        atomic_store_explicit(&work->refused, true, memory_order_relaxed);
    }
}

static void binary_block(void *object, int64_t begin, int64_t end)
{
    const binary_work *work = object;
    oribi_cpu_walk_run(work->walk, begin, end, object, binary_line);
}

/* Is operand k a vector of few elements, read again for each row of a matrix that the other one is
 * and that lies as the result does? */
static bool repeats(const oribi_cpu_walk *walk, int k, size_t element)
{
    const oribi_geometry_walk_axis *row = &walk->axes[0], *column = &walk->axes[1];
    return walk->rank == 2 && row->strides[k] == 0 && column->strides[k] == 1 &&
           row->strides[1 - k] == column->dim && column->strides[1 - k] == 1 && row->dim > 1 &&
           (size_t)column->dim * element <= REPEATED_BYTES / 4;
}

/* The vector several times in a row makes one line of many, each of which would be short. */
static void binary_rows(void *object, int64_t begin, int64_t end)
{
    binary_work *work = object;
    const oribi_cpu_binary_op *op = work->op;
    const size_t element = op->in_bytes;
    const int64_t width = work->walk->axes[1].dim;
    const int k = repeats(work->walk, 1, element) ? 1 : 0;
    _Alignas(64) char repeated[REPEATED_BYTES];
    const int64_t room = (int64_t)(REPEATED_BYTES / element) / width * width;
    for (int64_t i = 0; i < room; i += width) {
        memcpy(repeated + (size_t)i * element, k == 1 ? work->b : work->a, (size_t)width * element);
    }
    for (int64_t i = begin, n = 0; i < end; i += n) {
        const int64_t phase = i % width;
        n = end - i < room - phase ? end - i : room - phase;
        const char *again = repeated + (size_t)phase * element;
        const char *a = k == 1 ? work->a + (size_t)i * element : again;
        const char *b = k == 1 ? again : work->b + (size_t)i * element;
        if (!op->line(a, 1, b, 1, work->y + i * op->out_bytes, n)) {
            atomic_store_explicit(&work->refused, true, memory_order_relaxed);
        }
    }
}

static void binary_flat(void *object, int64_t begin, int64_t end)
{
    binary_work *work = object;
    const oribi_cpu_binary_op *op = work->op;
    const oribi_cpu_walk *walk = work->walk;
    int64_t sa = walk->axes[0].strides[0], sb = walk->axes[0].strides[1];
    if (!op->line(work->a + begin * sa * op->in_bytes, sa, work->b + begin * sb * op->in_bytes, sb,
                  work->y + begin * op->out_bytes, end - begin)) {
        atomic_store_explicit(&work->refused, true, memory_order_relaxed);
    }
}

bool oribi_cpu_binary_run(oribi_kit_run *run, const oribi_cpu_binary_op *op,
                          const oribi_cpu_shape *a, const oribi_cpu_shape *b,
                          const oribi_cpu_shape *out)
{
    static const int candidates[] = {0, 1};
    oribi_cpu_walk walk;
    binary_work work = {op,   &walk, TF_TensorData(run->in[0]), TF_TensorData(run->in[1]),
                        NULL, false};
    bool same = oribi_cpu_shape_equal(a, b);
    bool a_fits = same || oribi_cpu_product(a->at, a->n) == oribi_cpu_product(out->at, out->n);
    /* An operand that is read more than once must not be overwritten. */
    work.y = !op->in_place ? oribi_kit_output(run, 0, out->at, out->n)
                           : oribi_kit_output_in_place(run, candidates + (a_fits ? 0 : 1),
                                                       same ? 2 : 1, out->at, out->n);
    if (work.y == NULL) {
        return false;
    }
    if (same && op->collapse) {
        walk.rank = 1;
        walk.axes[0].strides[0] = walk.axes[0].strides[1] = 1;
        walk.count = oribi_cpu_product(out->at, out->n);
    } else {
        const oribi_cpu_shape *operands[] = {a, b};
        oribi_geometry_walk_broadcast(&walk, out, operands, 2);
        if (op->collapse) {
            oribi_geometry_walk_collapse(&walk);
        }
    }
    const bool in_rows =
        op->collapse && (repeats(&walk, 0, op->in_bytes) || repeats(&walk, 1, op->in_bytes));
    oribi_kit_parallel(run, walk.count, op->cost, &work,
                       walk.rank == 1 ? binary_flat
                       : in_rows      ? binary_rows
                                      : binary_block);
    if (atomic_load_explicit(&work.refused, memory_order_relaxed)) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "%s", op->refusal);
    }
    return true;
}

void oribi_cpu_binary_compute(TF_OpKernelContext *context, const oribi_cpu_binary_op *op)
{
    oribi_kit_run run;
    oribi_cpu_shape a, b, out;
    int64_t count = 0;
    if (oribi_kit_begin(&run, context, 2) && oribi_cpu_input_shape(&run, 0, &a) &&
        oribi_cpu_input_shape(&run, 1, &b) && oribi_cpu_broadcast(&run, &a, &b, &out) &&
        oribi_cpu_count(&run, out.at, out.n, &count)) {
        (void)oribi_cpu_binary_run(&run, op, &a, &b, &out);
    }
    oribi_kit_end(&run);
}

void *oribi_cpu_equality_create(TF_OpKernelConstruction *construction)
{
    static char allows_any;
    TF_Bool strict = 1;
    TF_Status *status = TF_NewStatus();
    TF_OpKernelConstruction_GetAttrBool(construction, "incompatible_shape_error", &strict, status);
    if (TF_GetCode(status) != TF_OK) {
        TF_OpKernelConstruction_Failure(construction, status);
    }
    TF_DeleteStatus(status);
    return strict ? NULL : &allows_any;
}

void oribi_cpu_equality_compute(TF_OpKernelContext *context, const oribi_cpu_binary_op *op)
{
    static const uint64_t zeros, ones = 0x0101010101010101; /* unlike in every type */
    oribi_kit_run run;
    oribi_cpu_shape a, b, both;
    void *y = NULL;
    bool read = oribi_kit_begin(&run, context, 2) && oribi_cpu_input_shape(&run, 0, &a) &&
                oribi_cpu_input_shape(&run, 1, &b);
    bool fits = read && oribi_geometry_broadcast(a.at, a.n, b.at, b.n, both.at);
    if (read && !fits && (y = oribi_kit_output(&run, 0, NULL, 0)) != NULL) {
        (void)op->line(&zeros, 0, &ones, 0, y, 1);
    }
    oribi_kit_end(&run);
    if (fits) {
        oribi_cpu_binary_compute(context, op);
    }
}
