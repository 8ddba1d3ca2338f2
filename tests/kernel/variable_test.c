/* SPDX-License-Identifier: Apache-2.0 */
/* Resources and variables: handles, sharing, copies on write, removal, failures. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "built_in.h"
#include "kernel/context.h"
#include "kernel/resource.h"
#include "tensor/handle.h"
#include "tensorflow/c/kernels_experimental.h"

/* A node of one op with its kernel, made by hand. */
typedef struct one {
    oribi_arena arena;
    oribi_attrs attrs;
    oribi_signature signature;
    oribi_node_view view;
    oribi_kernel kernel;
} one;

static void make(one *self, const char *op, const char *shared_name, const TF_DataType *types,
                 int n)
{
    TF_Status *status = TF_NewStatus();

    *self = (one){.view.name = "node"};
    self->view.op = oribi_op_find(op);
    assert_non_null(self->view.op);
    if (shared_name != NULL) {
        const int64_t dims[] = {2};
        oribi_shape shape;
        assert_true(oribi_shape_copy(&self->arena, dims, 1, &shape));
        const oribi_attr attr = {
            .name = "shape", .kind = TF_ATTR_SHAPE, .count = 1, .u.shape = &shape};
        assert_true(oribi_attrs_set(&self->attrs, &self->arena, &attr));
        oribi_attrs_set_string(&self->attrs, &self->arena, "shared_name", shared_name);
    }
    if (strcmp(op, "VarIsInitializedOp") != 0) {
        oribi_attrs_set_type(&self->attrs, &self->arena, "dtype", TF_FLOAT);
    }
    if (!oribi_op_resolve(self->view.op, "node", &self->attrs, types, n, &self->arena,
                          &self->signature, status)) {
        fail_msg("%s", TF_Message(status));
    }
    self->view.attrs = &self->attrs;
    self->view.signature = &self->signature;
    const oribi_kernel_def *def = oribi_kernel_select(&self->view, "CPU", NULL, status);
    if (def == NULL || !oribi_kernel_create(def, &self->view, &self->kernel, status)) {
        fail_msg("%s", TF_Message(status));
    }
    TF_DeleteStatus(status);
}

static void drop(one *self)
{
    oribi_kernel_destroy(&self->kernel);
    oribi_arena_destroy(&self->arena);
}

static TF_Tensor *floats(float a, float b)
{
    const int64_t dims[] = {2};
    TF_Tensor *tensor = TF_AllocateTensor(TF_FLOAT, dims, 1, 8);

    ((float *)TF_TensorData(tensor))[0] = a;
    ((float *)TF_TensorData(tensor))[1] = b;
    return tensor;
}

/* Runs op(handle[, value]); the result, if any, belongs to the caller. */
static TF_Tensor *run(const char *op, TF_Tensor *handle, TF_Tensor *value, TF_Code want)
{
    const TF_DataType types[] = {TF_RESOURCE, TF_FLOAT};
    TF_Tensor *inputs[] = {handle, value}, *output = NULL;
    TF_Status *status = TF_NewStatus();
    one self;

    make(&self, op, NULL, types, value == NULL ? 1 : 2);
    oribi_kernel_run_once(&self.kernel, inputs, &output, NULL, status);
    if (TF_GetCode(status) != want) {
        fail_msg("%s: code %d, %s", op, TF_GetCode(status), TF_Message(status));
    }
    TF_DeleteStatus(status);
    drop(&self);
    return output;
}

static TF_Tensor *handle_of(const char *name)
{
    TF_Status *status = TF_NewStatus();
    TF_Tensor *handle = NULL;
    one self;

    make(&self, "VarHandleOp", name, NULL, 0);
    assert_true(oribi_kernel_run_once(&self.kernel, NULL, &handle, NULL, status));
    assert_int_equal(TF_TensorType(handle), TF_RESOURCE);
    drop(&self);
    TF_DeleteStatus(status);
    return handle;
}

static void assert_floats(const TF_Tensor *tensor, float a, float b)
{
    const float *data = TF_TensorData(tensor);

    assert_true(data[0] == a && data[1] == b);
}

static void a_variable_is_assigned_read_and_updated_through_any_handle_of_its_name(void **state)
{
    TF_Tensor *first = handle_of("v"), *second = handle_of("v"), *other = handle_of("w");
    TF_Tensor *value = floats(1, 2), *by = floats(10, 20);
    (void)state;

    TF_Tensor *flag = run("VarIsInitializedOp", first, NULL, TF_OK);
    assert_false(*(bool *)TF_TensorData(flag));
    TF_DeleteTensor(flag);
    run("ReadVariableOp", first, NULL, TF_FAILED_PRECONDITION);
    run("AssignVariableOp", first, value, TF_OK);
    flag = run("VarIsInitializedOp", second, NULL, TF_OK);
    assert_true(*(bool *)TF_TensorData(flag));
    TF_DeleteTensor(flag);
    run("AssignAddVariableOp", second, by, TF_OK);
    TF_Tensor *read = run("ReadVariableOp", first, NULL, TF_OK);
    assert_floats(read, 11, 22);
    run("ReadVariableOp", other, NULL, TF_FAILED_PRECONDITION);

    TF_DeleteTensor(read);
    TF_DeleteTensor(value);
    TF_DeleteTensor(by);
    TF_DeleteTensor(first);
    TF_DeleteTensor(second);
    TF_DeleteTensor(other);
}

static void what_was_read_does_not_change_under_the_reader(void **state)
{
    TF_Tensor *handle = handle_of("kept"), *value = floats(5, 6), *by = floats(1, 1);
    (void)state;

    run("AssignVariableOp", handle, value, TF_OK);
    ((float *)TF_TensorData(value))[0] = 99; /* the variable has its own copy */
    TF_Tensor *read = run("ReadVariableOp", handle, NULL, TF_OK);
    run("AssignSubVariableOp", handle, by, TF_OK);
    TF_Tensor *later = run("ReadVariableOp", handle, NULL, TF_OK);
    assert_floats(read, 5, 6);
    assert_floats(later, 4, 5);

    TF_DeleteTensor(later);
    TF_DeleteTensor(read);
    TF_DeleteTensor(value);
    TF_DeleteTensor(by);
    TF_DeleteTensor(handle);
}

static void a_value_of_another_shape_and_a_false_handle_are_refused(void **state)
{
    const int64_t dims[] = {3};
    TF_Tensor *handle = handle_of("shaped"), *value = floats(5, 6);
    TF_Tensor *longer = TF_AllocateTensor(TF_FLOAT, dims, 1, 12);
    (void)state;

    memset(TF_TensorData(longer), 0, 12);
    run("AssignVariableOp", handle, value, TF_OK);
    run("AssignAddVariableOp", handle, longer, TF_INVALID_ARGUMENT);
    TF_Tensor *read = run("ReadVariableOp", handle, NULL, TF_OK);
    assert_floats(read, 5, 6);
    *(uint64_t *)TF_TensorData(handle) = 1u << 30;
    run("ReadVariableOp", handle, NULL, TF_NOT_FOUND);

    TF_DeleteTensor(read);
    TF_DeleteTensor(longer);
    TF_DeleteTensor(value);
    TF_DeleteTensor(handle);
}

static int made, destroyed;

static void *make_counter(void *arg, TF_Status *status)
{
    (void)status;
    made++;
    return arg;
}

static void destroy_counter(void *object)
{
    (void)object;
    destroyed++;
}

static void *fail_to_make(void *arg, TF_Status *status)
{
    (void)arg;
    TF_SetStatus(status, TF_UNAVAILABLE, "not today");
    return NULL;
}

static void an_object_lives_until_the_last_reference_goes(void **state)
{
    TF_OpKernelContext ctx;
    TF_Status *status = TF_NewStatus();
    int object = 3;
    (void)state;

    memset(&ctx, 0, sizeof ctx);
    ctx.resources = oribi_resources_create(status);
    made = destroyed = 0;
    TF_Resource *a = TF_LookupOrCreateResource(&ctx, "", "r", "T", make_counter, &object,
                                               destroy_counter, status);
    TF_Resource *b = TF_LookupOrCreateResource(&ctx, "", "r", "T", make_counter, &object,
                                               destroy_counter, status);
    assert_int_equal(made, 1);
    assert_ptr_equal(TF_ResourceObject(a), &object);
    assert_ptr_equal(TF_ResourceObject(a), TF_ResourceObject(b));
    assert_null(TF_LookupResource(&ctx, "", "r", "U", status));
    assert_int_equal(TF_GetCode(status), TF_NOT_FOUND);
    assert_null(TF_LookupOrCreateResource(&ctx, "", "f", "T", fail_to_make, NULL, NULL, status));
    assert_int_equal(TF_GetCode(status), TF_UNAVAILABLE);

    TF_Tensor *handle = TF_ResourceHandleTensor(&ctx, a, status);
    TF_Resource *c = TF_ResourceFromTensor(&ctx, handle, 0, "T", status);
    assert_ptr_equal(TF_ResourceObject(c), &object);
    assert_null(TF_ResourceFromTensor(&ctx, handle, 0, "U", status));
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    assert_null(TF_ResourceFromTensor(&ctx, handle, 1, "T", status));
    TF_RemoveResource(&ctx, "", "r", "T", status);
    assert_int_equal(TF_GetCode(status), TF_OK);
    assert_null(TF_ResourceFromTensor(&ctx, handle, 0, "T", status));
    assert_int_equal(TF_GetCode(status), TF_NOT_FOUND);
    TF_DeleteResource(a);
    TF_DeleteResource(b);
    assert_int_equal(destroyed, 0);
    TF_DeleteResource(c);
    assert_int_equal(destroyed, 1);

    oribi_resources_destroy(ctx.resources);
    TF_DeleteTensor(handle);
    TF_DeleteStatus(status);
}

static int setup(void **state)
{
    (void)state;
    oribi_ops_core_init();
    oribi_cpu_init();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_variable_is_assigned_read_and_updated_through_any_handle_of_its_name),
        cmocka_unit_test(what_was_read_does_not_change_under_the_reader),
        cmocka_unit_test(a_value_of_another_shape_and_a_false_handle_are_refused),
        cmocka_unit_test(an_object_lives_until_the_last_reference_goes),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
