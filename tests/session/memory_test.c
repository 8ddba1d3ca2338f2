/* SPDX-License-Identifier: Apache-2.0 */
/* Weights are in memory once: what a session's making adds to the process at its peak stays near
 * the weights' size, though they are packed from a mapped file into another order. Reads the
 * kernel's own mark; skipped where there is none or where a sanitizer shadows memory.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "oribi/oribi.h"
#include "support/onnx_writer.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_SANITIZER 1
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_SANITIZER 1
#endif

enum { K = 2048, N = 8192, WEIGHTS_MIB = 2 * K * (N >> 10) * 4 >> 10 };

/* Peak of this process in KiB, or -1. */
static long peak_kib(void)
{
    char line[256];
    long kib = -1;
    FILE *file = fopen("/proc/self/status", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        (void)sscanf(line, "VmHWM: %ld", &kib);
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    return kib;
}

/* x (1 x K) times a K x N, times the transposed of a K x N: both orders of a dense layer. */
static bool write_model(const char *path)
{
    const int64_t input[2] = {1, K}, weights[2] = {K, N};
    const size_t n = (size_t)K * N;
    bytes graph = {0};
    float *values = malloc(n * sizeof *values);
    if (values == NULL) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        values[i] = (float)(i % 251) * 1e-4f;
    }
    put_value(&graph, GRAPH_INPUT, "x", ONNX_FLOAT, input, 2);
    put_node(&graph, "", "MatMul", "first", "x,a", "h");
    bytes second = make_node("", "Gemm", "second", "h,b", "y");
    put_attr_int(&second, "transB", 1);
    put_message(&graph, GRAPH_NODE, &second);
    put_value(&graph, GRAPH_OUTPUT, "y", ONNX_FLOAT, NULL, -1);
    put_initialiser(&graph, "a", ONNX_FLOAT, weights, 2, values, n * sizeof *values);
    put_initialiser(&graph, "b", ONNX_FLOAT, weights, 2, values, n * sizeof *values);
    bytes model = make_model(13, &graph);
    FILE *file = fopen(path, "wb");
    const bool ok = file != NULL && fwrite(model.data, 1, model.n, file) == model.n;
    return file != NULL && fclose(file) == 0 && ok;
}

static void stored_weights_are_in_memory_once_while_a_session_is_made(void **state)
{
    (void)state;
#ifdef HAS_SANITIZER
    print_message("skipped: a sanitizer shadows memory\n");
    skip();
#endif
    char path[64] = "/tmp/oribi-memory-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    (void)close(file);
    int written = -1;
    const pid_t writer = fork(); /* this process must not have been large before */
    if (writer == 0) {
        _exit(write_model(path) ? 0 : 1);
    }
    assert_int_equal(waitpid(writer, &written, 0), writer);
    const long before = peak_kib();
    TF_Status *status = TF_NewStatus();
    oribi_model *model = oribi_model_open(path, NULL, status);
    oribi_session *session = model != NULL ? oribi_session_create(model, NULL, status) : NULL;
    const long added_mib = (peak_kib() - before) / 1024;
    (void)unlink(path);
    assert_int_equal(written, 0);
    assert_string_equal(TF_Message(status), "");
    oribi_session_destroy(session);
    oribi_model_destroy(model);
    TF_DeleteStatus(status);
    if (before < 0) {
        print_message("skipped: the system keeps no mark of the peak\n");
        skip();
    }
    if (added_mib < WEIGHTS_MIB || added_mib > WEIGHTS_MIB + WEIGHTS_MIB / 5) {
        fail_msg("%d MiB of weights took %ld MiB", (int)WEIGHTS_MIB, added_mib);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stored_weights_are_in_memory_once_while_a_session_is_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
