/* SPDX-License-Identifier: Apache-2.0 */
/* DLPack: the same memory on both sides, deleters once, types there and back, every refusal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/fail_nth.h"
#include "tensor/status.h"
#include "tensor/tensor.h"
#include "tensorflow/c/dlpack.h"

static const int64_t shape23[] = {2, 3};
static TF_Status *status;
static int deleted;

static int make_status(void **state)
{
    (void)state;
    status = TF_NewStatus();
    deleted = 0;
    return 0;
}

static int drop_status(void **state)
{
    (void)state;
    TF_DeleteStatus(status);
    return 0;
}

/* --- Out ------------------------------------------------------------------------------------- */

static void a_tensor_goes_out_over_its_own_memory(void **state)
{
    (void)state;
    TF_Tensor *tensor = TF_AllocateTensor(TF_FLOAT, shape23, 2, 24);
    float *data = TF_TensorData(tensor);

    DLManagedTensorVersioned *out = TF_TensorToDLPack(tensor, 0, status);

    assert_int_equal(TF_GetCode(status), TF_OK);
    assert_int_equal(out->version.major, 1);
    assert_int_equal(out->flags, 0);
    const DLTensor *t = &out->dl_tensor;
    assert_ptr_equal(t->data, data);
    assert_int_equal(t->byte_offset, 0);
    assert_int_equal(t->device.device_type, 1);
    assert_int_equal(t->ndim, 2);
    assert_memory_equal(t->shape, shape23, sizeof shape23);
    assert_int_equal(t->strides[0], 3);
    assert_int_equal(t->strides[1], 1);
    assert_int_equal(t->dtype.code, 2);
    assert_int_equal(t->dtype.bits, 32);
    assert_int_equal(t->dtype.lanes, 1);
    TF_DeleteTensor(tensor); /* the memory stays until the other side is done */
    data[5] = 3.0f;
    assert_true(((const float *)t->data)[5] == 3.0f);
    out->deleter(out);
}

static void flags_tell_of_copies_read_only_and_padded_elements(void **state)
{
    (void)state;
    TF_Tensor *tensor = TF_AllocateTensor(TF_INT4, shape23, 2, 6);
    memset(TF_TensorData(tensor), 3, 6);
    DLManagedTensorVersioned *copy =
        TF_TensorToDLPack(tensor, TF_DLPACK_COPY | TF_DLPACK_READ_ONLY, status);

    assert_int_equal(copy->flags, DLPACK_FLAG_BITMASK_READ_ONLY | DLPACK_FLAG_BITMASK_IS_COPIED |
                                      DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED);
    assert_ptr_not_equal(copy->dl_tensor.data, TF_TensorData(tensor));
    assert_memory_equal(copy->dl_tensor.data, TF_TensorData(tensor), 6);
    copy->deleter(copy);
    assert_null(TF_TensorToDLPackUnversioned(tensor, 0, status));
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    TF_DeleteTensor(tensor);
}

static void types_go_out_and_come_back(void **state)
{
    (void)state;
    for (int i = 1; i <= TF_FLOAT4_E2M1FN; i++) {
        const TF_DataType dtype = (TF_DataType)i;
        const bool has_none = dtype == TF_STRING || dtype == TF_RESOURCE || dtype == TF_VARIANT;
        const int64_t four = 4;
        TF_Tensor *tensor = TF_AllocateTensor(dtype, &four, 1, 4 * oribi_dtype_bytes(dtype));

        DLManagedTensorVersioned *out = TF_TensorToDLPack(tensor, 0, status);

        assert_int_equal(TF_GetCode(status), has_none ? TF_INVALID_ARGUMENT : TF_OK);
        if (!has_none) {
            TF_Tensor *back = TF_TensorFromDLPack(out, 0, status);
            assert_int_equal(TF_GetCode(status), TF_OK);
            assert_ptr_equal(TF_TensorData(back), TF_TensorData(tensor));
            static const int plain[] = {[TF_QINT8] = TF_INT8,
                                        [TF_QUINT8] = TF_UINT8,
                                        [TF_QINT32] = TF_INT32,
                                        [TF_QINT16] = TF_INT16,
                                        [TF_QUINT16] = TF_UINT16};
            const bool is_quantised = i <= TF_QUINT16 && plain[i] != 0;
            assert_int_equal(TF_TensorType(back), is_quantised ? plain[i] : i);
            TF_DeleteTensor(back);
        }
        TF_DeleteTensor(tensor);
    }
}

static void a_tensor_without_elements_has_no_address(void **state)
{
    (void)state;
    const int64_t none[] = {0, 3};
    TF_Tensor *tensor = TF_AllocateTensor(TF_FLOAT, none, 2, 0);

    DLManagedTensorVersioned *out = TF_TensorToDLPack(tensor, 0, status);
    assert_null(out->dl_tensor.data);
    TF_Tensor *back = TF_TensorFromDLPack(out, 0, status);

    assert_int_equal(TF_GetCode(status), TF_OK);
    assert_non_null(TF_TensorData(back));
    assert_int_equal(TF_TensorElementCount(back), 0);
    TF_DeleteTensor(back);
    TF_DeleteTensor(tensor);
}

/* --- In -------------------------------------------------------------------------------------- */

static _Alignas(64) float memory[64];

static void count_deletion(DLManagedTensorVersioned *self)
{
    (void)self;
    deleted++;
}

static void count_plain_deletion(DLManagedTensor *self)
{
    (void)self;
    deleted++;
}

static int64_t dims[2], strides[2];

static DLManagedTensorVersioned foreign(int64_t rows, int64_t columns, int64_t row_stride,
                                        int64_t column_stride, uint64_t byte_offset)
{
    dims[0] = rows;
    dims[1] = columns;
    strides[0] = row_stride;
    strides[1] = column_stride;
    return (DLManagedTensorVersioned){.version = {1, 0},
                                      .deleter = count_deletion,
                                      .dl_tensor = {.data = memory,
                                                    .device = {1, 0},
                                                    .ndim = 2,
                                                    .dtype = {2, 32, 1},
                                                    .shape = dims,
                                                    .strides = strides,
                                                    .byte_offset = byte_offset}};
}

static void memory_of_others_is_used_where_it_is_and_given_back_once(void **state)
{
    (void)state;
    DLManagedTensorVersioned in = foreign(2, 3, 3, 1, 64);

    TF_Tensor *tensor = TF_TensorFromDLPack(&in, 0, status);

    assert_int_equal(TF_GetCode(status), TF_OK);
    assert_ptr_equal(TF_TensorData(tensor), memory + 16);
    assert_int_equal(TF_TensorByteSize(tensor), 24);
    assert_int_equal(TF_Dim(tensor, 1), 3);
    assert_null(TF_TensorMaybeMove(tensor)); /* it is not ours */
    TF_Tensor *shared = oribi_tensor_share(tensor);
    TF_DeleteTensor(tensor);
    assert_int_equal(deleted, 0);
    TF_DeleteTensor(shared);
    assert_int_equal(deleted, 1);

    in = foreign(1, 3, 77, 1, 0); /* the stride of an axis with one index says nothing */
    tensor = TF_TensorFromDLPack(&in, 0, status);
    assert_ptr_equal(TF_TensorData(tensor), memory);
    TF_DeleteTensor(tensor);
    in = foreign(2, 3, 0, 0, 0);
    in.dl_tensor.strides = NULL; /* dense */
    in.deleter = NULL;
    tensor = TF_TensorFromDLPack(&in, 0, status);
    assert_ptr_equal(TF_TensorData(tensor), memory);
    TF_DeleteTensor(tensor);
    assert_int_equal(deleted, 2);
}

static void read_only_memory_stays_so(void **state)
{
    (void)state;
    DLManagedTensorVersioned in = foreign(2, 3, 3, 1, 0);
    in.flags = DLPACK_FLAG_BITMASK_READ_ONLY;
    TF_Tensor *tensor = TF_TensorFromDLPack(&in, 0, status);

    DLManagedTensorVersioned *out = TF_TensorToDLPack(tensor, 0, status);

    assert_int_equal(out->flags, DLPACK_FLAG_BITMASK_READ_ONLY);
    out->deleter(out);
    assert_null(TF_TensorToDLPackUnversioned(tensor, 0, status)); /* which could not say it */
    TF_DeleteTensor(tensor);
    assert_int_equal(deleted, 1);
}

/* Takes `in` with a copy, after it was refused without one. */
static TF_Tensor *copied(DLManagedTensorVersioned *in, const char *reason)
{
    const int before = deleted;
    assert_null(TF_TensorFromDLPack(in, 0, status));
    assert_int_equal(TF_GetCode(status), TF_FAILED_PRECONDITION);
    assert_non_null(strstr(TF_Message(status), reason));
    assert_int_equal(deleted, before);

    TF_Tensor *tensor = TF_TensorFromDLPack(in, TF_DLPACK_MAY_COPY, status);

    assert_int_equal(TF_GetCode(status), TF_OK);
    assert_int_equal(deleted, before + 1);
    return tensor;
}

static void what_is_not_dense_or_not_aligned_is_copied_when_allowed(void **state)
{
    (void)state;
    for (int i = 0; i < 64; i++) {
        memory[i] = (float)i;
    }
    DLManagedTensorVersioned in = foreign(3, 2, 1, 4, 0); /* transposed, with a gap */
    TF_Tensor *tensor = copied(&in, "dense");
    const float transposed[] = {0, 4, 1, 5, 2, 6};
    assert_memory_equal(TF_TensorData(tensor), transposed, sizeof transposed);
    TF_DeleteTensor(tensor);

    in = foreign(2, 3, -3, 1, 12); /* rows upside down */
    tensor = copied(&in, "dense");
    const float reversed[] = {3, 4, 5, 0, 1, 2};
    assert_memory_equal(TF_TensorData(tensor), reversed, sizeof reversed);
    TF_DeleteTensor(tensor);

    in = foreign(2, 3, 3, 1, 4);
    tensor = copied(&in, "64 bytes");
    const float shifted[] = {1, 2, 3, 4, 5, 6};
    assert_memory_equal(TF_TensorData(tensor), shifted, sizeof shifted);
    TF_DeleteTensor(tensor);
}

static void packed_elements_get_a_byte_each(void **state)
{
    (void)state;
    static _Alignas(64) uint8_t bytes[] = {0x8f, 0x70, 0x1a};
    static const struct {
        uint8_t code, bits;
        int8_t expected[6];
    } cases[] = {{0, 4, {-1, -8, 0, 7, -6, 1}},
                 {1, 4, {15, 8, 0, 7, 10, 1}},
                 {17, 4, {15, 8, 0, 7, 10, 1}},
                 {0, 2, {-1, -1, 0, -2, 0, 0}}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        DLManagedTensorVersioned in = foreign(2, 3, 3, 1, 0);
        in.dl_tensor.data = bytes;
        in.dl_tensor.dtype = (DLDataType){cases[i].code, cases[i].bits, 1};
        TF_Tensor *tensor = copied(&in, "packed");
        assert_memory_equal(TF_TensorData(tensor), cases[i].expected, 6);
        TF_DeleteTensor(tensor);
    }
    DLManagedTensorVersioned in = foreign(2, 3, 1, 2, 0);
    in.dl_tensor.data = bytes;
    in.dl_tensor.dtype = (DLDataType){0, 4, 1};
    assert_null(TF_TensorFromDLPack(&in, TF_DLPACK_MAY_COPY, status)); /* packed and strided */
    assert_int_equal(TF_GetCode(status), TF_FAILED_PRECONDITION);
}

static void what_cannot_be_taken_stays_the_callers(void **state)
{
    (void)state;
    DLManagedTensorVersioned in = foreign(2, 3, 3, 1, 0);
    const DLManagedTensorVersioned good = in;
    const int64_t huge[] = {INT64_MAX / 2, 8};
    for (int what = 0; what < 9; what++) {
        in = good;
        in.version.major = what == 0 ? 2 : 1;
        in.dl_tensor.device.device_type = what == 1 ? 2 : 1;
        in.dl_tensor.dtype.lanes = what == 2 ? 4 : 1;
        in.dl_tensor.dtype.code = what == 3 ? 14 : 2;
        in.dl_tensor.ndim = what == 4 ? -1 : what == 5 ? 1 << 20 : 2;
        dims[0] = what == 6 ? -2 : 2;
        in.dl_tensor.shape = what == 7 ? (int64_t *)huge : dims;
        in.dl_tensor.data = what == 8 ? NULL : memory;
        assert_null(TF_TensorFromDLPack(&in, TF_DLPACK_MAY_COPY, status));
        assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    }
    assert_null(TF_TensorFromDLPack(NULL, 0, status));
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    assert_null(TF_TensorFromDLPackUnversioned(NULL, 0, status));
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    assert_int_equal(deleted, 0);
}

static void the_form_before_versions_works_both_ways(void **state)
{
    (void)state;
    DLManagedTensorVersioned now = foreign(2, 3, 3, 1, 0);
    DLManagedTensor in = {now.dl_tensor, NULL, count_plain_deletion};
    TF_Tensor *tensor = TF_TensorFromDLPackUnversioned(&in, 0, status);
    assert_ptr_equal(TF_TensorData(tensor), memory);

    DLManagedTensor *out = TF_TensorToDLPackUnversioned(tensor, 0, status);

    assert_int_equal(TF_GetCode(status), TF_OK);
    assert_ptr_equal(out->dl_tensor.data, memory);
    TF_DeleteTensor(tensor);
    assert_int_equal(deleted, 0);
    out->deleter(out);
    assert_int_equal(deleted, 1);
}

/* --- Failing allocations --------------------------------------------------------------------- */

static bool out_and_in(void *arg)
{
    TF_Status *own = arg;
    DLManagedTensorVersioned in = foreign(2, 3, 1, 2, 0);
    TF_Tensor *copy = TF_TensorFromDLPack(&in, TF_DLPACK_MAY_COPY, own);
    DLManagedTensorVersioned *out =
        copy != NULL ? TF_TensorToDLPack(copy, TF_DLPACK_COPY, own) : NULL;
    TF_Tensor *back = out != NULL ? TF_TensorFromDLPack(out, 0, own) : NULL;
    const bool is_whole = back != NULL;
    if (out != NULL && back == NULL) {
        out->deleter(out);
    }
    TF_DeleteTensor(back);
    TF_DeleteTensor(copy);
    return is_whole;
}

static void nothing_is_left_when_memory_runs_out(void **state)
{
    (void)state;
    assert_true(fail_each_allocation(out_and_in, status) > 3);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, make_status, drop_status)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_tensor_goes_out_over_its_own_memory),
        CASE(flags_tell_of_copies_read_only_and_padded_elements),
        CASE(types_go_out_and_come_back),
        CASE(a_tensor_without_elements_has_no_address),
        CASE(memory_of_others_is_used_where_it_is_and_given_back_once),
        CASE(read_only_memory_stays_so),
        CASE(what_is_not_dense_or_not_aligned_is_copied_when_allowed),
        CASE(packed_elements_get_a_byte_each),
        CASE(what_cannot_be_taken_stays_the_callers),
        CASE(the_form_before_versions_works_both_ways),
        CASE(nothing_is_left_when_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
