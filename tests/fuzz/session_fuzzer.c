/* SPDX-License-Identifier: Apache-2.0 */
/* libFuzzer target of the whole way on the host: a model's bytes become a session, which runs on
 * inputs made from the same bytes. Any bytes give results of the types and sizes that the model
 * promised, or an error with a message, within the limits. What kernels touch beside their values
 * is seen because planned memory is poisoned (src/session/session_guard.h). Not here: whether
 * results are right. See docs/reference/fuzzing.md.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "import/packed/packed.h"
#include "oribi/oribi.h"
#include "tensorflow/c/tf_tstring.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

enum { MOST_DIMS = 255, RUNS = 3, MOST_ELEMENTS = 1 << 16 };

typedef struct case_bytes { /* the model, as a source of numbers */
    const uint8_t *data;
    size_t bytes, at;
    uint32_t state;
} case_bytes;

static uint8_t next_byte(case_bytes *c)
{
    c->state = c->state * 1664525u + 1013904223u + c->data[c->at++ % c->bytes];
    return (uint8_t)(c->state >> 24);
}

/* A failure says why, a success says nothing. */
static int is_good(TF_Status *status)
{
    if (TF_GetCode(status) != TF_OK && TF_Message(status)[0] == '\0') {
        abort();
    }
    return TF_GetCode(status) == TF_OK;
}

/* Small numbers most of the time: indices, sizes and axes are among the inputs. */
static void fill(case_bytes *c, TF_DataType dtype, void *to, size_t bytes)
{
    uint8_t *out = to;
    const size_t size = TF_DataTypeSize(dtype);
    for (size_t i = 0; i < bytes; i++) {
        out[i] = next_byte(c);
    }
    for (size_t i = 0; size > 1 && dtype != TF_FLOAT && i + size <= bytes; i += size) {
        if ((next_byte(c) & 7) != 0) {
            memset(out + i + 1, out[i] > 240 ? 0xff : 0, size - 1);
            out[i] = (uint8_t)(out[i] > 240 ? out[i] : out[i] % 5);
        }
    }
    for (size_t i = 0; dtype == TF_BOOL && i < bytes; i++) {
        out[i] &= 1;
    }
}

/* The input's tensor with unknown sizes chosen from 1 to 4; NULL: none of its kind is made here. */
static TF_Tensor *make_input(case_bytes *c, const oribi_model *model, int index)
{
    int64_t dims[MOST_DIMS], count = 1;
    const TF_DataType dtype = oribi_model_input_type(model, index);
    int rank = oribi_model_input_shape(model, index, dims, MOST_DIMS);
    if (rank < 0) { /* unknown: from 0 to 4 dimensions of any size */
        rank = next_byte(c) % 5;
        for (int i = 0; i < rank; i++) {
            dims[i] = -1;
        }
    }
    for (int i = 0; i < rank; i++) {
        dims[i] = dims[i] < 0 ? 1 + next_byte(c) % 4 : dims[i];
        if (dims[i] > MOST_ELEMENTS || (count *= dims[i]) > MOST_ELEMENTS) {
            return NULL;
        }
    }
    if (dtype == TF_RESOURCE || dtype == TF_VARIANT || TF_DataTypeSize(dtype) == 0) {
        return NULL;
    }
    const size_t bytes = (size_t)count * TF_DataTypeSize(dtype);
    TF_Tensor *tensor = TF_AllocateTensor(dtype, dims, rank, bytes);
    if (tensor == NULL) {
        abort();
    }
    if (dtype == TF_STRING) {
        for (int64_t i = 0; i < count; i++) {
            TF_TString *text = (TF_TString *)TF_TensorData(tensor) + i;
            TF_TString_Init(text);
            TF_TString_Copy(text, "some text that is not short", next_byte(c) % 28);
        }
    } else {
        fill(c, dtype, TF_TensorData(tensor), bytes);
    }
    return tensor;
}

/* Of the promised type, as large as its sizes say, and every byte is there to be read. Its sizes
 * may be others than a file declares whose shapes cannot be inferred (oribi_model_output_shape). */
static void check_output(const oribi_model *model, int index, const TF_Tensor *tensor)
{
    const TF_DataType dtype = oribi_model_output_type(model, index);
    size_t bytes = TF_DataTypeSize(dtype);
    for (int i = 0; i < TF_NumDims(tensor); i++) {
        bytes *= (size_t)TF_Dim(tensor, i);
    }
    if (TF_TensorType(tensor) != dtype || TF_TensorByteSize(tensor) < bytes) {
        abort();
    }
    const volatile uint8_t *data = TF_TensorData(tensor);
    for (size_t i = 0; i < TF_TensorByteSize(tensor); i++) {
        (void)data[i];
    }
}

static int bind(case_bytes *c, const oribi_model *model, oribi_run *run, TF_Status *status)
{
    for (int i = 0; i < oribi_model_num_inputs(model); i++) {
        TF_Tensor *tensor = make_input(c, model, i);
        if (tensor == NULL) {
            return 0;
        }
        oribi_run_set_input(run, i, tensor, status);
        TF_DeleteTensor(tensor);
        if (!is_good(status)) {
            return 0;
        }
    }
    return 1;
}

static void run_model(case_bytes *c, oribi_model *model, const oribi_options *options,
                      TF_Status *status)
{
    oribi_session *session = oribi_session_create(model, options, status);
    oribi_run *run = is_good(status) ? oribi_run_create(session, status) : NULL;
    if (run != NULL) {
        oribi_run_set_time_limit(run, 500u * 1000 * 1000);
    }
    for (int k = 0; run != NULL && k < RUNS; k++) { /* learn, plan, and the steady state */
        if (!bind(c, model, run, status)) {
            break;
        }
        oribi_run_execute(run, status);
        for (int i = 0; is_good(status) && i < oribi_model_num_outputs(model); i++) {
            TF_Tensor *tensor = oribi_run_output(run, i, status);
            if (is_good(status)) {
                check_output(model, i, tensor);
            }
            TF_DeleteTensor(tensor);
        }
    }
    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

static void put_number(uint8_t *to, uint64_t number)
{
    for (int i = 0; i < 8; i++) {
        to[i] = (uint8_t)(number >> (8 * i));
    }
}

/* A packed file whose head fits what is behind it, or a mutation would come no further than the
 * digest. On a multiple of 64, as files are mapped. NULL: it is none. */
static uint8_t *repair_packed(const uint8_t *data, size_t bytes)
{
    uint64_t header = 0;
    if (!oribi_is_packed(data, bytes) || bytes < ORIBI_PACKED_HEAD_BYTES) {
        return NULL;
    }
    uint8_t *file = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (file == NULL) {
        abort();
    }
    memcpy(file, data, bytes);
    for (int i = 0; i < 8; i++) {
        header |= (uint64_t)file[16 + i] << (8 * i);
    }
    header = header > bytes - ORIBI_PACKED_HEAD_BYTES ? bytes - ORIBI_PACKED_HEAD_BYTES : header;
    oribi_digest digest = {0};
    oribi_digest_add(&digest, file + ORIBI_PACKED_HEAD_BYTES, (size_t)header);
    put_number(file + 8, ORIBI_PACKED_FORMAT);
    put_number(file + 16, header);
    put_number(file + 24, bytes);
    put_number(file + 32, digest.at[0]);
    put_number(file + 40, digest.at[1]);
    return file;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    case_bytes c = {data, bytes, 0, 1};
    TF_Status *status = TF_NewStatus();
    oribi_options *options = oribi_options_create(status);
    if (bytes == 0 || options == NULL) {
        oribi_options_destroy(options);
        TF_DeleteStatus(status);
        return 0;
    }
    oribi_options_set_max_bytes(options, 64u << 20);
    oribi_options_set_threads(options, 1);
    oribi_options_set_time_limit(options, UINT64_C(2000000000));
    if ((data[bytes / 2] & 3) == 0) { /* as it was imported, but for what must be done */
        oribi_options_disable_pass(options, "fold", status);
        oribi_options_disable_pass(options, "fuse", status);
        oribi_options_disable_pass(options, "layout", status);
    }
    uint8_t *packed = repair_packed(data, bytes);
    oribi_model *model =
        oribi_model_from_memory(packed != NULL ? packed : data, bytes, "fuzz", options, status);
    if (is_good(status)) {
        run_model(&c, model, options, status);
    }
    oribi_model_destroy(model);
    free(packed);
    oribi_options_destroy(options);
    TF_DeleteStatus(status);
    return 0;
}
