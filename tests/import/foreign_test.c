/* SPDX-License-Identifier: Apache-2.0 */
/* Files that are no models of ours are named, with the command that converts them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "import/foreign.h"
#include "import/open.h"
#include "support/onnx_import.h"

/* A zip's local header, then a directory with one entry. */
static bytes zip_of(const char *name)
{
    uint8_t head[46] = {'P', 'K', 3, 4}, entry[46] = {'P', 'K', 1, 2};
    bytes zip = {0};
    entry[28] = (uint8_t)strlen(name);
    put_raw(&zip, head, sizeof head);
    put_raw(&zip, entry, sizeof entry);
    put_raw(&zip, name, strlen(name));
    return zip;
}

static bytes text_of(const char *text)
{
    bytes out = {0};
    put_raw(&out, text, strlen(text));
    return out;
}

static bytes raw_of(const void *data, size_t n)
{
    bytes out = {0};
    put_raw(&out, data, n);
    return out;
}

/* Takes the bytes: opened as a model they are refused as `what`, and `todo` is said. */
static void check(bytes file, const char *what, const char *todo)
{
    TF_Status *status = TF_NewStatus();
    oribi_model_file model;

    assert_true(oribi_model_file_borrow(file.data, file.n, "FILE", &model, status));
    assert_null(oribi_model_file_import(&model, (oribi_import_options){0}, status));
    if (TF_GetCode(status) != TF_UNIMPLEMENTED || strstr(TF_Message(status), what) == NULL ||
        strstr(TF_Message(status), todo) == NULL) {
        fail_msg("%s: %s", what, TF_Message(status));
    }
    oribi_model_file_close(&model);
    TF_DeleteStatus(status);
    free(file.data);
}

static void archives_are_told_by_what_is_in_them(void **state)
{
    (void)state;
    check(zip_of("model.weights.h5"), "Keras model (.keras)", "keras.saving.load_model");
    check(zip_of("x/models/model.json"), "PyTorch program (.pt2)", "torch.export.load");
    check(zip_of("x/constants.pkl"), "TorchScript", "torch.jit.load");
    check(zip_of("x/data.pkl"), "PyTorch weights", "torch.onnx.export");
    check(zip_of("x.mlpackage/Manifest.json"), "Core ML package", "made from");
    check(zip_of("y.npy"), ".npz", "-i NAME=@FILE.npz");
    check(zip_of("deep/model.onnx"), "an ONNX model in it", "unzip");
    check(zip_of("readme"), "a zip archive", "unzip");
}

static void first_bytes_tell_a_format(void **state)
{
    (void)state;
    check(text_of("GGUF\3\1\1\1"), "GGUF", "gguf_file");
    check(text_of("\211HDF\r\n\32\n...."), "(.h5, HDF5)", "tf2onnx.convert --keras");
    check(text_of("ML\357R\1"), "MLIR bytecode", "flatbuffer_translate");
    check(text_of("module {\n}\n"), "MLIR (.mlir)", "flatbuffer_translate");
    check(text_of("// a\nfunc.func @main()"), "MLIR (.mlir)", "flatbuffer_translate");
    check(raw_of("\x10\0\0\0ORTM....", 12), "(.ort)", ".onnx");
    check(raw_of("\x10\0\0\0ET12....", 12), "ExecuTorch", "torch.onnx.export");
    check(raw_of("\2\0\0\0\0\0\0\0{}", 10), "safetensors", "optimum-cli export onnx");
    check(raw_of("\x80\2ctorch\n", 9), "pickle", "skl2onnx");
    check(text_of("{\"modelTopology\":1}"), "TensorFlow.js", "tensorflowjs_converter");
    check(text_of("<!DOCTYPE html><p>"), "web page", "download");
    check(text_of("version https://git-lfs.github.com/spec/v1\n"), "Git LFS", "git lfs pull");
    check(text_of("\37\213\10"), "gzip", "gunzip");
}

static void messages_are_told_by_their_fields(void **state)
{
    (void)state;
    bytes core = {0};
    put_int(&core, 1, 5);
    put_bytes(&core, 2, "\n\0", 2);
    put_bytes(&core, 500, "", 0);
    check(core, "Core ML model", "onnxmltools");
}

static void models_are_not_foreign(void **state)
{
    (void)state;
    bytes graph = {0};
    put_node(&graph, "", "Relu", "r", "x", "y");
    bytes model = make_model(13, &graph);

    assert_null(oribi_foreign_find(model.data, model.n));
    assert_null(oribi_foreign_find(model.data, 0));

    free(model.data);
}

/* Whatever the bytes are, nothing is read beyond them (ASan). */
static void cut_and_changed_bytes_are_looked_at_safely(void **state)
{
    (void)state;
    bytes zip = zip_of("x/data.pkl");
    uint32_t seed = 1;
    for (size_t n = 1; n <= zip.n; n++) {
        uint8_t *copy = malloc(n);
        memcpy(copy, zip.data, n);
        for (int k = 0; k < 50; k++) {
            seed = seed * 1664525u + 1013904223u;
            copy[(seed >> 8) % n] = (uint8_t)(seed >> 24);
            (void)oribi_foreign_find(copy, n);
        }
        free(copy);
    }
    free(zip.data);
}

static void a_folder_is_told_by_its_files(void **state)
{
    (void)state;
    char folder[] = "/tmp/oribi_foreign_test_XXXXXX", file[64];
    oribi_model_file model;
    TF_Status *status = TF_NewStatus();
    assert_non_null(mkdtemp(folder));

    assert_false(oribi_model_file_open(folder, false, 1 << 20, &model, status));
    assert_non_null(strstr(TF_Message(status), "directory"));

    (void)snprintf(file, sizeof file, "%s/model.safetensors", folder);
    fclose(fopen(file, "w"));
    assert_false(oribi_model_file_open(folder, false, 1 << 20, &model, status));
    assert_int_equal(TF_GetCode(status), TF_UNIMPLEMENTED);
    assert_non_null(strstr(TF_Message(status), "optimum-cli export onnx"));

    unlink(file);
    rmdir(folder);
    TF_DeleteStatus(status);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(archives_are_told_by_what_is_in_them),
        cmocka_unit_test(first_bytes_tell_a_format),
        cmocka_unit_test(messages_are_told_by_their_fields),
        cmocka_unit_test(models_are_not_foreign),
        cmocka_unit_test(cut_and_changed_bytes_are_looked_at_safely),
        cmocka_unit_test(a_folder_is_told_by_its_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
