/* SPDX-License-Identifier: Apache-2.0 */
/* The turns of a call with rings: each part computes rows when a part behind it needs them, never
 * before, so that few are held. Two passes: the first finds how many rows each ring holds at most,
 * the second lets old rows leave a ring only when there is no room for new ones. */
#include "compile/lower/rings/rings.h"

#include <string.h>

#include "base/alloc.h"

enum {
    MOST_TURNS = 1 << 14,
    ALIGNMENT = 4, /* of rings and of the kernels' scratch */
    /* Instructions of rows that move, beside one a byte. */
    MOVE = 60,
    COPY = 20 /* the same of a row that is copied for a stripe */
};

typedef struct turning {
    const oribi_graph *graph;
    oribi_rings *rings;
    oribi_ring_part *parts;
    int32_t n;
    int32_t stripe;
    int64_t turn;                    /* instructions of a turn beside its kernel's */
    int32_t chunk[ORIBI_RINGS_MOST]; /* rows of a turn */
    int32_t done[ORIBI_RINGS_MOST];  /* rows computed */
    int32_t first[ORIBI_RINGS_MOST]; /* the first row in the ring */
    uint8_t *turns;                  /* NULL: the first pass */
    int32_t n_turns;
    int64_t extra;
    bool fails;
    oribi_value_id input; /* whose reads are looked at */
} turning;

/* --- Rows that are read ----------------------------------------------------------------------- */

static int32_t first_read(const oribi_ring_part *c, int32_t k, int32_t y)
{
    return oribi_axis_first(&c->rows.y, c->rows.roles[k], y);
}

static int32_t end_read(const oribi_ring_part *c, int32_t k, int32_t y)
{
    return oribi_axis_end(&c->rows.y, c->rows.roles[k], y);
}

/* The first row of part m's result that some part has yet to read, if it is computed. */
static int32_t first_needed(const turning *t, int32_t m)
{
    int32_t least = t->done[m];
    for (int32_t c = m + 1; c < t->n; c++) {
        for (int32_t k = 0; k < t->parts[c].call.n_inputs; k++) {
            if (t->parts[c].from[k] == m && t->done[c] < t->parts[c].rows.y.size) {
                const int32_t row = first_read(&t->parts[c], k, t->done[c]);
                least = row < least ? row : least;
            }
        }
    }
    return least;
}

/* --- Turns ------------------------------------------------------------------------------------ */

/* The columns of part m now. */
static oribi_stripe columns_of(const turning *t, int32_t m)
{
    const oribi_stripe all = {0, t->parts[m].rows.x.size};
    return t->rings->stripes != NULL ? t->rings->stripes[t->stripe * t->n + m] : all;
}

/* Rows that are copied because kernels want them dense. */
static int64_t copies(const turning *t, int32_t m, int32_t n)
{
    const oribi_ring_part *p = &t->parts[m];
    const oribi_stripe columns = columns_of(t, m);
    const bool is_last = m == t->n - 1;
    int64_t sum = is_last ? n * (COPY + columns.n * oribi_pixel_bytes(t->graph, p, -1)) : 0;
    for (int32_t k = 0; k < p->call.n_inputs; k++) {
        if (p->crops[k] >= 0) {
            const int32_t role = p->rows.roles[k], y = t->done[m], x = columns.first;
            const int64_t rows = end_read(p, k, y + n - 1) - first_read(p, k, y);
            const int64_t pixels = oribi_axis_end(&p->rows.x, role, x + columns.n - 1) -
                                   oribi_axis_first(&p->rows.x, role, x);
            sum += rows * (COPY + pixels * oribi_pixel_bytes(t->graph, p, k));
        }
    }
    return sum;
}

/* What part m computes now, of n rows, costs more than these rows are worth. */
static void count_extra(turning *t, int32_t m, int32_t n, int32_t moved)
{
    const oribi_ring_part *p = &t->parts[m];
    t->extra += oribi_rows_cost(&p->call, &p->rows, t->done[m], n, columns_of(t, m)) + t->turn +
                (moved > 0 ? MOVE + moved * p->row_bytes : 0) +
                (t->rings->stripes != NULL ? copies(t, m, n) : 0);
}

static void add_turn(turning *t, int32_t m, int32_t n)
{
    oribi_ring_part *p = &t->parts[m];
    const bool is_last = m == t->n - 1;
    const int32_t needed = is_last ? 0 : first_needed(t, m);
    int32_t leaves = 0;
    if (t->turns == NULL) {
        const int32_t held = t->done[m] + n - needed;
        p->held = held > p->held ? held : p->held;
    } else if (!is_last && t->done[m] + n - t->first[m] > p->held) {
        leaves = needed - t->first[m];
    }
    t->fails = t->fails || n > UINT8_MAX || leaves > UINT8_MAX || t->n_turns == MOST_TURNS;
    if (t->turns != NULL && !t->fails) {
        uint8_t *turn = t->turns + (size_t)t->n_turns * ORIBI_TURN_BYTES;
        turn[0] = (uint8_t)m;
        turn[1] = (uint8_t)n;
        turn[2] = (uint8_t)leaves;
        count_extra(t, m, n, leaves > 0 ? t->done[m] - t->first[m] - leaves : 0);
    }
    t->n_turns += t->fails ? 0 : 1;
    t->first[m] += leaves;
    t->done[m] += n;
}

/* Part m has computed its rows up to `end`, and what it reads for that has been computed. */
static void compute(turning *t, int32_t m, int32_t end)
{
    while (t->done[m] < end && !t->fails) {
        const oribi_ring_part *p = &t->parts[m];
        const int32_t left = end - t->done[m], n = left < t->chunk[m] ? left : t->chunk[m];
        for (int32_t k = 0; k < p->call.n_inputs; k++) {
            if (p->from[k] >= 0) {
                compute(t, p->from[k], end_read(p, k, t->done[m] + n - 1));
            }
        }
        add_turn(t, m, n);
    }
}

static void compute_all(turning *t)
{
    t->n_turns = 0;
    memset(t->done, 0, sizeof t->done);
    memset(t->first, 0, sizeof t->first);
    compute(t, t->n - 1, t->parts[t->n - 1].rows.y.size);
}

/* How many rows of each part a turn of those behind it takes. */
static void choose_chunks(turning *t, const oribi_ring_plan *plan)
{
    for (int32_t m = t->n - 1; m >= 0; m--) {
        int64_t most = m == t->n - 1 || !plan->follows ? plan->chunk : 1;
        for (int32_t c = m + 1; c < t->n && plan->follows; c++) {
            const oribi_ring_part *p = &t->parts[c];
            for (int32_t k = 0; k < p->call.n_inputs; k++) {
                const int64_t rows = (int64_t)t->chunk[c] *
                                     (p->rows.roles[k] == ORIBI_ROWS_WINDOW ? p->rows.y.stride : 1);
                most = p->from[k] == m && rows > most ? rows : most;
            }
        }
        t->chunk[m] = most < UINT8_MAX ? (int32_t)most : UINT8_MAX;
    }
}

/* --- Over an input ---------------------------------------------------------------------------- */

/* Where value `input` is read by turn i's kernel, from this byte on; INT64_MAX: it is not. */
static int64_t read_from(const turning *t, const oribi_ring_part *p, int32_t y,
                         const oribi_graph *graph)
{
    int64_t least = INT64_MAX;
    for (int32_t k = 0; k < p->call.n_inputs; k++) {
        if (p->call.inputs[k] != t->input || p->from[k] >= 0 ||
            p->rows.roles[k] == ORIBI_ROWS_NONE) {
            continue;
        }
        const int32_t height =
            p->rows.roles[k] == ORIBI_ROWS_WINDOW ? p->rows.y.in_size : p->rows.y.size;
        const int64_t row_bytes = oribi_lower_bytes(graph->values[t->input]) / height;
        const int64_t byte = oribi_rows_are_read(&p->rows, k) ? first_read(p, k, y) * row_bytes : 0;
        least = byte < least ? byte : least;
    }
    return least;
}

/* Turns from the last to the first: whatever a later one reads lies behind the rows that are
 * written. Rows of the last part's own turn are left to its kernel where `own` says so. */
static int64_t find_distance(turning *t, const oribi_graph *graph, bool own)
{
    const int32_t last = t->n - 1;
    int64_t needed = INT64_MAX, distance = INT64_MAX;
    int32_t done[ORIBI_RINGS_MOST];
    memcpy(done, t->done, sizeof done);
    for (int32_t i = t->n_turns; i-- > 0;) {
        const uint8_t *turn = t->turns + (size_t)i * ORIBI_TURN_BYTES;
        const oribi_ring_part *p = &t->parts[turn[0]];
        const int64_t end = done[last] * p->row_bytes;
        done[turn[0]] -= turn[1];
        const int64_t read = read_from(t, p, done[turn[0]], graph);
        needed = !own || turn[0] != last ? (read < needed ? read : needed) : needed;
        if (turn[0] == last && needed != INT64_MAX && needed - end < distance) {
            distance = needed - end;
        }
        needed = read < needed ? read : needed;
    }
    return distance;
}

/* What the last part's kernel itself says of an input: NULL: nothing, or not of some rows. */
static const oribi_call_alias *own_alias(const oribi_ring_part *p, oribi_value_id input)
{
    const oribi_call_alias *found = NULL;
    for (int32_t i = 0; i < p->call.n_aliases; i++) {
        const oribi_call_alias *alias = &p->call.aliases[i];
        const int32_t role = p->rows.roles[alias->input];
        if (p->call.inputs[alias->input] == input && p->from[alias->input] < 0 &&
            (role == ORIBI_ROWS_SAME || (role == ORIBI_ROWS_WINDOW && !alias->is_exact))) {
            found = alias;
        }
    }
    return found;
}

static bool is_read_once(const oribi_ring_part *p, oribi_value_id input)
{
    int32_t n = 0;
    for (int32_t k = 0; k < p->call.n_inputs; k++) {
        n += p->call.inputs[k] == input ? 1 : 0;
    }
    return n <= 1;
}

/* Where the result may lie, relative to input k of the call that is made. */
static void add_alias(turning *t, const oribi_graph *graph, oribi_call *out, int32_t k)
{
    const oribi_ring_part *p = &t->parts[t->n - 1];
    const int64_t in = oribi_lower_bytes(graph->values[out->inputs[k]]);
    const int64_t result = p->row_bytes * p->rows.y.size;
    t->input = out->inputs[k];
    const oribi_call_alias *own = is_read_once(p, t->input) ? own_alias(p, t->input) : NULL;
    int64_t distance = find_distance(t, graph, own != NULL);
    const bool is_exact = own != NULL && own->is_exact && distance >= 0 && in == result;
    if (own != NULL && own->is_exact && !is_exact) {
        distance = find_distance(t, graph, false);
    } else if (own != NULL && !own->is_exact) {
        distance = own->distance < distance ? own->distance : distance;
    }
    if (out->n_aliases < ORIBI_CALL_ALIASES && (is_exact || distance > -in - result)) {
        out->aliases[out->n_aliases++] = (oribi_call_alias){k, is_exact, is_exact ? 0 : distance};
    }
}

/* --- The call --------------------------------------------------------------------------------- */

/* The parts, and who computes what they read. False: rows do not fit together. */
static bool connect(turning *t, const oribi_graph *graph, const oribi_ring_plan *plan)
{
    for (int32_t m = 0; m < t->n; m++) {
        oribi_ring_part *p = &t->parts[m];
        *p = (oribi_ring_part){.call = *plan->calls[m], .rows = plan->rows[m]};
        p->row_bytes = oribi_lower_bytes(graph->values[p->call.node->outputs[0]]) / p->rows.y.size;
        for (int32_t k = 0; k < p->call.n_inputs; k++) {
            p->from[k] = -1;
            for (int32_t e = 0; e < m && p->rows.roles[k] != ORIBI_ROWS_NONE; e++) {
                if (t->parts[e].call.node->outputs[0] == p->call.inputs[k]) {
                    p->from[k] = e;
                }
            }
            const bool is_window = p->rows.roles[k] == ORIBI_ROWS_WINDOW;
            const int32_t height = is_window ? p->rows.y.in_size : p->rows.y.size;
            if (p->from[k] >= 0 &&
                (!oribi_rows_are_read(&p->rows, k) || t->parts[p->from[k]].rows.y.size != height)) {
                return false;
            }
        }
    }
    return true;
}

/* Values from elsewhere, each once. */
static void list_inputs(const turning *t, oribi_value_id *inputs, int32_t *out_n)
{
    int32_t n = 0;
    for (int32_t m = 0; m < t->n; m++) {
        const oribi_ring_part *p = &t->parts[m];
        for (int32_t k = 0; k < p->call.n_inputs; k++) {
            bool is_new = p->from[k] < 0 && p->rows.roles[k] != ORIBI_ROWS_NONE;
            for (int32_t i = 0; i < n; i++) {
                is_new = is_new && inputs[i] != p->call.inputs[k];
            }
            if (is_new) {
                inputs[n++] = p->call.inputs[k];
            }
        }
    }
    *out_n = n;
}

/* Rings one behind the other, then the scratch of the kernels, which they use in turn. */
static void lay(turning *t, oribi_rings *rings, oribi_call *out)
{
    int64_t end = 0, scratch = 0;
    for (int32_t m = 0; m < t->n; m++) {
        oribi_ring_part *p = &t->parts[m];
        const int32_t n = t->chunk[m] < p->rows.y.size ? t->chunk[m] : p->rows.y.size;
        const int64_t one = rings->stripes != NULL ? oribi_stripes_scratch(t->graph, rings, m, n)
                                                   : oribi_rows_scratch(&p->call, &p->rows, n);
        p->offset = end;
        size_t bytes = (size_t)(m < t->n - 1 ? p->held * p->row_bytes : 0);
        (void)oribi_size_round_up(bytes, ALIGNMENT, &bytes); /* of less than 2 GiB */
        end += (int64_t)bytes;
        scratch = one > scratch ? one : scratch;
        out->macs += p->call.macs;
        rings->extra -= oribi_call_cost(&p->call);
    }
    rings->kernel_scratch = end;
    out->macs += rings->extra_macs;
    out->scratch_bytes = end + scratch;
}

/* Turns that repeat are kept once: the stretch that saves most. */
static void fold(oribi_rings *r)
{
    const size_t bytes = ORIBI_TURN_BYTES;
    int32_t best = 0;
    r->begin = r->end = 0;
    r->times = 1;
    for (int32_t length = 1; length <= 64; length++) {
        for (int32_t i = 0, same = 0; i + length < r->n_turns; i++) {
            const bool is_same = memcmp(r->turns + (size_t)i * bytes,
                                        r->turns + (size_t)(i + length) * bytes, bytes) == 0;
            same = is_same ? same + 1 : 0;
            const int32_t saved = same / length * length;
            if (saved > best) {
                best = saved;
                r->begin = i + 1 - same;
                r->end = r->begin + length;
                r->times = same / length + 1;
            }
        }
    }
    if (best > 0) {
        uint8_t *to = r->turns + (size_t)r->end * bytes;
        memmove(to, to + (size_t)best * bytes, (size_t)(r->n_turns - r->end - best) * bytes);
        r->n_turns -= best;
    }
}

bool oribi_rings_make(const oribi_graph *graph, const oribi_ring_plan *plan, oribi_arena *arena,
                      oribi_call *out)
{
    const int32_t last = plan->n - 1;
    turning t = {.graph = graph, .n = plan->n, .turn = plan->turn};
    bool fits = true;
    *out = (oribi_call){.node = plan->calls[last]->node};
    t.rings = oribi_arena_array(arena, 1, sizeof *t.rings);
    t.parts = oribi_arena_array(arena, (size_t)plan->n, sizeof *t.parts);
    oribi_value_id *inputs =
        oribi_arena_array(arena, (size_t)plan->n * ORIBI_ROWS_OPERANDS + 1, sizeof *inputs);
    if (t.rings == NULL || t.parts == NULL || inputs == NULL) {
        return false;
    }
    if (!connect(&t, graph, plan)) {
        return true;
    }
    oribi_rings *rings = t.rings;
    *rings = (oribi_rings){.parts = t.parts, .n_parts = t.n, .n_stripes = 1};
    ORIBI_TRY(plan->n_stripes == 1 ||
              oribi_stripes_make(graph, rings, plan->n_stripes, arena, &fits));
    if (!fits) {
        return true;
    }
    choose_chunks(&t, plan);
    compute_all(&t);
    t.turns = oribi_arena_array(arena, (size_t)t.n_turns + 1, ORIBI_TURN_BYTES);
    if (t.turns == NULL) {
        return false;
    }
    lay(&t, rings, out);
    for (; t.stripe < rings->n_stripes && !t.fails; t.stripe++) {
        compute_all(&t);
    }
    if (t.fails) {
        return true;
    }
    rings->extra += t.extra;
    out->inputs = inputs;
    list_inputs(&t, inputs, &out->n_inputs);
    out->n_outputs = 1;
    out->kernel = "rings";
    out->has_scratch = true;
    for (int32_t k = 0; k < out->n_inputs && rings->stripes == NULL; k++) {
        add_alias(&t, graph, out, k);
    }
    rings->turns = t.turns;
    rings->n_turns = t.n_turns;
    fold(rings);
    out->rings = rings;
    return true;
}
