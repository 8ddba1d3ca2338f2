/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of tensors. What comes into a list is copied into memory that outlives the run, and never
 * written again; from list to list, and out of one, it is shared.
 */
#include "cpu/base/families.h"
#include "cpu/text/texts.h"
#include "tensorflow/c/variant.h"

#include <inttypes.h>

/* --- Elements ----------------------------------------------------------------------------------
 */

/* count elements of the type, which may own memory. */
static bool copy_elements(oribi_kit_run *run, TF_DataType dtype, void *to, const void *from,
                          int64_t count)
{
    if (dtype != TF_STRING) {
        if (count > 0) {
            memcpy(to, from, (size_t)count * TF_DataTypeSize(dtype));
        }
        return true;
    }
    TF_TString *texts = to;
    bool good = true;
    for (int64_t i = 0; good && i < count; i++) {
        good = oribi_cpu_text_append(run, &texts[i], oribi_cpu_text_at(from, i));
    }
    return good;
}

static TF_Tensor *lasting(oribi_kit_run *run, TF_DataType dtype, const oribi_wide_dims *dims)
{
    TF_Tensor *made = TF_AllocateLasting(run->context, dtype, dims->at, dims->n, run->status);
    if (made != NULL && dtype == TF_STRING) {
        TF_TString *texts = TF_TensorData(made);
        oribi_cpu_text_begin();
        for (int64_t i = 0; i < TF_TensorElementCount(made); i++) {
            TF_StringInit(&texts[i]);
        }
    }
    return made;
}

/* A copy of the tensor becomes element i of output 0. */
static bool put_copy(oribi_kit_run *run, int64_t i, const TF_Tensor *tensor)
{
    oribi_wide_dims dims;
    if (!oribi_cpu_wide_dims(run, tensor, &dims)) {
        return false;
    }
    TF_Tensor *copy = lasting(run, TF_TensorType(tensor), &dims);
    if (copy != NULL) {
        if (copy_elements(run, TF_TensorType(tensor), TF_TensorData(copy), TF_TensorData(tensor),
                          TF_TensorElementCount(tensor))) {
            TF_TensorSetVariantTensor(run->out[0], i, copy, run->status);
        }
        TF_DeleteTensor(copy);
    }
    return oribi_kit_is_ok(run);
}

/* Element `from` of the list becomes element `to` of output 0, too. */
static bool put_shared(oribi_kit_run *run, int64_t to, const TF_Tensor *list, int64_t from)
{
    const TF_VariantHead *element = TF_TensorVariant(list, from, NULL, run->status);
    if (element == NULL) {
        return false;
    }
    TF_VariantHead *copy = element->type->copy(element);
    if (copy == NULL) {
        return oribi_kit_fail(run, TF_RESOURCE_EXHAUSTED, "no memory for a list");
    }
    TF_TensorSetVariant(run->out[0], to, copy, run->status);
    return oribi_kit_is_ok(run);
}

static bool check_type(oribi_kit_run *run, const TF_Tensor *tensor, TF_DataType dtype)
{
    return TF_TensorType(tensor) == dtype ||
           oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                          "the list has elements of type %d, but the model wants type %d "
                          "(numbers of TF_DataType)",
                          (int)TF_TensorType(tensor), (int)dtype);
}

/* The length of a sequence; false: it is an optional without a value, or no list at all. */
static bool length_of(oribi_kit_run *run, const TF_Tensor *list, int64_t *out)
{
    if (TF_NumDims(list) > 1 ||
        (TF_NumDims(list) == 0 && *(void *const *)TF_TensorData(list) == NULL)) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              TF_NumDims(list) == 0 ? "the optional has no value"
                                                    : "lists have one axis, not %d",
                              TF_NumDims(list));
    }
    *out = TF_TensorElementCount(list);
    return true;
}

/* Input `index` as a position of [0, length), or [0, length] where the end is one too, which is
 * what none stands for. */
static bool read_position(oribi_kit_run *run, int index, int64_t length, bool may_end, int64_t *out)
{
    int64_t position = length;
    int count = 0;
    if (!oribi_kit_read_ints(run, run->in[index], "position", &position, 1, &count)) {
        return false;
    }
    if (position < -length || position > length - (may_end ? 0 : 1)) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "position %" PRId64 " is not in a list of %" PRId64 " elements",
                              position, length);
    }
    *out = position < 0 ? position + length : position;
    return true;
}

typedef struct list_state {
    TF_DataType dtype; /* of the elements */
    int64_t axis;
    bool has_axis; /* keepdims, new_axis, is_optional */
} list_state;

static void plain_read(oribi_kit_setup *setup, list_state *state)
{
    oribi_kit_attr_type(setup, "T", &state->dtype);
}
ORIBI_KIT_CREATE(plain, list_state)

/* --- Made and changed --------------------------------------------------------------------------
 */

static void list_read(oribi_kit_setup *setup, list_state *state)
{
    oribi_kit_attr_bool(setup, "is_optional", &state->has_axis);
}
ORIBI_KIT_CREATE(list, list_state)

static void list_compute(void *state, TF_OpKernelContext *context)
{
    const list_state *s = state;
    oribi_kit_run run;
    const int64_t count = TF_NumInputs(context);
    int64_t patience = 0;
    bool ok = oribi_kit_begin(&run, context, 0);
    if (ok && s->has_axis && count > 1) {
        ok = oribi_kit_fail(&run, TF_INVALID_ARGUMENT, "an optional has one value at most");
    }
    ok = ok && oribi_kit_output(&run, 0, &count, s->has_axis ? 0 : 1) != NULL;
    for (int64_t i = 0; ok && i < count && !oribi_kit_stops(&run, &patience, 500); i++) {
        TF_Tensor *tensor = NULL;
        TF_GetInput(context, (int)i, &tensor, run.status);
        ok = oribi_kit_is_ok(&run) && put_copy(&run, i, tensor);
        TF_DeleteTensor(tensor);
    }
    oribi_kit_end(&run);
}

static bool no_list_run(const void *state, oribi_kit_run *run)
{
    (void)state;
    return oribi_kit_output(run, 0, NULL, 0) != NULL;
}
ORIBI_KIT_COMPUTE(no_list, 0)

static bool insert_run(const void *state, oribi_kit_run *run)
{
    int64_t length = 0, position = 0, patience = 0;
    const list_state *s = state;
    if (!length_of(run, run->in[0], &length) || !read_position(run, 2, length, true, &position)) {
        return false;
    }
    if (length > 0) {
        TF_Tensor *first = TF_TensorVariantTensor(run->in[0], 0, run->status);
        const bool is_same = first != NULL && check_type(run, first, s->dtype);
        TF_DeleteTensor(first);
        if (!is_same) {
            return false;
        }
    }
    const int64_t longer = length + 1;
    if (oribi_kit_output(run, 0, &longer, 1) == NULL) {
        return false;
    }
    for (int64_t i = 0; i < length; i++) {
        if (oribi_kit_stops(run, &patience, 50) ||
            !put_shared(run, i + (i >= position), run->in[0], i)) {
            return false;
        }
    }
    return put_copy(run, position, run->in[1]);
}
ORIBI_KIT_COMPUTE(insert, 3)

static bool erase_run(const void *state, oribi_kit_run *run)
{
    int64_t length = 0, position = 0, patience = 0;
    (void)state;
    if (!length_of(run, run->in[0], &length) || !read_position(run, 1, length, false, &position)) {
        return false;
    }
    const int64_t shorter = length - 1;
    if (oribi_kit_output(run, 0, &shorter, 1) == NULL) {
        return false;
    }
    for (int64_t i = 0; i < shorter; i++) {
        if (oribi_kit_stops(run, &patience, 50) ||
            !put_shared(run, i, run->in[0], i + (i >= position))) {
            return false;
        }
    }
    return true;
}
ORIBI_KIT_COMPUTE(erase, 2)

/* --- Read --------------------------------------------------------------------------------------
 */

static bool at_run(const void *state, oribi_kit_run *run)
{
    const list_state *s = state;
    int64_t length = 0, position = 0;
    if (!length_of(run, run->in[0], &length) || !read_position(run, 1, length, false, &position)) {
        return false;
    }
    TF_Tensor *element = TF_TensorVariantTensor(run->in[0], position, run->status);
    if (element != NULL && check_type(run, element, s->dtype)) {
        TF_SetOutput(run->context, 0, element, run->status);
    }
    TF_DeleteTensor(element);
    return oribi_kit_is_ok(run);
}
ORIBI_KIT_COMPUTE(at, 2)

static bool has_run(const void *state, oribi_kit_run *run)
{
    bool *has = oribi_kit_output(run, 0, NULL, 0);
    (void)state;
    if (has == NULL) {
        return false;
    }
    *has = TF_NumDims(run->in[0]) > 0 || *(void *const *)TF_TensorData(run->in[0]) != NULL;
    return true;
}
ORIBI_KIT_COMPUTE(has, 1)

static bool get_run(const void *state, oribi_kit_run *run)
{
    int64_t length = 0;
    (void)state;
    if (!length_of(run, run->in[0], &length) || TF_NumDims(run->in[0]) != 1) {
        return oribi_kit_is_ok(run) &&
               oribi_kit_fail(run, TF_INVALID_ARGUMENT, "the optional holds no sequence");
    }
    TF_SetOutput(run->context, 0, run->in[0], run->status);
    return oribi_kit_is_ok(run);
}
ORIBI_KIT_COMPUTE(get, 1)

/* --- Split and joined --------------------------------------------------------------------------
 */

static void split_read(oribi_kit_setup *setup, list_state *state)
{
    oribi_kit_attr_int(setup, "axis", &state->axis);
    oribi_kit_attr_bool(setup, "keepdims", &state->has_axis);
}
ORIBI_KIT_CREATE(split, list_state)

static void without_axis(oribi_wide_dims *dims, int axis)
{
    for (int i = axis; i + 1 < dims->n; i++) {
        dims->at[i] = dims->at[i + 1];
    }
    dims->n--;
}

/* Slices [begin, begin + size) along the axis become element i. */
static bool put_slices(oribi_kit_run *run, const list_state *s, int axis, int64_t i, int64_t begin,
                       int64_t size)
{
    oribi_wide_dims dims;
    if (!oribi_cpu_wide_dims(run, run->in[0], &dims)) {
        return false;
    }
    const TF_DataType dtype = TF_TensorType(run->in[0]);
    const size_t element = TF_DataTypeSize(dtype);
    const int64_t outer = oribi_cpu_product(dims.at, axis), length = dims.at[axis];
    const int64_t inner = oribi_cpu_product(dims.at + axis + 1, dims.n - axis - 1);
    dims.at[axis] = size;
    if (!s->has_axis) {
        without_axis(&dims, axis);
    }
    TF_Tensor *part = lasting(run, dtype, &dims);
    if (part == NULL) {
        return false;
    }
    char *to = TF_TensorData(part);
    const char *from = TF_TensorData(run->in[0]);
    bool good = true;
    for (int64_t k = 0; good && k < outer; k++) {
        good = copy_elements(run, dtype, to + (size_t)(k * size * inner) * element,
                             from + (size_t)((k * length + begin) * inner) * element, size * inner);
    }
    if (good) {
        TF_TensorSetVariantTensor(run->out[0], i, part, run->status);
    }
    TF_DeleteTensor(part);
    return oribi_kit_is_ok(run);
}

/* Sizes of a vector have to fill the axis. */
static bool check_sizes(oribi_kit_run *run, const TF_Tensor *sizes, int64_t length)
{
    int64_t left = length;
    for (int64_t i = 0; i < TF_TensorElementCount(sizes); i++) {
        const int64_t size = oribi_kit_int_at(TF_TensorData(sizes), TF_TensorType(sizes), i);
        if (size < 0 || size > left) {
            left = -1;
            break;
        }
        left -= size;
    }
    return left == 0 ||
           oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                          "the sizes of the split do not add up to the %" PRId64 " of the axis",
                          length);
}

static bool split_run(const void *state, oribi_kit_run *run)
{
    const list_state *s = state;
    const TF_Tensor *sizes = run->in[1];
    int axis = 0;
    if (!oribi_cpu_axis(run, s->axis, TF_NumDims(run->in[0]), &axis)) {
        return false;
    }
    const int64_t length = TF_Dim(run->in[0], axis);
    const bool is_even = TF_NumDims(sizes) == 0;
    int64_t size = 0, count = TF_TensorElementCount(sizes);
    if (is_even) {
        if (!oribi_cpu_read_int(run, 1, "split", &size)) {
            return false;
        }
        if (size < 1) {
            return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "split is %" PRId64, size);
        }
        count = length / size + (length % size != 0);
    } else if (TF_NumDims(sizes) > 1 || !check_sizes(run, sizes, length)) {
        return oribi_kit_is_ok(run) &&
               oribi_kit_fail(run, TF_INVALID_ARGUMENT, "split must be a scalar or a vector");
    }
    if (oribi_kit_output(run, 0, &count, 1) == NULL) {
        return false;
    }
    int64_t begin = 0, patience = 0;
    for (int64_t i = 0; i < count && !oribi_kit_stops(run, &patience, 500); i++) {
        const int64_t left = length - begin;
        int64_t part =
            is_even ? size : oribi_kit_int_at(TF_TensorData(sizes), TF_TensorType(sizes), i);
        if (part > left && is_even) {
            part = left;
        }
        if (part < 0 || part > left) {
            return oribi_cpu_index_changed(run);
        }
        if (!s->has_axis && part != 1) {
            return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                                  "a part of %" PRId64 " slices keeps its axis", part);
        }
        if (!put_slices(run, s, axis, i, begin, part)) {
            return false;
        }
        begin += part;
    }
    return true;
}
ORIBI_KIT_COMPUTE(split, 2)

static void concat_read(oribi_kit_setup *setup, list_state *state)
{
    oribi_kit_attr_type(setup, "T", &state->dtype);
    oribi_kit_attr_int(setup, "axis", &state->axis);
    oribi_kit_attr_bool(setup, "new_axis", &state->has_axis);
}
ORIBI_KIT_CREATE(concat, list_state)

/* Adds the element's length along the axis to *dims, whose others it must share. */
static bool add_length(oribi_kit_run *run, const list_state *s, const TF_Tensor *element, int axis,
                       oribi_wide_dims *dims)
{
    oribi_wide_dims own;
    if (!check_type(run, element, s->dtype) || !oribi_cpu_wide_dims(run, element, &own)) {
        return false;
    }
    bool fits = own.n + s->has_axis == dims->n;
    for (int i = 0; fits && i < dims->n; i++) {
        fits = i == axis || dims->at[i] == own.at[i - (s->has_axis && i > axis)];
    }
    if (!fits ||
        __builtin_add_overflow(dims->at[axis], s->has_axis ? 1 : own.at[axis], &dims->at[axis])) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "the elements of the list differ in shape: they cannot be joined");
    }
    return true;
}

/* The dims of the result, whose axis is still 0; *out_axis becomes the axis of it. */
static bool begin_joined(oribi_kit_run *run, const list_state *s, const TF_Tensor *first,
                         oribi_wide_dims *dims, int *out_axis)
{
    if (!oribi_cpu_wide_dims(run, first, dims)) {
        return false;
    }
    if (s->has_axis && !oribi_wide_dims_add(dims, 0)) {
        return oribi_kit_fail(run, TF_UNIMPLEMENTED, "too many dimensions");
    }
    if (!oribi_cpu_axis(run, s->axis, dims->n, out_axis)) {
        return false;
    }
    for (int i = dims->n - 1; s->has_axis && i > *out_axis; i--) {
        dims->at[i] = dims->at[i - 1];
    }
    dims->at[*out_axis] = 0;
    return true;
}

static bool concat_run(const void *state, oribi_kit_run *run)
{
    const list_state *s = state;
    oribi_wide_dims dims;
    int axis = 0;
    int64_t count = 0, done = 0, patience = 0;
    if (!length_of(run, run->in[0], &count)) {
        return false;
    }
    for (int64_t i = 0; i < count || i == 0; i++) { /* of no element: says that there is none */
        TF_Tensor *element = TF_TensorVariantTensor(run->in[0], i, run->status);
        const bool ok = element != NULL && (i > 0 || begin_joined(run, s, element, &dims, &axis)) &&
                        add_length(run, s, element, axis, &dims);
        TF_DeleteTensor(element);
        if (!ok) {
            return false;
        }
    }
    char *y = s->dtype == TF_STRING ? (char *)oribi_cpu_text_output(run, 0, dims.at, dims.n)
                                    : oribi_kit_output(run, 0, dims.at, dims.n);
    const size_t element_bytes = TF_DataTypeSize(s->dtype);
    const int64_t outer = oribi_cpu_product(dims.at, axis);
    const int64_t inner = oribi_cpu_product(dims.at + axis + 1, dims.n - axis - 1);
    for (int64_t i = 0; y != NULL && i < count && !oribi_kit_stops(run, &patience, 500); i++) {
        TF_Tensor *element = TF_TensorVariantTensor(run->in[0], i, run->status);
        if (element == NULL) {
            return false;
        }
        const int64_t length = s->has_axis ? 1 : TF_Dim(element, axis);
        const char *x = TF_TensorData(element);
        bool good = true;
        for (int64_t k = 0; good && k < outer; k++) {
            good = copy_elements(run, s->dtype,
                                 y + (size_t)((k * dims.at[axis] + done) * inner) * element_bytes,
                                 x + (size_t)(k * length * inner) * element_bytes, length * inner);
        }
        done += length;
        TF_DeleteTensor(element);
        if (!good) {
            return false;
        }
    }
    return y != NULL;
}
ORIBI_KIT_COMPUTE(concat, 1)

/* clang-format off */
const oribi_cpu_kernel oribi_cpu_list_kernels[] = {
    ORIBI_CPU_STATE_ROW("Oribi>List", list, list, "copies each tensor once"),
    ORIBI_CPU_STATE_ROW("Oribi>NoList", plain, no_list, "an empty variant"),
    ORIBI_CPU_STATE_ROW("Oribi>ListInsert", plain, insert, "copies one tensor, shares the others"),
    ORIBI_CPU_STATE_ROW("Oribi>ListErase", plain, erase, "shares the tensors"),
    ORIBI_CPU_STATE_ROW("Oribi>ListAt", plain, at, "shares the tensor"),
    ORIBI_CPU_STATE_ROW("Oribi>ListSplit", split, split, "copies each part once"),
    ORIBI_CPU_STATE_ROW("Oribi>ListConcat", concat, concat, "copies each tensor once"),
    ORIBI_CPU_ROW("Oribi>ListHas", has, "reads one pointer"),
    ORIBI_CPU_STATE_ROW("Oribi>ListGet", plain, get, "aliases its input"),
    {.op_name = NULL},
};
/* clang-format on */
