/* SPDX-License-Identifier: Apache-2.0 */
/* Checkpoint readers, on what TensorFlow wrote (checkpoint/make_checkpoints.py). */
#include "binding/binding_small.h"

#include <unistd.h>

#include "tensorflow/c/tf_tstring.h"

#ifndef TEST_SOURCE
#define TEST_SOURCE "."
#endif
#define FOLDER TEST_SOURCE "/tests/binding/checkpoint/"

static TF_CheckpointReader *open_small(void)
{
    TF_CheckpointReader *reader = TF_NewCheckpointReader(FOLDER "small", status);
    expect_ok();
    assert_non_null(reader);
    return reader;
}

static void tensors_are_listed_in_order_with_types_and_shapes(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        TF_DataType dtype;
        int rank;
        int64_t dims[2];
    } wanted[] = {{"bias", TF_DOUBLE, 1, {2}},    {"empty", TF_INT32, 2, {0, 3}},
                  {"flag", TF_BOOL, 1, {2}},      {"half", TF_HALF, 1, {2}},
                  {"step", TF_INT64, 0, {0}},     {"weights", TF_FLOAT, 2, {2, 3}},
                  {"words", TF_STRING, 1, {3, 0}}};
    TF_CheckpointReader *reader = open_small();
    assert_int_equal(TF_CheckpointReaderSize(reader), 7);
    for (int i = 0; i < 7; i++) {
        const char *name = wanted[i].name;
        int64_t dims[2] = {-1, -1};
        assert_string_equal(TF_CheckpointReaderGetVariable(reader, i), name);
        assert_true(TF_CheckpointReaderHasTensor(reader, name));
        assert_int_equal(TF_CheckpointReaderGetVariableDataType(reader, name), wanted[i].dtype);
        assert_int_equal(TF_CheckpointReaderGetVariableNumDims(reader, name), wanted[i].rank);
        TF_CheckpointReaderGetVariableShape(reader, name, dims, wanted[i].rank, status);
        expect_ok();
        assert_memory_equal(dims, wanted[i].dims, (size_t)wanted[i].rank * sizeof *dims);
        TF_CheckpointReaderGetVariableShape(reader, name, dims, 5, status);
        expect_code(TF_INVALID_ARGUMENT, "Expected rank is 5 but actual rank is");
    }
    TF_DeleteCheckpointReader(reader);
    TF_DeleteCheckpointReader(NULL);
}

static void values_are_those_that_were_saved(void **state)
{
    (void)state;
    static const char *const words[] = {"a", "",
                                        "words of more than twenty-two bytes lie elsewhere"};
    static const float weights[] = {1.5F, -2, 3, 4, 5, 6.25F};
    static const double bias[] = {0.5, -0.5};
    static const int64_t step[] = {7};
    static const uint8_t flag[] = {1, 0};
    static const uint16_t half[] = {0x3c00, 0x4000};
    const struct {
        const char *name;
        const void *values;
        size_t bytes;
    } wanted[] = {{"weights", weights, sizeof weights}, {"bias", bias, sizeof bias},
                  {"step", step, sizeof step},          {"flag", flag, sizeof flag},
                  {"half", half, sizeof half},          {"empty", "", 0}};
    TF_CheckpointReader *reader = open_small();
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        TF_Tensor *found = TF_CheckpointReaderGetTensor(reader, wanted[i].name, status);
        expect_ok();
        assert_int_equal(TF_TensorByteSize(found), wanted[i].bytes);
        if (wanted[i].bytes > 0) {
            assert_memory_equal(TF_TensorData(found), wanted[i].values, wanted[i].bytes);
        }
        TF_DeleteTensor(found);
    }
    TF_Tensor *found = TF_CheckpointReaderGetTensor(reader, "words", status);
    expect_ok();
    for (int i = 0; i < 3; i++) {
        const TF_TString *word = (const TF_TString *)TF_TensorData(found) + i;
        assert_int_equal(TF_StringGetSize(word), strlen(words[i]));
        assert_memory_equal(TF_StringGetDataPointer(word), words[i], strlen(words[i]));
    }
    TF_DeleteTensor(found);
    TF_DeleteCheckpointReader(reader);
}

static void what_is_not_there_is_said(void **state)
{
    (void)state;
    TF_CheckpointReader *reader = open_small();
    assert_false(TF_CheckpointReaderHasTensor(reader, "nothing"));
    assert_null(TF_CheckpointReaderGetTensor(reader, "nothing", status));
    expect_code(TF_NOT_FOUND, "Key nothing not found in checkpoint");
    TF_DeleteCheckpointReader(reader);
    assert_null(TF_NewCheckpointReader(FOLDER "no_such_one", status));
    expect_code(TF_NOT_FOUND, "no_such_one");
}

static void names_that_are_not_there_have_no_type_and_no_shape(void **state)
{
    (void)state; /* TensorFlow ends the process */
    TF_CheckpointReader *reader = open_small();
    int64_t dim;
    assert_int_equal(TF_CheckpointReaderGetVariableDataType(reader, "nothing"), 0);
    assert_int_equal(TF_CheckpointReaderGetVariableNumDims(reader, "nothing"), -1);
    TF_CheckpointReaderGetVariableShape(reader, "nothing", &dim, 1, status);
    expect_code(TF_NOT_FOUND, "Key nothing not found in checkpoint");
    assert_null(TF_CheckpointReaderGetVariable(reader, 7));
    assert_null(TF_CheckpointReaderGetVariable(reader, -1));
    TF_DeleteCheckpointReader(reader);
}

static void a_tensor_in_slices_is_listed_once(void **state)
{
    (void)state;
    TF_CheckpointReader *reader = TF_NewCheckpointReader(FOLDER "sliced", status);
    int64_t dims[2];
    expect_ok();
    assert_int_equal(TF_CheckpointReaderSize(reader), 1);
    assert_string_equal(TF_CheckpointReaderGetVariable(reader, 0), "part");
    TF_CheckpointReaderGetVariableShape(reader, "part", dims, 2, status);
    expect_ok();
    assert_true(dims[0] == 4 && dims[1] == 2);
#ifndef AGAINST_TENSORFLOW
    assert_null(TF_CheckpointReaderGetTensor(reader, "part", status));
    expect_code(TF_UNIMPLEMENTED, "tensor 'part' of checkpoint");
#endif
    TF_DeleteCheckpointReader(reader);
}

/* --- Spoiled files -------------------------------------------------------------------------- */

static char folder[64];

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/oribi_checkpoint_XXXXXX");
    return mkdtemp(folder) == NULL;
}

static const char *const endings[] = {"index", "data-00000-of-00001"};

static int delete_folder(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        char path[128];
        snprintf(path, sizeof path, "%s/small.%s", folder, endings[i]);
        unlink(path);
    }
    return rmdir(folder);
}

/* The small checkpoint with byte `at` of one file turned over; -1: none. Reads all of it. */
static void read_spoiled(int which, long at)
{
    char path[512], bytes[1024];
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, FOLDER "small.%s", endings[i]);
        FILE *file = fopen(path, "rb");
        assert_non_null(file);
        const size_t n = fread(bytes, 1, sizeof bytes, file);
        fclose(file);
        if (i == which && at >= 0) {
            bytes[at] = (char)~bytes[at];
        }
        snprintf(path, sizeof path, "%s/small.%s", folder, endings[i]);
        file = fopen(path, "wb");
        assert_non_null(file);
        assert_int_equal(fwrite(bytes, 1, n, file), n);
        fclose(file);
    }
    snprintf(path, sizeof path, "%s/small", folder);
    TF_CheckpointReader *reader = TF_NewCheckpointReader(path, status);
    for (int i = 0; reader != NULL && i < TF_CheckpointReaderSize(reader); i++) {
        TF_Status *own = TF_NewStatus();
        const char *name = TF_CheckpointReaderGetVariable(reader, i);
        TF_DeleteTensor(TF_CheckpointReaderGetTensor(reader, name, own));
        if (TF_GetCode(own) != TF_OK) {
            TF_SetStatus(status, TF_GetCode(own), TF_Message(own));
        }
        TF_DeleteStatus(own);
    }
    TF_DeleteCheckpointReader(reader);
}

static void each_byte_of_the_data_is_under_a_checksum(void **state)
{
    (void)state;
    read_spoiled(0, -1);
    expect_ok();
    for (long at = 0; at < 111; at++) {
        read_spoiled(1, at);
        expect_code(TF_DATA_LOSS, "");
    }
}

static void a_spoiled_index_ends_nobody(void **state)
{
    (void)state;
    int n_failed = 0;
    for (long at = 0; at < 273; at++) {
        read_spoiled(0, at);
        n_failed += TF_GetCode(status) != TF_OK;
    }
    assert_true(n_failed > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tensors_are_listed_in_order_with_types_and_shapes),
        cmocka_unit_test(values_are_those_that_were_saved),
        cmocka_unit_test(what_is_not_there_is_said),
#ifndef AGAINST_TENSORFLOW
        cmocka_unit_test(names_that_are_not_there_have_no_type_and_no_shape),
#endif
        cmocka_unit_test(a_tensor_in_slices_is_listed_once),
        cmocka_unit_test_setup_teardown(each_byte_of_the_data_is_under_a_checksum, make_folder,
                                        delete_folder),
        cmocka_unit_test_setup_teardown(a_spoiled_index_ends_nobody, make_folder, delete_folder),
    };
    return cmocka_run_group_tests(tests, make_status, delete_status);
}
