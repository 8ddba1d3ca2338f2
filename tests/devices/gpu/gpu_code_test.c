/* SPDX-License-Identifier: Apache-2.0 */
/* Plugins cuda and hip on the double of their driver: images, launches with all kinds of
 * arguments, and products of matrices (cuBLAS, which counts columns first, against sums in double).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "device_ops/code/parameters.h"
#include "devices/gpu/on_place.h"

enum { COUNT = 300, BYTES = COUNT * 4 };

/* The doubles take source where nothing compiles it: what counts is the name of the function. */
static const char source[] = "KERNEL2(op_relu, ...) KERNEL5_SHARED(op_tile_shared, ...)";

static bool is_cuda(void)
{
    return strcmp(vendor->type, "CUDA") == 0;
}

static TF_DeviceCode code_of(const char *image, const char *function)
{
    return (TF_DeviceCode){.struct_size = TF_DEVICE_CODE_STRUCT_SIZE,
                           .image = image,
                           .image_bytes = strlen(image),
                           .function = function};
}

static void *load(const place *p, const char *function)
{
    const TF_DeviceCode code = code_of(source, function);
    void *loaded = NULL;
    p->extension->load_function(p->handle, &code, &loaded, status);
    small_expect_ok(status);
    assert_non_null(loaded);
    return loaded;
}

static void expect_refused(const TF_DeviceCode *code, const place *p, const char *text)
{
    void *loaded = NULL;
    p->extension->load_function(p->handle, code, &loaded, status);
    assert_null(loaded);
    assert_int_not_equal(TF_GetCode(status), TF_OK);
    expect_text(status, text);
    TF_SetStatus(status, TF_OK, "");
}

/* --- Images ---------------------------------------------------------------------------------- */

static void an_image_is_loaded_once_for_all_its_functions(void **state)
{
    place a = open_place(0, BYTES), b = open_place(1, BYTES);
    const int64_t n = double_calls(vendor->load);
    (void)state;
    void *relu = load(&a, "op_relu"), *tile = load(&a, "op_tile_shared"), *again = NULL;
    assert_int_equal(double_calls(vendor->load), n + 1);
    void *elsewhere = load(&b, "op_relu");
    assert_int_equal(double_calls(vendor->load), n + 2);
    assert_int_equal(double_live("modules"), 2);
    a.extension->unload_function(a.handle, relu);
    assert_int_equal(double_live("modules"), 2);
    again = load(&a, "op_relu");
    assert_int_equal(double_calls(vendor->load), n + 2);
    a.extension->unload_function(a.handle, tile);
    a.extension->unload_function(a.handle, again);
    a.extension->unload_function(a.handle, NULL);
    b.extension->unload_function(b.handle, elsewhere);
    assert_int_equal(double_live("modules"), 0);
    close_place(&a);
    close_place(&b);
    double_expect_nothing();
}

static void images_that_are_none_are_refused(void **state)
{
    place p = open_place(0, BYTES);
    (void)state;
    TF_DeviceCode code = code_of(source, "op_nothing");
    expect_refused(&code, &p, "function 'op_nothing': ");
    expect_text(status, "");
    code = code_of("neither PTX nor source", "op_relu");
    expect_refused(&code, &p, vendor->load);
    code = code_of(".version 9.0 .visible .entry op_relu( .param .u64 a ) {}", "op_relu");
    expect_refused(&code, &p, is_cuda() ? "op_relu has 1 parameters, in C 3" : vendor->load);
    code = code_of("", "op_relu");
    expect_refused(&code, &p, "the image is missing");
    code = code_of(source, "op_relu");
    code.options = "-O3";
    expect_refused(&code, &p, "takes compiled code, and no options");
    close_place(&p);
    double_expect_nothing();
}

/* --- Launches -------------------------------------------------------------------------------- */

static void relu(const place *p, void *function, uint32_t grid_y, size_t from)
{
    const op_count count = {.n = COUNT - (int)from};
    const float *memory = p->memory->data;
    const TF_LaunchArg args[] = {{.kind = TF_LAUNCH_MEMORY, .value = memory + from},
                                 {.kind = TF_LAUNCH_MEMORY, .value = memory + from},
                                 {.kind = TF_LAUNCH_VALUE, .value = &count, .bytes = sizeof count}};
    const TF_Launch launch = {.struct_size = TF_LAUNCH_STRUCT_SIZE,
                              .grid = {3, grid_y, 1},
                              .block = {100, 1, 1},
                              .args = args,
                              .n_args = 3};
    p->extension->launch(p->handle, p->native, function, &launch, status);
}

static void a_launch_takes_addresses_inside_of_memory_and_values_of_any_size(void **state)
{
    place p = open_place(1, BYTES);
    float values[COUNT];
    (void)state;
    for (int i = 0; i < COUNT; i++) {
        values[i] = (float)(i % 7 - 3);
    }
    void *function = load(&p, "op_relu");
    double_set_delay(2000); /* the arguments are long gone when the function runs */
    assert_true(oribi_stream_to_device(p.stream, p.memory, p.memory->data, values, BYTES, status));
    relu(&p, function, 1, 10);
    small_expect_ok(status);
    float out[COUNT];
    assert_true(oribi_stream_to_host(p.stream, out, p.memory, p.memory->data, BYTES, status));
    expect_done(&p);
    for (int i = 0; i < COUNT; i++) {
        assert_true(out[i] == (i < 10 || values[i] > 0 ? values[i] : 0));
    }
    double_set_delay(0);
    p.extension->unload_function(p.handle, function);
    close_place(&p);
    double_expect_nothing();
}

static void a_grid_that_is_too_large_is_refused_by_the_driver(void **state)
{
    place p = open_place(0, BYTES);
    (void)state;
    void *function = load(&p, "op_relu");
    relu(&p, function, 65536, 0);
    assert_int_equal(TF_GetCode(status), TF_INTERNAL);
    expect_text(status, vendor->launch);
    TF_SetStatus(status, TF_OK, "");
    p.extension->unload_function(p.handle, function);
    close_place(&p);
}

/* z [rows, columns] = x [rows, depth] w [depth, columns], all in one memory, in this order from its
 * end: with two scratches and shared bytes the function has `shared` bytes in all. */
static void tile(const place *p, void *function, int rows, int depth, int columns,
                 const TF_LaunchArg *scratch, int n_scratch, size_t shared)
{
    float *x = p->memory->data, *w = x + rows * depth, *z = w + depth * columns;
    const op_tile t = {.rows = rows,
                       .columns = columns,
                       .groups = 1,
                       .depth = depth,
                       .out = {1, rows},
                       .in = {1, INT32_MAX},
                       .size = {1, 1},
                       .stride = {1, 1},
                       .dilation = {1, 1},
                       .x = {0, 0, depth, 1},
                       .w = {columns, 1},
                       .z = {0, 0, columns, 1},
                       .alpha = 1};
    TF_LaunchArg args[8] = {{.kind = TF_LAUNCH_MEMORY, .value = z},
                            {.kind = TF_LAUNCH_MEMORY, .value = x},
                            {.kind = TF_LAUNCH_MEMORY, .value = w},
                            {.kind = TF_LAUNCH_MEMORY, .value = z},
                            {.kind = TF_LAUNCH_MEMORY, .value = z},
                            {.kind = TF_LAUNCH_VALUE, .value = &t, .bytes = sizeof t}};
    for (int i = 0; i < n_scratch; i++) {
        args[6 + i] = scratch[i];
    }
    const TF_Launch launch = {.struct_size = TF_LAUNCH_STRUCT_SIZE,
                              .grid = {1, 1, 1},
                              .block = {16, 16, 1},
                              .shared_bytes = shared,
                              .args = args,
                              .n_args = 6 + n_scratch};
    p->extension->launch(p->handle, p->native, function, &launch, status);
}

static void expect_product(const place *p, int rows, int depth, int columns, const float *in)
{
    float z[COUNT];
    assert_true(oribi_stream_to_host(p->stream, z, p->memory,
                                     (float *)p->memory->data + (rows + columns) * depth,
                                     (size_t)(rows * columns) * 4, status));
    expect_done(p);
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < columns; j++) {
            double sum = 0;
            for (int l = 0; l < depth; l++) {
                sum += (double)in[i * depth + l] * in[rows * depth + l * columns + j];
            }
            assert_float_equal(z[i * columns + j], (float)sum, 1e-4f);
        }
    }
}

static void scratch_is_memory_that_a_block_shares_as_much_as_is_asked_for(void **state)
{
    enum { ROWS_ = 5, DEPTH = 20, COLUMNS_ = 7 };
    const size_t needed = (size_t)2 * 16 * 68 * 4;
    const TF_LaunchArg halves[2] = {{.kind = TF_LAUNCH_SCRATCH, .bytes = needed / 2 - 8},
                                    {.kind = TF_LAUNCH_SCRATCH, .bytes = needed / 2}};
    const TF_LaunchArg much = {.kind = TF_LAUNCH_SCRATCH, .bytes = 60000};
    place p = open_place(0, BYTES);
    float in[COUNT];
    (void)state;
    for (int i = 0; i < COUNT; i++) {
        in[i] = (float)((i * 5) % 13) * 0.25f - 1.5f;
    }
    void *function = load(&p, "op_tile_shared");
    assert_true(oribi_stream_to_device(p.stream, p.memory, p.memory->data, in, BYTES, status));
    tile(&p, function, ROWS_, DEPTH, COLUMNS_, NULL, 0, needed);
    small_expect_ok(status);
    expect_product(&p, ROWS_, DEPTH, COLUMNS_, in);
    tile(&p, function, ROWS_, DEPTH, COLUMNS_, halves, 2, 0); /* the second begins at a multiple */
    small_expect_ok(status);
    expect_product(&p, ROWS_, DEPTH, COLUMNS_, in);
    if (is_cuda()) { /* more than all functions may have is asked for, once */
        const int64_t n = double_calls(vendor->shared);
        tile(&p, function, ROWS_, DEPTH, COLUMNS_, &much, 1, 0);
        tile(&p, function, ROWS_, DEPTH, COLUMNS_, &much, 1, 0);
        small_expect_ok(status);
        assert_int_equal(double_calls(vendor->shared), n + 1);
        expect_product(&p, ROWS_, DEPTH, COLUMNS_, in);
        tile(&p, function, ROWS_, DEPTH, COLUMNS_, &much, 1, 200000);
        assert_int_equal(TF_GetCode(status), TF_INTERNAL);
        expect_text(status, vendor->shared);
        TF_SetStatus(status, TF_OK, "");
    }
    p.extension->unload_function(p.handle, function);
    close_place(&p);
    double_expect_nothing();
}

/* --- Products -------------------------------------------------------------------------------- */

enum { M = 3, N = 5, K = 4, BATCH = 2, ROOM = 64 }; /* of one matrix */

static double read(const void *memory, bool is_double, int64_t i)
{
    return is_double ? ((const double *)memory)[i] : (double)((const float *)memory)[i];
}

static void fill(void *memory, bool is_double, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        const double v = (double)((i * 7) % 19) * 0.25 - 2;
        if (is_double) {
            ((double *)memory)[i] = v;
        } else {
            ((float *)memory)[i] = (float)v;
        }
    }
}

static double expected(const TF_Gemm *g, const void *in, bool is_double, int64_t p, int64_t i,
                       int64_t j)
{
    const int64_t a = p * g->stride_a, b = BATCH * ROOM + p * g->stride_b;
    const int64_t c = 2 * BATCH * ROOM + p * g->stride_c + i * g->ldc + j;
    double sum = 0;
    for (int64_t l = 0; l < g->k; l++) {
        sum += read(in, is_double, a + (g->transpose_a ? l * g->lda + i : i * g->lda + l)) *
               read(in, is_double, b + (g->transpose_b ? j * g->ldb + l : l * g->ldb + j));
    }
    return g->alpha * sum + (g->beta != 0 ? g->beta * read(in, is_double, c) : 0);
}

/* Rows are longer than the matrices, so that a step that was mixed up reads something else. */
static void multiply(const place *p, bool turn_a, bool turn_b, bool is_double, double beta)
{
    static double in[3 * BATCH * ROOM], out[3 * BATCH * ROOM]; /* or floats */
    const size_t element = is_double ? 8 : 4, bytes = 3 * BATCH * ROOM * element;
    char *base = p->memory->data;
    const TF_Gemm g = {.struct_size = TF_GEMM_STRUCT_SIZE,
                       .dtype = is_double ? TF_DOUBLE : TF_FLOAT,
                       .transpose_a = turn_a,
                       .transpose_b = turn_b,
                       .m = M,
                       .n = N,
                       .k = K,
                       .alpha = 1.5,
                       .beta = beta,
                       .a = base,
                       .b = base + BATCH * ROOM * element,
                       .c = base + 2 * BATCH * ROOM * element,
                       .lda = (turn_a ? M : K) + 2,
                       .ldb = (turn_b ? K : N) + 3,
                       .ldc = N + 1,
                       .batch = BATCH,
                       .stride_a = ROOM - 3,
                       .stride_b = ROOM - 1,
                       .stride_c = ROOM};
    fill(in, is_double, 3 * BATCH * ROOM);
    assert_true(oribi_stream_to_device(p->stream, p->memory, base, in, bytes, status));
    p->extension->gemm(p->handle, p->native, &g, status);
    small_expect_ok(status);
    assert_true(oribi_stream_to_host(p->stream, out, p->memory, base, bytes, status));
    expect_done(p);
    int64_t n_kept = 0;
    for (int64_t i = 0; i < BATCH * ROOM; i++) {
        const int64_t q = i / ROOM, row = i % ROOM / g.ldc, column = i % ROOM % g.ldc;
        const double is = read(out, is_double, 2 * BATCH * ROOM + i);
        if (row < M && column < N) {
            const double wanted = expected(&g, in, is_double, q, row, column);
            assert_true(is - wanted < 1e-4 && wanted - is < 1e-4);
        } else {
            assert_true(is == read(in, is_double, 2 * BATCH * ROOM + i)); /* between the rows */
            n_kept++;
        }
    }
    assert_int_equal(n_kept, BATCH * (ROOM - M * N));
}

static void products_count_rows_first_whatever_the_library_does(void **state)
{
    place p = open_place(1, 3 * BATCH * ROOM * 8);
    (void)state;
    const int64_t n = double_calls("cublasGemmStridedBatchedEx"),
                  launches = double_calls(vendor->launch);
    for (int kind = 0; kind < 16; kind++) {
        if (is_cuda() || !(kind & 4)) { /* the plugin's own, on HIP, are of floats */
            multiply(&p, kind & 1, kind & 2, kind & 4, kind & 8 ? 0.5 : 0);
        }
    }
    if (is_cuda()) {
        assert_int_equal(double_calls("cublasGemmStridedBatchedEx"), n + 16);
        assert_int_equal(double_live("handles"), 1); /* one for the stream */
    } else {
        assert_int_equal(double_calls(vendor->launch), launches + 8);
    }
    close_place(&p);
    double_expect_nothing();
}

static void products_that_there_are_not_are_refused(void **state)
{
    place p = open_place(0, BYTES);
    (void)state;
    if (!is_cuda()) {
        close_place(&p);
        skip();
    }
    TF_Gemm g = {.struct_size = TF_GEMM_STRUCT_SIZE,
                 .dtype = TF_INT32,
                 .m = 1,
                 .n = 1,
                 .k = 1,
                 .alpha = 1,
                 .a = p.memory->data,
                 .b = p.memory->data,
                 .c = p.memory->data,
                 .lda = 1,
                 .ldb = 1,
                 .ldc = 1,
                 .batch = 1};
    p.extension->gemm(p.handle, p.native, &g, status);
    assert_int_equal(TF_GetCode(status), TF_UNIMPLEMENTED);
    g.dtype = TF_FLOAT;
    g.n = g.ldb = g.ldc = (int64_t)1 << 32;
    p.extension->gemm(p.handle, p.native, &g, status);
    assert_int_equal(TF_GetCode(status), TF_UNIMPLEMENTED);
    g.n = 0; /* nothing to do */
    TF_SetStatus(status, TF_OK, "");
    p.extension->gemm(p.handle, p.native, &g, status);
    small_expect_ok(status);
    g.n = g.ldb = g.ldc = 1;
    double_plant("cublasCreate_v2", 0, 0, 1, 3);
    p.extension->gemm(p.handle, p.native, &g, status);
    expect_text(status, "cublasCreate_v2: cuBLAS status");
    TF_SetStatus(status, TF_OK, "");
    double_plant("cublasGemmStridedBatchedEx", 0, 0, 1, 3);
    p.extension->gemm(p.handle, p.native, &g, status);
    assert_int_equal(TF_GetCode(status), TF_INTERNAL);
    expect_text(status, "cublasGemmStridedBatchedEx: cuBLAS status 14");
    TF_SetStatus(status, TF_OK, "");
    close_place(&p);
    double_expect_nothing();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_image_is_loaded_once_for_all_its_functions),
        cmocka_unit_test(images_that_are_none_are_refused),
        cmocka_unit_test(a_launch_takes_addresses_inside_of_memory_and_values_of_any_size),
        cmocka_unit_test(a_grid_that_is_too_large_is_refused_by_the_driver),
        cmocka_unit_test(scratch_is_memory_that_a_block_shares_as_much_as_is_asked_for),
        cmocka_unit_test(products_count_rows_first_whatever_the_library_does),
        cmocka_unit_test(products_that_there_are_not_are_refused),
    };
    double_choose();
    double_load();
    status = TF_NewStatus();
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    TF_DeleteStatus(status);
    return failed;
}
