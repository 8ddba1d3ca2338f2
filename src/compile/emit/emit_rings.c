/* SPDX-License-Identifier: Apache-2.0 */
/* A call with rings as a function of the model's own: the list of its turns, a ring for each part,
 * and of each turn the kernel with so many rows. Read first: ../lower/rings/rings.h, micro/ring.h.
 */
#include <inttypes.h>

#include "compile/emit/emit_parts.h"

typedef struct emitter {
    const oribi_program *c;
    oribi_writer w;
    int32_t call;
    const oribi_rings *rings;
} emitter;

/* Bytes of the call's scratch from `offset` on. */
static void scratch_place(const emitter *e, oribi_text *text, int64_t offset)
{
    oribi_location place = e->c->scratch[e->call];
    place.offset += offset;
    oribi_emit_pool_place(e->c, text, ORIBI_ELEMENT_U8, &place);
}

static int32_t kind_of(const emitter *e, oribi_value_id value)
{
    return oribi_element_kind_of(e->c->graph->values[value]->dtype);
}

/* --- Tables ----------------------------------------------------------------------------------- */

static void turns(emitter *e)
{
    const int32_t n = e->rings->n_turns * ORIBI_TURN_BYTES;
    oribi_writer_comment(&e->w, "A layer, rows that it computes, rows that leave its ring before.");
    oribi_writer_open(&e->w, "static const uint8_t turns[%d] = {", (int)n);
    oribi_writer_elements(&e->w, ORIBI_ELEMENT_U8, e->rings->turns, n);
    oribi_writer_close(&e->w, "};");
}

static void rings(emitter *e)
{
    const oribi_rings *r = e->rings;
    oribi_text text = {0};
    oribi_text_printf(&text, "struct tvmgen_%s_micro_ring rings[%d] = {", e->c->kernels,
                      (int)r->n_parts);
    for (int32_t m = 0; m < r->n_parts; m++) {
        oribi_text_append(&text, m > 0 ? ", {" : "{");
        if (m < r->n_parts - 1) {
            scratch_place(e, &text, r->parts[m].offset);
        } else {
            oribi_text_append(&text, "(uint8_t *)(void *)");
            oribi_emit_place(e->c, &text, r->parts[m].call.node->outputs[0]);
        }
        oribi_text_printf(&text, ", %" PRId64 ", 0, 0}", r->parts[m].row_bytes);
    }
    oribi_text_append(&text, "};");
    oribi_writer_statement(&e->w, &text);
}

/* --- Turns ------------------------------------------------------------------------------------ */

/* "from[0] = tvmgen_x_micro_rows_from(rings[1].data, 512, rings[1].first, rings[1].end, 2 * row);"
 */
static void read_rows(emitter *e, const oribi_ring_part *p, int32_t k)
{
    const oribi_rows *r = &p->rows;
    const bool is_window = r->roles[k] == ORIBI_ROWS_WINDOW;
    const int32_t height = is_window ? r->in_height : r->height, m = p->from[k];
    const int64_t bytes = oribi_lower_bytes(e->c->graph->values[p->call.inputs[k]]);
    oribi_text text = {0};
    oribi_text_printf(&text, "from[%d] = tvmgen_%s_micro_rows_from(", (int)k, e->c->kernels);
    if (m >= 0) {
        oribi_text_printf(&text, "rings[%d].data, %" PRId64 ", rings[%d].first, rings[%d].end, ",
                          (int)m, bytes / height, (int)m, (int)m);
    } else {
        oribi_emit_place(e->c, &text, p->call.inputs[k]);
        oribi_text_printf(&text, ", %" PRId64 ", 0, %d, ", bytes / height, (int)height);
    }
    oribi_text_append(&text, "row");
    if (is_window && r->stride != 1) {
        oribi_text_printf(&text, " * %d", (int)r->stride);
    }
    if (is_window && r->padding != 0) {
        oribi_text_printf(&text, " - %d", (int)r->padding);
    }
    oribi_text_append(&text, ");");
    oribi_writer_statement(&e->w, &text);
}

/* "args.in_h = (int16_t)from[0].count;" */
static void set(emitter *e, const oribi_call *call, int32_t member, const char *value)
{
    const oribi_args_member *m = &call->args->members[member];
    const char *type = m->dtype == TF_INT8 ? "(int8_t)" : m->dtype == TF_INT16 ? "(int16_t)" : "";
    oribi_writer_line(&e->w, "args.%s%s = %s%s;", oribi_args_name(call->args, (size_t)member),
                      m->kind == ORIBI_ARGS_IS_LIST ? "[0]" : "", type, value);
}

static void set_rows(emitter *e, const oribi_ring_part *p)
{
    if (p->rows.in >= 0) {
        set(e, &p->call, p->rows.in, "from[0].count");
        set(e, &p->call, p->rows.before, "from[0].before");
        set(e, &p->call, p->rows.out, "rows");
    } else {
        oribi_text count = {0};
        oribi_text_printf(&count, "rows * %" PRId64, p->rows.each);
        set(e, &p->call, p->rows.out, oribi_text_string(&count));
        oribi_writer_end(&e->w, &count);
    }
}

static void call_kernel(emitter *e, const oribi_ring_part *p)
{
    const oribi_call *call = &p->call;
    oribi_text text = {0};
    oribi_text_printf(&text, "tvmgen_%s_%s%s(&args", e->c->kernels, oribi_emit_prefix(call),
                      call->kernel);
    for (int32_t k = 0; k < call->n_inputs; k++) {
        oribi_text_append(&text, ", ");
        if (p->rows.roles[k] == ORIBI_ROWS_ALL) {
            oribi_emit_place(e->c, &text, call->inputs[k]);
        } else if (p->rows.roles[k] == ORIBI_ROWS_NONE) {
            oribi_text_append(&text, "NULL");
        } else {
            oribi_text_printf(&text, "%sfrom[%d].data",
                              oribi_emit_pointer_cast(kind_of(e, call->inputs[k]), true), (int)k);
        }
    }
    oribi_text_printf(&text, ", %sto",
                      oribi_emit_pointer_cast(kind_of(e, call->node->outputs[0]), false));
    if (call->has_scratch && call->scratch_bytes > 0) {
        oribi_text_append(&text, ", ");
        scratch_place(e, &text, e->rings->kernel_scratch);
    } else if (call->has_scratch) {
        oribi_text_append(&text, ", NULL");
    }
    oribi_text_append(&text, ");");
    oribi_writer_statement(&e->w, &text);
}

static void turn(emitter *e, int32_t m)
{
    const oribi_ring_part *p = &e->rings->parts[m];
    oribi_writer_open(&e->w, "case %d: {", (int)m);
    (void)oribi_emit_own_arguments(e->c, &e->w, &p->call, true);
    for (int32_t k = 0; k < p->call.n_inputs; k++) {
        if (p->rows.roles[k] == ORIBI_ROWS_WINDOW || p->rows.roles[k] == ORIBI_ROWS_SAME) {
            read_rows(e, p, k);
        }
    }
    set_rows(e, p);
    call_kernel(e, p);
    oribi_writer_line(&e->w, "break;");
    oribi_writer_close(&e->w, "}");
}

static void loop(emitter *e)
{
    const oribi_rings *r = e->rings;
    oribi_writer *w = &e->w;
    int32_t operands = 1;
    for (int32_t m = 0; m < r->n_parts; m++) {
        const int32_t n = r->parts[m].call.n_inputs;
        operands = n > operands ? n : operands;
    }
    if (r->times > 1) {
        oribi_writer_line(w, "int32_t to_go = %d; /* times that turns %d to %d are done */",
                          (int)r->times, (int)r->begin, (int)r->end - 1);
    }
    oribi_writer_line(w, "int32_t i = 0;");
    oribi_writer_open(w, "while (i < %d) {", (int)r->n_turns);
    oribi_writer_line(w, "const uint8_t *turn = &turns[%d * i];", ORIBI_TURN_BYTES);
    oribi_writer_line(w, "struct tvmgen_%s_micro_ring *ring = &rings[turn[0]];", e->c->kernels);
    oribi_writer_line(w, "struct tvmgen_%s_micro_rows from[%d];", e->c->kernels, (int)operands);
    oribi_writer_line(w, "const int32_t rows = turn[1], row = ring->end;");
    oribi_writer_line(w, "uint8_t *to = tvmgen_%s_micro_ring_add(ring, rows, turn[2]);",
                      e->c->kernels);
    oribi_writer_line(w, "switch (turn[0]) {");
    for (int32_t m = 0; m < r->n_parts; m++) {
        turn(e, m);
    }
    oribi_writer_line(w, "default:");
    oribi_writer_line(w, "    break;");
    oribi_writer_line(w, "}");
    oribi_writer_line(w, "i++;");
    if (r->times > 1) {
        oribi_writer_open(w, "if (i == %d && --to_go > 0) {", (int)r->end);
        oribi_writer_line(w, "i = %d;", (int)r->begin);
        oribi_writer_close(w, "}");
    }
    oribi_writer_close(w, "}");
}

void oribi_emit_rings(const oribi_program *c, oribi_writer *w, int32_t call)
{
    emitter e = {c, {.depth = 1}, call, c->calls[call].rings};
    turns(&e);
    rings(&e);
    loop(&e);
    oribi_writer_comment(w, "%d layers, some rows at a time: %" PRId64 " bytes of rows.",
                         (int)e.rings->n_parts, e.rings->kernel_scratch);
    oribi_writer_line(w, "static void %s(", c->calls[call].name);
    oribi_emit_parameters(c, w, ")");
    oribi_writer_open(w, "{");
    oribi_emit_pools(c, w, oribi_text_string(&e.w.text));
    oribi_text_append(&w->text, oribi_text_string(&e.w.text));
    oribi_writer_close(w, "}");
    oribi_writer_blank(w);
    oribi_writer_end(w, &e.w.text);
}

void oribi_emit_rings_call(const oribi_program *c, oribi_writer *w, int32_t call)
{
    oribi_writer_line(w, "%s(%s);", c->calls[call].name, oribi_emit_forwarded(c));
}
