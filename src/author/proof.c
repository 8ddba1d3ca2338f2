/* SPDX-License-Identifier: Apache-2.0 */
/* Tries the traits of an op on one trial whose kernel has computed, and tells which of them were
 * tried and which do not hold. Also what the proofs share: variants of the trial, and grids.
 */
#include "author/proof.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"

enum { MOST_ELEMENTS = 1 << 12 }; /* of an input or output: larger trials are left out */

/* --- Variants -------------------------------------------------------------------------------- */

void oribi__variant_begin(const oribi_proof *p, oribi_variant *v)
{
    const oribi_trial *t = &p->c->trial;
    *v = (oribi_variant){.attrs = {0}};
    memcpy(v->inputs, t->inputs, (size_t)t->signature.n_inputs * sizeof v->inputs[0]);
    for (int32_t i = 0; i < t->attrs.count; i++) {
        (void)oribi_attrs_set(&v->attrs, &p->c->trial.arena, &t->attrs.items[i]);
    }
}

bool oribi__variant_set(const oribi_proof *p, oribi_variant *v, int32_t input, TF_Tensor *tensor)
{
    if (v->inputs[input] != p->c->trial.inputs[input]) {
        TF_DeleteTensor(v->inputs[input]);
        v->inputs[input] = p->c->trial.inputs[input];
    }
    if (tensor != NULL) {
        v->inputs[input] = tensor;
    }
    return tensor != NULL;
}

void oribi__variant_end(const oribi_proof *p, oribi_variant *v)
{
    for (int32_t i = 0; i < p->c->trial.signature.n_inputs; i++) {
        if (v->inputs[i] != p->c->trial.inputs[i]) {
            TF_DeleteTensor(v->inputs[i]);
        }
    }
    oribi__trial_outcome_clear(&v->outcome);
}

static void note_packed(void *arg, int32_t input)
{
    oribi_trial *t = arg;
    t->is_released |= input < 64 && (t->constants >> input & 1) != 0;
}

/* With the trial's fields those of the variant. */
static bool run_swapped(oribi_proof *p, oribi_variant *v)
{
    const oribi_trial_setting plain = {.pattern = ORIBI_TRIAL_PATTERN};
    oribi_trial_case *c = p->c;
    TF_Status *status = TF_NewStatus();
    bool ok = oribi__trial_infer(c, c->trial.input_shapes, c->trial.inputs, c->trial.output_shapes,
                                 status) &&
              oribi__trial_create(c, note_packed, status);
    if (ok) {
        ok = oribi__trial_run(&c->trial, &c->kernel, &plain, &v->outcome) && v->outcome.is_ok;
        oribi_kernel_destroy(&c->kernel);
    }
    if (v->outcome.status == NULL) {
        v->outcome.status = status;
    } else {
        TF_DeleteStatus(status);
    }
    return ok;
}

bool oribi__variant_run(oribi_proof *p, oribi_variant *v, oribi_grid *out)
{
    oribi_trial_case *c = p->c;
    oribi_trial *t = &c->trial;
    const oribi_kernel kernel = c->kernel;
    const oribi_node_view view = c->view;
    const oribi_attrs attrs = t->attrs;
    TF_Tensor **inputs = t->inputs;
    oribi_shape *shapes = t->input_shapes, *results = t->output_shapes;
    oribi_shape given[ORIBI_TRIAL_MAX_INPUTS];
    oribi__trial_outcome_clear(&v->outcome);
    for (int32_t i = 0; i < t->signature.n_inputs; i++) {
        given[i] = (oribi_shape){.rank = v->inputs[i]->rank, .dims = v->inputs[i]->dims};
    }
    t->attrs = v->attrs;
    t->inputs = v->inputs;
    t->input_shapes = given;
    t->output_shapes =
        oribi_arena_array(&t->arena, (size_t)t->signature.n_outputs + 1, sizeof *t->output_shapes);
    t->constants = p->constants;
    t->is_released = false;
    const bool ok =
        t->output_shapes != NULL && run_swapped(p, v) && oribi__grid_of_output(&v->outcome, 0, out);
    p->is_packed = t->is_released;
    t->constants = 0;
    t->attrs = attrs;
    t->inputs = inputs;
    t->input_shapes = shapes;
    t->output_shapes = results;
    c->kernel = kernel;
    c->view = view;
    return ok;
}

void oribi__proof_fail(oribi_proof *p, oribi_trait trait, const char *format, ...)
{
    oribi_text message = {0}, name = {0};
    va_list args;
    va_start(args, format);
    oribi_text_vprintf(&message, format, args);
    va_end(args);
    p->wrong |= (uint32_t)trait;
    p->tried |= (uint32_t)trait;
    oribi_text_printf(&name, "trait-%s", oribi_trait_name(trait));
    oribi__trial_say(p->c, oribi_text_string(&name), "the op says '%s', but %s",
                     oribi_trait_name(trait), oribi_text_string(&message));
    oribi_text_destroy(&name);
    oribi_text_destroy(&message);
}

/* --- Grids ----------------------------------------------------------------------------------- */

static bool make_grid(const void *data, TF_DataType dtype, const int64_t *dims, int32_t rank,
                      oribi_grid *out)
{
    *out = (oribi_grid){.data = data, .dtype = dtype, .element = oribi_dtype_bytes(dtype)};
    return dtype != TF_STRING && dtype != TF_RESOURCE && dtype != TF_VARIANT && out->element > 0 &&
           oribi_dims_set(&out->dims, dims, rank) && oribi_dims_count(&out->dims, &out->count);
}

bool oribi__grid_of_output(const oribi_trial_outcome *o, int32_t index, oribi_grid *out)
{
    const oribi_trial_output *from = &o->outputs[index];
    return index < o->n_outputs && from->rank <= ORIBI_INLINE_RANK &&
           make_grid(o->bytes.data + from->begin, from->dtype, from->dims, from->rank, out) &&
           from->bytes == (size_t)out->count * out->element;
}

bool oribi__index_next(const oribi_dims *dims, oribi_dims *index)
{
    for (int32_t i = dims->n - 1; i >= 0; i--) {
        if (++index->at[i] < dims->at[i]) {
            return true;
        }
        index->at[i] = 0;
    }
    return false;
}

int64_t oribi__index_offset(const oribi_dims *dims, const oribi_dims *index)
{
    int64_t offset = 0;
    for (int32_t i = 0; i < dims->n; i++) {
        offset = offset * dims->at[i] + index->at[i];
    }
    return offset;
}

int64_t oribi__index_broadcast(const oribi_dims *dims, const oribi_dims *index)
{
    int64_t offset = 0;
    for (int32_t i = 0; i < dims->n; i++) {
        const int32_t k = index->n - dims->n + i;
        offset = offset * dims->at[i] + (dims->at[i] == 1 || k < 0 ? 0 : index->at[k]);
    }
    return offset;
}

bool oribi__grid_varies(const oribi_grid *grid)
{
    for (int64_t i = 1; i < grid->count; i++) {
        if (memcmp(grid->data, grid->data + (size_t)i * grid->element, grid->element) != 0) {
            return true;
        }
    }
    return false;
}

static TF_Tensor *new_like(const oribi_grid *like, const oribi_dims *dims)
{
    int64_t count = 0;
    return oribi_dims_count(dims, &count)
               ? TF_AllocateTensor(like->dtype, dims->at, dims->n, (size_t)count * like->element)
               : NULL;
}

TF_Tensor *oribi__grid_spread(const oribi_grid *from, const oribi_dims *dims,
                              const oribi_dims *steps)
{
    TF_Tensor *made = new_like(from, dims);
    oribi_dims index = {.n = dims->n};
    uint8_t *to = made != NULL ? TF_TensorData(made) : NULL;
    if (made == NULL || TF_TensorElementCount(made) == 0) {
        return made;
    }
    do {
        int64_t offset = 0;
        for (int32_t i = 0; i < dims->n; i++) {
            offset += index.at[i] * steps->at[i];
        }
        memcpy(to, from->data + (size_t)offset * from->element, from->element);
        to += from->element;
    } while (oribi__index_next(dims, &index));
    return made;
}

TF_Tensor *oribi__grid_turn(const oribi_grid *from, int64_t by, const uint8_t *mask)
{
    TF_Tensor *made = new_like(from, &from->dims);
    uint8_t *to = made != NULL ? TF_TensorData(made) : NULL;
    for (int64_t i = 0; made != NULL && i < from->count; i++) {
        const int64_t source = mask == NULL || mask[i] != 0 ? (i + by) % from->count : i;
        memcpy(to + (size_t)i * from->element, from->data + (size_t)source * from->element,
               from->element);
    }
    return made;
}

bool oribi__grid_is_real(TF_DataType dtype)
{
    return dtype == TF_FLOAT || dtype == TF_DOUBLE || dtype == TF_HALF || dtype == TF_BFLOAT16;
}

bool oribi__grid_is_integer(TF_DataType dtype)
{
    return dtype == TF_INT8 || dtype == TF_INT16 || dtype == TF_INT32 || dtype == TF_INT64 ||
           dtype == TF_UINT8 || dtype == TF_UINT16 || dtype == TF_UINT32 || dtype == TF_UINT64;
}

static int64_t integer_at(const oribi_grid *grid, int64_t index)
{
    const uint8_t *at = grid->data + (size_t)index * grid->element;
    const bool is_signed = grid->dtype == TF_INT8 || grid->dtype == TF_INT16 ||
                           grid->dtype == TF_INT32 || grid->dtype == TF_INT64;
    uint64_t bits = 0;
    for (size_t i = 0; i < grid->element; i++) {
        bits |= (uint64_t)at[i] << (8 * i);
    }
    const unsigned unused = 64 - 8 * (unsigned)grid->element;
    return is_signed && unused > 0 ? (int64_t)(bits << unused) / ((int64_t)1 << unused)
                                   : (int64_t)bits;
}

bool oribi__grid_ints(const oribi_grid *grid, oribi_dims *out)
{
    out->n = 0;
    for (int64_t i = 0; i < grid->count; i++) {
        if (!oribi__grid_is_integer(grid->dtype) || !oribi_dims_add(out, integer_at(grid, i))) {
            return false;
        }
    }
    return true;
}

TF_Tensor *oribi__grid_with_ints(const oribi_grid *like, const oribi_dims *values)
{
    TF_Tensor *made = new_like(like, &like->dims);
    uint8_t *to = made != NULL ? TF_TensorData(made) : NULL;
    for (int32_t i = 0; made != NULL && i < values->n; i++) {
        for (size_t k = 0; k < like->element; k++) {
            to[(size_t)i * like->element + k] = (uint8_t)((uint64_t)values->at[i] >> (8 * k));
        }
    }
    return made;
}

double oribi__grid_number(const oribi_grid *grid, int64_t index)
{
    const uint8_t *at = grid->data + (size_t)index * grid->element;
    float single;
    double wide;
    uint16_t half;
    switch (grid->dtype) {
    case TF_FLOAT:
        memcpy(&single, at, sizeof single);
        return (double)single;
    case TF_DOUBLE:
        memcpy(&wide, at, sizeof wide);
        return wide;
    case TF_HALF:
    case TF_BFLOAT16:
        memcpy(&half, at, sizeof half);
        return oribi__trial_half(grid->dtype, half);
    case TF_UINT64:
        return (double)(uint64_t)integer_at(grid, index);
    default:
        return (double)integer_at(grid, index);
    }
}

static bool is_near(double a, double b, double part)
{
    const double size = fmax(1.0, fmax(fabs(a), fabs(b)));
    return a == b || (isnan(a) && isnan(b)) || fabs(a - b) <= part * size;
}

bool oribi__grid_same(const oribi_grid *a, int64_t i, const oribi_grid *b, int64_t k)
{
    const double part = a->dtype == TF_DOUBLE || a->dtype == TF_COMPLEX128 ? 1e-9
                        : a->dtype == TF_HALF                              ? 2e-2
                        : a->dtype == TF_BFLOAT16                          ? 1e-1
                                                                           : 1e-4;
    const bool is_complex = a->dtype == TF_COMPLEX64 || a->dtype == TF_COMPLEX128;
    const uint8_t *x = a->data + (size_t)i * a->element, *y = b->data + (size_t)k * b->element;
    if (memcmp(x, y, a->element) == 0) {
        return true;
    }
    if (is_complex) {
        oribi_grid u = *a, v = *b;
        u.dtype = v.dtype = a->dtype == TF_COMPLEX64 ? TF_FLOAT : TF_DOUBLE;
        u.element = v.element = a->element / 2;
        return is_near(oribi__grid_number(&u, 2 * i), oribi__grid_number(&v, 2 * k), part) &&
               is_near(oribi__grid_number(&u, 2 * i + 1), oribi__grid_number(&v, 2 * k + 1), part);
    }
    return oribi__grid_is_real(a->dtype) &&
           is_near(oribi__grid_number(a, i), oribi__grid_number(b, k), part);
}

/* --- The whole ------------------------------------------------------------------------------- */

uint32_t oribi__traits_declared(const oribi_op_def *op)
{
    uint32_t bits = 0;
    for (int32_t i = 0; op != NULL && i < op->n_traits; i++) {
        bits |= op->traits[i].is;
    }
    return bits;
}

void oribi__traits_put(oribi_json *json, const char *key, uint32_t bits)
{
    oribi_json_key(json, key);
    oribi_json_open(json, '[');
    for (int i = 0; i < (int)ORIBI_TRAIT_COUNT; i++) {
        if ((bits >> i & 1) != 0) {
            oribi_json_string(json, oribi_trait_name((oribi_trait)(1U << i)));
        }
    }
    oribi_json_close(json, ']');
}

static bool begin(oribi_proof *p)
{
    const oribi_trial *t = &p->c->trial;
    oribi_op_traits(t->op, &t->attrs, &t->signature, &p->traits);
    bool ok = p->traits.is != 0 && !t->op->is_stateful && t->signature.n_outputs > 0 &&
              t->signature.n_inputs > 0 && oribi__grid_of_output(&p->c->first, 0, &p->out) &&
              p->out.count <= MOST_ELEMENTS;
    for (int32_t i = 0; ok && i < t->signature.n_inputs; i++) {
        const TF_Tensor *tensor = t->inputs[i];
        ok = make_grid(tensor->data, tensor->dtype, tensor->dims, tensor->rank, &p->in[i]) &&
             p->in[i].count > 0 && p->in[i].count <= MOST_ELEMENTS;
    }
    return ok && p->out.count > 0;
}

/* Elements that are all alike prove little of what depends on places: others are drawn, and the
 * trial, which nobody needs behind this, computes them. False: they are refused. */
static bool vary(oribi_proof *p)
{
    const oribi_trial_setting plain = {.pattern = ORIBI_TRIAL_PATTERN};
    enum { TRIES = 8 };
    oribi_trial *t = &p->c->trial;
    bool is_other = false;
    for (int32_t i = p->traits.data; i < p->traits.data + p->traits.n_data; i++) {
        const bool is_alike =
            t->given == NULL && p->in[i].count > 1 && !oribi__grid_varies(&p->in[i]);
        for (int k = 0; k < TRIES && is_alike && !oribi__grid_varies(&p->in[i]); k++) {
            oribi__trial_fill(t, t->inputs[i], NULL);
            is_other = true;
        }
    }
    if (!is_other) {
        return true;
    }
    TF_Status *status = TF_NewStatus();
    oribi_kernel_destroy(&p->c->kernel);
    bool ok = oribi__trial_infer(p->c, t->input_shapes, t->inputs, t->output_shapes, status) &&
              oribi__trial_create(p->c, NULL, status);
    oribi__trial_outcome_clear(&p->c->first);
    ok = ok && oribi__trial_run(t, &p->c->kernel, &plain, &p->c->first) && p->c->first.is_ok;
    TF_DeleteStatus(status);
    return ok && begin(p);
}

void oribi__trial_check_traits(oribi_trial_case *c)
{
    oribi_proof p = {.c = c};
    if (begin(&p) && vary(&p)) {
        oribi__trial_at(c, "trying the traits of its op");
        oribi__prove_axes(&p);
        oribi__prove_moves(&p);
        oribi__prove_values(&p);
        c->tried |= p.tried;
    }
}
