/* SPDX-License-Identifier: Apache-2.0 */
/* The part of oribi.h that is about the process. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/log.h"
#include "oribi/oribi.h"

static TF_Code describe(const char *what, char **out_text, char message[300])
{
    TF_Status *status = TF_NewStatus();
    TF_Buffer *json = TF_NewBuffer();
    oribi_describe(what, json, status);
    TF_Code code = TF_GetCode(status);
    snprintf(message, 300, "%s", TF_Message(status));
    assert_true((code == TF_OK) == (json->data != NULL));
    *out_text = json->data ? strndup(json->data, json->length) : NULL;
    TF_DeleteBuffer(json);
    TF_DeleteStatus(status);
    return code;
}

static void assert_contains(const char *what, const char *part)
{
    char *text;
    char message[300];
    assert_int_equal(describe(what, &text, message), TF_OK);
    if (!strstr(text, part)) {
        fail_msg("%s: no %s in %.2000s", what, part, text);
    }
    assert_int_equal(text[0], '{');
    assert_int_equal(text[strlen(text) - 1], '}');
    free(text);
}

static void version_is_that_of_the_header(void **state)
{
    (void)state;
    char wanted[40];
    snprintf(wanted, sizeof(wanted), "%d.%d.%d", ORIBI_VERSION_MAJOR, ORIBI_VERSION_MINOR,
             ORIBI_VERSION_PATCH);
    assert_string_equal(oribi_version(), wanted);
}

static void what_is_registered_is_described(void **state)
{
    (void)state;
    assert_contains("ops", "{\"name\":\"MatMul\",\"signature\":\"(a: T, b: T) -> (product: T)\"");
    assert_contains("op:MatMul", "\"name\":\"MatMul\"");
    assert_contains("kernels", "{\"op\":\"Relu\"");
    assert_contains("plugins", "{\"name\":\"cpu\",\"path\":\"\",\"built_in\":true");
    assert_contains("map", "{\"onnx\":\"Relu\",\"since\":6,");
}

static void unknown_question_is_answered_with_the_known_ones(void **state)
{
    (void)state;
    char *text;
    char message[300];
    assert_int_equal(describe("everything", &text, message), TF_INVALID_ARGUMENT);
    assert_non_null(strstr(message, "ops, op:NAME, kernels, plugins, "));
    assert_int_equal(describe("op:MatMull", &text, message), TF_NOT_FOUND);
    assert_non_null(strstr(message, "did you mean 'MatMul'?"));
}

static void buffer_that_is_not_empty_is_refused(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    TF_Buffer *json = TF_NewBufferFromString("x", 1);
    oribi_describe("ops", json, status);
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    assert_int_equal(json->length, 1);
    TF_DeleteBuffer(json);
    TF_DeleteStatus(status);
}

static void description_fails_cleanly_at_each_allocation(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    for (uint64_t n = 1;; n += 1 + n / 3) {
        TF_Buffer *json = TF_NewBuffer();
        int64_t live = oribi_alloc_live();
        oribi_alloc_fail_at(n, true);
        oribi_describe("kernels", json, status);
        oribi_alloc_fail_at(0, false);
        bool ok = TF_GetCode(status) == TF_OK;
        if (!ok) {
            assert_int_equal(TF_GetCode(status), TF_RESOURCE_EXHAUSTED);
            assert_null(json->data);
            assert_int_equal(oribi_alloc_live(), live);
        }
        TF_DeleteBuffer(json);
        if (ok) {
            assert_true(n > 1);
            break;
        }
    }
    TF_DeleteStatus(status);
}

static int n_lines;
static void count_line(void *arg, int level, const char *message)
{
    n_lines += arg == &n_lines && level == ORIBI_LOG_WARNING && strcmp(message, "x 1") == 0;
}

static void log_hook_receives_lines_until_it_is_taken_away(void **state)
{
    (void)state;
    oribi_set_log(count_line, &n_lines);
    oribi_log(ORIBI_LOG_WARNING, "x %d", 1);
    oribi_set_log(NULL, NULL);
    oribi_log(ORIBI_LOG_INFO, "x %d", 1);
    assert_int_equal(n_lines, 1);
}

static void *count_and_allocate(void *self, size_t bytes, size_t alignment)
{
    void *block = NULL;
    ++*(int *)self;
    return posix_memalign(&block, alignment < sizeof(void *) ? sizeof(void *) : alignment, bytes) ==
                   0
               ? block
               : NULL;
}

static void release(void *self, void *block)
{
    --*(int *)self;
    free(block);
}

static void allocator_hook_is_used_and_gets_its_blocks_back(void **state)
{
    (void)state;
    static int n; /* blocks may go back as late as the thread's end */
    char *text;
    char message[300];
    oribi_set_allocator(&n, count_and_allocate, release);
    TF_Tensor *tensor = TF_AllocateTensor(TF_FLOAT, NULL, 0, 4);
    assert_true(n > 0);
    int before = n;
    assert_int_equal(describe("plugins", &text, message), TF_OK);
    assert_int_equal(n, before);
    free(text);
    TF_DeleteTensor(tensor);
    oribi_set_allocator(NULL, NULL, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(version_is_that_of_the_header),
        cmocka_unit_test(what_is_registered_is_described),
        cmocka_unit_test(unknown_question_is_answered_with_the_known_ones),
        cmocka_unit_test(buffer_that_is_not_empty_is_refused),
        cmocka_unit_test(description_fails_cleanly_at_each_allocation),
        cmocka_unit_test(log_hook_receives_lines_until_it_is_taken_away),
        cmocka_unit_test(allocator_hook_is_used_and_gets_its_blocks_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
