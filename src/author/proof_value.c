/* SPDX-License-Identifier: Apache-2.0 */
/* Proofs of tells, computes, packs, cost and parameters. The first two have their own result here;
 * a cost is counted by changing one weight after the other; a packed input is one that the kernel
 * gave back; parameters are what the shape must not depend on anything besides.
 */
#include "author/proof.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"

static void prove_tells(oribi_proof *p)
{
    const oribi_grid *x = &p->in[p->traits.data];
    oribi_dims told, want = {0};
    switch (p->traits.told) {
    case ORIBI_TOLD_SHAPE:
        want = x->dims;
        break;
    case ORIBI_TOLD_SIZE:
        want = (oribi_dims){.n = 1, .at = {x->count}};
        break;
    default:
        want = (oribi_dims){.n = 1, .at = {x->dims.n}};
        break;
    }
    p->tried |= ORIBI_TRAIT_TELLS;
    if (p->out.dims.n != (p->traits.told == ORIBI_TOLD_SHAPE ? 1 : 0) ||
        !oribi__grid_ints(&p->out, &told) || told.n != want.n ||
        memcmp(told.at, want.at, (size_t)want.n * sizeof want.at[0]) != 0) {
        oribi__proof_fail(p, ORIBI_TRAIT_TELLS, "the output is not the %s of x",
                          p->traits.told == ORIBI_TOLD_SHAPE  ? "shape"
                          : p->traits.told == ORIBI_TOLD_SIZE ? "size"
                                                              : "rank");
    }
}

/* --- Formulas -------------------------------------------------------------------------------- */

/* Element of operand k at the output's index: a vector goes along its axis, others broadcast. */
static int64_t operand_offset(const oribi_proof *p, int32_t k, const oribi_dims *at)
{
    const oribi_traits *traits = &p->traits;
    int64_t axis = traits->axis;
    if ((traits->vectors >> k & 1) == 0) {
        return oribi__index_broadcast(&p->in[k].dims, at);
    }
    if (traits->format_attr != NULL) {
        const oribi_attr *format = oribi_attrs_find(&p->c->trial.attrs, traits->format_attr);
        axis = format != NULL && strncmp(format->u.s->data, "NC", 2) == 0 ? 1 : at->n - 1;
    }
    return p->in[k].count == 1 ? 0 : at->at[axis < 0 ? axis + at->n : axis];
}

/* False: nothing is said of these operands. */
static bool evaluate(const oribi_proof *p, const double *v, int32_t n, double *out)
{
    const bool is_integer = oribi__grid_is_integer(p->out.dtype);
    switch (p->traits.formula) {
    case ORIBI_FORMULA_SUM:
        *out = 0;
        for (int32_t i = 0; i < n; i++) {
            *out += v[i];
        }
        return true;
    case ORIBI_FORMULA_DIFFERENCE:
        *out = v[0] - v[1];
        return true;
    case ORIBI_FORMULA_PRODUCT:
        *out = v[0] * v[1];
        return true;
    case ORIBI_FORMULA_QUOTIENT:
        *out = is_integer && v[1] > 0 ? floor(v[0] / v[1]) : v[0] / v[1];
        return v[1] > 0 && (!is_integer || v[0] >= 0);
    case ORIBI_FORMULA_RELU:
        *out = fmax(v[0], 0);
        return true;
    case ORIBI_FORMULA_RELU6:
        *out = fmin(fmax(v[0], 0), 6);
        return true;
    default:
        *out = fmin(fmax(v[0], v[1]), v[2]);
        return v[1] <= v[2];
    }
}

static int32_t operand_count(const oribi_proof *p)
{
    const int32_t n = p->c->trial.signature.n_inputs;
    const int32_t needed = p->traits.formula == ORIBI_FORMULA_CLIP   ? 3
                           : p->traits.formula >= ORIBI_FORMULA_RELU ? 1
                           : p->traits.formula == ORIBI_FORMULA_SUM  ? n
                                                                     : 2;
    return needed <= n ? needed : 0;
}

/* Integers wrap: near the ends nothing is compared. */
static bool is_in_range(const oribi_grid *out, double value)
{
    const bool is_unsigned = out->dtype == TF_UINT8 || out->dtype == TF_UINT16 ||
                             out->dtype == TF_UINT32 || out->dtype == TF_UINT64;
    const double half = ldexp(1, (int)(8 * out->element) - 1);
    return is_unsigned ? value >= 0 && value < half * 2 : value >= -half && value < half;
}

static bool is_wrong(const oribi_proof *p, double want, int64_t i)
{
    const double got = oribi__grid_number(&p->out, i);
    const double part = p->out.dtype == TF_HALF ? 1e-2 : p->out.dtype == TF_BFLOAT16 ? 1e-1 : 1e-5;
    if (oribi__grid_is_integer(p->out.dtype)) {
        return is_in_range(&p->out, want) && fabs(want) < 1e15 && got != want;
    }
    return isfinite(want) && !(fabs(got - want) <= part * fmax(1, fabs(want)));
}

static void prove_computes(oribi_proof *p)
{
    const int32_t n = operand_count(p);
    double values[ORIBI_TRIAL_MAX_INPUTS];
    oribi_dims index = {.n = p->out.dims.n};
    int64_t i = 0, n_said = 0;
    if (n == 0) {
        oribi__proof_fail(p, ORIBI_TRAIT_COMPUTES, "it has too few inputs for that formula");
        return;
    }
    if (!oribi__grid_is_real(p->out.dtype) && !oribi__grid_is_integer(p->out.dtype)) {
        return;
    }
    do {
        double want;
        for (int32_t k = 0; k < n; k++) {
            values[k] = oribi__grid_number(&p->in[k], operand_offset(p, k, &index));
        }
        if (evaluate(p, values, n, &want)) {
            n_said++;
            if (is_wrong(p, want, i)) {
                oribi__proof_fail(p, ORIBI_TRAIT_COMPUTES,
                                  "output element %lld is %g instead of %g", (long long)i,
                                  oribi__grid_number(&p->out, i), want);
                return;
            }
        }
        i++;
    } while (oribi__index_next(&p->out.dims, &index));
    p->tried |= n_said > 0 ? ORIBI_TRAIT_COMPUTES : 0U;
}

/* --- Costs -------------------------------------------------------------------------------------
 */

/* Outputs that change with one weight. -1: it did not run. */
static int64_t count_changed(oribi_proof *p, int64_t weight)
{
    const oribi_grid *w = &p->in[p->traits.weights];
    uint8_t *mask = oribi_arena_alloc(&p->c->trial.arena, (size_t)w->count);
    oribi_variant v;
    oribi_grid now;
    int64_t changed = -1;
    if (mask == NULL) {
        return -1;
    }
    memset(mask, 0, (size_t)w->count);
    mask[weight] = 1;
    int64_t by = 1; /* to an element that differs */
    while (by < w->count && memcmp(w->data + (size_t)((weight + by) % w->count) * w->element,
                                   w->data + (size_t)weight * w->element, w->element) == 0) {
        by++;
    }
    oribi__variant_begin(p, &v);
    if (oribi__variant_set(p, &v, p->traits.weights, oribi__grid_turn(w, by, mask)) &&
        oribi__variant_run(p, &v, &now) && now.count == p->out.count) {
        changed = 0;
        for (int64_t i = 0; i < now.count; i++) {
            changed += !oribi__grid_same(&p->out, i, &now, i) ||
                       memcmp(p->out.data + (size_t)i * now.element,
                              now.data + (size_t)i * now.element, now.element) != 0;
        }
    }
    oribi__variant_end(p, &v);
    return changed;
}

/* Each weight that an output element depends on is one product. Windows over the border have fewer,
 * a stride of a transposed convolution leaves some out, and integers hide some: so the sum may be
 * smaller, but of real numbers not by much. */
static void prove_cost(oribi_proof *p)
{
    enum { MOST_WEIGHTS = 96, LEAST = 16 };
    const oribi_grid *w = &p->in[p->traits.weights];
    const oribi_shape weights = {w->dims.n, (int64_t *)w->dims.at};
    const oribi_shape output = {p->out.dims.n, p->out.dims.at};
    const double most = oribi_traits_products(&p->traits, &weights, &output) * (double)p->out.count;
    double found = 0;
    if (w->count > MOST_WEIGHTS || !oribi__grid_varies(w)) {
        return;
    }
    for (int64_t i = 0; i < w->count; i++) {
        const int64_t changed = count_changed(p, i);
        if (changed < 0) {
            return;
        }
        found += (double)changed;
    }
    if (found > most + 0.5) {
        oribi__proof_fail(p, ORIBI_TRAIT_COST,
                          "%g products were found where the shapes say %g at most", found, most);
    } else if (oribi__grid_is_real(p->out.dtype) && oribi__grid_varies(&p->out)) {
        if (found * (double)LEAST < most) {
            oribi__proof_fail(p, ORIBI_TRAIT_COST, "%g products were found where the shapes say %g",
                              found, most);
        }
        p->tried |= ORIBI_TRAIT_COST;
    } else {
        p->tried |= found > 0 ? ORIBI_TRAIT_COST : 0U;
    }
}

/* --- Packing and parameters ------------------------------------------------------------------ */

static void prove_packs(oribi_proof *p)
{
    oribi_variant v;
    oribi_grid now;
    oribi__variant_begin(p, &v);
    p->constants = p->traits.packed;
    if (oribi__variant_run(p, &v, &now) && p->is_packed) {
        p->tried |= ORIBI_TRAIT_PACKS;
        for (int64_t i = 0; i < p->out.count; i++) {
            if (now.count != p->out.count || !oribi__grid_same(&p->out, i, &now, i)) {
                oribi__proof_fail(p, ORIBI_TRAIT_PACKS,
                                  "with a packed constant output element %lld differs",
                                  (long long)i);
                break;
            }
        }
    }
    p->constants = 0;
    oribi__variant_end(p, &v);
}

static void prove_parameters(oribi_proof *p)
{
    oribi_variant v;
    oribi_grid now;
    bool ok = true, is_other = false;
    oribi__variant_begin(p, &v);
    for (int32_t i = 0; ok && i < p->c->trial.signature.n_inputs; i++) {
        const oribi_grid *x = &p->in[i];
        if ((p->traits.parameters >> i & 1) == 0 && oribi__grid_varies(x)) {
            const uint64_t most = (uint64_t)x->count - 1;
            const int64_t by = 1 + (int64_t)oribi__trial_random(&p->c->trial, most);
            is_other = true;
            ok = oribi__variant_set(p, &v, i, oribi__grid_turn(x, by, NULL));
        }
    }
    if (ok && is_other && oribi__variant_run(p, &v, &now)) {
        const bool is_same =
            now.dims.n == p->out.dims.n &&
            memcmp(now.dims.at, p->out.dims.at, (size_t)now.dims.n * sizeof now.dims.at[0]) == 0;
        p->tried |= ORIBI_TRAIT_PARAMETERS;
        if (!is_same) {
            oribi__proof_fail(p, ORIBI_TRAIT_PARAMETERS,
                              "the output's shape changed with another input's values");
        }
    } else if (ok && !is_other) { /* there is nothing else that it could depend on */
        const int32_t n = p->c->trial.signature.n_inputs;
        const bool is_all = n < 64 && p->traits.parameters == (UINT64_C(1) << n) - 1;
        p->tried |= is_all ? ORIBI_TRAIT_PARAMETERS : 0U;
    }
    oribi__variant_end(p, &v);
}

void oribi__prove_values(oribi_proof *p)
{
    if ((p->traits.is & ORIBI_TRAIT_TELLS) != 0) {
        prove_tells(p);
    }
    if ((p->traits.is & ORIBI_TRAIT_COMPUTES) != 0) {
        prove_computes(p);
    }
    if ((p->traits.is & ORIBI_TRAIT_COST) != 0) {
        prove_cost(p);
    }
    if ((p->traits.is & ORIBI_TRAIT_PACKS) != 0) {
        prove_packs(p);
    }
    if ((p->traits.is & ORIBI_TRAIT_PARAMETERS) != 0) {
        prove_parameters(p);
    }
}
