/* SPDX-License-Identifier: Apache-2.0 */
/* Small models on the example device, for the tests of devices. Include after cmocka.h.
 *
 * dense: z = Reshape(Relu(Tanh?(x W + b)), [-1]), where Tanh has a CPU kernel alone.
 */
#ifndef ORIBI_TESTS_DEVICES_ON_FAKE_H_
#define ORIBI_TESTS_DEVICES_ON_FAKE_H_

#include <dlfcn.h>

#include "session/small.h"

enum { ROWS = 4, INNER = 6, COLUMNS = 5 };

static void (*fake_plant)(const char *call, int ordinal, int after, int times);
static int64_t (*fake_live_bytes)(void);

/* Loads the plugin once per process with these options ("" for none). */
static inline void device_load(const char *options)
{
    const char *other = getenv("TEST_FAKE_PLUGIN"); /* the same, built in another way */
    const char *path = other != NULL ? other : TEST_BINARY "/examples/fake_accelerator.so";
    char spec[600];
    TF_Status *status = TF_NewStatus();
    setenv("ORIBI_PLUGIN_PROBE", TEST_PROBE, 1);
    snprintf(spec, sizeof spec, "%s%s%s", path, options[0] != '\0' ? ":" : "", options);
    oribi_plugin_load_file(spec, status);
    small_expect_ok(status);
    TF_DeleteStatus(status);
    void *library = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
    assert_non_null(library);
    *(void **)&fake_plant = dlsym(library, "fake_plant");
    *(void **)&fake_live_bytes = dlsym(library, "fake_live_bytes");
    dlclose(library);
    assert_true(fake_plant != NULL && fake_live_bytes != NULL);
}

static inline oribi_value_id device_node(small_graph *g, const char *op, const char *name,
                                         const oribi_value_id *inputs, int n)
{
    oribi_node *node = oribi_graph_add_node(g->graph, op, name, inputs, n, 1, g->status);
    assert_non_null(node);
    if (!oribi_graph_resolve(g->graph, node, g->status)) {
        print_error("%s\n", TF_Message(g->status));
        fail();
    }
    return node->outputs[0];
}

static inline oribi_value_id device_constant(small_graph *g, const char *name, int rank,
                                             const int64_t *dims)
{
    float data[64];
    int64_t n = 1;
    for (int k = 0; k < rank; k++) {
        n *= dims[k];
    }
    for (int64_t i = 0; i < n; i++) {
        data[i] = (float)(i % 7) * 0.125f - 0.25f;
    }
    const oribi_value_id id =
        oribi_graph_add_constant_copy(g->graph, name, TF_FLOAT, dims, rank, data, g->status);
    assert_true(id >= 0);
    return id;
}

/* x [rows, INNER] -> z [-1]; rows -1: known at run time only. */
static inline small_graph device_dense(int64_t rows, bool with_tanh)
{
    const int64_t x_dims[] = {rows, INNER}, w_dims[] = {INNER, COLUMNS}, b_dims[] = {COLUMNS};
    const int64_t one[] = {1};
    const int32_t flat = -1;
    small_graph g = small_begin();
    const oribi_value_id x = small_input(&g, "x", 2, x_dims);
    const oribi_value_id w = device_constant(&g, "w", 2, w_dims);
    const oribi_value_id b = device_constant(&g, "b", 1, b_dims);
    const oribi_value_id shape =
        oribi_graph_add_constant_copy(g.graph, "shape", TF_INT32, one, 1, &flat, g.status);
    oribi_value_id v = device_node(&g, "MatMul", "product", (oribi_value_id[]){x, w}, 2);
    if (with_tanh) {
        v = device_node(&g, "Tanh", "tanh", &v, 1);
    }
    v = device_node(&g, "AddV2", "sum", (oribi_value_id[]){v, b}, 2);
    v = device_node(&g, "Relu", "relu", &v, 1);
    v = device_node(&g, "Reshape", "flat", (oribi_value_id[]){v, shape}, 2);
    small_output(&g, v, "z");
    return g;
}

/* Takes the graph; NULL and the status when it fails. `places` is "NODE=DEVICE" texts. */
static inline oribi_session *device_try_session(small_graph *g, const char *device,
                                                const char *const *places, bool is_soft,
                                                TF_Status *status)
{
    oribi_options *options = small_options();
    if (device != NULL) {
        oribi_options_set_device(options, device, status);
        small_expect_ok(status);
    }
    for (int i = 0; places != NULL && places[i] != NULL; i++) {
        char node[64];
        const char *equals = strchr(places[i], '=');
        snprintf(node, sizeof node, "%.*s", (int)(equals - places[i]), places[i]);
        oribi_options_place_node(options, node, equals + 1, status);
        small_expect_ok(status);
    }
    oribi_options_set_soft_placement(options, is_soft);
    oribi_options_set_keep_islands(options, true); /* small ones are what most tests are about */
    oribi_session *session = oribi_session_from_graph(g->graph, options, status);
    oribi_options_destroy(options);
    TF_DeleteStatus(g->status);
    return session;
}

static inline oribi_session *device_session(small_graph g, const char *device,
                                            const char *const *places)
{
    TF_Status *status = TF_NewStatus();
    oribi_session *session = device_try_session(&g, device, places, true, status);
    small_expect_ok(status);
    TF_DeleteStatus(status);
    return session;
}

static inline oribi_run *device_run(oribi_session *session, int64_t rows, float first)
{
    oribi_run *run = small_run_of(session);
    const int64_t dims[] = {rows, INNER};
    small_bind(run, 0, small_tensor(2, dims, first));
    return run;
}

/* Both runs give the same, element by element. */
static inline void device_expect_same(oribi_run *a, oribi_run *b)
{
    TF_Tensor *x = small_result(a, 0), *y = small_result(b, 0);
    assert_int_equal(TF_TensorElementCount(x), TF_TensorElementCount(y));
    assert_true(TF_TensorElementCount(x) > 0);
    for (int64_t i = 0; i < TF_TensorElementCount(x); i++) {
        const float p = ((const float *)TF_TensorData(x))[i];
        const float q = ((const float *)TF_TensorData(y))[i];
        assert_true(p - q < 1e-4f && q - p < 1e-4f);
    }
    TF_DeleteTensor(x);
    TF_DeleteTensor(y);
}

static inline int device_count_steps(oribi_session *session, const char *text)
{
    TF_Status *status = TF_NewStatus();
    TF_Buffer *json = TF_NewBuffer();
    int n = 0;
    oribi_session_describe(session, "graph", json, status);
    small_expect_ok(status);
    const char *at = json->data, *end = at + json->length;
    while ((at = memmem(at, (size_t)(end - at), text, strlen(text))) != NULL) {
        n++;
        at += strlen(text);
    }
    TF_DeleteBuffer(json);
    TF_DeleteStatus(status);
    return n;
}

#endif
