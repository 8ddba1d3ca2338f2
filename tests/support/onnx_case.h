/* SPDX-License-Identifier: Apache-2.0 */
/* One backend test case of the ONNX project (model.onnx, test_data_set_K): run through the public
 * API in a process of its own and judged by rtol 1e-3, atol 1e-7, exact types and shapes.
 */
#ifndef ORIBI_TESTS_SUPPORT_ONNX_CASE_H_
#define ORIBI_TESTS_SUPPORT_ONNX_CASE_H_

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "import/onnx/onnx.h"
#include "oribi/oribi.h"
#include "plugin/plugin.h"
#include "tensorflow/c/variant.h"

enum { PASSED = 0, FAILED = 1, UNSUPPORTED = 3, SKIP = 77 };
enum { CASE_SECONDS = 30 };

/* --- One case -------------------------------------------------------------------------------- */

static inline void keep(oribi_source *source)
{
    (void)source;
}

/* A TensorProto as a tensor, by the importer's own reader; NULL: unsupported. */
static inline TF_Tensor *parse_tensor(const oribi_wire *wire, const char *path)
{
    static oribi_source source = {.release = keep};
    TF_Status *status = TF_NewStatus();
    atomic_store(&source.references, 1000);
    oribi_onnx onnx = {.graph = oribi_graph_create(status), .source = &source};
    oribi_value_id id = oribi_onnx_tensor_read(&onnx, wire, "data", status);
    if (id < 0) {
        printf("%s: %s\n", path, TF_Message(status));
        return NULL;
    }
    return oribi_graph_constant_tensor(onnx.graph, id, status);
}

/* A SequenceProto, whose tensors are its fields 3. */
static inline TF_Tensor *parse_sequence(oribi_wire wire, const char *path)
{
    TF_Status *status = TF_NewStatus();
    TF_Tensor *elements[64];
    oribi_wire_field f;
    oribi_wire body;
    int64_t n = 0;
    while (oribi_wire_next(&wire, &f, status) && n < 64) {
        if (f.number == 3 && oribi_wire_enter(&wire, &f, &body, status)) {
            elements[n] = parse_tensor(&body, path);
            if (elements[n++] == NULL) {
                return NULL;
            }
        }
    }
    TF_Tensor *list = TF_AllocateTensor(TF_VARIANT, &n, 1, (size_t)n * sizeof(void *));
    for (int64_t i = 0; i < n; i++) {
        TF_TensorSetVariantTensor(list, i, elements[i], status);
    }
    return TF_GetCode(status) == TF_OK ? list : NULL;
}

/* An OptionalProto: its tensor is field 3, its sequence field 5. */
static inline TF_Tensor *parse_optional(oribi_wire wire, const char *path)
{
    TF_Status *status = TF_NewStatus();
    TF_Tensor *list = TF_AllocateTensor(TF_VARIANT, NULL, 0, sizeof(void *));
    oribi_wire_field f;
    oribi_wire body;
    while (oribi_wire_next(&wire, &f, status)) {
        if (f.number == 5 && oribi_wire_enter(&wire, &f, &body, status)) {
            return parse_sequence(body, path);
        }
        if (f.number == 3 && oribi_wire_enter(&wire, &f, &body, status)) {
            TF_Tensor *tensor = parse_tensor(&body, path);
            if (tensor == NULL) {
                return NULL;
            }
            TF_TensorSetVariantTensor(list, 0, tensor, status);
        }
    }
    return TF_GetCode(status) == TF_OK ? list : NULL;
}

/* rank: of a port of variants, which says whether the file has a sequence. */
static inline TF_Tensor *read_value(const char *path, TF_DataType dtype, int rank)
{
    void *data = NULL;
    size_t bytes = 0;
    if (oribi_file_read(path, SIZE_MAX, &data, &bytes) != 0) {
        return NULL;
    }
    const oribi_wire wire = oribi_wire_over(data, bytes);
    return dtype != TF_VARIANT ? parse_tensor(&wire, path)
           : rank == 1         ? parse_sequence(wire, path)
                               : parse_optional(wire, path);
}

static inline double half_value(uint16_t bits)
{
    double magnitude;
    int exponent = (bits >> 10) & 31, fraction = bits & 1023;
    if (exponent == 31) {
        magnitude = fraction != 0 ? (double)NAN : (double)INFINITY;
    } else if (exponent == 0) {
        magnitude = ldexp(fraction, -24);
    } else {
        magnitude = ldexp(1024 + fraction, exponent - 25);
    }
    return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

static inline double bfloat16_value(uint16_t bits)
{
    uint32_t wide = (uint32_t)bits << 16;
    float value;
    memcpy(&value, &wide, sizeof(value));
    return (double)value;
}

static inline bool element(const TF_Tensor *tensor, int64_t i, double *out)
{
    const void *data = TF_TensorData(tensor);
    switch ((int)TF_TensorType(tensor)) {
    case TF_FLOAT:
        *out = (double)((const float *)data)[i];
        return true;
    case TF_DOUBLE:
        *out = ((const double *)data)[i];
        return true;
    case TF_HALF:
        *out = half_value(((const uint16_t *)data)[i]);
        return true;
    case TF_BFLOAT16:
        *out = bfloat16_value(((const uint16_t *)data)[i]);
        return true;
    case TF_INT64:
        *out = (double)((const int64_t *)data)[i];
        return true;
    case TF_INT32:
        *out = ((const int32_t *)data)[i];
        return true;
    case TF_INT16:
        *out = ((const int16_t *)data)[i];
        return true;
    case TF_INT8:
        *out = ((const int8_t *)data)[i];
        return true;
    case TF_UINT64:
        *out = (double)((const uint64_t *)data)[i];
        return true;
    case TF_UINT32:
        *out = ((const uint32_t *)data)[i];
        return true;
    case TF_UINT16:
        *out = ((const uint16_t *)data)[i];
        return true;
    case TF_UINT8:
    case TF_BOOL:
        *out = ((const uint8_t *)data)[i];
        return true;
    default:
        return false;
    }
}

static inline bool strings_equal(const TF_Tensor *found, const TF_Tensor *wanted)
{
    const TF_TString *a = TF_TensorData(found), *b = TF_TensorData(wanted);
    for (int64_t i = 0; i < TF_TensorElementCount(wanted); i++) {
        size_t length = TF_StringGetSize(&b[i]);
        if (TF_StringGetSize(&a[i]) != length ||
            memcmp(TF_StringGetDataPointer(&a[i]), TF_StringGetDataPointer(&b[i]), length) != 0) {
            return false;
        }
    }
    return true;
}

static inline bool same_frame(const TF_Tensor *found, const TF_Tensor *wanted)
{
    bool same =
        TF_TensorType(found) == TF_TensorType(wanted) && TF_NumDims(found) == TF_NumDims(wanted);
    for (int i = 0; same && i < TF_NumDims(wanted); i++) {
        same = TF_Dim(found, i) == TF_Dim(wanted, i);
    }
    return same;
}

static inline bool agree(const TF_Tensor *found, const TF_Tensor *wanted, int output);

static inline bool lists_agree(const TF_Tensor *found, const TF_Tensor *wanted, int output)
{
    TF_Status *status = TF_NewStatus();
    bool same = true;
    for (int64_t i = 0; same && i < TF_TensorElementCount(wanted); i++) {
        TF_Tensor *a = TF_TensorVariantTensor(found, i, status);
        TF_Tensor *b = TF_TensorVariantTensor(wanted, i, status);
        same = (a == NULL) == (b == NULL) && (a == NULL || agree(a, b, output));
        TF_DeleteTensor(a);
        TF_DeleteTensor(b);
    }
    TF_DeleteStatus(status);
    return same;
}

static inline bool agree(const TF_Tensor *found, const TF_Tensor *wanted, int output)
{
    if (!same_frame(found, wanted)) {
        printf("output %d: type %d and rank %d, expected %d and %d (or other dims)\n", output,
               (int)TF_TensorType(found), TF_NumDims(found), (int)TF_TensorType(wanted),
               TF_NumDims(wanted));
        return false;
    }
    if (TF_TensorType(wanted) == TF_VARIANT) {
        return lists_agree(found, wanted, output);
    }
    if (TF_TensorType(wanted) == TF_STRING) {
        return strings_equal(found, wanted);
    }
    for (int64_t i = 0; i < TF_TensorElementCount(wanted); i++) {
        double a = 0, b = 0;
        if (!element(found, i, &a) || !element(wanted, i, &b)) {
            size_t bytes = TF_TensorByteSize(wanted);
            return memcmp(TF_TensorData(found), TF_TensorData(wanted), bytes) == 0;
        }
        bool same = (isnan(a) && isnan(b)) || a == b || fabs(a - b) <= 1e-7 + 1e-3 * fabs(b);
        if (!same) {
            printf("output %d, element %lld: %.9g, expected %.9g\n", output, (long long)i, a, b);
            return false;
        }
    }
    return true;
}

static inline int verdict(const TF_Status *status, const char *where)
{
    printf("%s: %d %s\n", where, (int)TF_GetCode(status), TF_Message(status));
    return TF_GetCode(status) == TF_UNIMPLEMENTED || TF_GetCode(status) == TF_NOT_FOUND
               ? UNSUPPORTED
               : FAILED;
}

static inline int run_set(oribi_model *model, oribi_session *session, const char *folder)
{
    TF_Status *status = TF_NewStatus();
    char path[8400];
    int64_t dims[ORIBI_MAX_RANK];
    oribi_run *run = oribi_run_create(session, status);
    if (run == NULL) {
        return verdict(status, "run_create");
    }
    for (int i = 0; i < oribi_model_num_inputs(model); i++) {
        snprintf(path, sizeof(path), "%s/input_%d.pb", folder, i);
        TF_Tensor *tensor = read_value(path, oribi_model_input_type(model, i),
                                       oribi_model_input_shape(model, i, dims, ORIBI_MAX_RANK));
        if (tensor == NULL) {
            printf("%s cannot be read\n", path);
            return UNSUPPORTED;
        }
        oribi_run_set_input(run, i, tensor, status);
        if (TF_GetCode(status) != TF_OK) {
            return verdict(status, "set_input");
        }
        TF_DeleteTensor(tensor);
    }
    oribi_run_execute(run, status);
    if (TF_GetCode(status) != TF_OK) {
        return verdict(status, "execute");
    }
    for (int i = 0; i < oribi_model_num_outputs(model); i++) {
        snprintf(path, sizeof(path), "%s/output_%d.pb", folder, i);
        TF_Tensor *found = oribi_run_output(run, i, status);
        TF_Tensor *wanted = read_value(path, oribi_model_output_type(model, i),
                                       oribi_model_output_shape(model, i, dims, ORIBI_MAX_RANK));
        if (wanted == NULL) {
            printf("%s cannot be read\n", path);
            return UNSUPPORTED;
        }
        if (found == NULL || !agree(found, wanted, i)) {
            return FAILED;
        }
        TF_DeleteTensor(wanted);
        TF_DeleteTensor(found);
    }
    oribi_run_destroy(run);
    TF_DeleteStatus(status);
    return PASSED;
}

/* With the bytes of model.onnx, or others in their place. */
static inline int run_case(const char *folder, const void *bytes, size_t n)
{
    TF_Status *status = TF_NewStatus();
    char path[4200];
    oribi_options *options = oribi_options_create(status);
    oribi_options_set_threads(options, 1);
    snprintf(path, sizeof(path), "%s/model.onnx", folder);
    oribi_model *model = bytes != NULL ? oribi_model_from_memory(bytes, n, path, options, status)
                                       : oribi_model_open(path, options, status);
    if (model == NULL) {
        return verdict(status, "model_open");
    }
    oribi_session *session = oribi_session_create(model, options, status);
    if (session == NULL) {
        return verdict(status, "session_create");
    }
    for (int set = 0;; set++) {
        snprintf(path, sizeof(path), "%s/test_data_set_%d", folder, set);
        if (!oribi_file_exists(path)) {
            return set > 0 ? PASSED : FAILED;
        }
        int code = run_set(model, session, path);
        if (code != PASSED) {
            return code;
        }
    }
}

/* In a child, so that a crash or an endless loop is a failure of this case alone. */
static inline pid_t start_case(const char *folder, const void *bytes, size_t n, bool is_quiet)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        if (is_quiet && (freopen("/dev/null", "w", stdout) == NULL ||
                         freopen("/dev/null", "w", stderr) == NULL)) {
            _exit(FAILED);
        }
        alarm(CASE_SECONDS);
        int code = run_case(folder, bytes, n);
        fflush(stdout);
        _exit(code);
    }
    return child;
}

static inline int finish_case(pid_t child)
{
    int state = 0;
    while (waitpid(child, &state, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(state) ? WEXITSTATUS(state) : FAILED;
}

#endif
