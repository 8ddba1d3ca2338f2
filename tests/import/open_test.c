/* SPDX-License-Identifier: Apache-2.0 */
/* The one way in: a file mapped, read or borrowed, imported as often as one likes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "import/open.h"
#include "support/onnx_import.h"

static bytes relu_model(void)
{
    bytes graph = {0};
    put_node(&graph, "", "Relu", "r", "x", "y");
    put_value(&graph, GRAPH_INPUT, "x", 1, (int64_t[]){2, 3}, 2);
    put_value(&graph, GRAPH_OUTPUT, "y", 1, NULL, -1);
    return make_model(13, &graph);
}

/* Where a test may write, with a name that says nothing of the format. */
static void write_file(char path[64], const void *data, size_t n)
{
    strcpy(path, "/tmp/oribi_open_test_XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0 && write(fd, data, n) == (ssize_t)n);
    close(fd);
}

static void check_import(const oribi_model_file *file, TF_Status *status)
{
    for (int i = 0; i < 2; i++) {
        oribi_graph *graph = oribi_model_file_import(file, (oribi_import_options){0}, status);
        assert_non_null(graph);
        assert_int_equal(count_ops(graph, "Relu"), 1);
        assert_string_equal(graph->source_name, file->name);
        oribi_graph_destroy(graph);
    }
}

static void file_is_mapped_or_read_and_imported_twice(void **state)
{
    (void)state;
    char path[64];
    TF_Status *status = TF_NewStatus();
    bytes model = relu_model();
    write_file(path, model.data, model.n);
    for (int is_read = 0; is_read < 2; is_read++) {
        oribi_model_file file;

        assert_true(oribi_model_file_open(path, is_read != 0, 1 << 20, &file, status));

        assert_int_equal(file.bytes, model.n);
        assert_string_equal(file.folder, "/tmp");
        check_import(&file, status);
        oribi_model_file_close(&file);
    }
    unlink(path);
    free(model.data);
    TF_DeleteStatus(status);
}

static void graph_outlives_the_file_that_was_closed(void **state)
{
    (void)state;
    char path[64];
    oribi_model_file file;
    TF_Status *status = TF_NewStatus();
    bytes model = relu_model();
    write_file(path, model.data, model.n);
    assert_true(oribi_model_file_open(path, true, 1 << 20, &file, status));
    oribi_graph *graph = oribi_model_file_import(&file, (oribi_import_options){0}, status);

    oribi_model_file_close(&file);

    assert_int_equal(count_ops(graph, "Relu"), 1);
    oribi_graph_destroy(graph);
    unlink(path);
    free(model.data);
    TF_DeleteStatus(status);
}

static void borrowed_bytes_have_no_folder(void **state)
{
    (void)state;
    oribi_model_file file;
    TF_Status *status = TF_NewStatus();
    bytes model = relu_model();

    assert_true(oribi_model_file_borrow(model.data, model.n, "mine", &file, status));

    assert_null(file.folder);
    assert_ptr_equal(file.data, model.data);
    check_import(&file, status);
    oribi_model_file_close(&file);
    free(model.data);
    TF_DeleteStatus(status);
}

static void errors_name_the_file(void **state)
{
    (void)state;
    char path[64];
    oribi_model_file file;
    TF_Status *status = TF_NewStatus();

    assert_false(oribi_model_file_open("/nowhere/m.onnx", false, 1 << 20, &file, status));
    assert_int_equal(TF_GetCode(status), TF_NOT_FOUND);
    assert_non_null(strstr(TF_Message(status), "/nowhere/m.onnx"));

    TF_SetStatus(status, TF_OK, "");
    write_file(path, "0123456789", 10);
    assert_false(oribi_model_file_open(path, true, 9, &file, status));
    assert_int_equal(TF_GetCode(status), TF_RESOURCE_EXHAUSTED);
    unlink(path);

    TF_SetStatus(status, TF_OK, "");
    write_file(path, "", 0);
    assert_true(oribi_model_file_open(path, false, 1 << 20, &file, status));
    assert_null(oribi_model_file_import(&file, (oribi_import_options){0}, status));
    assert_int_equal(TF_GetCode(status), TF_DATA_LOSS);
    assert_non_null(strstr(TF_Message(status), path));
    oribi_model_file_close(&file);
    unlink(path);
    TF_DeleteStatus(status);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(file_is_mapped_or_read_and_imported_twice),
        cmocka_unit_test(graph_outlives_the_file_that_was_closed),
        cmocka_unit_test(borrowed_bytes_have_no_folder),
        cmocka_unit_test(errors_name_the_file),
    };
    return cmocka_run_group_tests(tests, load_built_ins, NULL);
}
