/* SPDX-License-Identifier: Apache-2.0 */
/* Status, buffers and data types, row by row of their tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "support/fail_nth.h"
#include "tensor/status.h"
#include "tensor/status_internal.h"
#include "tensor/tensor.h"
#include "tensorflow/c/tf_buffer.h"

static void new_status_is_ok_and_empty(void **state)
{
    (void)state;
    TF_Status *s = TF_NewStatus();
    assert_int_equal(TF_GetCode(s), TF_OK);
    assert_string_equal(TF_Message(s), "");
    TF_DeleteStatus(s);
    TF_DeleteStatus(NULL);
}

static void set_copies_the_message_and_wipes_the_older_state(void **state)
{
    (void)state;
    char message[] = "first";
    TF_Status *s = TF_NewStatus();
    TF_SetStatus(s, TF_INTERNAL, message);
    message[0] = 'X';
    assert_string_equal(TF_Message(s), "first");
    TF_SetPayload(s, "k", "v");

    TF_SetStatus(s, TF_OK, "dropped");

    assert_int_equal(TF_GetCode(s), TF_OK);
    assert_string_equal(TF_Message(s), "");
    assert_null(s->payloads);
    TF_SetStatus(s, TF_ABORTED, NULL);
    assert_string_equal(TF_Message(s), "");
    TF_DeleteStatus(s);
}

static void messages_of_any_length_are_kept(void **state)
{
    (void)state;
    char text[2000];
    TF_Status *s = TF_NewStatus();
    for (size_t length = 0; length < sizeof(text); length += length < 600 ? 1 : 97) {
        memset(text, 'a' + (int)(length % 26), length);
        text[length] = '\0';

        TF_SetStatus(s, TF_UNKNOWN, text);
        assert_string_equal(TF_Message(s), text);
        (void)oribi_fail(s, TF_INTERNAL, "%s!", text);
        assert_int_equal(strlen(TF_Message(s)), length + 1);
        assert_memory_equal(TF_Message(s), text, length);
    }
    TF_DeleteStatus(s);
}

static void message_may_be_made_of_itself(void **state)
{
    (void)state;
    TF_Status *s = TF_NewStatus();
    TF_SetStatus(s, TF_INTERNAL, "core");
    for (int i = 0; i < 200; i++) {
        (void)oribi_fail(s, TF_INTERNAL, "(%s)", TF_Message(s));
    }
    assert_int_equal(strlen(TF_Message(s)), 404);
    assert_memory_equal(TF_Message(s) + 198, "((core))", 8);
    TF_SetStatus(s, TF_ABORTED, TF_Message(s) + 196);
    assert_memory_equal(TF_Message(s), "((((core))))", 12);
    TF_SetStatus(s, TF_ABORTED, TF_Message(s) + 200); /* from the heap to inline */
    assert_string_equal(TF_Message(s), "))))))))");
    TF_DeleteStatus(s);
}

static void prefix_goes_before_the_message(void **state)
{
    (void)state;
    TF_Status *s = TF_NewStatus();
    oribi_status_prefix(s, "node '%s': ", "x");
    assert_string_equal(TF_Message(s), "");
    (void)oribi_fail(s, TF_NOT_FOUND, "no %d", 3);

    oribi_status_prefix(s, "node '%s': ", "x");
    assert_string_equal(TF_Message(s), "node 'x': no 3");
    oribi_status_prefix(s, "%600s|", "far");
    assert_int_equal(strlen(TF_Message(s)), 601 + 14);
    assert_memory_equal(TF_Message(s) + 597, "far|node 'x': no 3", 19);
    assert_int_equal(TF_GetCode(s), TF_NOT_FOUND);
    oribi_status_prefix(NULL, "x");
    assert_false(oribi_fail(NULL, TF_INTERNAL, "x"));
    TF_DeleteStatus(s);
}

typedef struct seen {
    int n;
    char text[100];
} seen;

static void see(const char *key, const char *value, void *capture)
{
    seen *s = capture;
    s->n++;
    strcat(strcat(strcat(strcat(s->text, key), "="), value), ";");
}

static void payloads_overwrite_by_key_and_keep_their_order(void **state)
{
    (void)state;
    seen found = {0}, copied = {0}, none = {0};
    TF_Status *s = TF_NewStatus(), *t = TF_NewStatus();
    TF_SetPayload(s, "early", "ignored while OK");
    TF_SetStatus(s, TF_INTERNAL, "m");
    TF_SetPayload(s, "a", "1");
    TF_SetPayload(s, "b", "2");
    TF_SetPayload(s, "a", "3");

    TF_ForEachPayload(s, see, &found);
    oribi_status_copy(t, s);
    oribi_status_copy(t, t);
    TF_ForEachPayload(t, see, &copied);
    (void)oribi_fail(s, TF_ABORTED, "new");
    TF_ForEachPayload(s, see, &none);

    assert_string_equal(found.text, "a=3;b=2;");
    assert_string_equal(copied.text, found.text);
    assert_string_equal(TF_Message(t), "m");
    assert_int_equal(none.n, 0);
    TF_DeleteStatus(s);
    TF_DeleteStatus(t);
}

static void errno_maps_to_codes(void **state)
{
    (void)state;
    static const struct {
        TF_Code code;
        int errors[10];
    } map[] = {
        {TF_INVALID_ARGUMENT, {EINVAL, ENAMETOOLONG, E2BIG, EDOM, EFAULT, EILSEQ, ENOTTY, ESPIPE}},
        {TF_DEADLINE_EXCEEDED, {ETIMEDOUT}},
        {TF_NOT_FOUND, {ENOENT, ENODEV, ENXIO, ESRCH}},
        {TF_ALREADY_EXISTS, {EEXIST, EADDRNOTAVAIL, EALREADY}},
        {TF_PERMISSION_DENIED, {EPERM, EACCES, EROFS}},
        {TF_FAILED_PRECONDITION, {ENOTEMPTY, EISDIR, ENOTDIR, EBADF, EBUSY, EPIPE, ETXTBSY}},
        {TF_RESOURCE_EXHAUSTED, {ENOSPC, EMFILE, ENFILE, ENOMEM, EDQUOT}},
        {TF_OUT_OF_RANGE, {EFBIG, EOVERFLOW, ERANGE}},
        {TF_UNIMPLEMENTED, {ENOSYS, ENOTSUP, EXDEV}},
        {TF_UNAVAILABLE, {EAGAIN, EINTR, ECONNREFUSED, ECONNRESET, EHOSTUNREACH, ENETDOWN}},
        {TF_ABORTED, {EDEADLK, ESTALE}},
        {TF_CANCELLED, {ECANCELED}},
        {TF_UNKNOWN, {ECHILD, 99999}},
    };
    TF_Status *s = TF_NewStatus();
    for (size_t i = 0; i < sizeof(map) / sizeof(map[0]); i++) {
        for (size_t j = 0; j < 10 && map[i].errors[j] != 0; j++) {
            TF_SetStatusFromIOError(s, map[i].errors[j], "where");
            assert_int_equal(TF_GetCode(s), map[i].code);
            assert_memory_equal(TF_Message(s), "where; ", 7);
        }
    }
    TSL_SetStatusFromIOError(s, ENOENT, "f.onnx");
    assert_string_equal(TF_Message(s), "f.onnx; No such file or directory");
    TF_SetStatusFromIOError(s, 0, "where");
    assert_int_equal(TF_GetCode(s), TF_OK);
    TF_DeleteStatus(s);
}

static void twins_work_on_the_same_object(void **state)
{
    (void)state;
    seen found = {0};
    TSL_Status *s = TSL_NewStatus();
    TSL_SetStatus(s, TSL_DATA_LOSS, "lost");
    TSL_SetPayload(s, "a", "1");
    TSL_ForEachPayload(s, see, &found);
    assert_int_equal(TF_GetCode(s), TSL_DATA_LOSS);
    assert_int_equal(TSL_GetCode(s), 15);
    assert_string_equal(TSL_Message(s), "lost");
    assert_string_equal(found.text, "a=1;");
    TSL_DeleteStatus(s);
}

static void without_memory_all_share_a_failed_status(void **state)
{
    (void)state;
    oribi_handle_trim();
    oribi_alloc_fail_at(1, true);
    TF_Status *a = TF_NewStatus(), *b = TF_NewStatus();
    TF_SetStatus(a, TF_OK, "");
    TF_SetPayload(a, "k", "v");
    (void)oribi_fail(a, TF_ABORTED, "x");
    oribi_alloc_fail_at(0, false);

    assert_non_null(a);
    assert_ptr_equal(a, b);
    assert_int_equal(TF_GetCode(a), TF_RESOURCE_EXHAUSTED);
    assert_string_equal(TF_Message(a), "out of memory");
    TF_DeleteStatus(a);
    TF_DeleteStatus(b);
}

static void long_message_without_memory_is_cut_between_characters(void **state)
{
    (void)state;
    char text[600];
    TF_Status *s = TF_NewStatus();
    for (size_t i = 0; i < 598; i += 2) {
        memcpy(text + i, "\xc3\xa9", 2);
    }
    text[598] = '\0';

    oribi_alloc_fail_at(1, true);
    TF_SetStatus(s, TF_INTERNAL, text);
    size_t set_length = strlen(TF_Message(s));
    (void)oribi_fail(s, TF_INTERNAL, "%s", text);
    size_t fail_length = strlen(TF_Message(s));
    (void)oribi_fail_memory(s);
    oribi_alloc_fail_at(0, false);

    assert_int_equal(set_length, 126);
    assert_int_equal(fail_length, 126);
    assert_int_equal(TF_GetCode(s), TF_RESOURCE_EXHAUSTED);
    TF_DeleteStatus(s);
}

static void buffer_copies_and_frees_what_it_holds(void **state)
{
    (void)state;
    char bytes[] = "\1\0\2";
    TF_Buffer *b = TF_NewBufferFromString(bytes, 3);
    bytes[0] = 9;
    assert_memory_equal(b->data, "\1\0\2", 3);
    assert_int_equal(b->length, 3);
    assert_non_null(b->data_deallocator);
    TF_Buffer copy = TF_GetBuffer(b);
    assert_ptr_equal(copy.data, b->data);
    TF_DeleteBuffer(b);

    b = TF_NewBuffer();
    assert_null(b->data);
    assert_int_equal(b->length, 0);
    assert_true(b->data_deallocator == NULL);
    TF_DeleteBuffer(b);
    TF_DeleteBuffer(NULL);
    assert_int_equal(sizeof(TF_Buffer), 24);
}

static int freed;
static void count_free(void *data, size_t length)
{
    freed++;
    assert_ptr_equal(data, &freed);
    assert_int_equal(length, 4);
}

static void buffer_calls_the_clients_deallocator_once(void **state)
{
    (void)state;
    TF_Buffer *b = TF_NewBuffer();
    *b = (TF_Buffer){.data = &freed, .length = 4, .data_deallocator = count_free};
    TF_DeleteBuffer(b);
    assert_int_equal(freed, 1);
}

static bool make_buffer(void *arg)
{
    TF_Buffer *b = TF_NewBufferFromString(arg, 4);
    bool made = b != NULL;
    TF_DeleteBuffer(b);
    return made;
}

static void buffer_survives_each_failed_allocation(void **state)
{
    (void)state;
    assert_int_equal(fail_each_allocation(make_buffer, "abcd"), 2);
}

static void data_types_have_their_numbers_and_sizes(void **state)
{
    (void)state;
    static const size_t sizes[34] = {0, 4,  8, 4, 1, 2, 1, 0, 8, 8, 1, 1, 1, 4, 2, 2, 2,
                                     2, 16, 2, 0, 0, 4, 8, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    for (int i = -3; i < 140; i++) {
        size_t expected = i > 0 && i < 34 ? sizes[i] : 0;
        assert_int_equal(TF_DataTypeSize((TF_DataType)i), expected);
        bool known = i > 0 && i < 34;
        size_t memory = i == TF_STRING ? 24 : i == TF_RESOURCE || i == TF_VARIANT ? 8 : expected;
        assert_int_equal(oribi_dtype_bytes((TF_DataType)i), memory);
        const char *name = oribi_dtype_name((TF_DataType)i);
        assert_int_equal(oribi_dtype_parse(name, strlen(name)), known ? i : 0);
    }
    assert_string_equal(oribi_dtype_name(TF_HALF), "half");
    assert_int_equal(TF_COMPLEX, 8);
    assert_int_equal(TF_FLOAT4_E2M1FN, 33);
    assert_int_equal(oribi_dtype_parse("float32", 7), TF_FLOAT);
    assert_int_equal(oribi_dtype_parse("float64", 7), TF_DOUBLE);
    assert_int_equal(oribi_dtype_parse("floats", 5), TF_FLOAT);
    assert_int_equal(oribi_dtype_parse("floa", 4), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(new_status_is_ok_and_empty),
        cmocka_unit_test(set_copies_the_message_and_wipes_the_older_state),
        cmocka_unit_test(messages_of_any_length_are_kept),
        cmocka_unit_test(message_may_be_made_of_itself),
        cmocka_unit_test(prefix_goes_before_the_message),
        cmocka_unit_test(payloads_overwrite_by_key_and_keep_their_order),
        cmocka_unit_test(errno_maps_to_codes),
        cmocka_unit_test(twins_work_on_the_same_object),
        cmocka_unit_test(without_memory_all_share_a_failed_status),
        cmocka_unit_test(long_message_without_memory_is_cut_between_characters),
        cmocka_unit_test(buffer_copies_and_frees_what_it_holds),
        cmocka_unit_test(buffer_calls_the_clients_deallocator_once),
        cmocka_unit_test(buffer_survives_each_failed_allocation),
        cmocka_unit_test(data_types_have_their_numbers_and_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
