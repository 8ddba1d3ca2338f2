/* SPDX-License-Identifier: Apache-2.0 */
/* Launches, matrix products and Eigen's streams on the example device: results, order on the
 * stream, what is refused, and planted faults. A launch from a plugin of its own: examples_run.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "devices/on_fake.h"
#include "tensorflow/c/device_kernels.h"
#include "tensorflow/c/eigen_device.h"

static const int64_t DIMS[1] = {6};

typedef void (*device_fn)(TF_OpKernelContext *ctx, TF_Tensor *x, TF_Tensor *z, TF_Status *status);
static device_fn fn;
static char said[300];

static void compute(void *state, TF_OpKernelContext *ctx)
{
    TF_Status *status = TF_NewStatus();
    TF_Tensor *x = NULL;
    (void)state;
    TF_GetInput(ctx, 0, &x, status);
    TF_Tensor *z = TF_AllocateOutput(ctx, 0, TF_FLOAT, DIMS, 1, 24, status);
    if (TF_GetCode(status) == TF_OK) {
        fn(ctx, x, z, status);
    }
    TF_OpKernelContext_Failure(ctx, status);
    TF_DeleteTensor(z);
    TF_DeleteTensor(x);
    TF_DeleteStatus(status);
}

static int setup(void **state)
{
    static const char *const x[] = {"x: float", NULL};
    static const char *const z[] = {"z: float", NULL};
    static const char *const none[] = {NULL};
    device_load(getenv("TEST_FAKE_OPTIONS") != NULL ? getenv("TEST_FAKE_OPTIONS") : "");
    small_define_op("Test>OnDevice", x, z, none, small_same_shape);
    small_register(TF_NewKernelBuilder("Test>OnDevice", "FAKE", NULL, compute, NULL), "on_device");
    small_register(TF_NewKernelBuilder("Test>OnDevice", "CPU", NULL, compute, NULL), "on_cpu");
    return small_setup(state);
}

/* Runs x = 1..6 through with; twice; the outputs in out. The code of the last run, its message in
 * said. */
static TF_Code run_on(const char *device, device_fn with, float *out)
{
    TF_Status *status = TF_NewStatus();
    small_graph g = small_begin();
    const oribi_value_id x = small_input(&g, "x", 1, DIMS);
    small_output(&g, device_node(&g, "Test>OnDevice", "here", &x, 1), "z");
    oribi_options *options = small_options();
    if (device != NULL) {
        oribi_options_set_device(options, device, status);
        small_expect_ok(status);
    }
    oribi_session *session = oribi_session_from_graph(g.graph, options, g.status);
    small_expect_ok(g.status);
    oribi_run *run = small_run_of(session);
    fn = with;
    for (int i = 0; i < 2; i++) {
        small_bind(run, 0, small_tensor(1, DIMS, 1));
        oribi_run_execute(run, status);
    }
    const TF_Code code = TF_GetCode(status);
    (void)snprintf(said, sizeof said, "%s", TF_Message(status));
    if (code == TF_OK) {
        TF_Tensor *z = oribi_run_output(run, 0, status);
        memcpy(out, TF_TensorData(z), 24);
        TF_DeleteTensor(z);
    }
    oribi_run_destroy(run);
    oribi_session_destroy(session);
    oribi_options_destroy(options);
    TF_DeleteStatus(g.status);
    TF_DeleteStatus(status);
    return code;
}

/* --- Launches -----------------------------------------------------------------------------------
 */

/* Threads of a block add to its scratch; its last one writes the sum, with the block's number. */
static void sum_block(const uint32_t block[3], const uint32_t thread[3], void *const *args)
{
    float *out = args[0];
    const float *x = args[1];
    const uint32_t per_block = *(const uint32_t *)args[2];
    float *scratch = args[3];
    scratch[0] = thread[0] == 0 ? 0 : scratch[0];
    scratch[0] += x[block[0] * per_block + thread[0]];
    for (uint32_t i = 0; thread[0] == per_block - 1 && i < per_block; i++) {
        out[block[0] * per_block + i] = scratch[0] + (float)block[1];
    }
}
static void (*const sum_code)(const uint32_t *, const uint32_t *, void *const *) = sum_block;

static TF_DeviceFunction *load_sum(TF_OpKernelContext *ctx, size_t bytes, TF_Status *status)
{
    const TF_DeviceCode code = {.struct_size = TF_DEVICE_CODE_STRUCT_SIZE,
                                .image = (const void *)&sum_code,
                                .image_bytes = bytes,
                                .function = "sum"};
    return TF_LoadDeviceFunction(ctx, &code, status);
}

static uint32_t grid_y = 1;

static void launch_sum(TF_OpKernelContext *ctx, TF_Tensor *x, TF_Tensor *z, TF_Status *status)
{
    TF_DeviceFunction *sum = load_sum(ctx, sizeof sum_code, status);
    uint32_t per_block = 3;
    const TF_LaunchArg args[4] = {{.kind = TF_LAUNCH_MEMORY, .value = TF_TensorData(z)},
                                  {.kind = TF_LAUNCH_MEMORY, .value = TF_TensorData(x)},
                                  {.kind = TF_LAUNCH_VALUE, .value = &per_block, .bytes = 4},
                                  {.kind = TF_LAUNCH_SCRATCH, .bytes = 4}};
    const TF_Launch launch = {.struct_size = TF_LAUNCH_STRUCT_SIZE,
                              .grid = {2, grid_y, 1},
                              .block = {3, 1, 1},
                              .args = args,
                              .n_args = 4};
    if (sum != NULL) {
        TF_LaunchKernel(ctx, sum, &launch, status);
        per_block = 0; /* values are copied */
    }
    TF_DeleteDeviceFunction(sum);
}

static void a_launch_runs_each_thread_of_each_block(void **state)
{
    (void)state;
    float out[6];
    grid_y = 1;
    assert_int_equal(run_on("FAKE", launch_sum, out), TF_OK);
    for (int i = 0; i < 6; i++) {
        assert_true(out[i] == (i < 3 ? 6 : 15));
    }
    grid_y = 2;
    assert_int_equal(run_on("FAKE:1", launch_sum, out), TF_OK);
    assert_true(out[0] == 7 && out[5] == 16); /* the later block wrote last */
    grid_y = 1;
}

static void load_badly(TF_OpKernelContext *ctx, TF_Tensor *x, TF_Tensor *z, TF_Status *status)
{
    (void)x;
    (void)z;
    assert_null(load_sum(ctx, 3, status));
}

static void launch_nothing(TF_OpKernelContext *ctx, TF_Tensor *x, TF_Tensor *z, TF_Status *status)
{
    TF_DeviceFunction *sum = load_sum(ctx, sizeof sum_code, status);
    const TF_Launch launch = {.struct_size = TF_LAUNCH_STRUCT_SIZE, .grid = {1, 0, 1}};
    (void)x;
    (void)z;
    TF_LaunchKernel(ctx, sum, &launch, status);
    TF_DeleteDeviceFunction(sum);
}

static void what_cannot_be_launched_is_refused(void **state)
{
    (void)state;
    float out[6];
    assert_int_equal(run_on("FAKE", load_badly, out), TF_INVALID_ARGUMENT);
    assert_non_null(strstr(said, "here"));
    assert_non_null(strstr(said, "device 'FAKE:0': load_function: "));
    assert_int_equal(run_on("FAKE", launch_nothing, out), TF_INVALID_ARGUMENT);
    assert_non_null(strstr(said, "each size must be at least 1"));
    assert_int_equal(run_on(NULL, launch_sum, out), TF_FAILED_PRECONDITION);
    assert_non_null(strstr(said, "runs on the CPU"));
}

static void a_planted_fault_names_node_device_and_call(void **state)
{
    (void)state;
    float out[6];
    const int64_t live = oribi_alloc_live();
    fake_plant("launch", 0, 1, 1);
    assert_int_not_equal(run_on("FAKE", launch_sum, out), TF_OK);
    assert_non_null(strstr(said, "here"));
    assert_non_null(strstr(said, "device 'FAKE:0': launch: "));
    assert_int_equal(run_on("FAKE", launch_sum, out), TF_OK);
    assert_int_equal(oribi_alloc_live(), live);
}

/* A failure that the kernel told is the status of the run from then on, for all who ask. */
static void ask_for_status(TF_OpKernelContext *ctx, TF_Tensor *x, TF_Tensor *z, TF_Status *status)
{
    TF_Status *of_run = TF_NewStatus();
    TF_SetStatus(of_run, TF_ABORTED, "what it was before");
    TF_OpKernelContext_UpdateStatus(ctx, of_run);
    assert_int_equal(TF_GetCode(of_run), TF_OK);
    launch_sum(ctx, x, z, status);
    if (TF_GetCode(status) != TF_OK) {
        TF_OpKernelContext_Failure(ctx, status);
        TF_OpKernelContext_UpdateStatus(ctx, of_run);
        assert_int_equal(TF_GetCode(of_run), TF_GetCode(status));
        assert_non_null(strstr(TF_Message(of_run), "device 'FAKE:0': launch: "));
    }
    TF_DeleteStatus(of_run);
}

static void a_kernel_can_ask_for_the_status_of_its_run(void **state)
{
    (void)state;
    float out[6];
    assert_int_equal(run_on("FAKE", ask_for_status, out), TF_OK);
    fake_plant("launch", 0, 1, 1);
    assert_int_equal(run_on("FAKE", ask_for_status, out), TF_INTERNAL);
    assert_non_null(strstr(said, "here"));
}

/* --- Matrix products ----------------------------------------------------------------------------
 */

/* z [2, 3] = 2 * x^T(2x2 of the first four)^T ... : a = x[0..3] as 2 x 2 transposed, b = x[0..5] as
 * 2 x 3, beta 0. */
static void multiply(TF_OpKernelContext *ctx, TF_Tensor *x, TF_Tensor *z, TF_Status *status)
{
    const TF_Gemm gemm = {.struct_size = TF_GEMM_STRUCT_SIZE,
                          .dtype = TF_FLOAT,
                          .transpose_a = 1,
                          .m = 2,
                          .n = 3,
                          .k = 2,
                          .alpha = 2,
                          .a = TF_TensorData(x),
                          .b = TF_TensorData(x),
                          .c = TF_TensorData(z),
                          .lda = 2,
                          .ldb = 3,
                          .ldc = 3,
                          .batch = 1};
    TF_LaunchGemm(ctx, &gemm, status);
}

static void a_product_is_the_plugins(void **state)
{
    (void)state;
    float out[6];
    static const float a[2][2] = {{1, 2}, {3, 4}};
    static const float b[2][3] = {{1, 2, 3}, {4, 5, 6}};
    assert_int_equal(run_on("FAKE", multiply, out), TF_OK);
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 3; j++) {
            assert_true(out[i * 3 + j] == 2 * (a[0][i] * b[0][j] + a[1][i] * b[1][j]));
        }
    }
    fake_plant("gemm", 0, 0, 1);
    assert_int_not_equal(run_on("FAKE", multiply, out), TF_INVALID_ARGUMENT);
    assert_int_equal(run_on(NULL, multiply, out), TF_FAILED_PRECONDITION);
}

/* --- Eigen's stream -----------------------------------------------------------------------------
 */

static const void *expected_stream;

/* out = x + semaphore, through a block that Eigen would allocate. */
static void copy_with_semaphore(const uint32_t block[3], const uint32_t thread[3],
                                void *const *args)
{
    const unsigned int *semaphore = args[2];
    (void)block;
    ((float *)args[0])[thread[0]] = ((const float *)args[1])[thread[0]] + (float)*semaphore;
}
static void (*const copy_code)(const uint32_t *, const uint32_t *,
                               void *const *) = copy_with_semaphore;

static void launch_copy(TF_OpKernelContext *ctx, TF_DeviceFunction *function, void *to, void *from,
                        void *semaphore, TF_Status *status)
{
    const TF_LaunchArg args[3] = {{.kind = TF_LAUNCH_MEMORY, .value = to},
                                  {.kind = TF_LAUNCH_MEMORY, .value = from},
                                  {.kind = TF_LAUNCH_MEMORY, .value = semaphore}};
    const TF_Launch launch = {.struct_size = TF_LAUNCH_STRUCT_SIZE,
                              .grid = {1, 1, 1},
                              .block = {6, 1, 1},
                              .args = args,
                              .n_args = 3};
    TF_LaunchKernel(ctx, function, &launch, status);
}

static void use_eigen_stream(TF_OpKernelContext *ctx, TF_Tensor *x, TF_Tensor *z, TF_Status *status)
{
    const TF_DeviceCode code = {.struct_size = TF_DEVICE_CODE_STRUCT_SIZE,
                                .image = (const void *)&copy_code,
                                .image_bytes = sizeof copy_code,
                                .function = "copy"};
    TF_EigenStream *stream = TF_GetEigenStream(ctx);
    TF_DeviceFunction *copy = TF_LoadDeviceFunction(ctx, &code, status);
    assert_non_null(stream);
    expected_stream = TF_GetStream(ctx, status);
    assert_ptr_equal(TF_EigenStream_GetCudaStream(stream), expected_stream);
    assert_null(TF_EigenStream_GetDeviceProperties(stream));
    assert_int_equal(TF_EigenStream_GetDeviceOrdinal(stream), 1);
    void *between = TF_EigenStream_Allocate(stream, 24);
    void *scratch = TF_EigenStream_Scratchpad(stream);
    unsigned int *semaphore = TF_EigenStream_Semaphore(stream);
    assert_true(between != NULL && scratch != NULL && semaphore != NULL);
    assert_ptr_equal(TF_EigenStream_Scratchpad(stream), scratch);
    assert_ptr_equal(TF_EigenStream_Semaphore(stream), semaphore);
    launch_copy(ctx, copy, between, TF_TensorData(x), semaphore, status);
    launch_copy(ctx, copy, TF_TensorData(z), between, semaphore, status);
    const int64_t before = oribi_alloc_live();
    TF_EigenStream_Deallocate(stream, between); /* while the stream still reads it */
    assert_true(oribi_alloc_live() < before);   /* at once, not when the stream's handle goes */
    TF_EigenStream_Deallocate(stream, NULL);
    TF_DeleteDeviceFunction(copy);
    TF_DeleteEigenStreamHandle(stream);
}

static void no_stream(TF_OpKernelContext *ctx, TF_Tensor *x, TF_Tensor *z, TF_Status *status)
{
    (void)x;
    (void)z;
    (void)status;
    assert_null(TF_GetEigenStreamHandle(ctx));
}

static void allocate_badly(TF_OpKernelContext *ctx, TF_Tensor *x, TF_Tensor *z, TF_Status *status)
{
    TF_EigenStream *stream = TF_GetEigenStreamHandle(ctx);
    (void)x;
    (void)z;
    (void)status;
    fake_plant("allocate", 0, 0, 100);
    assert_null(TF_EigenStream_Allocate(stream, 1 << 26));
    fake_plant("allocate", 0, 0, 0);
    TF_DeleteEigenStreamHandle(stream);
}

static void eigen_has_stream_memory_and_scratch(void **state)
{
    (void)state;
    float out[6];
    const int64_t live = oribi_alloc_live();
    assert_int_equal(run_on("FAKE:1", use_eigen_stream, out), TF_OK);
    for (int i = 0; i < 6; i++) {
        assert_true(out[i] == (float)(i + 1));
    }
    assert_int_equal(run_on(NULL, no_stream, out), TF_FAILED_PRECONDITION);
    assert_int_equal(run_on("FAKE", allocate_badly, out), TF_RESOURCE_EXHAUSTED);
    assert_non_null(strstr(said, "FAKE:0"));
    assert_int_equal(oribi_alloc_live(), live);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_launch_runs_each_thread_of_each_block),
        cmocka_unit_test(what_cannot_be_launched_is_refused),
        cmocka_unit_test(a_planted_fault_names_node_device_and_call),
        cmocka_unit_test(a_kernel_can_ask_for_the_status_of_its_run),
        cmocka_unit_test(a_product_is_the_plugins),
        cmocka_unit_test(eigen_has_stream_memory_and_scratch),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
