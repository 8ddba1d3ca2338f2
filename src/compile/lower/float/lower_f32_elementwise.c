/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of one and of two floats, and reductions, by the door that kernels of plugins come by:
 * a `prepare` that sees a node through oribi/target.h alone. */
#include "compile/lower/args_table.h"
#include "compile/lower/float/lower_f64.h"
#include "micro/binary/binary_f32.h"
#include "micro/broadcast_prepare.h"
#include "micro/geometry/geometry_axes.h"
#include "micro/prepare.h"
#include "micro/reduce/reduce_extreme.h"
#include "micro/reduce/reduce_f32.h"
#include "micro/unary/unary_f32.h"
#include "target/target.h"
#include "tensor/status.h"

#include <string.h>

/* By the kernel of floats that bears the name of the call's row. */
static bool lower_by(oribi_lowering *lowering, oribi_call *call, const oribi_target_kernel *kernel)
{
    ORIBI_TRY(oribi_lower_is_f32(lowering, call));
    const char *name = oribi_lower_f32_kernel(lowering, call);
    return name != NULL && oribi_lower_by_kernel(lowering, call, kernel, name);
}

/* The kernel takes the first `n` inputs, over which its result may lie. */
static void take(oribi_target_code *code, int32_t n, TF_Status *status)
{
    static const int32_t first[] = {0, 1};
    oribi_target_set_inputs(code, first, n, status);
    for (int32_t i = 0; i < n; i++) {
        oribi_target_set_in_place(code, i, status);
    }
}

/* --- One operand ----------------------------------------------------------------------------- */

static float read_bound(const oribi_region *region, int32_t input, TF_Status *status)
{
    oribi_region_tensor bound = {.struct_size = sizeof bound};
    oribi_region_input(region, 0, input, &bound, status);
    if (oribi_ok(status) && (bound.constant == NULL || bound.bytes != sizeof(float))) {
        oribi_fail(status, TF_UNIMPLEMENTED, "has bounds that are not constant single numbers");
    }
    return oribi_ok(status) ? *(const float *)bound.constant : 0.0f;
}

static void unary_prepare(void *user, const oribi_region *region, oribi_target_code *code,
                          TF_Status *status)
{
    oribi_region_tensor x = {.struct_size = sizeof x};
    (void)user;
    struct oribi_micro_unary_f32_args args = {0};
    if (oribi_attrs_find(&region->nodes[0]->attrs, "alpha") != NULL) { /* of few of them */
        args.alpha = oribi_region_attr_float(region, 0, "alpha", status);
    }
    oribi_region_input(region, 0, 0, &x, status);
    args.count = (int32_t)(x.bytes / sizeof(float));
    if (oribi_region_num_inputs(region, 0) == 3) {
        args.low = read_bound(region, 1, status);
        args.high = read_bound(region, 2, status);
    }
    oribi_target_set_arguments(code, &args, sizeof args, status);
    take(code, 1, status);
}

bool oribi_lower_unary_f32(oribi_lowering *lowering, oribi_call *call)
{
    static const oribi_target_kernel unary = {.args = &oribi_args_unary_f32,
                                              .prepare = unary_prepare};
    return oribi_lower_is_f64(lowering, call) ? oribi_lower_unary_f64(lowering, call)
                                              : lower_by(lowering, call, &unary);
}

/* --- Two operands ---------------------------------------------------------------------------- */

static void read_sizes(const oribi_region *region, int32_t input, oribi_sizes *out,
                       TF_Status *status)
{
    oribi_region_tensor x = {.struct_size = sizeof x};
    oribi_region_input(region, 0, input, &x, status);
    *out = (oribi_sizes){0};
    for (int32_t i = 0; i < x.rank; i++) {
        (void)oribi_sizes_add(out, x.dims[i]); /* of ranks that lower_by has let through */
    }
}

static void binary_prepare(void *user, const oribi_region *region, oribi_target_code *code,
                           TF_Status *status)
{
    oribi_sizes a, b;
    struct oribi_micro_binary_f32_args args = {0};
    (void)user;
    read_sizes(region, 0, &a, status);
    read_sizes(region, 1, &b, status);
    const int32_t result = oribi_micro_broadcast_resolve(a.at, a.n, b.at, b.n, &args.shape);
    if (result != ORIBI_MICRO_OK) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "%s", oribi_micro_text(result));
    }
    oribi_target_set_arguments(code, &args, sizeof args, status);
    take(code, 2, status);
}

bool oribi_lower_binary_f32(oribi_lowering *lowering, oribi_call *call)
{
    static const char *const counted[] = {"AddV2",    "Sub",      "Mul",
                                          "Maximum",  "Minimum",  "Div",
                                          "FloorDiv", "FloorMod", "SquaredDifference"};
    for (size_t i = 0; i < sizeof counted / sizeof counted[0]; i++) {
        if (strcmp(call->node->op_name, counted[i]) == 0 &&
            oribi_lower_is_integer(lowering, call)) {
            return oribi_lower_binary_int(lowering, call);
        }
    }
    static const oribi_target_kernel binary = {.args = &oribi_args_binary_f32,
                                               .prepare = binary_prepare};
    return oribi_lower_is_f64(lowering, call) ? oribi_lower_binary_f64(lowering, call)
                                              : lower_by(lowering, call, &binary);
}

/* --- Reductions ------------------------------------------------------------------------------ */

/* One side of the dimensions: what is kept, or what is reduced. */
typedef struct side {
    int32_t *rank, *dims, *step; /* of the arguments */
} side;

/* Neighbouring dimensions of one side become one. False: too many remain. */
static bool divide(const oribi_sizes *x, const oribi_geometry_axes *reduced,
                   struct oribi_micro_reduce_f32_args *out)
{
    const side sides[2] = {{&out->kept_rank, out->kept_dims, out->kept_step},
                           {&out->rank, out->dims, out->step}};
    const side *last = NULL;
    int32_t step = 1;
    for (int32_t i = 0; i < x->n; i++) {
        step *= x->at[i];
    }
    for (int32_t i = 0; i < x->n; i++) {
        const side *s = &sides[oribi_geometry_has_axis(reduced, i) ? 1 : 0];
        step /= x->at[i];
        if (s == last) {
            s->dims[*s->rank - 1] *= x->at[i];
            s->step[*s->rank - 1] = step;
        } else if (*s->rank == ORIBI_MICRO_REDUCE_RANK) {
            return false;
        } else {
            s->dims[*s->rank] = x->at[i];
            s->step[(*s->rank)++] = step;
        }
        last = s;
    }
    return true;
}

static void read_axes(const oribi_region *region, int32_t rank, oribi_geometry_axes *out,
                      TF_Status *status)
{
    oribi_region_tensor axes = {.struct_size = sizeof axes};
    oribi_dims named = {0};
    int32_t at = 0;
    oribi_region_input(region, 0, 1, &axes, status);
    const size_t bytes = axes.dtype == TF_INT64 ? sizeof(int64_t) : sizeof(int32_t);
    for (size_t i = 0; axes.constant != NULL && i < axes.bytes / bytes; i++) {
        const int64_t axis = bytes == sizeof(int64_t) ? ((const int64_t *)axes.constant)[i]
                                                      : ((const int32_t *)axes.constant)[i];
        if (!oribi_dims_add(&named, axis)) {
            axes.constant = NULL;
        }
    }
    if (oribi_ok(status) && axes.constant == NULL && axes.bytes > 0) {
        oribi_fail(status, TF_UNIMPLEMENTED, "reduces axes that are not known before a run");
    } else if (oribi_ok(status) && oribi_geometry_name_axes(named.at, named.n, rank, out, &at) ==
                                       ORIBI_GEOMETRY_NO_AXIS) {
        oribi_fail(status, TF_UNIMPLEMENTED, "reduces an axis that does not exist");
    }
}

static void read_walk(const oribi_region *region, struct oribi_micro_reduce_f32_args *out,
                      TF_Status *status)
{
    oribi_geometry_axes reduced = {0};
    oribi_sizes x;
    read_sizes(region, 0, &x, status);
    read_axes(region, x.n, &reduced, status);
    if (oribi_ok(status) && !divide(&x, &reduced, out)) {
        oribi_fail(status, TF_UNIMPLEMENTED, "reduces too many separate axes");
    }
}

/* user: the code of a reduction of doubles, or NULL. */
static void reduce_prepare(void *user, const oribi_region *region, oribi_target_code *code,
                           TF_Status *status)
{
    static const int32_t first[] = {0};
    struct oribi_micro_reduce_f64_args args = {user != NULL ? *(const int32_t *)user : 0, {0}};
    read_walk(region, &args.walk, status);
    if (user != NULL) {
        oribi_target_set_arguments(code, &args, sizeof args, status);
    } else {
        oribi_target_set_arguments(code, &args.walk, sizeof args.walk, status);
    }
    oribi_target_set_inputs(code, first, 1, status);
}

bool oribi_lower_reduce_f32(oribi_lowering *lowering, oribi_call *call)
{
    static const oribi_target_kernel reduction = {.args = &oribi_args_reduce_f32,
                                                  .prepare = reduce_prepare};
    int32_t function = oribi_lower_reduction_f64(call);
    const oribi_target_kernel wide = {
        .args = &oribi_args_reduce_f64, .prepare = reduce_prepare, .user = &function};
    if (!oribi_lower_is_f64(lowering, call) || function < 0) {
        return lower_by(lowering, call, &reduction);
    }
    return oribi_lower_is_plain(lowering, call) &&
           oribi_lower_by_kernel(lowering, call, &wide, "reduce_f64");
}

/* user: the arguments but for the walk. */
static void extreme_prepare(void *user, const oribi_region *region, oribi_target_code *code,
                            TF_Status *status)
{
    static const int32_t first[] = {0};
    struct oribi_micro_reduce_extreme_args args =
        *(const struct oribi_micro_reduce_extreme_args *)user;
    read_walk(region, &args.walk, status);
    oribi_target_set_arguments(code, &args, sizeof args, status);
    oribi_target_set_inputs(code, first, 1, status);
}

bool oribi_lower_reduce_extreme(oribi_lowering *lowering, oribi_call *call)
{
    const char *op = call->node->op_name;
    struct oribi_micro_reduce_extreme_args args = {
        .is_least = strcmp(op, "Min") == 0 || strcmp(op, "All") == 0,
        .kind = oribi_element_kind_of(oribi_lower_output(lowering, call)->dtype)};
    const oribi_target_kernel extreme = {
        .args = &oribi_args_reduce_extreme, .prepare = extreme_prepare, .user = &args};
    return oribi_lower_is_integer(lowering, call)
               ? oribi_lower_is_plain(lowering, call) &&
                     oribi_lower_by_kernel(lowering, call, &extreme, "reduce_extreme")
               : oribi_lower_reduce_f32(lowering, call);
}
