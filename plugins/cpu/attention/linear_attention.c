/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX>LinearAttention: each head of keys has a matrix that every step decays and adds an outer
 * product to; queries read it. Plain loops, one head of keys after another.
 * Source   ONNX's LinearAttention (opset 27).
 */
#include "cpu/base/cpu_shape.h"
#include "cpu/base/families.h"
#include "cpu/base/optional.h"

#include <math.h>
#include <string.h>

enum { QUERY, KEY, VALUE, PAST, DECAY, BETA, N_INPUTS };

typedef struct linear_state {
    int input[N_INPUTS];
    int64_t q_heads, kv_heads;
    float scale;
    bool is_gated, is_delta;
} linear_state;

static void linear_read(oribi_kit_setup *setup, linear_state *state)
{
    char rule[16] = "";
    oribi_kit_attr_int(setup, "q_num_heads", &state->q_heads);
    oribi_kit_attr_int(setup, "kv_num_heads", &state->kv_heads);
    oribi_kit_attr_float(setup, "scale", &state->scale);
    oribi_kit_attr_string(setup, "update_rule", rule, sizeof rule);
    oribi_cpu_read_present(setup, N_INPUTS, 3, state->input);
    state->is_gated = strncmp(rule, "gated", 5) == 0;
    state->is_delta = strstr(rule, "delta") != NULL;
    if (!oribi_kit_setup_is_ok(setup)) {
        return;
    }
    if (state->kv_heads < 1 || state->q_heads < 1 || state->q_heads % state->kv_heads != 0) {
        (void)oribi_kit_setup_fail(setup, TF_INVALID_ARGUMENT,
                                   "%lld heads of queries cannot share %lld of keys",
                                   (long long)state->q_heads, (long long)state->kv_heads);
    }
    if ((state->is_gated && state->input[DECAY] < 0) ||
        (state->is_delta && state->input[BETA] < 0)) {
        (void)oribi_kit_setup_fail(setup, TF_INVALID_ARGUMENT,
                                   "update_rule '%s' needs decay where it is gated and beta where "
                                   "it is delta",
                                   rule);
    }
}
ORIBI_KIT_CREATE(linear, linear_state)

typedef struct linear_call {
    const linear_state *s;
    const float *query, *key, *value, *past, *decay, *beta;
    float *y, *state;
    int64_t steps, keys, values, decays, betas; /* of a head: sizes, numbers of decay and beta */
    float scale;
} linear_call;

static float dot_column(const float *matrix, const float *x, int64_t rows, int64_t columns,
                        int64_t column)
{
    double sum = 0;
    for (int64_t i = 0; i < rows; i++) {
        sum += (double)x[i] * (double)matrix[i * columns + column];
    }
    return (float)sum;
}

/* One step of one head; `added` has room for a row of values. */
static void linear_step(const linear_call *c, float *matrix, const float *k, const float *v,
                        const float *decay, float beta, float *added)
{
    for (int64_t i = 0; c->s->is_gated && i < c->keys; i++) {
        const float kept = expf(decay[c->decays == 1 ? 0 : i]);
        for (int64_t j = 0; j < c->values; j++) {
            matrix[i * c->values + j] *= kept;
        }
    }
    for (int64_t j = 0; j < c->values; j++) {
        added[j] =
            c->s->is_delta ? beta * (v[j] - dot_column(matrix, k, c->keys, c->values, j)) : v[j];
    }
    for (int64_t i = 0; i < c->keys; i++) {
        for (int64_t j = 0; j < c->values; j++) {
            matrix[i * c->values + j] += k[i] * added[j];
        }
    }
}

static void linear_heads(void *object, int64_t begin, int64_t end)
{
    const linear_call *c = object;
    const int64_t kv = c->s->kv_heads, group = c->s->q_heads / kv;
    for (int64_t at = begin; at < end; at++) {
        const int64_t batch = at / kv, head = at % kv;
        float *matrix = c->state + at * c->keys * c->values;
        for (int64_t t = 0; t < c->steps; t++) {
            const int64_t row = batch * c->steps + t, place = row * kv + head;
            const float *decay = c->decay == NULL ? NULL : c->decay + place * c->decays;
            const float beta = c->beta == NULL ? 1 : c->betas == 1 ? c->beta[row] : c->beta[place];
            float *y = c->y + (row * c->s->q_heads + head * group) * c->values;
            linear_step(c, matrix, c->key + place * c->keys, c->value + place * c->values, decay,
                        beta, y); /* y has room until it is written */
            for (int64_t g = 0; g < group; g++) {
                const float *q = c->query + (row * c->s->q_heads + head * group + g) * c->keys;
                for (int64_t j = 0; j < c->values; j++) {
                    y[g * c->values + j] = c->scale * dot_column(matrix, q, c->keys, c->values, j);
                }
            }
        }
    }
}

static const float *data_of(const oribi_kit_run *run, int place)
{
    return place < 0 ? NULL : TF_TensorData(run->in[place]);
}

/* Is input `place`, where it is there, [b, t, of each]? */
static bool is_of(oribi_kit_run *run, int place, const oribi_cpu_shape *like, int64_t last)
{
    oribi_cpu_shape shape;
    return place < 0 ||
           (oribi_cpu_tensor_shape(run, run->in[place], &shape) && shape.n == 3 &&
            shape.at[0] == like->at[0] && shape.at[1] == like->at[1] && shape.at[2] == last);
}

static int64_t last_of(const oribi_kit_run *run, int place)
{
    const int rank = place < 0 ? 0 : TF_NumDims(run->in[place]);
    return rank < 1 ? 0 : TF_Dim(run->in[place], rank - 1);
}

static bool take(oribi_kit_run *run, linear_call *c, oribi_cpu_shape *q)
{
    const linear_state *s = c->s;
    const int *at = s->input;
    oribi_cpu_shape past;
    if (!oribi_cpu_input_shape(run, QUERY, q)) {
        return false;
    }
    const int64_t wide = q->n == 3 ? q->at[2] : 0, values = last_of(run, at[VALUE]);
    c->keys = wide / s->q_heads;
    c->values = values / s->kv_heads;
    c->decays = last_of(run, at[DECAY]) == s->kv_heads ? 1 : c->keys;
    c->betas = last_of(run, at[BETA]) == 1 ? 1 : s->kv_heads;
    bool fits = q->n == 3 && wide % s->q_heads == 0 && values % s->kv_heads == 0 &&
                is_of(run, at[KEY], q, c->keys * s->kv_heads) && is_of(run, at[VALUE], q, values) &&
                is_of(run, at[DECAY], q, c->decays * s->kv_heads) &&
                is_of(run, at[BETA], q, c->betas);
    if (fits && at[PAST] >= 0) {
        fits = oribi_cpu_tensor_shape(run, run->in[at[PAST]], &past) && past.n == 4 &&
               past.at[0] == q->at[0] && past.at[1] == s->kv_heads && past.at[2] == c->keys &&
               past.at[3] == c->values;
    }
    return fits || oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                                  "a query %s of %lld heads, keys and values of %lld, past_state, "
                                  "decay and beta do not fit together",
                                  oribi_cpu_shape_text(q).chars, (long long)s->q_heads,
                                  (long long)s->kv_heads);
}

static bool linear_attention(oribi_kit_run *run, linear_call *c)
{
    oribi_cpu_shape q;
    const linear_state *s = c->s;
    if (!take(run, c, &q)) {
        return false;
    }
    const int64_t out[3] = {q.at[0], q.at[1], s->q_heads * c->values};
    const int64_t kept[4] = {q.at[0], s->kv_heads, c->keys, c->values};
    int64_t count = 0;
    if (!oribi_cpu_count(run, kept, 4, &count)) {
        return false;
    }
    c->query = data_of(run, QUERY);
    c->key = data_of(run, s->input[KEY]);
    c->value = data_of(run, s->input[VALUE]);
    c->past = data_of(run, s->input[PAST]);
    c->decay = data_of(run, s->input[DECAY]);
    c->beta = data_of(run, s->input[BETA]);
    c->steps = q.at[1];
    c->scale = s->scale != 0 ? s->scale : 1.0F / sqrtf((float)(c->keys > 0 ? c->keys : 1));
    c->y = oribi_kit_output(run, 0, out, 3);
    c->state = c->y == NULL ? NULL : oribi_kit_output(run, 1, kept, 4);
    if (c->state == NULL) {
        return false;
    }
    if (c->past != NULL) {
        memcpy(c->state, c->past, (size_t)count * sizeof(float));
    } else {
        memset(c->state, 0, (size_t)count * sizeof(float));
    }
    oribi_kit_parallel(run, q.at[0] * s->kv_heads, 6 * c->steps * c->keys * c->values, c,
                       linear_heads);
    return true;
}

static void linear_compute(void *state, TF_OpKernelContext *context)
{
    oribi_kit_run run;
    linear_call c = {.s = state};
    const int n = TF_NumInputs(context);
    if (oribi_kit_begin(&run, context, n > N_INPUTS ? N_INPUTS : n)) {
        (void)linear_attention(&run, &c);
    }
    oribi_kit_end(&run);
}

const oribi_cpu_kernel oribi_cpu_linear_attention_kernels[] = {
    {.op_name = "ONNX>LinearAttention",
     .types = {{"T", ORIBI_CPU_F32}},
     .priority = ORIBI_CPU_REFERENCE,
     .create = linear_create,
     .compute = linear_compute,
     .destroy = oribi_kit_free,
     .why = "step by step, as the definition says"},
    {.op_name = NULL},
};
