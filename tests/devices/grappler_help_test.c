/* SPDX-License-Identifier: Apache-2.0 */
/* What a graph optimiser may ask: nodes to keep and nodes fetched, properties of inputs and
 * outputs, definitions of ops and functions.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "format/proto.h"
#include "devices/on_grappler.h"
#include "format/wire.h"

/* --- Helper functions ---------------------------------------------------------------------------
 */

static void read_names(const TF_GrapplerItem *item, bool fetches, char *out, TF_Status *status)
{
    char *values[8];
    size_t lengths[8];
    char storage[200];
    int n = 0;
    size_t bytes = 0;
    if (fetches) {
        TF_GetFetchNodesListSize(item, &n, &bytes, status);
        TF_GetFetchNodesList(item, values, lengths, n, storage, bytes, status);
    } else {
        TF_GetNodesToPreserveListSize(item, &n, &bytes, status);
        TF_GetNodesToPreserveList(item, values, lengths, n, storage, bytes, status);
    }
    assert_int_equal(TF_GetCode(status), TF_OK);
    out[0] = 0;
    for (int i = 0; i < n; i++) {
        sprintf(out + strlen(out), "%.*s ", (int)lengths[i], values[i]);
    }
    TF_GetFetchNodesList(item, values, lengths, n, storage, 1, status);
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    TF_SetStatus(status, TF_OK, "");
}

/* dtype and first dimension of a TensorProperties, and whether there is a value. */
static void read_properties(const TF_Buffer *buffer, int64_t *dtype, int64_t *dim, bool *has_value)
{
    TF_Status *status = TF_NewStatus();
    oribi_wire wire = oribi_wire_over(buffer->data, buffer->length);
    oribi_wire_field field;
    *dim = -2;
    *has_value = false;
    while (oribi_wire_next(&wire, &field, status)) {
        oribi_wire shape, size;
        if (field.number == 1) {
            *dtype = (int64_t)field.value;
        } else if (field.number == 2) {
            assert_true(oribi_wire_enter(&wire, &field, &shape, status));
            while (oribi_wire_next(&shape, &field, status)) {
                assert_true(oribi_wire_enter(&shape, &field, &size, status));
                assert_true(oribi_wire_next(&size, &field, status));
                *dim = (int64_t)field.value;
            }
        } else {
            *has_value = field.number == 3;
        }
    }
    assert_int_equal(TF_GetCode(status), TF_OK);
    TF_DeleteStatus(status);
}

static void ask_everything(const TF_Buffer *graph, const TF_GrapplerItem *item, TF_Buffer *out,
                           TF_Status *status)
{
    char names[300];
    int n = -1;
    int64_t dtype, dim;
    bool has_value;
    read_names(item, false, names, status);
    assert_string_equal(names, "x_0__odd_ y split times ");
    read_names(item, true, names, status);
    assert_string_equal(names, "split:1 times ");

    TF_GraphProperties *properties = TF_NewGraphProperties(item);
    TF_GetInputPropertiesListSize(properties, "times", &n, status);
    assert_int_equal(n, 0);
    TF_InferStatically(properties, 0, 0, 1, 0, status);
    TF_GetInputPropertiesListSize(properties, "times", &n, status);
    assert_int_equal(n, 2);
    TF_Buffer *buffers[2] = {TF_NewBuffer(), TF_NewBuffer()};
    TF_GetInputPropertiesList(properties, "times", buffers, 2, status);
    read_properties(buffers[0], &dtype, &dim, &has_value);
    assert_true(dtype == TF_FLOAT && dim == 4 && !has_value);
    read_properties(buffers[1], &dtype, &dim, &has_value);
    assert_true(dtype == TF_FLOAT && dim == 4 && has_value);
    n = 0;
    TF_GetOutputPropertiesListSize(properties, "split", &n, status);
    assert_int_equal(n, 2);
    TF_GetOutputPropertiesList(properties, "split", buffers, 2, status);
    read_properties(buffers[1], &dtype, &dim, &has_value);
    assert_true(dtype == TF_FLOAT && dim == 2 && !has_value);
    TF_GetOutputPropertiesList(properties, "axis", buffers, 1, status);
    read_properties(buffers[0], &dtype, &dim, &has_value);
    assert_true(dtype == TF_INT32 && dim == -2 && !has_value);
    assert_int_equal(TF_GetCode(status), TF_OK);
    TF_GetOutputPropertiesList(properties, "times", buffers, 2, status);
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    TF_SetStatus(status, TF_OK, "");
    TF_DeleteBuffer(buffers[0]);
    TF_DeleteBuffer(buffers[1]);
    TF_DeleteGraphProperties(properties);
    give(out, graph->data, graph->length);
}

static void helper_functions_answer(void **state)
{
    (void)state;
    optimise_with = ask_everything;
    expect_minus();
    assert_non_null(strstr(logged, "became"));
}

static void look_up(TF_FunctionLibraryDefinition *library, const char *name, TF_Code code)
{
    TF_Status *status = TF_NewStatus();
    TF_Buffer *found = TF_NewBuffer();
    TF_LookUpOpDef(library, name, found, status);
    assert_int_equal(TF_GetCode(status), code);
    if (code == TF_OK) { /* field 1 comes first: the name */
        const unsigned char *bytes = found->data;
        assert_int_equal(bytes[1], strlen(name));
        assert_memory_equal(bytes + 2, name, strlen(name));
    }
    TF_DeleteBuffer(found);
    TF_DeleteStatus(status);
}

static void ops_and_functions_are_found(void **state)
{
    (void)state;
    oribi_text graph = {0}, library = {0}, function = {0}, signature = {0};
    oribi_proto_string(&signature, 1, "twice");
    oribi_proto_message(&function, 1, &signature);
    oribi_proto_message(&library, 1, &function);
    oribi_proto_message(&graph, 2, &library);
    TF_Status *status = TF_NewStatus();
    TF_Buffer *bytes = TF_NewBufferFromString(graph.data, graph.length);
    TF_FunctionLibraryDefinition *made = TF_NewFunctionLibraryDefinition(bytes, status);
    TF_DeleteBuffer(bytes);
    look_up(made, "Conv2D", TF_OK);
    look_up(made, "twice", TF_OK);
    look_up(made, "thrice", TF_NOT_FOUND);
    TF_DeleteFunctionLibraryDefinition(made);
    TF_DeleteStatus(status);
    oribi_text_destroy(&graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(helper_functions_answer),
        cmocka_unit_test(ops_and_functions_are_found),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
