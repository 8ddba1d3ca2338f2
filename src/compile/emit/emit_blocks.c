/* SPDX-License-Identifier: Apache-2.0 */
/* A call whose weights have four bits: those of a block of channels are widened to scratch, then
 * the kernel of int8 computes these channels. Read first: ../../../micro/nibbles/nibbles.h.
 */
#include <inttypes.h>
#include <stdio.h>

#include "compile/emit/emit_parts.h"
#include "compile/lower/lower_parts.h"

typedef struct emitter {
    const oribi_program *c;
    oribi_writer *w;
    const oribi_call *call;
    const char *input, *output, *scratch; /* expressions */
    bool is_whole;                        /* one block computes all once */
} emitter;

static void form(const emitter *e)
{
    const struct oribi_micro_nibbles_form *f = &e->call->blocks->first.form;
    oribi_writer_line(e->w,
                      "%sstruct tvmgen_%s_micro_nibbles_form form = {%d, %d, %d, %d, 0x%08" PRIx32
                      "U, 0x%08" PRIx32 "U, %d};",
                      e->call->blocks->rest.channels == 0 ? "const " : "", e->c->kernels,
                      (int)f->groups, (int)f->head, (int)f->words, (int)f->tail, f->set, f->flip,
                      (int)f->is_bytes);
}

/* "args.out_c = 4;" */
static void set(const emitter *e, int32_t member, int32_t value)
{
    if (member >= 0) {
        oribi_writer_line(e->w, "args.%s = %d;", oribi_args_name(e->call->args, (size_t)member),
                          (int)value);
    }
}

static void set_channels(const emitter *e, int32_t channels)
{
    const oribi_blocks *b = e->call->blocks;
    set(e, b->count, channels);
    set(e, b->groups, channels < b->outputs ? 1 : channels / b->outputs);
}

/* " + block / 2 * 8" */
static void append_offset(oribi_text *text, const char *block, int32_t every, int32_t step)
{
    if (step != 0 && every > 1) {
        oribi_text_printf(text, " + %s / %d * %d", block, (int)every, (int)step);
    } else if (step != 0) {
        oribi_text_printf(text, " + %s * %d", block, (int)step);
    }
}

static void kernel(const emitter *e, const char *block)
{
    const oribi_blocks *b = e->call->blocks;
    oribi_text text = {0};
    if (b->times > 1) {
        oribi_writer_open(e->w, "for (int32_t k = 0; k < %d; k++) {", (int)b->times);
    }
    oribi_text_printf(&text, "tvmgen_%s_%s%s(&args, %s", e->c->kernels, oribi_emit_prefix(e->call),
                      e->call->kernel, e->is_whole ? e->input : "x");
    if (!e->is_whole) {
        append_offset(&text, "k", 1, b->times > 1 ? b->in_bytes : 0);
        append_offset(&text, block, b->every, b->step);
    }
    oribi_text_printf(&text, ", %s", e->is_whole ? e->output : "y");
    if (!e->is_whole) {
        append_offset(&text, "k", 1, b->times > 1 ? b->out_bytes : 0);
        append_offset(&text, block, 1, b->first.channels);
    }
    oribi_text_printf(&text, ", %s);", e->scratch);
    oribi_writer_statement(e->w, &text);
    if (b->times > 1) {
        oribi_writer_close(e->w, "}");
    }
}

static void widen(const emitter *e, bool goes_on, const char *from)
{
    oribi_writer_line(e->w, "%s tvmgen_%s_micro_nibbles_widen(&form, %s, words);",
                      goes_on ? "packed =" : "(void)", e->c->kernels, from);
}

/* What is an element a channel moves to the next block's. */
static void move_on(const emitter *e)
{
    const oribi_call *call = e->call;
    const int64_t all =
        (int64_t)call->blocks->n * call->blocks->first.channels + call->blocks->rest.channels;
    for (int32_t i = 1; i < call->n_placed; i++) {
        if (call->placed[i].count == all) {
            oribi_writer_line(e->w, "args.%s += %d;",
                              oribi_args_name(call->args, (size_t)call->placed[i].member),
                              (int)call->blocks->first.channels);
        }
    }
}

static void all_blocks(const emitter *e, const char *packed)
{
    const oribi_blocks *b = e->call->blocks;
    const bool has_rest = b->rest.channels > 0;
    char last[16] = {0};
    if (b->times > 1) {
        set(e, b->repeat, 1);
    }
    set_channels(e, b->first.channels);
    oribi_writer_line(e->w, "const int8_t *const x = %s;", e->input);
    oribi_writer_line(e->w, "int8_t *const y = %s;", e->output);
    oribi_writer_line(e->w, "const int32_t *packed = %s;", packed);
    oribi_writer_open(e->w, "for (int32_t block = 0; block < %d; block++) {", (int)b->n);
    widen(e, true, "packed");
    kernel(e, "block");
    move_on(e);
    oribi_writer_close(e->w, "}");
    if (has_rest) {
        (void)snprintf(last, sizeof last, "%d", (int)b->n);
        set_channels(e, b->rest.channels);
        oribi_writer_line(e->w, "form.groups = %d;", (int)b->rest.form.groups);
        if (b->rest.form.head != b->first.form.head) {
            oribi_writer_line(e->w, "form.head = %d;", (int)b->rest.form.head);
        }
        oribi_writer_line(e->w, "form.words = %d;", (int)b->rest.form.words);
        oribi_writer_line(e->w, "form.tail = %d;", (int)b->rest.form.tail);
        widen(e, false, "packed");
        kernel(e, last);
    }
}

void oribi_emit_blocks(const oribi_program *c, oribi_writer *w, const oribi_call *call,
                       const char *input, const char *output, const oribi_location *scratch)
{
    const oribi_blocks *b = call->blocks;
    oribi_location rest = *scratch;
    oribi_text packed = {0}, words = {0}, place = {0};
    rest.offset += b->bytes;
    oribi_emit_array(c, &packed, call->first_array);
    oribi_emit_pool_place(c, &words, ORIBI_ELEMENT_S32, scratch);
    if (call->scratch_bytes > b->bytes) {
        oribi_emit_pool_place(c, &place, ORIBI_ELEMENT_U8, &rest);
    } else {
        oribi_text_append(&place, "NULL");
    }
    const emitter e = {c,
                       w,
                       call,
                       input,
                       output,
                       oribi_text_string(&place),
                       b->n == 1 && b->rest.channels == 0 && b->times == 1};
    const bool is_bytes =
        call->args->members[b->filter].dtype == TF_INT8; /* what the kernel's pointer is to */
    form(&e);
    oribi_writer_line(w, "int32_t *const words = %s;", oribi_text_string(&words));
    oribi_writer_line(w, "args.%s = %swords;", oribi_args_name(call->args, (size_t)b->filter),
                      is_bytes ? "(const int8_t *)" : "");
    if (e.is_whole) {
        widen(&e, false, oribi_text_string(&packed));
        kernel(&e, "0");
    } else {
        all_blocks(&e, oribi_text_string(&packed));
    }
    oribi_writer_end(w, &packed);
    oribi_writer_end(w, &words);
    oribi_writer_end(w, &place);
}
