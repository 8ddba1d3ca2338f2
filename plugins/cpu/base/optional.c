/* SPDX-License-Identifier: Apache-2.0 */
/* See optional.h. */
#include "cpu/base/optional.h"

#include "cpu/base/cpu_shape.h"

enum { MOST = 8 };

void oribi_cpu_read_present(oribi_kit_setup *setup, int n, int n_needed, int *out)
{
    TF_Bool present[MOST] = {0};
    int32_t count = 0, total = 0, at = 0;
    const int given = TF_OpKernelConstruction_NumInputs(setup->construction);
    TF_OpKernelConstruction_GetAttrSize(setup->construction, "present", &count, &total,
                                        setup->status);
    if (TF_GetCode(setup->status) == TF_OK && count > 0) {
        TF_OpKernelConstruction_GetAttrBoolList(setup->construction, "present", present, MOST,
                                                setup->status);
    }
    bool good = count <= n;
    for (int i = 0; i < n; i++) {
        const bool is_there = count <= 0 ? i < given : i < count && present[i] != 0;
        out[i] = is_there ? at++ : -1;
        good = good && (is_there || i >= n_needed);
    }
    if (!good || at != given) {
        (void)oribi_kit_setup_fail(setup, TF_INVALID_ARGUMENT,
                                   "'present' does not describe the %d inputs", given);
    }
}

static bool check_one(oribi_kit_run *run, int place, const char *what)
{
    return TF_TensorElementCount(run->in[place]) == 1 ||
           oribi_kit_fail(run, TF_INVALID_ARGUMENT, "%s has %lld elements; it must have one", what,
                          (long long)TF_TensorElementCount(run->in[place]));
}

bool oribi_cpu_optional_int(oribi_kit_run *run, int place, const char *what, int64_t absent,
                            int64_t *out)
{
    *out = absent;
    return place < 0 || oribi_cpu_read_int(run, place, what, out);
}

bool oribi_cpu_optional_real(oribi_kit_run *run, int place, const char *what, double absent,
                             double *out)
{
    *out = absent;
    if (place < 0) {
        return true;
    }
    const TF_DataType type = TF_TensorType(run->in[place]);
    if (!check_one(run, place, what)) {
        return false;
    }
    if (type != TF_FLOAT && type != TF_DOUBLE) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "%s is of type %d; it must be a float",
                              what, (int)type);
    }
    *out = type == TF_FLOAT ? (double)*(const float *)TF_TensorData(run->in[place])
                            : *(const double *)TF_TensorData(run->in[place]);
    return true;
}

bool oribi_cpu_check_type(oribi_kit_run *run, int place, const char *what, TF_DataType wanted)
{
    return TF_TensorType(run->in[place]) == wanted ||
           oribi_kit_fail(run, TF_INVALID_ARGUMENT, "%s is of type %d; it must be of type %d", what,
                          (int)TF_TensorType(run->in[place]), (int)wanted);
}
