/* SPDX-License-Identifier: Apache-2.0 */
/* One plugin for two hosts: compiled against TensorFlow's own C headers (ops.h there is C++ only),
 * it loads in TensorFlow and in Oribi and must compute the same bits. Read next:
 * ../compare_hosts.py.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tensorflow/c/kernels.h"
#include "tensorflow/c/kernels_experimental.h"
#include "tensorflow/c/ops.h"
#include "tensorflow/c/tf_tstring.h"

enum { DIGEST = 40 };

struct digest {
    double values[DIGEST];
    int count;
};

static void add(digest *d, double value)
{
    if (d->count < DIGEST) {
        d->values[d->count++] = value;
    }
}

/* --- Attrs: every kind of attribute, as numbers ------------------------------------------------
 */

static void add_sizes(digest *d, TF_OpKernelConstruction *c, const char *name, TF_Status *status)
{
    int32_t list = 7, total = 7;
    TF_OpKernelConstruction_GetAttrSize(c, name, &list, &total, status);
    add(d, list);
    add(d, total);
}

static void read_scalars(digest *d, TF_OpKernelConstruction *c, TF_Status *status)
{
    int64_t i = 0;
    int32_t small = 0;
    float f = 0;
    unsigned char b = 0;
    TF_DataType t = (TF_DataType)0;
    char s[64];
    TF_OpKernelConstruction_GetAttrInt64(c, "i", &i, status);
    add(d, (double)i);
    TF_OpKernelConstruction_GetAttrInt32(c, "i", &small, status);
    add(d, TF_GetCode(status));
    TF_OpKernelConstruction_GetAttrFloat(c, "f", &f, status);
    add(d, f);
    TF_OpKernelConstruction_GetAttrBool(c, "b", &b, status);
    add(d, b);
    TF_OpKernelConstruction_GetAttrType(c, "t", &t, status);
    add(d, t);
    add_sizes(d, c, "s", status);
    memset(s, 1, sizeof s);
    TF_OpKernelConstruction_GetAttrString(c, "s", s, 3, status);
    add(d, s[0] * 65536 + s[1] * 256 + s[2]);
    add(d, s[3]); /* no NUL */
    TF_OpKernelConstruction_GetAttrFloat(c, "i", &f, status);
    add(d, TF_GetCode(status)); /* wrong kind */
    TF_OpKernelConstruction_GetAttrFloat(c, "nothing", &f, status);
    add(d, TF_GetCode(status)); /* missing */
    add(d, TF_OpKernelConstruction_HasAttr(c, "nothing", status));
    add(d, TF_OpKernelConstruction_HasAttr(c, "ls", status));
}

static void read_lists(digest *d, TF_OpKernelConstruction *c, TF_Status *status)
{
    int64_t li[8] = {0};
    float lf[8] = {0};
    unsigned char lb[8] = {0};
    TF_DataType lt[8];
    char *ls[8], storage[64];
    size_t lengths[8];
    add_sizes(d, c, "li", status);
    TF_OpKernelConstruction_GetAttrInt64List(c, "li", li, 8, status);
    add(d, (double)(li[0] * 10000 + li[1] * 100 + li[2]));
    TF_OpKernelConstruction_GetAttrInt64List(c, "li", li, 1, status);
    add(d, TF_GetCode(status)); /* silent truncation */
    TF_OpKernelConstruction_GetAttrFloatList(c, "lf", lf, 8, status);
    add(d, lf[0] + 2 * lf[1]);
    TF_OpKernelConstruction_GetAttrBoolList(c, "lb", lb, 8, status);
    add(d, lb[0] * 4 + lb[1] * 2 + lb[2]);
    add_sizes(d, c, "lt", status);
    TF_OpKernelConstruction_GetAttrTypeList(c, "lt", lt, 8, status);
    add(d, lt[0] * 100 + lt[1]);
    add_sizes(d, c, "ls", status);
    TF_OpKernelConstruction_GetAttrStringList(c, "ls", ls, lengths, 8, storage, sizeof storage,
                                              status);
    add(d, (double)(lengths[0] * 10 + lengths[1]));
    add(d, ls[1][0]);
    TF_OpKernelConstruction_GetAttrStringList(c, "ls", ls, lengths, 8, storage, 2, status);
    add(d, TF_GetCode(status));      /* storage too small */
    TF_SetStatus(status, TF_OK, ""); /* GetAttrSize wants a clean one */
    add_sizes(d, c, "sh", status);
    add_sizes(d, c, "none", status);
    TF_OpKernelConstruction_GetAttrInt64(c, "li", li, status);
    add(d, TF_GetCode(status)); /* list, not a value */
}

static void *attrs_create(TF_OpKernelConstruction *c)
{
    digest *d = (digest *)calloc(1, sizeof *d);
    TF_Status *status = TF_NewStatus();
    read_scalars(d, c, status);
    TF_SetStatus(status, TF_OK, "");
    read_lists(d, c, status);
    TF_StringView name = TF_OpKernelConstruction_GetName(c);
    add(d, name.len > 0);
    TF_DeleteStatus(status);
    return d;
}

static void free_state(void *state)
{
    free(state);
}

static void attrs_compute(void *state, TF_OpKernelContext *ctx)
{
    TF_Status *status = TF_NewStatus();
    int64_t dims[] = {DIGEST};
    TF_Tensor *out = TF_AllocateOutput(ctx, 0, TF_DOUBLE, dims, 1, DIGEST * 8, status);
    memcpy(TF_TensorData(out), ((digest *)state)->values, DIGEST * 8);
    TF_DeleteTensor(out);
    TF_DeleteStatus(status);
}

/* --- Sum: a list input --------------------------------------------------------------------------
 */

static void sum_compute(void *, TF_OpKernelContext *ctx)
{
    TF_Status *status = TF_NewStatus();
    TF_InputRange_Args range;
    memset(&range, 0, sizeof range);
    range.struct_size = sizeof range;
    range.status = status;
    TF_InputRange(ctx, "xs", &range);
    double total[4] = {0, 0, 0, 0};
    for (int i = range.start; i < range.stop; i++) {
        TF_Tensor *x = NULL;
        TF_GetInput(ctx, i, &x, status);
        for (int k = 0; k < 4; k++) {
            total[k] += ((float *)TF_TensorData(x))[k] * (i + 1);
        }
        TF_DeleteTensor(x);
    }
    int64_t dims[] = {6};
    TF_Tensor *out = TF_AllocateOutput(ctx, 0, TF_DOUBLE, dims, 1, 48, status);
    double *data = (double *)TF_TensorData(out);
    memcpy(data, total, sizeof total);
    data[4] = range.stop - range.start;
    TF_InputRange(ctx, "ys", &range);
    data[5] = TF_GetCode(status) * 100 + range.start;
    TF_DeleteTensor(out);
    TF_DeleteStatus(status);
}

/* --- Text: strings of every size
 * ------------------------------------------------------------------ */

static void to_text_compute(void *, TF_OpKernelContext *ctx)
{
    TF_Status *status = TF_NewStatus();
    TF_Tensor *x = NULL;
    TF_GetInput(ctx, 0, &x, status);
    int64_t dims[] = {TF_Dim(x, 0)};
    TF_Tensor *out = TF_AllocateOutput(ctx, 0, TF_STRING, dims, 1, (size_t)dims[0] * 24, status);
    TF_TString *to = (TF_TString *)TF_TensorData(out);
    for (int64_t i = 0; i < dims[0]; i++) {
        int32_t n = ((int32_t *)TF_TensorData(x))[i];
        char *text = (char *)malloc((size_t)n + 1);
        memset(text, 'a' + (int)(i % 26), (size_t)n);
        TF_StringCopy(&to[i], text, (size_t)n);
        free(text);
    }
    TF_DeleteTensor(out);
    TF_DeleteTensor(x);
    TF_DeleteStatus(status);
}

static void from_text_compute(void *, TF_OpKernelContext *ctx)
{
    TF_Status *status = TF_NewStatus();
    TF_Tensor *x = NULL;
    TF_GetInput(ctx, 0, &x, status);
    int64_t dims[] = {TF_Dim(x, 0)};
    TF_Tensor *out = TF_AllocateOutput(ctx, 0, TF_INT32, dims, 1, (size_t)dims[0] * 4, status);
    const TF_TString *from = (const TF_TString *)TF_TensorData(x);
    for (int64_t i = 0; i < dims[0]; i++) {
        size_t n = TF_StringGetSize(&from[i]);
        int sum = (int)n * 1000;
        for (size_t k = 0; k < n; k++) {
            sum += TF_StringGetDataPointer(&from[i])[k];
        }
        ((int32_t *)TF_TensorData(out))[i] = sum + TF_StringGetType(&from[i]);
    }
    TF_DeleteTensor(out);
    TF_DeleteTensor(x);
    TF_DeleteStatus(status);
}

/* --- Forward: in place where the host allows, host memory, other run questions
 * -------------------- */

static void forward_compute(void *, TF_OpKernelContext *ctx)
{
    TF_Status *status = TF_NewStatus();
    TF_Tensor *x = NULL;
    TF_GetInput(ctx, 0, &x, status);
    int64_t dims[] = {2, 2};
    int candidate = 0, forwarded = 5;
    TF_Tensor *out =
        TF_ForwardInputOrAllocateOutput(ctx, &candidate, 1, 0, dims, 2, &forwarded, status);
    for (int k = 0; k < 4; k++) {
        ((float *)TF_TensorData(out))[k] = ((float *)TF_TensorData(x))[k] * 1.5f + 0.25f;
    }
    TF_DeleteTensor(out);
    TF_DeleteTensor(x);
    int64_t facts_dims[] = {8};
    TF_Tensor *facts = TF_AllocateOutput(ctx, 1, TF_INT32, facts_dims, 1, 32, status);
    int32_t *f = (int32_t *)TF_TensorData(facts);
    f[0] = TF_NumInputs(ctx);
    f[1] = TF_NumOutputs(ctx);
    f[2] = TF_InputDatatype(ctx, 0);
    f[3] = TF_ExpectedOutputDataType(ctx, 1);
    TF_Tensor *none = NULL;
    TF_GetInput(ctx, 9, &none, status);
    f[4] = TF_GetCode(status);
    f[5] = none != NULL;
    f[6] = forwarded == 0 || forwarded == -1;
    int64_t temp_dims[] = {3};
    TF_AllocatorAttributes attributes;
    memset(&attributes, 0, sizeof attributes);
    attributes.struct_size = TF_ALLOCATOR_ATTRIBUTES_STRUCT_SIZE;
    TF_Tensor *temp = TF_AllocateTemp(ctx, TF_INT64, temp_dims, 1, &attributes, status);
    f[7] = (int32_t)TF_TensorByteSize(temp) + (int32_t)((uintptr_t)TF_TensorData(temp) % 64);
    TF_DeleteTensor(temp);
    TF_DeleteTensor(facts);
    TF_DeleteStatus(status);
}

/* --- Fails: the first failure wins
 * ---------------------------------------------------------------- */

static void fails_compute(void *, TF_OpKernelContext *ctx)
{
    TF_Status *status = TF_NewStatus();
    TF_SetStatus(status, TF_DATA_LOSS, "the first reason");
    TF_OpKernelContext_Failure(ctx, status);
    TF_SetStatus(status, TF_ABORTED, "the second reason");
    TF_OpKernelContext_Failure(ctx, status);
    TF_DeleteStatus(status);
}

/* --- Counter: a variable
 * ---------------------------------------------------------------------------- */

static void copy_value(TF_OpKernelContext *, TF_Tensor *from, TF_Tensor *to)
{
    memcpy(TF_TensorData(to), TF_TensorData(from), TF_TensorByteSize(from));
    TF_DeleteTensor(from);
    TF_DeleteTensor(to);
}

static void update_value(TF_OpKernelContext *, TF_Tensor *variable, TF_Tensor *value, int op)
{
    for (int64_t i = 0; i < TF_TensorElementCount(value); i++) {
        float by = ((float *)TF_TensorData(value))[i];
        ((float *)TF_TensorData(variable))[i] += op == 0 ? by : -by;
    }
    TF_DeleteTensor(variable);
    TF_DeleteTensor(value);
}

/* Assigns x, adds x, takes away x twice, reads: the answer is 0 and what was read before 2x. */
static void counter_compute(void *, TF_OpKernelContext *ctx)
{
    TF_Status *status = TF_NewStatus();
    TF_Tensor *between = NULL, *after = NULL;
    TF_AssignVariable(ctx, 0, 1, false, copy_value, status);
    TF_AssignUpdateVariable(ctx, 0, 1, 0, 0, copy_value, update_value, status);
    TF_GetInputTensorFromVariable(ctx, 0, false, false, false, copy_value, &between, status);
    float seen[2];
    memcpy(seen, TF_TensorData(between), sizeof seen);
    TF_DeleteTensor(between);
    TF_AssignUpdateVariable(ctx, 0, 1, 1, 0, copy_value, update_value, status);
    TF_AssignUpdateVariable(ctx, 0, 1, 1, 0, copy_value, update_value, status);
    TF_GetInputTensorFromVariable(ctx, 0, false, false, false, copy_value, &after, status);
    int64_t dims[] = {4};
    TF_Tensor *out = TF_AllocateOutput(ctx, 0, TF_FLOAT, dims, 1, 16, status);
    float *data = (float *)TF_TensorData(out);
    data[0] = seen[0];
    data[1] = seen[1];
    memcpy(data + 2, TF_TensorData(after), 8);
    TF_DeleteTensor(after);
    TF_DeleteTensor(out);
    TF_DeleteStatus(status);
}

/* --- Registration
 * ------------------------------------------------------------------------------------- */

static void op(const char *name, const char *const *inputs, const char *const *outputs,
               const char *const *attrs, bool stateful, TF_Status *status)
{
    TF_OpDefinitionBuilder *b = TF_NewOpDefinitionBuilder(name);
    for (; *inputs != NULL; inputs++) {
        TF_OpDefinitionBuilderAddInput(b, *inputs);
    }
    for (; *outputs != NULL; outputs++) {
        TF_OpDefinitionBuilderAddOutput(b, *outputs);
    }
    for (; *attrs != NULL; attrs++) {
        TF_OpDefinitionBuilderAddAttr(b, *attrs);
    }
    if (stateful) {
        TF_OpDefinitionBuilderSetIsStateful(b, true);
    }
    TF_OpDefinitionBuilderSetShapeInferenceFunction(b, &TF_ShapeInferenceContextSetUnknownShape);
    TF_RegisterOpDefinition(b, status);
}

static void kernel(const char *name, void *(*create)(TF_OpKernelConstruction *),
                   void (*compute)(void *, TF_OpKernelContext *), void (*destroy)(void *),
                   const char *host_memory, TF_Status *status)
{
    TF_KernelBuilder *b = TF_NewKernelBuilder(name, "CPU", create, compute, destroy);
    if (host_memory != NULL) {
        TF_KernelBuilder_HostMemory(b, host_memory);
    }
    TF_RegisterKernelBuilder(name, b, status);
}

#define NAMES(...)                                                                                 \
    (const char *const[])                                                                          \
    {                                                                                              \
        __VA_ARGS__, NULL                                                                          \
    }
#define NONE NAMES(NULL)

extern "C" void TF_InitKernel(void)
{
    TF_Status *s = TF_NewStatus();
    op("Com>Acme>Attrs", NONE, NAMES("y: double"),
       NAMES("i: int", "f: float = 0.25", "b: bool = true", "t: type = DT_INT8", "s: string",
             "sh: shape = { dim { size: 3 } dim { size: 5 } }", "li: list(int) >= 1",
             "lf: list(float) = [0.5, 1.5]", "lb: list(bool) = [true, false, true]",
             "lt: list(type) = [DT_FLOAT, DT_STRING]", "ls: list(string)", "none: list(int) = []"),
       false, s);
    kernel("Com>Acme>Attrs", attrs_create, attrs_compute, free_state, NULL, s);
    op("Com>Acme>Sum", NAMES("xs: N * float", "ys: float"), NAMES("y: double"),
       NAMES("N: int >= 1"), false, s);
    kernel("Com>Acme>Sum", NULL, sum_compute, NULL, NULL, s);
    op("Com>Acme>ToText", NAMES("x: int32"), NAMES("y: string"), NONE, false, s);
    kernel("Com>Acme>ToText", NULL, to_text_compute, NULL, NULL, s);
    op("Com>Acme>FromText", NAMES("x: string"), NAMES("y: int32"), NONE, false, s);
    kernel("Com>Acme>FromText", NULL, from_text_compute, NULL, "x", s);
    op("Com>Acme>Forward", NAMES("x: float"), NAMES("y: float", "facts: int32"), NONE, false, s);
    kernel("Com>Acme>Forward", NULL, forward_compute, NULL, "facts", s);
    op("Com>Acme>Fails", NAMES("x: float"), NAMES("y: float"), NONE, false, s);
    kernel("Com>Acme>Fails", NULL, fails_compute, NULL, NULL, s);
    op("Com>Acme>Counter", NAMES("v: resource", "x: float"), NAMES("y: float"), NONE, true, s);
    kernel("Com>Acme>Counter", NULL, counter_compute, NULL, NULL, s);
    TF_DeleteStatus(s);
}
