/* SPDX-License-Identifier: Apache-2.0 */
/* SavedModels that are loaded by TensorFlow's C API: by their tags, into empty graphs. Models with
 * variables, tables and functions: models_test.py. */
#include "binding/binding_small.h"

#include <sys/stat.h>
#include <unistd.h>

#include "format/proto.h"

static char folder[64];

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/oribi_load_XXXXXX");
    return mkdtemp(folder) == NULL;
}

static int delete_folder(void **state)
{
    (void)state;
    char path[128];
    snprintf(path, sizeof path, "%s/saved_model.pb", folder);
    unlink(path);
    return rmdir(folder);
}

static void put_meta(oribi_text *out, const char *const *tags, int n_tags, float value)
{
    TF_Graph *graph = TF_NewGraph();
    const TF_Output x = placeholder(graph, "x", NULL, 0);
    (void)binary(graph, "AddV2", "y", x, constant(graph, "c", one_float(value)));
    TF_Buffer *graph_def = TF_NewBuffer();
    TF_GraphToGraphDef(graph, graph_def, status);
    expect_ok();
    oribi_text info = {0}, meta = {0};
    for (int i = 0; i < n_tags; i++) {
        oribi_proto_string(&info, 4, tags[i]);
    }
    oribi_proto_message(&meta, 1, &info);
    oribi_proto_bytes(&meta, 2, graph_def->data, graph_def->length);
    oribi_proto_message(out, 2, &meta);
    TF_DeleteBuffer(graph_def);
    TF_DeleteGraph(graph);
}

static void write_file(const void *data, size_t bytes)
{
    char path[128];
    snprintf(path, sizeof path, "%s/saved_model.pb", folder);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, bytes, file), bytes);
    fclose(file);
}

/* Two graphs: x + 1, to serve, and x + 2, to serve on a GPU. */
static void write_model(void)
{
    static const char *const tags[] = {"serve", "gpu"};
    oribi_text model = {0};
    oribi_proto_number(&model, 1, 1);
    put_meta(&model, tags, 1, 1);
    put_meta(&model, tags, 2, 2);
    write_file(model.data, model.length);
    oribi_text_destroy(&model);
}

static TF_Session *load(TF_Graph *graph, const char *const *tags, int n_tags, TF_Buffer *meta)
{
    TF_SessionOptions *options = TF_NewSessionOptions();
    TF_Session *session =
        TF_LoadSessionFromSavedModel(options, NULL, folder, tags, n_tags, graph, meta, status);
    TF_DeleteSessionOptions(options);
    return session;
}

static void tags_choose_the_graph(void **state)
{
    (void)state;
    static const char *const gpu_first[] = {"gpu", "serve"};
    write_model();
    for (int n = 1; n <= 2; n++) {
        TF_Graph *graph = TF_NewGraph();
        TF_Buffer *meta = TF_NewBuffer();
        TF_Session *session = load(graph, n == 1 ? gpu_first + 1 : gpu_first, n, meta);
        expect_ok();
        assert_true(meta->length > 0);
        const TF_Output x = {TF_GraphOperationByName(graph, "x"), 0};
        const TF_Output y = {TF_GraphOperationByName(graph, "y"), 0};
        TF_Tensor *given = one_float(10), *out = NULL;
        TF_SessionRun(session, NULL, &x, &given, 1, &y, &out, 1, NULL, 0, NULL, status);
        expect_ok();
        assert_true(float_of(out) == 10 + (float)n);
        TF_DeleteTensor(out);
        TF_DeleteTensor(given);
        TF_DeleteBuffer(meta);
        end(session, graph);
    }
}

static void what_cannot_be_loaded_says_why(void **state)
{
    (void)state;
    static const char *const train[] = {"train"}, *const serve[] = {"serve"};
    write_model();
    TF_Graph *graph = TF_NewGraph();
    assert_null(load(graph, train, 1, NULL));
    expect_code(TF_NOT_FOUND, "meta graph def matching supplied tags: { train }");
    (void)placeholder(graph, "own", NULL, 0);
    assert_null(load(graph, serve, 1, NULL));
    expect_code(TF_INVALID_ARGUMENT, "Graph is non-empty.");
    TF_DeleteGraph(graph);

    graph = TF_NewGraph();
    write_file("\x08\x01\x12\x7f", 4);
    assert_null(load(graph, serve, 1, NULL));
    expect_code(TF_DATA_LOSS, folder);
    delete_folder(NULL);
    assert_null(load(graph, serve, 1, NULL));
    expect_code(TF_NOT_FOUND, folder);
    assert_int_equal(mkdir(folder, 0700), 0);
    TF_DeleteGraph(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(tags_choose_the_graph, make_folder, delete_folder),
        cmocka_unit_test_setup_teardown(what_cannot_be_loaded_says_why, make_folder, delete_folder),
    };
    return cmocka_run_group_tests(tests, make_status, delete_status);
}
