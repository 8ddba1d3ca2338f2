/* SPDX-License-Identifier: Apache-2.0 */
/* Equal and NotEqual of texts, which broadcast. */
#include "cpu/base/families.h"
#include "cpu/text/texts.h"

typedef struct equal_state {
    bool
        is_strict; /* shapes that do not broadcast are an error; else texts of them are not equal */
} equal_state;

static void equal_read(oribi_kit_setup *setup, equal_state *state)
{
    oribi_kit_attr_bool(setup, "incompatible_shape_error", &state->is_strict);
}
ORIBI_KIT_CREATE(equal, equal_state)

static bool fit(const oribi_cpu_shape *a, const oribi_cpu_shape *b)
{
    for (int32_t i = 1; i <= a->n && i <= b->n; i++) {
        const int64_t x = a->at[a->n - i], y = b->at[b->n - i];
        if (x != y && x != 1 && y != 1) {
            return false;
        }
    }
    return true;
}

static bool compare(oribi_kit_run *run, const equal_state *state, bool is_equal)
{
    oribi_cpu_shape a, b, out;
    oribi_dims a_strides, b_strides;
    int64_t patience = 0;
    if (!oribi_cpu_input_shape(run, 0, &a) || !oribi_cpu_input_shape(run, 1, &b)) {
        return false;
    }
    if (!state->is_strict && !fit(&a, &b)) {
        bool *none = oribi_kit_output(run, 0, NULL, 0);
        if (none != NULL) {
            *none = !is_equal;
        }
        return none != NULL;
    }
    if (!fit(&a, &b)) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "shapes %s and %s must be equal",
                              oribi_cpu_shape_text(&a).chars, oribi_cpu_shape_text(&b).chars);
    }
    if (!oribi_cpu_broadcast(run, &a, &b, &out)) {
        return false;
    }
    const TF_TString *x = TF_TensorData(run->in[0]), *y = TF_TensorData(run->in[1]);
    bool *z = oribi_kit_output(run, 0, out.at, out.n);
    if (z == NULL) {
        return false;
    }
    oribi_cpu_broadcast_strides(&a, &out, &a_strides);
    oribi_cpu_broadcast_strides(&b, &out, &b_strides);
    const int64_t count = oribi_cpu_product(out.at, out.n);
    for (int64_t i = 0; i < count && !oribi_kit_stops(run, &patience, 30); i++) {
        const oribi_cpu_span left =
            oribi_cpu_text_at(x, oribi_cpu_broadcast_place(i, &out, &a_strides));
        const oribi_cpu_span right =
            oribi_cpu_text_at(y, oribi_cpu_broadcast_place(i, &out, &b_strides));
        z[i] = oribi_cpu_same_text(left, right) == is_equal;
    }
    return true;
}

static bool equal_run(const void *state, oribi_kit_run *run)
{
    return compare(run, state, true);
}
ORIBI_KIT_COMPUTE(equal, 2)

static bool not_equal_run(const void *state, oribi_kit_run *run)
{
    return compare(run, state, false);
}
ORIBI_KIT_COMPUTE(not_equal, 2)

const oribi_cpu_kernel oribi_cpu_string_equal_kernels[] = {
    ORIBI_CPU_STATE_ROW("Equal", equal, equal, "byte for byte", ORIBI_CPU_OF(TF_STRING)),
    ORIBI_CPU_STATE_ROW("NotEqual", equal, not_equal, "byte for byte", ORIBI_CPU_OF(TF_STRING)),
    {.op_name = NULL},
};
