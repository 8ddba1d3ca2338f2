/* SPDX-License-Identifier: Apache-2.0 */
/* Which steps take a batch a few images at a time. A step may where the traits of its op say that
 * an image of what it makes depends on the same image of what it reads. It gains where images are
 * more bytes than the weights that each turn reads again, and all of them together more than the
 * second level of the cache: of consecutive steps that may, those that gain most together are a
 * loop.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/thread.h"
#include "micro/geometry/geometry_axes.h"
#include "op/traits.h"
#include "session/batch/batch.h"

typedef struct finding {
    const oribi_session *session;
    const oribi_shape *shapes;
    oribi_batch *batch;
    oribi_arena arena;
    int64_t *images; /* by step: how many it could take one after the other; 0: none */
    double *moved;   /* by step: bytes of one image that it reads and makes */
    double *gain;    /* by step: these, less the bytes of its weights */
    double cache;    /* bytes of the second levels of all threads */
} finding;

/* --- What a step may do ---------------------------------------------------------------------- */

static bool has_images(const finding *f, int32_t value, int64_t n)
{
    const oribi_shape *shape = &f->shapes[value];
    return oribi_shape_is_full(shape) && shape->rank >= 1 && shape->rank <= ORIBI_INLINE_RANK &&
           shape->dims[0] == n && !oribi_dtype_owns(f->session->values[value].dtype) &&
           f->session->values[value].dtype != TF_RESOURCE;
}

/* An axis that is known, and is not that of the images. */
static bool is_other_axis(const finding *f, const oribi_session_step *step, const oribi_traits *t)
{
    int64_t axis = t->axis;
    int32_t at = 0;
    return (t->axes < 0 || oribi_graph_constant_exactly(f->session->graph,
                                                        step->node->inputs[t->axes], &axis, 1)) &&
           oribi_geometry_axis(axis, f->shapes[step->inputs[t->data]].rank, &at) && at != 0;
}

static bool reduces_others(const finding *f, const oribi_session_step *step, const oribi_traits *t)
{
    oribi_dims axes;
    if (!oribi_graph_constant_ints(f->session->graph, step->node->inputs[t->axes], &axes)) {
        return false;
    }
    for (int32_t i = 0; i < axes.n; i++) {
        int32_t at = 0;
        if (!oribi_geometry_axis(axes.at[i], f->shapes[step->inputs[t->data]].rank, &at) ||
            at == 0) {
            return false;
        }
    }
    return true;
}

static bool permutes_others(const finding *f, const oribi_session_step *step, const oribi_traits *t)
{
    oribi_dims perm;
    return oribi_graph_constant_ints(f->session->graph, step->node->inputs[t->axes], &perm) &&
           perm.n > 0 && perm.at[0] == 0;
}

static bool is_constant(const finding *f, int32_t value)
{
    return value < 0 || f->session->values[value].is_constant;
}

/* What the op's traits say of images. */
static bool op_allows(const finding *f, const oribi_session_step *step, const oribi_traits *t)
{
    if ((t->is & ORIBI_TRAIT_BATCH) != 0) {
        for (int32_t i = 0; i < step->node->n_inputs; i++) {
            if (!is_constant(f, step->inputs[i]) && (i >= 64 || (t->batch >> i & 1) == 0)) {
                return false;
            }
        }
        return true;
    }
    if (t->n_data < 1) {
        return false;
    }
    for (int32_t i = t->data; i < t->data + t->n_data; i++) {
        if ((t->is & ORIBI_TRAIT_ELEMENTWISE) == 0 && is_constant(f, step->inputs[i])) {
            return false;
        }
    }
    if ((t->is & ORIBI_TRAIT_VIEW) != 0) {
        return true;
    }
    if ((t->is & ORIBI_TRAIT_ELEMENTWISE) != 0) {
        return (t->is & ORIBI_TRAIT_VECTORS) == 0 || t->format_attr != NULL ||
               (!is_constant(f, step->inputs[t->data]) && is_other_axis(f, step, t));
    }
    if ((t->is & (ORIBI_TRAIT_ALONG | ORIBI_TRAIT_JOINS)) != 0) {
        return is_other_axis(f, step, t);
    }
    return (t->is & ORIBI_TRAIT_REDUCES) != 0    ? reduces_others(f, step, t)
           : (t->is & ORIBI_TRAIT_PERMUTES) != 0 ? permutes_others(f, step, t)
                                                 : false;
}

/* Is this constant input the same for all images: no data, or an operand that broadcasts? */
static bool is_for_all(const finding *f, const oribi_session_step *step, int32_t i,
                       const oribi_traits *t)
{
    const oribi_shape *shape = &f->shapes[step->inputs[i]];
    const bool is_data = (t->is & ORIBI_TRAIT_BATCH) != 0 ? i >= 64 || (t->batch >> i & 1) != 0
                                                          : (t->is & ORIBI_TRAIT_ELEMENTWISE) != 0;
    const int32_t rank = f->shapes[step->outputs[0]].rank;
    return !is_data || (oribi_shape_is_full(shape) &&
                        (shape->rank < rank || (shape->rank == rank && shape->dims[0] == 1)));
}

/* How many images the step could take one after the other. */
static int64_t images_of(const finding *f, const oribi_session_step *step)
{
    const oribi_node *node = step->node;
    oribi_traits t;
    if (step->transfer != NULL || node->n_bodies > 0 || node->n_outputs != 1 || step->flight >= 0) {
        return 0;
    }
    const oribi_shape *out = &f->shapes[step->outputs[0]];
    const int64_t n = out->rank > 0 ? out->dims[0] : 0;
    if (n < 2 || !has_images(f, step->outputs[0], n)) {
        return 0;
    }
    oribi_op_traits(node->op, &node->attrs, &node->signature, &t);
    if (!op_allows(f, step, &t)) {
        return 0;
    }
    const bool keeps_rank = (t.is & (ORIBI_TRAIT_VIEW | ORIBI_TRAIT_REDUCES)) == 0;
    int32_t n_read = 0;
    for (int32_t i = 0; i < node->n_inputs; i++) {
        const int32_t u = step->inputs[i];
        if (is_constant(f, u)
                ? u >= 0 && !is_for_all(f, step, i, &t)
                : !has_images(f, u, n) || (keeps_rank && f->shapes[u].rank != out->rank)) {
            return 0;
        }
        n_read += !is_constant(f, u);
    }
    return n_read > 0 ? n : 0;
}

/* --- What it gains --------------------------------------------------------------------------- */

static double bytes_of(const finding *f, int32_t value)
{
    const oribi_shape *shape = &f->shapes[value];
    double bytes = (double)oribi_dtype_bytes(f->session->values[value].dtype);
    for (int32_t k = 0; k < shape->rank; k++) {
        bytes *= (double)shape->dims[k];
    }
    return bytes;
}

static void weigh(finding *f, int32_t s)
{
    const oribi_session_step *step = &f->session->steps[s];
    double moved = bytes_of(f, step->outputs[0]), weights = 0;
    for (int32_t i = 0; i < step->node->n_inputs; i++) {
        const int32_t u = step->inputs[i];
        if (u >= 0) {
            *(is_constant(f, u) ? &weights : &moved) += bytes_of(f, u);
        }
    }
    f->moved[s] = moved / (double)f->images[s];
    f->gain[s] = f->moved[s] - weights;
}

/* Of the steps from `first` on that take as many images, those that gain most together. */
static bool best_of(const finding *f, int32_t first, int32_t end, oribi_batch_loop *out)
{
    double sum = 0, best = 0;
    int32_t from = first;
    for (int32_t s = first; s < end; s++) {
        if (sum <= 0) {
            sum = 0;
            from = s;
        }
        sum += f->gain[s];
        if (sum > best && s > from) {
            best = sum;
            *out = (oribi_batch_loop){.first = from, .end = s + 1, .n_images = f->images[first]};
        }
    }
    return best > 0;
}

/* As many images a turn as the second level has room for beside each other; one, where it is too
 * small for any. False: it has room for all. */
static bool choose_turns(const finding *f, oribi_batch_loop *loop)
{
    enum { MOST_TOGETHER = 1 << 12 }; /* a model may say any number, and each is tried */
    int64_t together = loop->n_images < MOST_TOGETHER ? loop->n_images : MOST_TOGETHER;
    double most = 0;
    for (int32_t s = loop->first; s < loop->end; s++) {
        most = f->moved[s] > most ? f->moved[s] : most;
    }
    if (most * (double)loop->n_images <= f->cache) {
        return false;
    }
    while (together > 1 && (loop->n_images % together != 0 || most * (double)together > f->cache)) {
        together--;
    }
    loop->n_turns = loop->n_images / together;
    return loop->n_turns > 1;
}

/* --- The border ------------------------------------------------------------------------------ */

static bool is_inside(const finding *f, const oribi_batch_loop *loop, int32_t value)
{
    const oribi_session_value *v = &f->session->values[value];
    return v->producer >= loop->first && v->producer < loop->end && !v->is_output &&
           v->last_use < loop->end;
}

static bool add_border(finding *f, oribi_batch_loop *loop, int32_t value)
{
    for (int32_t i = 0; i < loop->n_border; i++) {
        if (loop->border[i].value == value) {
            return true;
        }
    }
    const oribi_session_value *v = &f->session->values[value];
    const size_t bytes = (size_t)(bytes_of(f, value) / (double)loop->n_turns);
    loop->border[loop->n_border++] =
        (oribi_batch_border){value, v->producer >= loop->first && v->producer < loop->end, bytes};
    return bytes % ORIBI_TENSOR_ALIGNMENT == 0; /* as any other tensor that a kernel sees */
}

/* Returns the step that is in the way, -1: none, or -2: no memory. */
static int32_t make_border(finding *f, oribi_batch_loop *loop)
{
    size_t most = 0;
    for (int32_t s = loop->first; s < loop->end; s++) {
        most += (size_t)f->session->steps[s].node->n_inputs + 1;
    }
    loop->border = oribi_arena_array(&f->batch->arena, most, sizeof *loop->border);
    if (loop->border == NULL) {
        return -2;
    }
    for (int32_t s = loop->first; s < loop->end; s++) {
        const oribi_session_step *step = &f->session->steps[s];
        for (int32_t i = 0; i <= step->node->n_inputs; i++) {
            const int32_t v = i == step->node->n_inputs ? step->outputs[0] : step->inputs[i];
            if (v >= 0 && !is_constant(f, v) && !is_inside(f, loop, v) && !add_border(f, loop, v)) {
                return s;
            }
        }
    }
    return -1;
}

static void mark(finding *f, oribi_batch_loop *loop)
{
    oribi_batch *b = f->batch;
    for (int32_t s = loop->first; s < loop->end; s++) {
        const oribi_session_step *step = &f->session->steps[s];
        oribi_traits t;
        oribi_op_traits(step->node->op, &step->node->attrs, &step->node->signature, &t);
        b->loop_of[s] = b->n_loops;
        b->viewed[s] = (t.is & ORIBI_TRAIT_VIEW) != 0 ? step->inputs[t.data] : -1;
        b->where[step->outputs[0]] = ORIBI_BATCH_INSIDE;
    }
    for (int32_t i = 0; i < loop->n_border; i++) {
        b->where[loop->border[i].value] = ORIBI_BATCH_BORDER;
    }
    loop->first_home = b->n_homes;
    b->n_homes += loop->n_border;
}

/* --- The loops ------------------------------------------------------------------------------- */

/* Steps one behind the other that take as many images: at most one loop. A few cuts are tried, each
 * of which looks at all steps. */
static bool try_steps(finding *f, int32_t first, int32_t end)
{
    enum { MOST_CUTS = 16 };
    oribi_batch_loop loop;
    for (int32_t cut = 0;
         cut < MOST_CUTS && best_of(f, first, end, &loop) && choose_turns(f, &loop); cut++) {
        const int32_t in_the_way = make_border(f, &loop);
        if (in_the_way == -1) {
            mark(f, &loop);
            f->batch->loops[f->batch->n_loops++] = loop;
            return true;
        }
        if (in_the_way < 0) {
            return false;
        }
        if (in_the_way - first > end - in_the_way - 1) { /* the longer part is left */
            end = in_the_way;
        } else {
            first = in_the_way + 1;
        }
    }
    return true;
}

static bool begin(finding *f)
{
    const size_t n_steps = (size_t)f->session->n_steps + 1;
    const size_t n_values = (size_t)f->session->n_values + 1;
    f->images = oribi_arena_array(&f->arena, n_steps, sizeof *f->images);
    f->moved = oribi_arena_array(&f->arena, n_steps, sizeof *f->moved);
    f->gain = oribi_arena_array(&f->arena, n_steps, sizeof *f->gain);
    f->batch = oribi_alloc_zero(1, sizeof *f->batch);
    if (f->batch == NULL) {
        return false;
    }
    atomic_init(&f->batch->references, 1);
    f->batch->loops = oribi_arena_array(&f->batch->arena, n_steps, sizeof *f->batch->loops);
    f->batch->loop_of = oribi_arena_array(&f->batch->arena, n_steps, sizeof(int32_t));
    f->batch->viewed = oribi_arena_array(&f->batch->arena, n_steps, sizeof(int32_t));
    f->batch->where = oribi_arena_array(&f->batch->arena, n_values, sizeof(uint8_t));
    if (f->images == NULL || f->moved == NULL || f->gain == NULL || f->batch->loops == NULL ||
        f->batch->loop_of == NULL || f->batch->viewed == NULL || f->batch->where == NULL) {
        return false;
    }
    memset(f->batch->loop_of, -1, n_steps * sizeof(int32_t));
    return true;
}

static bool find_loops(finding *f)
{
    const int32_t n = f->session->n_steps;
    bool has_any = false;
    for (int32_t s = 0; s < n; s++) {
        f->images[s] = images_of(f, &f->session->steps[s]);
        has_any |= f->images[s] > 0;
        if (f->images[s] > 0) {
            weigh(f, s);
        }
    }
    f->cache =
        has_any ? (double)oribi_second_level_bytes() * oribi_pool_threads(f->session->pool) : 0;
    for (int32_t s = 0, end = 0; s < n; s = end) {
        end = s + 1;
        while (end < n && f->images[end] == f->images[s]) {
            end++;
        }
        if (f->images[s] > 0 && !try_steps(f, s, end)) {
            return false;
        }
    }
    return true;
}

/* Batches come in by inputs; most models have none. */
static bool has_batch(const oribi_session *session, const oribi_shape *shapes)
{
    bool found = false;
    for (int32_t i = 0; i < session->n_inputs; i++) {
        const oribi_shape *shape = &shapes[session->inputs[i]];
        found |= shape->rank >= 1 && shape->dims[0] > 1;
    }
    return found;
}

bool oribi_batch_find(const oribi_session *session, const oribi_shape *shapes, oribi_batch **out,
                      TF_Status *status)
{
    finding f = {.session = session, .shapes = shapes};
    *out = NULL;
    if (session->n_devices > 1 || session->n_flights > 0 || session->check != NULL ||
        session->bounds != NULL || !has_batch(session, shapes)) {
        return true;
    }
    const bool ok = begin(&f) && find_loops(&f);
    if (ok && f.batch->n_loops > 0) {
        *out = f.batch;
    } else {
        oribi_batch_release(f.batch);
    }
    oribi_arena_destroy(&f.arena);
    return ok || oribi_fail_memory(status);
}

void oribi_batch_retain(oribi_batch *batch)
{
    if (batch != NULL) {
        atomic_fetch_add_explicit(&batch->references, 1, memory_order_relaxed);
    }
}

void oribi_batch_release(oribi_batch *batch)
{
    if (batch != NULL &&
        atomic_fetch_sub_explicit(&batch->references, 1, memory_order_acq_rel) == 1) {
        oribi_arena_destroy(&batch->arena);
        oribi_free(batch);
    }
}

int64_t oribi_batch_images_of(const oribi_batch *batch, const oribi_session *session, int32_t value)
{
    if (batch == NULL || batch->where[value] != ORIBI_BATCH_INSIDE) {
        return 0;
    }
    const oribi_batch_loop *loop = &batch->loops[batch->loop_of[session->values[value].producer]];
    return loop->n_images / loop->n_turns;
}

bool oribi_batch_apart(const oribi_batch *batch, int32_t step, int32_t u, int32_t v)
{
    return batch != NULL && batch->loop_of[step] >= 0 &&
           (batch->where[u] != ORIBI_BATCH_INSIDE || batch->where[v] != ORIBI_BATCH_INSIDE);
}
