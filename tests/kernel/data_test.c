/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels with a pointer of their author's: one set of functions, several registrations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "kernel/kernel.h"
#include "support/fail_nth.h"

typedef struct factor { /* what the author's pointer leads to */
    float by;
    int created, destroyed, deleted;
    bool fails;
} factor;

static void *create(void *data, TF_OpKernelConstruction *ctx)
{
    factor *self = data;
    self->created++;
    if (self->fails) {
        TF_Status *status = TF_NewStatus();
        TF_SetStatus(status, TF_OUT_OF_RANGE, "this factor fails");
        TF_OpKernelConstruction_Failure(ctx, status);
        TF_DeleteStatus(status);
    }
    return &self->by;
}

static void compute(void *data, void *kernel, TF_OpKernelContext *ctx)
{
    TF_Status *status = TF_NewStatus();
    TF_Tensor *x = NULL;
    assert_ptr_equal(kernel, &((factor *)data)->by);
    TF_GetInput(ctx, 0, &x, status);
    TF_Tensor *y = TF_AllocateOutput(ctx, 0, TF_FLOAT, NULL, 0, sizeof(float), status);
    *(float *)TF_TensorData(y) = *(float *)TF_TensorData(x) * ((factor *)data)->by;
    TF_DeleteTensor(x);
    TF_DeleteTensor(y);
    TF_DeleteStatus(status);
}

static void compute_async(void *data, void *kernel, TF_OpKernelContext *ctx,
                          TF_AsyncOpKernelDoneCallback *done)
{
    compute(data, kernel, ctx);
    TF_RunAsyncOpKernelDoneCallback(done);
}

static void destroy(void *data, void *kernel)
{
    assert_ptr_equal(kernel, &((factor *)data)->by);
    ((factor *)data)->destroyed++;
}

static void delete_data(void *data)
{
    ((factor *)data)->deleted++;
}

static TF_KernelFunctions functions_of(factor *data)
{
    return (TF_KernelFunctions){.struct_size = TF_KERNEL_FUNCTIONS_STRUCT_SIZE,
                                .data = data,
                                .create = create,
                                .compute = compute,
                                .destroy = destroy,
                                .delete_data = delete_data};
}

static char message[1000];

static TF_Code add(const char *op, const TF_KernelFunctions *functions)
{
    TF_Status *status = TF_NewStatus();
    TF_RegisterKernelBuilder("data", TF_NewKernelBuilderWithData(op, "CPU", functions), status);
    const TF_Code code = TF_GetCode(status);
    snprintf(message, sizeof message, "%s", TF_Message(status));
    TF_DeleteStatus(status);
    return code;
}

/* One float through the kernel of the op; the code of what failed. */
static TF_Code run(const char *op, float x, float *out_y)
{
    TF_DataType type = TF_FLOAT;
    const oribi_op_def def = {.name = op};
    const oribi_attrs attrs = {0};
    const oribi_signature signature = {
        .n_inputs = 1, .n_outputs = 1, .input_types = &type, .output_types = &type};
    const oribi_node_view node = {
        .name = "n", .op = &def, .attrs = &attrs, .signature = &signature};
    TF_Status *status = TF_NewStatus();
    const oribi_kernel_def *chosen = oribi_kernel_select(&node, "CPU", NULL, status);
    oribi_kernel kernel;
    assert_non_null(chosen);
    if (oribi_kernel_create(chosen, &node, &kernel, status)) {
        TF_Tensor *input = TF_AllocateTensor(TF_FLOAT, NULL, 0, sizeof x), *output = NULL;
        *(float *)TF_TensorData(input) = x;
        if (oribi_kernel_run_once(&kernel, &input, &output, NULL, status)) {
            *out_y = *(float *)TF_TensorData(output);
        }
        TF_DeleteTensor(input);
        TF_DeleteTensor(output);
        oribi_kernel_destroy(&kernel);
    }
    const TF_Code code = TF_GetCode(status);
    TF_DeleteStatus(status);
    return code;
}

static void each_registration_has_its_own_pointer(void **state)
{
    (void)state;
    static factor two = {.by = 2}, three = {.by = 3};
    const TF_KernelFunctions first = functions_of(&two);
    TF_KernelFunctions second = functions_of(&three);
    second.compute = NULL;
    second.compute_async = compute_async;
    assert_int_equal(add("Data>Two", &first), TF_OK);
    assert_int_equal(add("Data>Three", &second), TF_OK);
    float y = 0;

    assert_int_equal(run("Data>Two", 5, &y), TF_OK);
    assert_true(y == 10);
    assert_int_equal(run("Data>Three", 5, &y), TF_OK);
    assert_true(y == 15);
    assert_int_equal(two.created, 1);
    assert_int_equal(two.destroyed, 1);
    assert_int_equal(two.deleted, 0); /* registered: for ever */
    assert_int_equal(three.destroyed, 1);
}

static void a_kernel_that_fails_in_create_is_destroyed(void **state)
{
    (void)state;
    static factor bad = {.by = 1, .fails = true};
    const TF_KernelFunctions functions = functions_of(&bad);
    assert_int_equal(add("Data>Bad", &functions), TF_OK);
    float y = 0;

    assert_int_equal(run("Data>Bad", 5, &y), TF_OUT_OF_RANGE);

    assert_int_equal(bad.created, 1);
    assert_int_equal(bad.destroyed, 1);
}

static void data_goes_with_a_builder_that_is_not_registered(void **state)
{
    (void)state;
    factor data = {0};
    TF_KernelFunctions functions = functions_of(&data);
    TF_DeleteKernelBuilder(TF_NewKernelBuilderWithData("Data>No", "CPU", &functions));
    assert_int_equal(data.deleted, 1);

    functions.compute_async = compute_async; /* both */
    assert_int_equal(add("Data>No", &functions), TF_INVALID_ARGUMENT);
    assert_non_null(strstr(message, "either compute or compute_async"));
    assert_int_equal(data.deleted, 2);
    functions.compute = NULL;
    functions.compute_async = NULL; /* neither */
    assert_int_equal(add("Data>No", &functions), TF_INVALID_ARGUMENT);
    assert_int_equal(data.deleted, 3);
    functions.struct_size--;
    assert_int_equal(add("Data>No", &functions), TF_INVALID_ARGUMENT);
    assert_non_null(strstr(message, "struct_size"));
    assert_int_equal(data.deleted, 3); /* the struct was not read */
    assert_int_equal(add("Data>No", NULL), TF_INVALID_ARGUMENT);

    TF_Status *status = TF_NewStatus();
    functions = functions_of(&data);
    assert_true(oribi_kernel_begin("data.so", status));
    assert_int_equal(add("Data>No", &functions), TF_OK);
    oribi_kernel_rollback();
    assert_int_equal(data.deleted, 4);
    TF_DeleteStatus(status);
}

static void nothing_is_left_when_memory_runs_out(void **state)
{
    (void)state;
    static factor lean = {.by = 2};
    const TF_KernelFunctions functions = functions_of(&lean);
    assert_int_equal(add("Data>Lean", &functions), TF_OK);
    TF_Status *status = TF_NewStatus();
    TF_DataType type = TF_FLOAT;
    const oribi_op_def def = {.name = "Data>Lean"};
    const oribi_attrs attrs = {0};
    const oribi_signature signature = {
        .n_inputs = 1, .n_outputs = 1, .input_types = &type, .output_types = &type};
    const oribi_node_view node = {
        .name = "n", .op = &def, .attrs = &attrs, .signature = &signature};
    const oribi_kernel_def *chosen = oribi_kernel_select(&node, "CPU", NULL, status);
    oribi_kernel kernel;

    for (uint64_t n = 1; n <= 4; n++) {
        oribi_alloc_fail_at(n, true);
        const bool made = oribi_kernel_create(chosen, &node, &kernel, status);
        oribi_alloc_fail_at(0, false);
        if (made) {
            oribi_kernel_destroy(&kernel);
            break;
        }
    }

    assert_int_equal(lean.created, lean.destroyed);
    assert_true(lean.created > 0);
    TF_DeleteStatus(status);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_registration_has_its_own_pointer),
        cmocka_unit_test(a_kernel_that_fails_in_create_is_destroyed),
        cmocka_unit_test(data_goes_with_a_builder_that_is_not_registered),
        cmocka_unit_test(nothing_is_left_when_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
