/* SPDX-License-Identifier: Apache-2.0 */
#include "check/checked_call.h"

#include <string.h>

#include "base/alloc.h"
#include "check/guard.h"

enum { PATTERN = 0xa5, OTHER_PATTERN = 0x5b, LEAST_UNWRITTEN = 8 };

typedef struct call {
    const oribi_kernel *kernel;
    TF_OpKernelContext *outer;
    struct oribi_pool *pool;
    TF_Tensor *const *inputs;
    int32_t n_inputs, n_outputs;
} call;

static TF_Tensor *allocate(void *arg, TF_DataType dtype, const int64_t *dims, int rank, int output,
                           TF_Status *status)
{
    return oribi_guards_tensor(arg, dtype, dims, rank, output >= 0 ? "output" : "temporary", output,
                               status);
}

static void drop(TF_Tensor **tensors, int32_t n)
{
    for (int32_t i = 0; tensors != NULL && i < n; i++) {
        TF_DeleteTensor(tensors[i]);
        tensors[i] = NULL;
    }
}

/* --- Comparison ------------------------------------------------------------------------------ */

static size_t find_string_difference(const TF_Tensor *a, const TF_Tensor *b)
{
    const TF_TString *x = a->data, *y = b->data;
    size_t i = 0;
    for (; i < b->bytes / sizeof *x; i++) {
        const size_t length = TF_TString_GetSize(&x[i]);
        if (length != TF_TString_GetSize(&y[i]) ||
            memcmp(TF_TString_GetDataPointer(&x[i]), TF_TString_GetDataPointer(&y[i]), length) !=
                0) {
            return i * sizeof *x;
        }
    }
    return b->bytes;
}

size_t oribi_check_difference(const TF_Tensor *a, const TF_Tensor *b)
{
    const uint8_t *x = a->data, *y = b->data;
    if (b->dtype == TF_STRING) {
        return find_string_difference(a, b);
    }
    size_t i = b->dtype == TF_VARIANT ? b->bytes : 0; /* objects of the plugin's */
    while (i < b->bytes && x[i] == y[i]) {
        i++;
    }
    return i;
}

static bool same_shape(const TF_Tensor *a, const TF_Tensor *b)
{
    return a->rank == b->rank && a->bytes == b->bytes &&
           (a->rank == 0 || memcmp(a->dims, b->dims, (size_t)a->rank * sizeof(int64_t)) == 0);
}

/* Where the outputs of two runs differ: *output -1: nowhere; *offset is in bytes. */
static void compare(const call *c, TF_Tensor *const *a, TF_Tensor *const *b, int32_t *output,
                    size_t *offset)
{
    *output = -1;
    *offset = 0;
    for (int32_t i = 0; i < c->n_outputs; i++) {
        const size_t at = same_shape(a[i], b[i]) ? oribi_check_difference(a[i], b[i]) : 0;
        if (!same_shape(a[i], b[i]) || at < a[i]->bytes) {
            *output = i;
            *offset = at;
            return;
        }
    }
}

/* Are all differing bytes those of the two patterns, that is, never written? */
static bool is_unwritten(const TF_Tensor *a, const TF_Tensor *b)
{
    const uint8_t *x = a->data, *y = b->data;
    for (size_t i = 0; same_shape(a, b) && i < a->bytes; i++) {
        if (x[i] != y[i] && (x[i] != PATTERN || y[i] != OTHER_PATTERN)) {
            return false;
        }
    }
    return same_shape(a, b) && a->dtype != TF_STRING;
}

/* --- What one run tells by itself ------------------------------------------------------------ */

/* An input that was set as an output is the kernel's to write. */
static bool is_output(const call *c, TF_Tensor *const *outputs, const TF_Tensor *input)
{
    for (int32_t i = 0; i < c->n_outputs; i++) {
        if (outputs[i]->data == input->data) {
            return true;
        }
    }
    return false;
}

static void check_inputs(const call *c, TF_Tensor *const *copies, TF_Tensor *const *outputs,
                         oribi_text *found)
{
    for (int32_t i = 0; i < c->n_inputs; i++) {
        const size_t at = copies[i] != NULL ? oribi_check_difference(c->inputs[i], copies[i]) : 0;
        if (copies[i] != NULL && at < copies[i]->bytes && !is_output(c, outputs, copies[i])) {
            oribi_text_printf(found, "%swrote at byte %zu of input %d",
                              found->length > 0 ? "; " : "input-modified: ", at, (int)i);
        }
    }
}

static void check_shapes(const call *c, TF_Tensor *const *outputs, oribi_text *found)
{
    const oribi_node_view *node = c->kernel->node;
    for (int32_t i = 0; node->output_shapes != NULL && i < c->n_outputs; i++) {
        const oribi_shape made = {outputs[i]->rank, outputs[i]->dims};
        if (!oribi_shape_agrees(&made, &node->output_shapes[i])) {
            oribi_text_printf(found, "%soutput %d has shape ",
                              found->length > 0 ? "; " : "shape-function: ", (int)i);
            oribi_shape_print(&made, found);
            oribi_text_append(found, ", but the op's shape function says ");
            oribi_shape_print(&node->output_shapes[i], found);
        }
    }
}

static void check_types(const call *c, TF_Tensor *const *outputs, oribi_text *found)
{
    for (int32_t i = 0; i < c->n_outputs; i++) {
        const TF_DataType wanted = c->kernel->node->signature->output_types[i];
        size_t bytes = 0;
        if (outputs[i]->dtype != wanted) {
            oribi_text_printf(found, "%soutput %d is %s, but the op says %s",
                              found->length > 0 ? "; " : "output-type: ", (int)i,
                              oribi_dtype_name(outputs[i]->dtype), oribi_dtype_name(wanted));
        } else if (!oribi_size_of_dims(outputs[i]->dims, outputs[i]->rank,
                                       oribi_dtype_bytes(wanted), &bytes) ||
                   bytes > outputs[i]->bytes) {
            oribi_text_printf(found, "%soutput %d has %zu bytes and a shape of %zu",
                              found->length > 0 ? "; " : "output-type: ", (int)i, outputs[i]->bytes,
                              bytes);
        }
    }
}

/* Outputs none of whose bytes was written: seen in one run already. */
static void check_written(const call *c, TF_Tensor *const *outputs, uint8_t pattern,
                          oribi_text *found)
{
    for (int32_t i = 0; i < c->n_outputs; i++) {
        const uint8_t *at = outputs[i]->data;
        size_t k = 0;
        while (k < outputs[i]->bytes && at[k] == pattern) {
            k++;
        }
        if (outputs[i]->bytes >= LEAST_UNWRITTEN && k == outputs[i]->bytes) {
            oribi_text_printf(found, "%soutput %d was allocated and not written, from byte 0 on",
                              found->length > 0 ? "; " : "unwritten-output: ", (int)i);
        }
    }
}

static bool run_guarded(const call *c, oribi_guards *guards, TF_Tensor **copies,
                        TF_Tensor **outputs, TF_Status *status)
{
    for (int32_t i = 0; i < c->n_inputs; i++) {
        copies[i] =
            c->inputs[i] != NULL ? oribi_guards_copy(guards, c->inputs[i], i, status) : NULL;
        ORIBI_TRY(c->inputs[i] == NULL || copies[i] != NULL);
    }
    oribi_runner *runner = oribi_runner_create(c->kernel, status);
    ORIBI_TRY(runner != NULL);
    runner->allocate = allocate;
    runner->allocate_arg = guards;
    const bool ok = oribi_runner_run(&runner, c->outer, c->pool, copies, outputs, status);
    oribi_runner_destroy(runner);
    return ok;
}

/* False: the kernel failed, or something was found; then there are no outputs. */
static bool run_once(const call *c, uint8_t pattern, TF_Tensor **outputs, TF_Status *status)
{
    oribi_guards guards;
    oribi_text found = {0};
    TF_Tensor **copies = oribi_claim_zero((size_t)c->n_inputs + 1, sizeof *copies, status);
    ORIBI_TRY(copies != NULL);
    if (!oribi_guards_begin(&guards, pattern, status)) {
        oribi_free(copies);
        return false;
    }
    bool ok = run_guarded(c, &guards, copies, outputs, status);
    oribi_guards_find_damage(&guards, &found);
    if (ok) {
        check_inputs(c, copies, outputs, &found);
        check_types(c, outputs, &found);
        check_shapes(c, outputs, &found);
        check_written(c, outputs, pattern, &found);
    }
    if (found.failed) {
        ok = oribi_fail_memory(status);
    } else if (found.length > 0 && ok) {
        ok = oribi_fail(status, TF_INTERNAL, "check: %s", found.data);
    } else if (found.length > 0) {
        oribi_status_prefix(status, "check: %s; and it failed: ", found.data);
    }
    if (!ok) {
        drop(outputs, c->n_outputs);
    }
    drop(copies, c->n_inputs);
    oribi_guards_end(&guards);
    oribi_text_destroy(&found);
    oribi_free(copies);
    return ok;
}

/* --- All together ---------------------------------------------------------------------------- */

/* Must two runs on equal inputs agree? Not where the op has a state, or an input stands for one. */
static bool is_repeatable(const call *c)
{
    const oribi_node_view *node = c->kernel->node;
    bool is = node->op == NULL || !node->op->is_stateful;
    for (int32_t i = 0; i < c->n_inputs; i++) {
        const TF_DataType type = node->signature->input_types[i];
        is = is && type != TF_RESOURCE && type != TF_VARIANT;
    }
    return is;
}

/* The second run differs from the first: does the first come back on the first's pattern? */
static bool tell_difference(const call *c, TF_Tensor *const *first, TF_Tensor *const *second,
                            int32_t output, size_t offset, TF_Status *status)
{
    TF_Tensor **third = oribi_claim_zero((size_t)c->n_outputs + 1, sizeof *third, status);
    ORIBI_TRY(third != NULL);
    int32_t other = 0;
    size_t at = 0;
    if (run_once(c, PATTERN, third, status)) {
        compare(c, first, third, &other, &at);
        if (other >= 0) {
            oribi_fail(status, TF_INTERNAL,
                       "check: nondeterministic: output %d differs from byte %zu on between runs "
                       "on equal inputs; an op with a state must say so (SetIsStateful)",
                       (int)other, at);
        } else if (is_unwritten(first[output], second[output])) {
            oribi_fail(status, TF_INTERNAL,
                       "check: unwritten-output: output %d, byte %zu was not written", (int)output,
                       offset);
        } else {
            oribi_fail(status, TF_INTERNAL,
                       "check: uninitialised-read: output %d, from byte %zu on, depends on what "
                       "temporaries or outputs held before",
                       (int)output, offset);
        }
    }
    drop(third, c->n_outputs);
    oribi_free(third);
    return false;
}

static bool run_again(const call *c, TF_Tensor *const *first, TF_Status *status)
{
    TF_Tensor **second = oribi_claim_zero((size_t)c->n_outputs + 1, sizeof *second, status);
    ORIBI_TRY(second != NULL);
    int32_t output = -1;
    size_t offset = 0;
    bool ok = run_once(c, OTHER_PATTERN, second, status);
    if (ok) {
        compare(c, first, second, &output, &offset);
        ok = output < 0 || tell_difference(c, first, second, output, offset, status);
    } else {
        oribi_status_prefix(status, "a second run on equal inputs: ");
    }
    drop(second, c->n_outputs);
    oribi_free(second);
    return ok;
}

bool oribi_checked_call(const oribi_kernel *kernel, TF_OpKernelContext *outer,
                        struct oribi_pool *pool, TF_Tensor *const *inputs, TF_Tensor **outputs,
                        TF_Status *status)
{
    const call c = {.kernel = kernel,
                    .outer = outer,
                    .pool = pool,
                    .inputs = inputs,
                    .n_inputs = kernel->node->signature->n_inputs,
                    .n_outputs = kernel->node->signature->n_outputs};
    const bool ok = run_once(&c, PATTERN, outputs, status) &&
                    (!is_repeatable(&c) || run_again(&c, outputs, status));
    if (!ok) {
        drop(outputs, c.n_outputs);
    }
    return ok;
}
