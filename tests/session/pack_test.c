/* SPDX-License-Identifier: Apache-2.0 */
/* Packed constants: sessions of a model share them, a packed file has them, and what such a file
 * holds is never trusted. Results are compared with those of the model that was packed, bit by bit.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/digest.h"
#include "base/file.h"
#include "oribi/oribi.h"
#include "plugin/plugin.h"
#include "session/pack/packs.h"
#include "session/session_internal.h"

#ifdef __SANITIZE_THREAD__ /* what bytes of a file do to memory is asked without it */
enum { STRIDE = 32 };
#else
enum { STRIDE = 1 };
#endif
enum { HEAD = 64, MOST_OUTPUTS = 4 };

static const char digits[] = TEST_SOURCE "/examples/digits/digits.onnx";
static const char *const models[] = {
    digits,
    TEST_SOURCE "/examples/digits/digits_int8.tflite",
    TEST_SHARED "/models/mlperf-tiny/kws_ref_model.tflite",
    TEST_SHARED "/models/mlperf-tiny/vww_96_int8.tflite",
    TEST_SHARED "/models/mlperf-tiny/ad01_int8.tflite",
    TEST_SHARED "/models/onnx/mnist.onnx",
#ifndef __SANITIZE_THREAD__ /* the same work again, forty times as slow, on one thread */
    TEST_SHARED "/models/onnx/light_squeezenet.onnx",
    TEST_SHARED "/models/onnx/light_shufflenet.onnx",
    TEST_SHARED "/models/onnx/light_densenet121.onnx",
    TEST_SHARED "/models/onnx/ultraface_rfb320.onnx",
#endif
};

static void expect_ok(const TF_Status *status)
{
    if (TF_GetCode(status) != TF_OK) {
        fail_msg("%s", TF_Message(status));
    }
}

/* --- Running --------------------------------------------------------------------------------- */

typedef struct running {
    oribi_session *session;
    oribi_run *run;
} running;

static void bind(const oribi_model *model, oribi_run *run, TF_Status *status)
{
    for (int i = 0; i < oribi_model_num_inputs(model); i++) {
        int64_t dims[16];
        const int rank = oribi_model_input_shape(model, i, dims, 16);
        for (int k = 0; k < rank; k++) {
            dims[k] = dims[k] < 0 ? 1 : dims[k];
        }
        TF_Tensor *tensor = oribi_run_make_input(run, i, dims, rank, status);
        expect_ok(status);
        uint32_t state = 1;
        const bool is_float = TF_TensorType(tensor) == TF_FLOAT;
        uint8_t *to = TF_TensorData(tensor);
        for (size_t at = 0; at < TF_TensorByteSize(tensor); at += is_float ? sizeof(float) : 1) {
            state = state * 1664525u + 1013904223u;
            const float value = (float)(state >> 8) / (float)(1 << 24);
            memcpy(to + at, is_float ? (const void *)&value : (const void *)&state,
                   is_float ? sizeof value : 1);
        }
        oribi_run_set_input(run, i, tensor, status);
        expect_ok(status);
        TF_DeleteTensor(tensor);
    }
}

static running start(oribi_model *model, const oribi_options *options, TF_Status *status)
{
    running r = {oribi_session_create(model, options, status), NULL};
    expect_ok(status);
    r.run = oribi_run_create(r.session, status);
    expect_ok(status);
    bind(model, r.run, status);
    oribi_run_execute(r.run, status);
    expect_ok(status);
    return r;
}

static void stop(running *r)
{
    oribi_run_destroy(r->run);
    oribi_session_destroy(r->session);
}

static void expect_same_outputs(int n_outputs, const running *a, const running *b,
                                TF_Status *status)
{
    for (int i = 0; i < n_outputs; i++) {
        TF_Tensor *x = oribi_run_output(a->run, i, status);
        TF_Tensor *y = oribi_run_output(b->run, i, status);
        assert_int_equal(TF_TensorType(x), TF_TensorType(y));
        assert_int_equal(TF_NumDims(x), TF_NumDims(y));
        for (int k = 0; k < TF_NumDims(x); k++) {
            assert_int_equal(TF_Dim(x, k), TF_Dim(y, k));
        }
        assert_memory_equal(TF_TensorData(x), TF_TensorData(y), TF_TensorByteSize(x));
        TF_DeleteTensor(x);
        TF_DeleteTensor(y);
    }
}

/* The first packed constant of each step that has some. */
static const oribi_packed *packed_of(const oribi_session *session, int32_t step)
{
    return session->steps[step].kernel.packed;
}

static size_t all_packed_bytes(const oribi_session *session)
{
    size_t bytes = 0;
    for (int32_t s = 0; s < session->n_steps; s++) {
        for (const oribi_packed *each = packed_of(session, s); each != NULL; each = each->next) {
            bytes += each->bytes;
        }
    }
    return bytes;
}

/* --- Packed files ---------------------------------------------------------------------------- */

static TF_Buffer *pack(oribi_model *model, const oribi_options *options, TF_Status *status)
{
    TF_Buffer *file = TF_NewBuffer();
    oribi_model_pack(model, options, file, status);
    expect_ok(status);
    return file;
}

static TF_Buffer *pack_digits(TF_Status *status)
{
    oribi_model *model = oribi_model_open(digits, NULL, status);
    expect_ok(status);
    TF_Buffer *file = pack(model, NULL, status);
    oribi_model_destroy(model);
    return file;
}

/* A copy on a multiple of 64, or beside one. */
static uint8_t *copy_of(const TF_Buffer *file, size_t shift, uint8_t **out_block)
{
    *out_block = aligned_alloc(64, (file->length + shift + 127) / 64 * 64);
    assert_non_null(*out_block);
    memcpy(*out_block + shift, file->data, file->length);
    return *out_block + shift;
}

static uint64_t number_at(const uint8_t *from)
{
    uint64_t number = 0;
    for (int i = 7; i >= 0; i--) {
        number = number << 8 | from[i];
    }
    return number;
}

/* As somebody would who wants the file to be believed. */
static void repair_digest(uint8_t *file)
{
    oribi_digest digest = {0};
    oribi_digest_add(&digest, file + HEAD, (size_t)number_at(file + 16));
    for (int i = 0; i < 16; i++) {
        file[32 + i] = (uint8_t)(digest.at[i / 8] >> (i % 8 * 8));
    }
}

/* Replaces all texts in the header by others as long. */
static int replace(uint8_t *file, const char *from, const char *to)
{
    const size_t n = strlen(from), header = (size_t)number_at(file + 16);
    int count = 0;
    for (size_t i = HEAD; i + n <= HEAD + header; i++) {
        if (memcmp(file + i, from, n) == 0) {
            memcpy(file + i, to, n);
            count++;
        }
    }
    repair_digest(file);
    return count;
}

/* Opens, makes a session, runs. The code of what failed. */
static TF_Code try_bytes(const uint8_t *data, size_t bytes, const oribi_options *options,
                         TF_Status *status)
{
    oribi_model *model = oribi_model_from_memory(data, bytes, "packed", options, status);
    oribi_session *session = NULL;
    oribi_run *run = NULL;
    if (model != NULL) {
        session = oribi_session_create(model, options, status);
    }
    if (session != NULL) {
        run = oribi_run_create(session, status);
    }
    int64_t dims[4] = {0};
    if (run != NULL && oribi_model_num_inputs(model) == 1 &&
        oribi_model_input_type(model, 0) == TF_FLOAT &&
        oribi_model_input_shape(model, 0, dims, 4) == 4 &&
        dims[0] * dims[1] * dims[2] * dims[3] == 64) {
        bind(model, run, status);
        oribi_run_execute(run, status);
    }
    const TF_Code code = TF_GetCode(status);
    assert_true(code == TF_OK || strlen(TF_Message(status)) > 0);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
    oribi_model_destroy(model);
    return code;
}

static void expect_refusal(const uint8_t *data, size_t bytes, const oribi_options *options,
                           TF_Code code, const char *text)
{
    TF_Status *status = TF_NewStatus();
    assert_int_equal(try_bytes(data, bytes, options, status), code);
    if (strstr(TF_Message(status), text) == NULL) {
        fail_msg("'%s' is not in: %s", text, TF_Message(status));
    }
    TF_DeleteStatus(status);
}

/* --- What it is for -------------------------------------------------------------------------- */

static void packed_models_give_the_same_bits(void **state)
{
    TF_Status *status = TF_NewStatus();
    int n = 0;
    (void)state;
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        if (!oribi_file_exists(models[i])) {
            continue;
        }
        oribi_model *model = oribi_model_open(models[i], NULL, status);
        expect_ok(status);
        TF_Buffer *file = pack(model, NULL, status);
        oribi_model *packed =
            oribi_model_from_memory(file->data, file->length, models[i], NULL, status);
        expect_ok(status);
        assert_int_equal(oribi_model_num_inputs(packed), oribi_model_num_inputs(model));
        assert_int_equal(oribi_model_num_outputs(packed), oribi_model_num_outputs(model));
        assert_string_equal(oribi_model_input_name(packed, 0), oribi_model_input_name(model, 0));
        float scale[2] = {0};
        int32_t zero[2] = {0};
        assert_int_equal(oribi_model_input_quantisation(packed, 0, &scale[0], &zero[0]),
                         oribi_model_input_quantisation(model, 0, &scale[1], &zero[1]));
        assert_true(scale[0] == scale[1] && zero[0] == zero[1]);

        running a = start(model, NULL, status), b = start(packed, NULL, status);
        expect_same_outputs(oribi_model_num_outputs(model), &a, &b, status);
        stop(&a);
        stop(&b);
        oribi_model_destroy(packed);
        oribi_model_destroy(model);
        TF_DeleteBuffer(file);
        n++;
    }
    assert_true(n >= 2);
    TF_DeleteStatus(status);
}

static void the_same_model_gives_the_same_file(void **state)
{
    TF_Status *status = TF_NewStatus();
    (void)state;
    TF_Buffer *a = pack_digits(status), *b = pack_digits(status);

    assert_int_equal(a->length, b->length);
    assert_memory_equal(a->data, b->data, a->length);

    TF_DeleteBuffer(a);
    TF_DeleteBuffer(b);
    TF_DeleteStatus(status);
}

static void a_session_of_a_packed_file_reads_the_file(void **state)
{
    TF_Status *status = TF_NewStatus();
    (void)state;
    TF_Buffer *file = pack_digits(status);
    uint8_t *block;
    const uint8_t *data = copy_of(file, 0, &block);
    oribi_model *model = oribi_model_from_memory(data, file->length, "packed", NULL, status);
    expect_ok(status);

    running r = start(model, NULL, status);

    int n = 0;
    for (int32_t s = 0; s < r.session->n_steps; s++) {
        for (const oribi_packed *each = packed_of(r.session, s); each != NULL; each = each->next) {
            const uint8_t *at = each->data;
            assert_true(at >= data && at + each->bytes <= data + file->length);
            n++;
        }
    }
    assert_true(n >= 6);
    assert_true(atomic_load(&r.session->meter->used) < 200000); /* the graph, an arena */
    stop(&r);
    oribi_model_destroy(model);
    free(block);
    TF_DeleteBuffer(file);
    TF_DeleteStatus(status);
}

static void bytes_that_are_not_aligned_are_copied_once(void **state)
{
    TF_Status *status = TF_NewStatus();
    (void)state;
    TF_Buffer *file = pack_digits(status);
    uint8_t *block;
    const uint8_t *data = copy_of(file, 3, &block);
    oribi_model *plain = oribi_model_open(digits, NULL, status);
    oribi_model *model = oribi_model_from_memory(data, file->length, "packed", NULL, status);
    expect_ok(status);

    running a = start(plain, NULL, status), b = start(model, NULL, status),
            c = start(model, NULL, status);

    expect_same_outputs(oribi_model_num_outputs(plain), &a, &b, status);
    expect_same_outputs(oribi_model_num_outputs(plain), &a, &c, status);
    for (int32_t s = 0; s < b.session->n_steps; s++) {
        assert_true(packed_of(b.session, s) == NULL ||
                    packed_of(b.session, s)->data == packed_of(c.session, s)->data);
    }
    stop(&a);
    stop(&b);
    stop(&c);
    oribi_model_destroy(model);
    oribi_model_destroy(plain);
    free(block);
    TF_DeleteBuffer(file);
    TF_DeleteStatus(status);
}

static void sessions_of_a_model_share_what_they_packed(void **state)
{
    TF_Status *status = TF_NewStatus();
    (void)state;
    oribi_model *model = oribi_model_open(digits, NULL, status);
    expect_ok(status);
    running a = start(model, NULL, status), b = start(model, NULL, status);

    const size_t bytes = all_packed_bytes(a.session);
    assert_true(bytes > 50000);
    assert_int_equal(all_packed_bytes(b.session), bytes);
    for (int32_t s = 0; s < a.session->n_steps; s++) {
        const oribi_packed *x = packed_of(a.session, s), *y = packed_of(b.session, s);
        assert_int_equal(x == NULL, y == NULL);
        assert_true(x == NULL || x->data == y->data);
    }
    /* Counted once: by the session that packed. */
    assert_true(atomic_load(&a.session->meter->used) >
                atomic_load(&b.session->meter->used) + bytes - bytes / 8);

    stop(&a); /* the other one keeps them */
    running c = start(model, NULL, status);
    const int n_outputs = oribi_model_num_outputs(model);
    expect_same_outputs(n_outputs, &b, &c, status);
    oribi_model_destroy(model);
    oribi_run_execute(b.run, status);
    expect_ok(status);
    expect_same_outputs(n_outputs, &b, &c, status);
    stop(&b);
    stop(&c);
    TF_DeleteStatus(status);
}

/* x times a matrix of equal weights, which are no model's bytes. */
static oribi_session *make_product(oribi_packs *packs, float weight, TF_Status *status)
{
    const int64_t dims[2] = {8, 8};
    const oribi_shape shape = {2, (int64_t[]){1, 8}};
    float weights[64];
    for (int i = 0; i < 64; i++) {
        weights[i] = weight;
    }
    oribi_graph *graph = oribi_graph_create(status);
    oribi_value_id x = oribi_graph_add_value(graph, "x", TF_FLOAT, &shape, status);
    oribi_value_id w =
        oribi_graph_add_constant_copy(graph, "w", TF_FLOAT, dims, 2, weights, status);
    oribi_node *node = oribi_graph_add_node(graph, "MatMul", "product",
                                            (const oribi_value_id[]){x, w}, 2, 1, status);
    assert_true(oribi_graph_add_input(graph, x, "x", status));
    assert_true(oribi_graph_resolve(graph, node, status));
    assert_true(oribi_graph_add_output(graph, node->outputs[0], "y", status));
    oribi_session *session = oribi_session_make(graph, NULL, NULL, packs, status);
    expect_ok(status);
    return session;
}

/* Same op, kernel, names and shapes: what the weights hold tells them apart. */
static void weights_that_passes_made_are_told_apart_by_what_they_hold(void **state)
{
    TF_Status *status = TF_NewStatus();
    (void)state;
    assert_true(oribi_plugin_load_built_ins(status));
    oribi_packs *packs = oribi_packs_create(NULL, NULL, 0, status);

    oribi_session *ones = make_product(packs, 1.0F, status);
    oribi_session *twos = make_product(packs, 2.0F, status);
    oribi_session *again = make_product(packs, 2.0F, status);

    assert_true(packed_of(ones, 0) != NULL);
    assert_true(packed_of(ones, 0)->data != packed_of(twos, 0)->data);
    assert_true(packed_of(again, 0)->data == packed_of(twos, 0)->data);
    oribi_session_destroy(ones);
    oribi_session_destroy(twos);
    oribi_session_destroy(again);
    oribi_packs_release(packs);
    TF_DeleteStatus(status);
}

static void packed_bytes_count_against_the_limit(void **state)
{
    TF_Status *status = TF_NewStatus();
    oribi_options *options = oribi_options_create(status);
    (void)state;
    oribi_model *model = oribi_model_open(digits, NULL, status);
    running r = start(model, NULL, status);
    const size_t packed = all_packed_bytes(r.session);
    stop(&r);

    oribi_options_set_max_bytes(options, packed);
    oribi_session *session = oribi_session_create(model, options, status);

    assert_null(session);
    assert_int_equal(TF_GetCode(status), TF_RESOURCE_EXHAUSTED);
    oribi_model_destroy(model);
    oribi_options_destroy(options);
    TF_DeleteStatus(status);
}

static void runs_of_a_packed_model_allocate_nothing(void **state)
{
    TF_Status *status = TF_NewStatus();
    (void)state;
    TF_Buffer *file = pack_digits(status);
    oribi_model *model = oribi_model_from_memory(file->data, file->length, "packed", NULL, status);
    expect_ok(status);
    running r = start(model, NULL, status);
    oribi_run_execute(r.run, status);
    const uint64_t before = oribi_alloc_count();

    oribi_run_execute(r.run, status);

    expect_ok(status);
    assert_int_equal(oribi_alloc_count(), before);
    stop(&r);
    oribi_model_destroy(model);
    TF_DeleteBuffer(file);
    TF_DeleteStatus(status);
}

/* --- Files for something else ---------------------------------------------------------------- */

static void other_versions_machines_and_kernels_are_named(void **state)
{
    TF_Status *status = TF_NewStatus();
    oribi_options *micro = oribi_options_create(status);
    (void)state;
    TF_Buffer *file = pack_digits(status);
    uint8_t *block, *data;
    oribi_options_set_kernels(micro, "micro", status);

    data = copy_of(file, 0, &block);
    expect_refusal(data, file->length, micro, TF_FAILED_PRECONDITION, "asks for");
    expect_refusal(data, file->length, micro, TF_FAILED_PRECONDITION, "oribi pack digits.onnx -o");
    assert_true(replace(data, "\012\0051.1.0", "\012\0050.9.7") == 1);
    expect_refusal(data, file->length, NULL, TF_FAILED_PRECONDITION, "made by Oribi 0.9.7");
    free(block);

    data = copy_of(file, 0, &block);
    data[8] = 2;
    expect_refusal(data, file->length, NULL, TF_FAILED_PRECONDITION, "format 2");
    free(block);

    data = copy_of(file, 0, &block);
    assert_true(replace(data, "filter.1 width", "filter.0 width") > 0);
    expect_refusal(data, file->length, NULL, TF_FAILED_PRECONDITION, "'filter.0 width");
    free(block);

    data = copy_of(file, 0, &block);
    assert_true(replace(data, "_FusedConv2D.", "_FusedConv2d.") > 0);
    expect_refusal(data, file->length, NULL, TF_FAILED_PRECONDITION, "_FusedConv2d.");
    free(block);

    TF_DeleteBuffer(file);
    oribi_options_destroy(micro);
    TF_DeleteStatus(status);
}

static void shapes_and_packing_again_are_refused(void **state)
{
    TF_Status *status = TF_NewStatus();
    oribi_options *options = oribi_options_create(status);
    const int64_t dims[] = {2, 1, 8, 8};
    (void)state;
    TF_Buffer *file = pack_digits(status), *again = TF_NewBuffer();
    oribi_options_set_input_shape(options, "picture", dims, 4, status);

    expect_refusal(file->data, file->length, options, TF_UNIMPLEMENTED, "--shape");
    oribi_model *model = oribi_model_from_memory(file->data, file->length, "packed", NULL, status);
    expect_ok(status);
    oribi_model_pack(model, NULL, again, status);

    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    oribi_model_destroy(model);
    oribi_options_destroy(options);
    TF_DeleteBuffer(file);
    TF_DeleteBuffer(again);
    TF_DeleteStatus(status);
}

/* --- Damaged and hostile files --------------------------------------------------------------- */

static void a_file_that_was_cut_is_refused(void **state)
{
    TF_Status *status = TF_NewStatus();
    (void)state;
    TF_Buffer *file = pack_digits(status);
    uint8_t *block;
    const uint8_t *data = copy_of(file, 0, &block);

    for (size_t bytes = 8; bytes < file->length; bytes += bytes < 8192 ? 61 : 4099) {
        expect_refusal(data, bytes, NULL, TF_DATA_LOSS, "pack the model again");
    }

    free(block);
    TF_DeleteBuffer(file);
    TF_DeleteStatus(status);
}

/* Its head says that it is as long as it is; then what lies behind its end is asked for. */
static void a_file_that_ends_before_its_weights_is_refused(void **state)
{
    TF_Status *status = TF_NewStatus();
    (void)state;
    TF_Buffer *file = pack_digits(status);
    uint8_t *block, *data = copy_of(file, 0, &block);

    for (size_t bytes = file->length - 1; bytes > file->length / 2; bytes -= 997) {
        for (int i = 0; i < 8; i++) {
            data[24 + i] = (uint8_t)((uint64_t)bytes >> (8 * i));
        }
        expect_refusal(data, bytes, NULL, TF_DATA_LOSS, "but the file has");
    }

    free(block);
    TF_DeleteBuffer(file);
    TF_DeleteStatus(status);
}

static void a_bit_of_the_header_that_flipped_is_noticed(void **state)
{
    TF_Status *status = TF_NewStatus();
    (void)state;
    TF_Buffer *file = pack_digits(status);
    uint8_t *block, *data = copy_of(file, 0, &block);
    const size_t header = (size_t)number_at(data + 16);

    for (size_t i = 8; i < HEAD + header; i++) {
        if (i >= 48 && i < HEAD) {
            continue; /* nothing yet */
        }
        data[i] ^= (uint8_t)(1 << i % 8);
        assert_int_not_equal(try_bytes(data, file->length, NULL, status), TF_OK);
        data[i] ^= (uint8_t)(1 << i % 8);
    }

    free(block);
    TF_DeleteBuffer(file);
    TF_DeleteStatus(status);
}

/* Somebody who repairs the digest gets a message or numbers, whatever the header says. */
static void a_header_that_lies_does_no_harm(void **state)
{
    TF_Status *status = TF_NewStatus();
    oribi_options *options = oribi_options_create(status);
    (void)state;
    TF_Buffer *file = pack_digits(status);
    uint8_t *block, *data = copy_of(file, 0, &block);
    const size_t header = (size_t)number_at(data + 16);
    int n_refused = 0, n_run = 0;
    oribi_options_set_max_bytes(options, 64u << 20);
    oribi_options_set_threads(options, 1);

    for (size_t i = HEAD; i < HEAD + header; i += STRIDE) {
        const uint8_t before = data[i];
        data[i] = (uint8_t)(i % 3 == 0 ? 0xff : i % 3 == 1 ? before + 1 : before ^ 0x40);
        repair_digest(data);
        const bool is_refused = try_bytes(data, file->length, options, status) != TF_OK;
        n_refused += is_refused;
        n_run += !is_refused;
        data[i] = before;
    }

    assert_true(n_refused > 1000 / STRIDE && n_run > 100 / STRIDE);
    free(block);
    oribi_options_destroy(options);
    TF_DeleteBuffer(file);
    TF_DeleteStatus(status);
}

static void packed_weights_may_be_any_bits(void **state)
{
    TF_Status *status = TF_NewStatus();
    (void)state;
    TF_Buffer *file = pack_digits(status);
    uint8_t *block, *data = copy_of(file, 0, &block);
    oribi_model *model = oribi_model_from_memory(data, file->length, "packed", NULL, status);
    expect_ok(status);
    running r = start(model, NULL, status);

    for (int32_t s = 0; s < r.session->n_steps; s++) {
        for (const oribi_packed *each = packed_of(r.session, s); each != NULL; each = each->next) {
            uint8_t *to = data + ((const uint8_t *)each->data - data);
            for (size_t i = 0; i < each->bytes; i++) {
                to[i] = (uint8_t)(i * 167 + 13);
            }
        }
    }
    stop(&r);
    r = start(model, NULL, status);

    stop(&r);
    oribi_model_destroy(model);
    free(block);
    TF_DeleteBuffer(file);
    TF_DeleteStatus(status);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packed_models_give_the_same_bits),
        cmocka_unit_test(the_same_model_gives_the_same_file),
        cmocka_unit_test(a_session_of_a_packed_file_reads_the_file),
        cmocka_unit_test(bytes_that_are_not_aligned_are_copied_once),
        cmocka_unit_test(sessions_of_a_model_share_what_they_packed),
        cmocka_unit_test(weights_that_passes_made_are_told_apart_by_what_they_hold),
        cmocka_unit_test(packed_bytes_count_against_the_limit),
        cmocka_unit_test(runs_of_a_packed_model_allocate_nothing),
        cmocka_unit_test(other_versions_machines_and_kernels_are_named),
        cmocka_unit_test(shapes_and_packing_again_are_refused),
        cmocka_unit_test(a_file_that_was_cut_is_refused),
        cmocka_unit_test(a_file_that_ends_before_its_weights_is_refused),
        cmocka_unit_test(a_bit_of_the_header_that_flipped_is_noticed),
        cmocka_unit_test(a_header_that_lies_does_no_harm),
        cmocka_unit_test(packed_weights_may_be_any_bits),
    };
    cmocka_set_test_filter(getenv("TEST_ONLY"));
    return cmocka_run_group_tests(tests, NULL, NULL);
}
