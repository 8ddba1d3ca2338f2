/* SPDX-License-Identifier: Apache-2.0 */
/* A call with rings as a function of the model's own: the list of its turns, a ring for each part,
 * and of each turn the kernel with so many rows; of each stripe, if there are any, the same. Read
 * first: ../lower/rings/rings.h, micro/ring.h.
 */
#include <inttypes.h>
#include <stdio.h>

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

/* Two numbers for each part: stripe[2 * m] is its first column, stripe[2 * m + 1] how many. */
static void stripes(emitter *e)
{
    const int32_t n = 2 * e->rings->n_parts * e->rings->n_stripes;
    oribi_writer_comment(&e->w, "Of each stripe: the first column of each layer, and how many.");
    oribi_writer_open(&e->w, "static const int32_t stripes[%d] = {", (int)n);
    oribi_writer_elements(&e->w, ORIBI_ELEMENT_S32, e->rings->stripes, n);
    oribi_writer_close(&e->w, "};");
}

/* "rings[2] = {&pool_x[0], 96, 0, 0}, ...": rows of a stripe are as long as it is wide, and those
 * of the last one are copied to their place from where the kernel puts them. */
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
        } else if (r->stripes != NULL) {
            scratch_place(e, &text, r->kernel_scratch);
        } else {
            oribi_text_append(&text, "(uint8_t *)(void *)");
            oribi_emit_place(e->c, &text, r->parts[m].call.node->outputs[0]);
        }
        if (r->stripes == NULL) {
            oribi_text_printf(&text, ", %" PRId64 ", 0, 0}", r->parts[m].row_bytes);
        } else if (m == r->n_parts - 1) {
            oribi_text_append(&text, ", 0, 0, 0}");
        } else {
            oribi_text_printf(&text, ", stripe[%d] * %" PRId64 ", 0, 0}", (int)(2 * m + 1),
                              oribi_pixel_bytes(e->c->graph, &r->parts[m], -1));
        }
    }
    oribi_text_append(&text, "};");
    oribi_writer_statement(&e->w, &text);
}

/* --- Turns ------------------------------------------------------------------------------------ */

/* ", 2 * row - 1" of windows, ", row" of the same rows. */
static void top_row(oribi_text *text, const oribi_axis *y, bool is_window)
{
    oribi_text_append(text, ", row");
    if (is_window && y->stride != 1) {
        oribi_text_printf(text, " * %d", (int)y->stride);
    }
    if (is_window && y->padding != 0) {
        oribi_text_printf(text, " - %d", (int)y->padding);
    }
}

/* "from[0] = tvmgen_x_micro_rows_from(rings[1].data, 512, rings[1].first, rings[1].end, row);" */
static void read_rows(emitter *e, const oribi_ring_part *p, int32_t k)
{
    const oribi_rows *r = &p->rows;
    const bool is_window = r->roles[k] == ORIBI_ROWS_WINDOW;
    const int32_t height = is_window ? r->y.in_size : r->y.size, m = p->from[k];
    const int64_t bytes = oribi_lower_bytes(e->c->graph->values[p->call.inputs[k]]) / height;
    oribi_text text = {0};
    oribi_text_printf(&text, "from[%d] = tvmgen_%s_micro_rows_from(", (int)k, e->c->kernels);
    if (m < 0) {
        oribi_emit_place(e->c, &text, p->call.inputs[k]);
        oribi_text_printf(&text, ", %" PRId64 ", 0, %d", bytes, (int)height);
    } else if (e->rings->stripes != NULL) {
        oribi_text_printf(&text,
                          "rings[%d].data, rings[%d].row_bytes, rings[%d].first, "
                          "rings[%d].end",
                          (int)m, (int)m, (int)m, (int)m);
    } else {
        oribi_text_printf(&text, "rings[%d].data, %" PRId64 ", rings[%d].first, rings[%d].end",
                          (int)m, bytes, (int)m, (int)m);
    }
    top_row(&text, &r->y, is_window);
    oribi_text_append(&text, ");");
    oribi_writer_statement(&e->w, &text);
}

/* "under[0] = tvmgen_x_micro_columns_under(stripe[2], stripe[3], 2, 1, 3, 96);", and where the
 * kernel reads other columns than are there, "from[0] = tvmgen_x_micro_rows_crop(from[0], 3, 288,
 * under[0].first * 3, under[0].count * 3, &pool_x[64]);" */
static void read_columns(emitter *e, int32_t part, int32_t k)
{
    const oribi_ring_part *p = &e->rings->parts[part];
    const oribi_axis *x = &p->rows.x, *y = &p->rows.y;
    const bool is_window = p->rows.roles[k] == ORIBI_ROWS_WINDOW;
    const int32_t width = is_window ? x->in_size : x->size, m = p->from[k];
    const int64_t pixel = oribi_pixel_bytes(e->c->graph, p, k);
    oribi_text text = {0};
    oribi_writer_line(&e->w,
                      "under[%d] = tvmgen_%s_micro_columns_under(stripe[%d], stripe[%d], %d, %d, "
                      "%d, %d);",
                      (int)k, e->c->kernels, (int)(2 * part), (int)(2 * part + 1),
                      is_window ? (int)x->stride : 1, is_window ? (int)x->padding : 0,
                      is_window ? (int)x->reach : 1, (int)width);
    if (p->crops[k] < 0) {
        return;
    }
    oribi_text_printf(&text, "from[%d] = tvmgen_%s_micro_rows_crop(from[%d], ", (int)k,
                      e->c->kernels, (int)k);
    if (is_window) {
        oribi_text_printf(&text, "(rows - 1) * %d + %d, ", (int)y->stride, (int)y->reach);
    } else {
        oribi_text_append(&text, "rows, ");
    }
    if (m >= 0) {
        oribi_text_printf(&text, "rings[%d].row_bytes, (under[%d].first - stripe[%d]) * ", (int)m,
                          (int)k, (int)(2 * m));
    } else {
        oribi_text_printf(&text, "%" PRId64 ", under[%d].first * ", width * pixel, (int)k);
    }
    oribi_text_printf(&text, "%" PRId64 ", under[%d].count * %" PRId64 ", ", pixel, (int)k, pixel);
    scratch_place(e, &text, e->rings->kernel_scratch + p->crops[k]);
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
    if (p->rows.y.in >= 0) {
        set(e, &p->call, p->rows.y.in, "from[0].count");
        set(e, &p->call, p->rows.y.before, "from[0].before");
        set(e, &p->call, p->rows.y.out, "rows");
    }
}

static void set_text(emitter *e, const oribi_ring_part *p, int32_t member, const char *what,
                     int64_t each)
{
    oribi_text text = {0};
    oribi_text_printf(&text, each == 1 ? "%s" : "%s * %" PRId64, what, each);
    set(e, &p->call, member, oribi_text_string(&text));
    oribi_writer_end(&e->w, &text);
}

/* What the arguments say of columns, or of both as a count. */
static void set_columns(emitter *e, int32_t part)
{
    const oribi_ring_part *p = &e->rings->parts[part];
    const oribi_rows *r = &p->rows;
    const bool has_stripes = e->rings->stripes != NULL;
    char n[32], count[64];
    snprintf(n, sizeof n, "stripe[%d]", (int)(2 * part + 1));
    if (r->y.in < 0) {
        const int64_t columns = r->x.size > 0 && !has_stripes ? r->x.size : 1;
        snprintf(count, sizeof count, has_stripes ? "rows * %s" : "rows", n);
        set_text(e, p, r->y.out, count, r->each * columns);
    } else if (has_stripes) {
        set(e, &p->call, r->x.in, "under[0].count");
        set(e, &p->call, r->x.before, "under[0].before");
        set(e, &p->call, r->x.out, n);
    }
    if (has_stripes && r->in_step >= 0) {
        set_text(e, p, r->in_step, "under[0].count", oribi_pixel_bytes(e->c->graph, p, 0));
        set_text(e, p, r->out_step, n, oribi_pixel_bytes(e->c->graph, p, -1));
    }
}

static void call_kernel(emitter *e, const oribi_ring_part *p)
{
    const oribi_call *call = &p->call;
    oribi_text text = {0};
    if (call->blocks != NULL) {
        oribi_location scratch = e->c->scratch[e->call];
        scratch.offset += e->rings->kernel_scratch + p->scratch;
        oribi_emit_blocks(e->c, &e->w, call, "(const int8_t *)from[0].data", "(int8_t *)to",
                          &scratch);
        return;
    }
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
        scratch_place(e, &text, e->rings->kernel_scratch + p->scratch);
    } else if (call->has_scratch) {
        oribi_text_append(&text, ", NULL");
    }
    oribi_text_append(&text, ");");
    oribi_writer_statement(&e->w, &text);
}

/* The rows that the last part's kernel left go to their place. */
static void put_rows(emitter *e, const oribi_ring_part *p)
{
    const int32_t m = e->rings->n_parts - 1;
    const int64_t pixel = oribi_pixel_bytes(e->c->graph, p, -1);
    oribi_text text = {0};
    oribi_text_printf(&text,
                      "tvmgen_%s_micro_rows_copy(to, stripe[%d] * %" PRId64 ", (uint8_t *)(void *)",
                      e->c->kernels, (int)(2 * m + 1), pixel);
    oribi_emit_place(e->c, &text, p->call.node->outputs[0]);
    oribi_text_printf(&text,
                      " + row * %" PRId64 " + stripe[%d] * %" PRId64 ", %" PRId64
                      ", stripe[%d] * %" PRId64 ", rows);",
                      p->rows.x.size * pixel, (int)(2 * m), pixel, p->rows.x.size * pixel,
                      (int)(2 * m + 1), pixel);
    oribi_writer_statement(&e->w, &text);
}

static void turn(emitter *e, int32_t m)
{
    const oribi_ring_part *p = &e->rings->parts[m];
    oribi_writer_open(&e->w, "case %d: {", (int)m);
    (void)oribi_emit_own_arguments(e->c, &e->w, &p->call, true);
    for (int32_t k = 0; k < p->call.n_inputs; k++) {
        if (oribi_rows_are_read(&p->rows, k)) {
            read_rows(e, p, k);
            if (e->rings->stripes != NULL && (p->crops[k] >= 0 || (k == 0 && p->rows.y.in >= 0))) {
                read_columns(e, m, k);
            }
        }
    }
    set_rows(e, p);
    set_columns(e, m);
    call_kernel(e, p);
    if (e->rings->stripes != NULL && m == e->rings->n_parts - 1) {
        put_rows(e, p);
    }
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
    if (r->stripes != NULL) {
        oribi_writer_line(w, "struct tvmgen_%s_micro_columns under[%d];", e->c->kernels,
                          (int)operands);
    }
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
    const oribi_rings *r = e.rings;
    turns(&e);
    if (r->stripes != NULL) {
        stripes(&e);
        oribi_writer_open(&e.w, "for (int32_t s = 0; s < %d; s++) {", (int)r->n_stripes);
        oribi_writer_line(&e.w, "const int32_t *stripe = &stripes[%d * s];", (int)(2 * r->n_parts));
    }
    rings(&e);
    loop(&e);
    if (r->stripes != NULL) {
        oribi_writer_close(&e.w, "}");
    }
    oribi_writer_comment(w, "%d layers, some rows at a time%s: %" PRId64 " bytes of rows.",
                         (int)r->n_parts, r->stripes != NULL ? " of each stripe" : "",
                         r->kernel_scratch);
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
