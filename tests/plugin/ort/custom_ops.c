/* SPDX-License-Identifier: Apache-2.0 */
/* A library of custom ops as those for ONNX Runtime are, against our own declarations of its
 * interface: an op for each thing that such libraries do. It loads in ONNX Runtime, too. With
 * -DBAD=n it is one of those that a host has to refuse: 1 asks for a table that does not exist, 2
 * fails to register, 3 registers nothing, 4 an op of version 0, 5 two ops of one name and another
 * form.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ort_abi.h"

#ifndef BAD
#define BAD 0
#endif

static const ort_api *api;

typedef struct op { /* of ours: the interface's struct, and what its functions read */
    ort_custom_op face;
    const char *name;
    size_t n_in, n_out;
    int32_t in[4], out[2], in_kind[4], out_kind[2];
    int are_alike, since, until;
} op;

typedef struct kernel {
    const op *op;
    ort_kernel_info *info;
    float factor;
    ort_op *adder;
    char text[512];
} kernel;

#define TRY(call)                                                                                  \
    do {                                                                                           \
        ort_status *tried = (call);                                                                \
        if (tried) {                                                                               \
            return tried;                                                                          \
        }                                                                                          \
    } while (0)

/* --- The interface's questions --- */

static const char *name_of(const ort_custom_op *o)
{
    return ((const op *)o)->name;
}
static const char *provider_of(const ort_custom_op *o)
{
    return strcmp(name_of(o), "OnGpu") == 0 ? "CUDAExecutionProvider" : NULL;
}
static int32_t input_type(const ort_custom_op *o, size_t i)
{
    return ((const op *)o)->in[i];
}
static size_t n_inputs(const ort_custom_op *o)
{
    return ((const op *)o)->n_in;
}
static int32_t output_type(const ort_custom_op *o, size_t i)
{
    return ((const op *)o)->out[i];
}
static size_t n_outputs(const ort_custom_op *o)
{
    return ((const op *)o)->n_out;
}
static int32_t input_kind(const ort_custom_op *o, size_t i)
{
    return ((const op *)o)->in_kind[i];
}
static int32_t output_kind(const ort_custom_op *o, size_t i)
{
    return ((const op *)o)->out_kind[i];
}
static int32_t memory(const ort_custom_op *o, size_t i)
{
    (void)o;
    (void)i;
    return ORT_MEMORY_DEFAULT;
}
static int least(const ort_custom_op *o)
{
    (void)o;
    return 1;
}
static int are_alike(const ort_custom_op *o)
{
    return ((const op *)o)->are_alike;
}
static int first_opset(const ort_custom_op *o)
{
    return ((const op *)o)->since;
}
static int last_opset(const ort_custom_op *o)
{
    return ((const op *)o)->until;
}

/* --- Help --- */

static ort_status *fail(const char *message)
{
    return api->CreateStatus(ORT_FAIL, message);
}

static ort_status *shape_of(const ort_value *value, int64_t *dims, size_t *rank, size_t *count)
{
    ort_tensor_info *info;
    TRY(api->GetTensorTypeAndShape(value, &info));
    TRY(api->GetDimensionsCount(info, rank));
    TRY(api->GetDimensions(info, dims, *rank));
    TRY(api->GetTensorShapeElementCount(info, count));
    api->ReleaseTensorTypeAndShapeInfo(info);
    return NULL;
}

static ort_status *open_both(ort_kernel_context *ctx, const void **x, void **y, size_t *count)
{
    const ort_value *in;
    ort_value *out, *again;
    int64_t dims[8];
    size_t rank;
    TRY(api->KernelContext_GetInput(ctx, 0, &in));
    TRY(shape_of(in, dims, &rank, count));
    TRY(api->KernelContext_GetOutput(ctx, 0, dims, rank, &out));
    TRY(api->KernelContext_GetOutput(ctx, 0, dims, rank, &again));
    if (again != out) {
        return fail("an output asked for twice is two");
    }
    TRY(api->GetTensorData(in, x));
    return api->GetTensorMutableData(out, y);
}

static ort_status *write_text(ort_kernel_context *ctx, size_t index, const char *text)
{
    ort_value *out;
    const int64_t one = 1;
    TRY(api->KernelContext_GetOutput(ctx, index, &one, 1, &out));
    return api->FillStringTensorElement(out, text, 0);
}

/* --- Creation and computing --- */

static ort_status *read_all(const ort_kernel_info *info, char *text, size_t room)
{
    char s[64];
    size_t bytes = sizeof s, n = 4, m = 4, k = 0, at;
    int64_t ints[4];
    float floats[4], f;
    char **strings;
    ort_allocator *allocator;
    ort_value *tensor;
    const void *data;
    TRY(api->KernelInfoGetAttribute_string(info, "s", NULL, &bytes));
    if (bytes != 4) {
        return fail("a string of three has four bytes");
    }
    TRY(api->KernelInfoGetAttribute_string(info, "s", s, &bytes));
    TRY(api->KernelInfoGetAttribute_float(info, "f", &f));
    TRY(api->KernelInfoGetAttributeArray_int64(info, "ints", NULL, &n));
    TRY(api->KernelInfoGetAttributeArray_int64(info, "ints", ints, &n));
    TRY(api->KernelInfoGetAttributeArray_float(info, "floats", floats, &m));
    TRY(api->GetAllocatorWithDefaultOptions(&allocator));
    TRY(api->KernelInfoGetAttributeArray_string(info, "strings", allocator, &strings, &k));
    TRY(api->KernelInfoGetAttribute_tensor(info, "t", allocator, &tensor));
    TRY(api->GetTensorData(tensor, &data));
    at = (size_t)snprintf(text, room, "%s %g %zu:%d,%d %zu:%g", s, (double)f, n, (int)ints[0],
                          (int)ints[1], m, (double)floats[0]);
    for (size_t i = 0; i < k; i++) {
        at += (size_t)snprintf(text + at, room - at, " %s", strings[i]);
        TRY(api->AllocatorFree(allocator, strings[i]));
    }
    TRY(api->AllocatorFree(allocator, strings));
    snprintf(text + at, room - at, " %d", (int)((const int32_t *)data)[1]);
    api->ReleaseValue(tensor);
    ort_status *missing = api->KernelInfoGetAttribute_int64(info, "missing", ints);
    const bool failed = missing != NULL;
    api->ReleaseStatus(missing);
    return failed ? NULL : fail("an attribute that is not there was found");
}

static ort_status *create_v2(const ort_custom_op *o, const ort_api *table,
                             const ort_kernel_info *info, void **out)
{
    kernel *k = calloc(1, sizeof *k);
    ort_status *failed = table == api ? NULL : fail("another table at creation");
    k->op = (const op *)o;
    if (!failed && strcmp(k->op->name, "Attributes") == 0) {
        failed = read_all(info, k->text, sizeof k->text);
    } else if (!failed && strcmp(k->op->name, "Fixed") == 0) {
        const ort_value *value;
        const void *data;
        int is_constant;
        failed = api->KernelInfoGetConstantInput_tensor(info, 1, &is_constant, &value);
        failed = failed        ? failed
                 : is_constant ? api->GetTensorData(value, &data)
                               : fail("no constant");
        k->factor = failed ? 0 : *(const float *)data;
    } else if (!failed && strcmp(k->op->name, "Calling") == 0) {
        const char *constraint = "T";
        const int32_t type = ORT_TYPE_FLOAT;
        failed =
            api->CreateOp(info, "Add", "", 14, &constraint, &type, 1, NULL, 0, 2, 1, &k->adder);
    } else if (!failed && strcmp(k->op->name, "CallingNone") == 0) {
        const int32_t type = ORT_TYPE_FLOAT;
        failed = api->CreateOp(info, "NoSuchOp", "", 14, NULL, &type, 1, NULL, 0, 2, 1, &k->adder);
    } else if (!failed && strcmp(k->op->name, "Lacking") == 0) {
        failed = api->CreateSessionOptions();
    }
    if (!failed) {
        failed = api->CopyKernelInfo(info, &k->info);
    }
    if (failed) {
        free(k);
        return failed;
    }
    *out = k;
    return NULL;
}

static void *create(const ort_custom_op *o, const ort_api *table, const ort_kernel_info *info)
{
    kernel *k = calloc(1, sizeof *k);
    k->op = (const op *)o;
    table->ReleaseStatus(table->KernelInfoGetAttribute_float(info, "factor", &k->factor));
    return k;
}

static void destroy(void *k)
{
    if (((kernel *)k)->info) {
        api->ReleaseKernelInfo(((kernel *)k)->info);
    }
    api->ReleaseOp(((kernel *)k)->adder);
    free(k);
}

/* Scale, of the oldest form: no statuses. */
static void compute(void *k, ort_kernel_context *ctx)
{
    const void *x;
    void *y;
    size_t n;
    if (!open_both(ctx, &x, &y, &n)) {
        for (size_t i = 0; i < n; i++) {
            ((float *)y)[i] = ((const float *)x)[i] * ((kernel *)k)->factor;
        }
    }
}

typedef struct job {
    const char *from;
    char *to;
} job;

static void copy_one(void *user, size_t i)
{
    ((job *)user)->to[i] = ((job *)user)->from[i];
}

static ort_status *compute_any(ort_kernel_context *ctx)
{
    const ort_value *in;
    const int64_t *dims;
    size_t rank, n;
    int32_t type;
    job j;
    void *scratch;
    TRY(open_both(ctx, (const void **)&j.from, (void **)&j.to, &n));
    TRY(api->KernelContext_GetInput(ctx, 0, &in));
    TRY(api->GetTensorElementTypeAndShapeDataReference(in, &type, &dims, &rank));
    const size_t bytes = n * (type == ORT_TYPE_INT64 || type == ORT_TYPE_DOUBLE ? 8 : 4);
    ort_memory_info *memory_info;
    TRY(api->CreateCpuMemoryInfo(ORT_ALLOCATOR_DEVICE, ORT_MEMORY_DEFAULT, &memory_info));
    TRY(api->KernelContext_GetScratchBuffer(ctx, memory_info, 100, &scratch));
    memset(scratch, 1, 100);
    api->ReleaseMemoryInfo(memory_info);
    return api->KernelContext_ParallelFor(ctx, copy_one, bytes, 3, &j);
}

static ort_status *compute_add_one(const op *o, ort_kernel_context *ctx)
{
    const void *x;
    void *y;
    size_t n;
    TRY(open_both(ctx, &x, &y, &n));
    for (size_t i = 0; i < n; i++) {
        if (o->in[0] == ORT_TYPE_FLOAT) {
            ((float *)y)[i] = ((const float *)x)[i] + 1;
        } else {
            ((int64_t *)y)[i] = ((const int64_t *)x)[i] + 1;
        }
    }
    return NULL;
}

/* All strings of all inputs in one, behind their number. */
static ort_status *compute_join(ort_kernel_context *ctx)
{
    char text[512];
    size_t at = 0, count, n, rank;
    TRY(api->KernelContext_GetInputCount(ctx, &count));
    at = (size_t)snprintf(text, sizeof text, "%zu", count);
    for (size_t i = 0; i < count; i++) {
        const ort_value *in;
        int64_t dims[8];
        TRY(api->KernelContext_GetInput(ctx, i, &in));
        TRY(shape_of(in, dims, &rank, &n));
        size_t total, one, offsets[16];
        char all[256];
        TRY(api->GetStringTensorDataLength(in, &total));
        TRY(api->GetStringTensorContent(in, all, total, offsets, n));
        for (size_t j = 0; j < n; j++) {
            TRY(api->GetStringTensorElementLength(in, j, &one));
            char element[64];
            TRY(api->GetStringTensorElement(in, sizeof element, j, element));
            if (memcmp(all + offsets[j], element, one) != 0) {
                return fail("two ways to a string differ");
            }
            at += (size_t)snprintf(text + at, sizeof text - at, "|%.*s", (int)one, element);
        }
    }
    return write_text(ctx, 0, text);
}

static ort_status *compute_optional(ort_kernel_context *ctx)
{
    const void *x, *more;
    void *y;
    size_t n, count;
    float sum = 0;
    int64_t dims[8], one = 1;
    size_t rank;
    TRY(open_both(ctx, &x, &y, &n));
    TRY(api->KernelContext_GetInputCount(ctx, &count));
    for (size_t i = 1; i < count; i++) {
        const ort_value *in;
        TRY(api->KernelContext_GetInput(ctx, i, &in));
        if (in) {
            TRY(api->GetTensorData(in, &more));
            sum += *(const float *)more * (i == 1 ? 1 : 100);
            TRY(shape_of(in, dims, &rank, &n));
        }
    }
    ((float *)y)[0] = ((const float *)x)[0] + sum;
    TRY(api->KernelContext_GetOutputCount(ctx, &n));
    if (n > 1) {
        ort_value *out;
        void *data;
        TRY(api->KernelContext_GetOutput(ctx, 1, &one, 1, &out));
        TRY(api->GetTensorMutableData(out, &data));
        *(int64_t *)data = (int64_t)count;
    }
    return NULL;
}

/* How many elements all inputs have, of whatever type they are. */
static ort_status *compute_count(ort_kernel_context *ctx)
{
    size_t count, rank, n;
    int64_t total = 0, dims[8], one = 1;
    ort_value *out;
    void *data;
    TRY(api->KernelContext_GetInputCount(ctx, &count));
    for (size_t i = 0; i < count; i++) {
        const ort_value *in;
        TRY(api->KernelContext_GetInput(ctx, i, &in));
        TRY(shape_of(in, dims, &rank, &n));
        total += (int64_t)n;
    }
    TRY(api->KernelContext_GetOutput(ctx, 0, &one, 1, &out));
    TRY(api->GetTensorMutableData(out, &data));
    *(int64_t *)data = total;
    return NULL;
}

/* Output i is the input times i + 1. */
static ort_status *compute_spread(ort_kernel_context *ctx)
{
    const void *x;
    void *y;
    size_t n, count, rank;
    int64_t dims[8];
    const ort_value *in;
    TRY(open_both(ctx, &x, &y, &n));
    TRY(api->KernelContext_GetInput(ctx, 0, &in));
    TRY(shape_of(in, dims, &rank, &n));
    TRY(api->KernelContext_GetOutputCount(ctx, &count));
    for (size_t i = 0; i < count; i++) {
        ort_value *out;
        TRY(api->KernelContext_GetOutput(ctx, i, dims, rank, &out));
        TRY(api->GetTensorMutableData(out, &y));
        for (size_t j = 0; j < n; j++) {
            ((float *)y)[j] = ((const float *)x)[j] * (float)(i + 1);
        }
    }
    return NULL;
}

static ort_status *compute_constant(const kernel *k, ort_kernel_context *ctx)
{
    const void *x;
    void *y;
    size_t n;
    TRY(open_both(ctx, &x, &y, &n));
    for (size_t i = 0; i < n; i++) {
        ((float *)y)[i] = ((const float *)x)[i] * k->factor;
    }
    return NULL;
}

/* x + x by the host's addition, plus memory of ours by the same. */
static ort_status *compute_calling(const kernel *k, ort_kernel_context *ctx)
{
    const ort_value *x;
    ort_value *y, *ours;
    int64_t dims[8];
    size_t rank, n;
    float ones[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    ort_memory_info *where;
    TRY(api->KernelContext_GetInput(ctx, 0, &x));
    TRY(shape_of(x, dims, &rank, &n));
    TRY(api->KernelContext_GetOutput(ctx, 0, dims, rank, &y));
    TRY(api->CreateCpuMemoryInfo(ORT_ALLOCATOR_DEVICE, ORT_MEMORY_DEFAULT, &where));
    TRY(api->CreateTensorWithDataAsOrtValue(where, ones, n * sizeof(float), dims, rank,
                                            ORT_TYPE_FLOAT, &ours));
    const ort_value *first[] = {x, x}, *second[] = {x, ours};
    TRY(api->InvokeOp(ctx, k->adder, second, 2, &ours, 1));
    if (ones[0] == 1) {
        return fail("nothing was written into memory of ours");
    }
    first[1] = ours;
    ort_status *failed = api->InvokeOp(ctx, k->adder, first, 2, &y, 1);
    api->ReleaseValue(ours);
    api->ReleaseMemoryInfo(where);
    return failed;
}

static ort_status *compute_doubled(ort_kernel_context *ctx)
{
    const ort_value *in;
    ort_value *out;
    const void *x;
    void *y;
    int64_t dims[8];
    size_t rank, n;
    TRY(api->KernelContext_GetInput(ctx, 0, &in));
    TRY(shape_of(in, dims, &rank, &n));
    TRY(api->GetTensorData(in, &x));
    dims[0] *= 2;
    TRY(api->KernelContext_GetOutput(ctx, 0, dims, rank, &out));
    TRY(api->GetTensorMutableData(out, &y));
    memcpy(y, x, n * sizeof(float));
    memcpy((float *)y + n, x, n * sizeof(float));
    return NULL;
}

static ort_status *compute_v2(void *v, ort_kernel_context *ctx)
{
    const kernel *k = v;
    const char *name = k->op->name;
    if (strcmp(name, "AddOne") == 0) {
        return compute_add_one(k->op, ctx);
    } else if (strcmp(name, "Join") == 0) {
        return compute_join(ctx);
    } else if (strcmp(name, "Optional") == 0) {
        return compute_optional(ctx);
    } else if (strcmp(name, "Any") == 0) {
        return compute_any(ctx);
    } else if (strcmp(name, "Count") == 0) {
        return compute_count(ctx);
    } else if (strcmp(name, "Spread") == 0) {
        return compute_spread(ctx);
    } else if (strcmp(name, "Fixed") == 0) {
        return compute_constant(k, ctx);
    } else if (strcmp(name, "Calling") == 0) {
        return compute_calling(k, ctx);
    } else if (strcmp(name, "Doubled") == 0) {
        return compute_doubled(ctx);
    } else if (strcmp(name, "Gate") == 0) {
        return write_text(ctx, 0, k->op->since < 7 ? "old" : "new");
    } else if (strcmp(name, "Attributes") == 0) {
        return write_text(ctx, 0, k->text);
    }
    return api->CreateStatus(ORT_INVALID_ARGUMENT, "it never works");
}

static ort_status *infer_doubled(const ort_custom_op *o, ort_shape_context *ctx)
{
    ort_tensor_info *info;
    int64_t dims[8];
    size_t rank;
    (void)o;
    TRY(api->ShapeInferContext_GetInputTypeShape(ctx, 0, &info));
    TRY(api->GetDimensionsCount(info, &rank));
    TRY(api->GetDimensions(info, dims, rank));
    dims[0] *= 2;
    TRY(api->SetDimensions(info, dims, rank));
    return api->ShapeInferContext_SetOutputTypeShape(ctx, 0, info); /* the info is the context's */
}

/* --- The ops --- */

#define FACE(version_, infer_)                                                                     \
    {                                                                                              \
        .version = version_, .name = name_of, .provider = provider_of, .input_type = input_type,   \
        .n_inputs = n_inputs, .output_type = output_type, .n_outputs = n_outputs,                  \
        .create = create, .compute = compute, .destroy = destroy, .input_kind = input_kind,        \
        .output_kind = output_kind, .input_memory = memory, .least_inputs = least,                 \
        .are_inputs_alike = are_alike, .least_outputs = least, .are_outputs_alike = are_alike,     \
        .create_v2 = (version_) >= 16 ? create_v2 : NULL,                                          \
        .compute_v2 = (version_) >= 16 ? compute_v2 : NULL, .infer_shapes = infer_,                \
        .first_opset = first_opset, .last_opset = last_opset                                       \
    }
#define FLOAT ORT_TYPE_FLOAT
#define LONG  ORT_TYPE_INT64
#define TEXT  ORT_TYPE_STRING
#define ANY   ORT_TYPE_UNDEFINED

static const op ops[] = {
    {FACE(8, NULL), "Scale", 1, 1, {FLOAT}, {FLOAT}, {0}, {0}, 1, 1, INT32_MAX},
    {FACE(16, NULL), "AddOne", 1, 1, {FLOAT}, {FLOAT}, {0}, {0}, 1, 1, INT32_MAX},
    {FACE(16, NULL), "AddOne", 1, 1, {LONG}, {LONG}, {0}, {0}, 1, 1, INT32_MAX},
    {FACE(16, NULL), "Any", 1, 1, {ANY}, {ANY}, {0}, {0}, 1, 1, INT32_MAX},
    {FACE(16, NULL), "Join", 1, 1, {TEXT}, {TEXT}, {ORT_VARIADIC}, {0}, 1, 1, INT32_MAX},
    {FACE(16, NULL), "Count", 1, 1, {ANY}, {LONG}, {ORT_VARIADIC}, {0}, 0, 1, INT32_MAX},
    {FACE(16, NULL), "Spread", 1, 1, {FLOAT}, {FLOAT}, {0}, {ORT_VARIADIC}, 1, 1, INT32_MAX},
    {FACE(16, NULL),
     "Optional",
     3,
     2,
     {FLOAT, FLOAT, FLOAT},
     {FLOAT, LONG},
     {0, ORT_OPTIONAL, ORT_OPTIONAL},
     {0, ORT_OPTIONAL},
     1,
     1,
     INT32_MAX},
    {FACE(16, NULL), "Attributes", 1, 1, {FLOAT}, {TEXT}, {0}, {0}, 1, 1, INT32_MAX},
    {FACE(16, NULL), "Fixed", 2, 1, {FLOAT, FLOAT}, {FLOAT}, {0}, {0}, 1, 1, INT32_MAX},
    {FACE(17, infer_doubled), "Doubled", 1, 1, {FLOAT}, {FLOAT}, {0}, {0}, 1, 1, INT32_MAX},
    {FACE(17, NULL), "Gate", 1, 1, {FLOAT}, {TEXT}, {0}, {0}, 1, 1, 6},
    {FACE(17, NULL), "Gate", 1, 1, {FLOAT}, {TEXT}, {0}, {0}, 1, 7, INT32_MAX},
    {FACE(16, NULL), "Fails", 1, 1, {FLOAT}, {FLOAT}, {0}, {0}, 1, 1, INT32_MAX},
    {FACE(16, NULL), "Calling", 1, 1, {FLOAT}, {FLOAT}, {0}, {0}, 1, 1, INT32_MAX},
    {FACE(16, NULL), "CallingNone", 1, 1, {FLOAT}, {FLOAT}, {0}, {0}, 1, 1, INT32_MAX},
    {FACE(16, NULL), "Lacking", 1, 1, {FLOAT}, {FLOAT}, {0}, {0}, 1, 1, INT32_MAX},
    {FACE(16, NULL), "OnGpu", 1, 1, {FLOAT}, {FLOAT}, {0}, {0}, 1, 1, INT32_MAX},
};
static const op zero = {FACE(0, NULL), "Zero", 1, 1, {FLOAT}, {FLOAT}, {0}, {0}, 1, 1, INT32_MAX};
static const op wide = {FACE(16, NULL), "AddOne", 2, 1, {FLOAT, FLOAT}, {FLOAT}, {0}, {0}, 1, 1,
                        INT32_MAX};

static ort_status *check_slots(void)
{
    void (*slots[sizeof(ort_api) / sizeof(void (*)(void))])(void);
    memcpy(slots, api, sizeof slots);
    for (size_t i = 0; i < sizeof slots / sizeof slots[0]; i++) {
        if (!slots[i]) {
            return fail("a slot of the table is empty");
        }
    }
    return NULL;
}

__attribute__((visibility("default"))) ort_status *RegisterCustomOps(ort_session_options *options,
                                                                     const ort_api_base *base);
ort_status *RegisterCustomOps(ort_session_options *options, const ort_api_base *base)
{
    ort_domain *domain;
    api = base->get_api(BAD == 1 ? 1000 : 17);
    if (!api) {
        return NULL; /* what else could it say? */
    }
    if (BAD == 2) {
        return fail("no licence found");
    }
    TRY(api->CreateCustomOpDomain("test.custom", &domain));
    TRY(base->get_api(ORT_ABI_VERSION) == api ? check_slots() : NULL);
    for (size_t i = 0; i < sizeof ops / sizeof ops[0] && BAD != 3; i++) {
        if (provider_of(&ops[i].face) == NULL || getenv("WITH_GPU_OPS")) {
            TRY(api->CustomOpDomain_Add(domain, &ops[i].face));
        }
    }
    if (BAD == 4 || BAD == 5) {
        TRY(api->CustomOpDomain_Add(domain, BAD == 4 ? &zero.face : &wide.face));
    }
    return api->AddCustomOpDomain(options, domain);
}
