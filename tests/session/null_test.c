/* SPDX-License-Identifier: Apache-2.0 */
/* What does each function of include/oribi answer to a NULL? The calls are written by
 * null_calls.py from the headers themselves; each is made in a process of its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "compile/plan/program.h"
#include "desk/desk.h"
#include "oribi/desk.h"
#include "oribi/oribi.h"
#include "oribi/target.h"
#include "session/session.h"
#include "support/onnx_writer.h"
#include "target/target.h"

/* What a caller has who did everything right but for one pointer. */
typedef struct null_givens {
    oribi_options *options;
    oribi_model *model;
    oribi_session *session;
    oribi_run *run;
    oribi_compile *compile;
    oribi_desk *desk;
    oribi_region *region;
    oribi_target_code *code;
    oribi_region_tensor region_tensor;
    oribi_target target;
    oribi_target_scratch scratch;
    oribi_thread_pool pool;
    oribi_plugin_test_settings settings;
    TF_Tensor *tensor;
    const TF_Tensor *tensors[1];
    TF_Tensor *outputs[1];
    TF_Buffer *buffer;
    const char *paths[1];
    int64_t dims[1];
    float floats[1];
    int32_t number;
    char data[16];
    size_t bytes;
} null_givens;

typedef enum null_answer { MUST_FAIL, MUST_RETURN } null_answer;
typedef struct null_call {
    const char *function, *pointer;
    null_answer answer;
    void (*call)(null_givens *given, TF_Status *status);
} null_call;

#include "null_calls.inc"

enum { N_CALLS = sizeof calls / sizeof calls[0] };

/* --- What is given ---------------------------------------------------------------------------- */

static oribi_model *small_model(TF_Status *status)
{
    static bytes model; /* lives as long as the model, that is the process */
    const int64_t dims[1] = {1};
    bytes graph = {0};
    put_node(&graph, "", "Relu", "relu", "x", "y");
    put_value(&graph, GRAPH_INPUT, "x", ONNX_FLOAT, dims, 1);
    put_value(&graph, GRAPH_OUTPUT, "y", ONNX_FLOAT, dims, 1);
    model = make_model(13, &graph);
    return oribi_model_from_memory(model.data, model.n, "small", NULL, status);
}

static void give_parts_of_a_compilation(null_givens *given, TF_Status *status)
{
    static oribi_program program;
    static oribi_desk desk;
    static oribi_arena arena;
    static oribi_region region;
    static oribi_node *nodes[1];
    oribi_graph *graph = oribi_graph_create(status);
    nodes[0] = oribi_graph_add_node(graph, "NoOp", "node", NULL, 0, 0, status);
    program.graph = graph;
    program.source_name = "a model";
    desk.program = &program;
    region = (oribi_region){.graph = graph, .nodes = nodes, .n_nodes = 1};
    region.code.arena = &arena;
    given->compile = oribi_compile_create(status);
    given->desk = &desk;
    given->region = &region;
    given->code = &region.code;
}

static void give(null_givens *given, TF_Status *status)
{
    *given = (null_givens){.dims = {1}, .paths = {"no such file"}};
    given->region_tensor.struct_size = sizeof given->region_tensor;
    given->settings.struct_size = sizeof given->settings;
    given->options = oribi_options_create(status);
    given->model = small_model(status);
    given->session = oribi_session_create(given->model, NULL, status);
    given->run = oribi_run_create(given->session, status);
    given->tensor = TF_AllocateTensor(TF_FLOAT, given->dims, 1, sizeof(float));
    given->tensors[0] = given->tensor;
    given->buffer = TF_NewBuffer();
    give_parts_of_a_compilation(given, status);
}

/* --- The calls -------------------------------------------------------------------------------- */

enum { FINE, WRONG_CODE, SILENT_POINTER };

/* In the child: its exit status is the answer. */
static int answer_of(const null_call *c)
{
    TF_Status *status = TF_NewStatus();
    null_givens given;
    give(&given, status);
    if (TF_GetCode(status) != TF_OK) {
        print_error("%s\n", TF_Message(status));
        return WRONG_CODE;
    }
    c->call(&given, status);
    if (c->answer == MUST_RETURN) {
        return FINE;
    }
    if (TF_GetCode(status) != TF_INVALID_ARGUMENT) {
        print_error("%d '%s'\n", (int)TF_GetCode(status), TF_Message(status));
        return WRONG_CODE;
    }
    return strstr(TF_Message(status), "NULL") == NULL && strcmp(c->pointer, "data") != 0 &&
                   strcmp(c->pointer, "dims") != 0
               ? SILENT_POINTER
               : FINE;
}

static void a_null_pointer_is_an_error_or_nothing_happens(void **state)
{
    (void)state;
    int wrong = 0;
    for (int i = 0; i < N_CALLS; i++) {
        int status = 0;
        fflush(NULL);
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            _exit(answer_of(&calls[i]));
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != FINE) {
            wrong++;
            print_error("%s with %s NULL: %s\n", calls[i].function, calls[i].pointer,
                        !WIFEXITED(status)                      ? "a crash"
                        : WEXITSTATUS(status) == WRONG_CODE     ? "not INVALID_ARGUMENT"
                        : WEXITSTATUS(status) == SILENT_POINTER ? "the message does not say NULL"
                                                                : "a sanitizer's report");
        }
    }
    assert_int_equal(wrong, 0);
    assert_true(N_FUNCTIONS >= 90);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_null_pointer_is_an_error_or_nothing_happens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
