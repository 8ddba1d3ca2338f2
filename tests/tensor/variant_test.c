/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: objects live as long as their elements, and every misuse is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tensor/tensor.h"
#include "tensorflow/c/variant.h"

typedef struct number { /* an object as a plugin has them */
    TF_VariantHead head;
    int value;
} number;

static int alive;
static bool has_no_memory;

static TF_VariantHead *new_number(int value);

static TF_VariantHead *copy_number(const TF_VariantHead *object)
{
    return has_no_memory ? NULL : new_number(((const number *)(const void *)object)->value);
}

static void destroy_number(TF_VariantHead *object)
{
    alive--;
    free(object);
}

static const TF_VariantType number_type = {TF_VARIANT_TYPE_STRUCT_SIZE, "test.Number", copy_number,
                                           destroy_number};

static TF_VariantHead *new_number(int value)
{
    number *made = malloc(sizeof *made);
    *made = (number){{&number_type}, value};
    alive++;
    return &made->head;
}

static int value_of(const TF_Tensor *tensor, int64_t index)
{
    TF_Status *status = TF_NewStatus();
    const TF_VariantHead *object = TF_TensorVariant(tensor, index, "test.Number", status);
    assert_int_equal(TF_GetCode(status), TF_OK);
    TF_DeleteStatus(status);
    return ((const number *)(const void *)object)->value;
}

static const int64_t shape23[] = {2, 3};

static TF_Tensor *six(void)
{
    TF_Tensor *tensor = TF_AllocateTensor(TF_VARIANT, shape23, 2, 6 * sizeof(TF_VariantHead *));
    assert_non_null(tensor);
    return tensor;
}

static void set(TF_Tensor *tensor, int64_t index, TF_VariantHead *object, TF_Code expected)
{
    TF_Status *status = TF_NewStatus();
    TF_TensorSetVariant(tensor, index, object, status);
    assert_int_equal(TF_GetCode(status), expected);
    TF_DeleteStatus(status);
}

static void elements_begin_empty_and_objects_go_with_the_last_handle(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    TF_Tensor *tensor = six();
    assert_null(TF_TensorVariant(tensor, 0, NULL, status));
    assert_int_equal(TF_GetCode(status), TF_NOT_FOUND);
    set(tensor, 0, new_number(7), TF_OK);
    set(tensor, 5, new_number(8), TF_OK);
    set(tensor, 5, new_number(9), TF_OK); /* the one before goes */
    assert_int_equal(alive, 2);

    TF_Tensor *shared = oribi_tensor_share(tensor);
    TF_DeleteTensor(tensor);

    assert_int_equal(alive, 2);
    assert_int_equal(value_of(shared, 0), 7);
    assert_int_equal(value_of(shared, 5), 9);
    set(shared, 0, NULL, TF_OK);
    assert_int_equal(alive, 1);
    TF_DeleteTensor(shared);
    assert_int_equal(alive, 0);
    TF_DeleteStatus(status);
}

static void copies_are_objects_of_their_own(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    const int64_t flat = 6;
    TF_Tensor *from = six();
    TF_Tensor *to = TF_AllocateTensor(TF_VARIANT, &flat, 1, 6 * sizeof(TF_VariantHead *));
    set(from, 1, new_number(4), TF_OK);
    set(to, 0, new_number(5), TF_OK);

    TF_TensorCopyVariants(from, to, status);

    assert_int_equal(TF_GetCode(status), TF_OK);
    TF_DeleteTensor(from);
    assert_int_equal(alive, 1);
    assert_int_equal(value_of(to, 1), 4);
    assert_null(TF_TensorVariant(to, 0, NULL, status)); /* as in the source */
    TF_DeleteTensor(to);
    assert_int_equal(alive, 0);
    TF_DeleteStatus(status);
}

static void a_copy_without_memory_leaves_what_is_there(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    TF_Tensor *from = six(), *to = six();
    set(from, 2, new_number(4), TF_OK);
    set(to, 2, new_number(5), TF_OK);

    has_no_memory = true;
    TF_TensorCopyVariants(from, to, status);
    has_no_memory = false;

    assert_int_equal(TF_GetCode(status), TF_RESOURCE_EXHAUSTED);
    assert_non_null(strstr(TF_Message(status), "test.Number"));
    assert_int_equal(value_of(to, 2), 5);
    TF_DeleteTensor(from);
    TF_DeleteTensor(to);
    assert_int_equal(alive, 0);
    TF_DeleteStatus(status);
}

static void misuse_is_refused_and_the_object_destroyed(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    TF_Tensor *tensor = six();
    TF_Tensor *floats = TF_AllocateTensor(TF_FLOAT, shape23, 2, 48);
    static const TF_VariantType bare = {TF_VARIANT_TYPE_STRUCT_SIZE, NULL, copy_number,
                                        destroy_number};
    set(tensor, -1, new_number(1), TF_INVALID_ARGUMENT);
    set(tensor, 6, new_number(1), TF_INVALID_ARGUMENT);
    set(floats, 0, new_number(1), TF_INVALID_ARGUMENT);
    number *nameless = malloc(sizeof *nameless);
    *nameless = (number){{&bare}, 0};
    alive++;
    set(tensor, 0, &nameless->head, TF_INVALID_ARGUMENT);
    assert_int_equal(alive, 0);

    set(tensor, 0, new_number(1), TF_OK);
    assert_null(TF_TensorVariant(tensor, 0, "other", status));
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    assert_non_null(strstr(TF_Message(status), "test.Number"));
    assert_null(TF_TensorVariant(floats, 0, NULL, status));
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    TF_TensorCopyVariants(tensor, floats, status);
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    assert_null(TF_AllocateTensor(TF_VARIANT, shape23, 2, 47)); /* too few bytes */

    TF_DeleteTensor(tensor);
    TF_DeleteTensor(floats);
    TF_DeleteStatus(status);
    assert_int_equal(alive, 0);
}

static TF_Tensor *three_floats(void)
{
    const int64_t three = 3;
    TF_Tensor *tensor = TF_AllocateTensor(TF_FLOAT, &three, 1, 3 * sizeof(float));
    memcpy(TF_TensorData(tensor), (const float[]){1, 2, 3}, 3 * sizeof(float));
    return tensor;
}

static void a_tensor_in_a_list_is_shared_and_outlives_it(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    TF_Tensor *list = six(), *copies = six(), *given = three_floats();
    const void *data = TF_TensorData(given);
    TF_TensorSetVariantTensor(list, 5, given, status);
    assert_int_equal(TF_GetCode(status), TF_OK);
    TF_DeleteTensor(given);
    TF_TensorCopyVariants(list, copies, status);
    assert_int_equal(TF_GetCode(status), TF_OK);
    TF_DeleteTensor(list);

    TF_Tensor *taken = TF_TensorVariantTensor(copies, 5, status);
    TF_DeleteTensor(copies);
    assert_ptr_equal(TF_TensorData(taken), data);
    assert_float_equal(((const float *)TF_TensorData(taken))[2], 3.0f, 0.0f);
    TF_DeleteTensor(taken);
    TF_DeleteStatus(status);
}

static void what_is_no_tensor_in_a_list_is_refused(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    TF_Tensor *list = six(), *floats = three_floats();
    set(list, 0, new_number(7), TF_OK);
    assert_null(TF_TensorVariantTensor(list, 0, status));
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    assert_null(TF_TensorVariantTensor(list, 1, status));
    assert_int_equal(TF_GetCode(status), TF_NOT_FOUND);
    assert_null(TF_TensorVariantTensor(floats, 0, status));
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    TF_TensorSetVariantTensor(list, 6, floats, status);
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    TF_TensorSetVariantTensor(list, 0, list, status);
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    assert_int_equal(value_of(list, 0), 7);
    TF_DeleteTensor(floats);
    TF_DeleteTensor(list);
    TF_DeleteStatus(status);
    assert_int_equal(alive, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_begin_empty_and_objects_go_with_the_last_handle),
        cmocka_unit_test(copies_are_objects_of_their_own),
        cmocka_unit_test(a_copy_without_memory_leaves_what_is_there),
        cmocka_unit_test(misuse_is_refused_and_the_object_destroyed),
        cmocka_unit_test(a_tensor_in_a_list_is_shared_and_outlives_it),
        cmocka_unit_test(what_is_no_tensor_in_a_list_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
