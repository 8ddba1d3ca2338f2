/* SPDX-License-Identifier: Apache-2.0 */
/* What an application calls: run, step and abort, what they check first, the end of a run, and
 * where inputs and outputs lie in the workspace. */
#include <inttypes.h>
#include <string.h>

#include "compile/emit/emit_parts.h"
#include "compile/emit/emit_device.h"

typedef struct emitter {
    const oribi_program *c;
    oribi_writer *w;
} emitter;

static bool has_devices(const oribi_program *c)
{
    return c->devices.partition.n_devices > 0;
}

/* --- Checks ---------------------------------------------------------------------------------- */

static void check_port(const emitter *e, const oribi_port *port, const char *holder)
{
    const int32_t align = (int32_t)oribi_element_bytes(port->kind);
    if (e->c->ports_in_workspace) {
        const oribi_location *place = &e->c->locations[port->value];
        oribi_writer_open(e->w, "if (%s->%s != %s&workspace_pools->%s[%" PRId64 "]) {", holder,
                          port->name, oribi_emit_pointer_cast(port->kind, false),
                          e->c->pools[place->index].name, place->offset);
    } else if (align > 1) {
        oribi_writer_open(e->w, "if (%s->%s == NULL || (uintptr_t)%s->%s %% %du != 0u) {", holder,
                          port->name, holder, port->name, (int)align);
    } else {
        oribi_writer_open(e->w, "if (%s->%s == NULL) {", holder, port->name);
    }
    oribi_writer_line(e->w, "return TVMGEN_%s_BAD_ARGUMENT;", e->c->macro);
    oribi_writer_close(e->w, "}");
}

static void check_pool(const emitter *e, const oribi_workspace_pool *pool)
{
    oribi_writer *w = e->w;
    oribi_writer_open(w, "if (workspace_pools->%s == NULL ||", pool->name);
    w->depth--;
    oribi_writer_line(w, "    (uintptr_t)workspace_pools->%s %%", pool->name);
    oribi_writer_line(w, "            (uintptr_t)TVMGEN_%s_WORKSPACE_ALIGNMENT != 0u) {",
                      e->c->macro);
    w->depth++;
    oribi_writer_line(w, "return TVMGEN_%s_BAD_ARGUMENT;", e->c->macro);
    oribi_writer_close(w, "}");
}

static void check_weights(const emitter *e)
{
    oribi_writer *w = e->w;
    oribi_writer_open(w, "if (workspace_pools->weights == NULL ||");
    w->depth--;
    oribi_writer_line(w, "    (uintptr_t)workspace_pools->weights %% %du != 0u) {",
                      (int)oribi_weights_most_alignment(e->c));
    w->depth++;
    oribi_writer_line(w, "return TVMGEN_%s_BAD_ARGUMENT;", e->c->macro);
    oribi_writer_close(w, "}");
    oribi_writer_open(w, "for (int32_t i = 0; i < %d; i++) {", (int)ORIBI_WEIGHTS_HEAD);
    oribi_writer_open(w, "if (workspace_pools->weights[i] != tvmgen_%s_weights_head[i]) {",
                      e->c->name);
    oribi_writer_line(w, "return TVMGEN_%s_BAD_WEIGHTS;", e->c->macro);
    oribi_writer_close(w, "}");
    oribi_writer_close(w, "}");
}

static void check_function(const emitter *e)
{
    oribi_writer *w = e->w;
    const oribi_program *c = e->c;
    oribi_writer_comment(w, "Is everything there and aligned?");
    oribi_writer_line(w, "static int32_t check(");
    oribi_emit_parameters(c, w, ")");
    oribi_writer_open(w, "{");
    oribi_writer_open(w, "if (inputs == NULL || outputs == NULL || workspace_pools == NULL%s) {",
                      c->n_states > 0 ? " || state == NULL" : "");
    oribi_writer_line(w, "return TVMGEN_%s_BAD_ARGUMENT;", c->macro);
    oribi_writer_close(w, "}");
    for (int32_t i = 0; i < c->n_pools; i++) {
        check_pool(e, &c->pools[i]);
    }
    for (int32_t i = 0; i < c->n_inputs; i++) {
        check_port(e, &c->inputs[i], "inputs");
    }
    for (int32_t i = 0; i < c->n_outputs; i++) {
        check_port(e, &c->outputs[i], "outputs");
    }
    if (c->options->weights == ORIBI_WEIGHTS_BIN) {
        check_weights(e);
    }
    if (has_devices(c)) {
        oribi_emit_device_checks(c, w);
    }
    oribi_writer_line(w, "return TVMGEN_%s_OK;", c->macro);
    oribi_writer_close(w, "}");
    oribi_writer_blank(w);
}

/* --- State ----------------------------------------------------------------------------------- */

static void commit_line(const emitter *e, const oribi_state *state, oribi_writer *body)
{
    const oribi_location *next = &e->c->locations[state->next];
    oribi_text text = {0};
    if (next->storage == ORIBI_IN_STATE && &e->c->states[next->index] == state) {
        return; /* it stays as it is */
    }
    oribi_text_printf(&text, "(void)memcpy(state->%s, ", state->name);
    oribi_emit_place(e->c, &text, state->next);
    oribi_text_printf(&text, ", sizeof state->%s);", state->name);
    oribi_writer_statement(body, &text);
}

static void commit_function(const emitter *e)
{
    oribi_writer *w = e->w;
    const oribi_program *c = e->c;
    oribi_writer body = {.depth = 1};
    for (int32_t i = 0; i < c->n_states; i++) {
        commit_line(e, &c->states[c->commits[i]], &body);
    }
    oribi_writer_comment(w, "All operators have run: the state becomes what they made of it.");
    oribi_writer_line(w, "static void commit(");
    oribi_emit_parameters(c, w, ")");
    oribi_writer_open(w, "{");
    oribi_emit_pools(c, w, oribi_text_string(&body.text));
    oribi_text_append(&w->text, oribi_text_string(&body.text));
    oribi_writer_close(w, "}");
    oribi_writer_blank(w);
    w->text.failed = w->text.failed || body.text.failed;
    oribi_text_destroy(&body.text);
}

static void reset_line(const emitter *e, const oribi_state *state)
{
    oribi_writer *w = e->w;
    if (state->initial != NULL) {
        oribi_writer_open(w, "static const %s %s[%" PRId64 "] = {",
                          oribi_element_c_type(state->kind), state->name, state->count);
        oribi_writer_elements(w, state->kind, state->initial, state->count);
        oribi_writer_close(w, "};");
        oribi_writer_line(w, "(void)memcpy(state->%s, %s, sizeof %s);", state->name, state->name,
                          state->name);
    } else if (state->fill == 0 || oribi_element_bytes(state->kind) == 1) {
        oribi_writer_line(w, "(void)memset(state->%s, %d, sizeof state->%s);", state->name,
                          (int)state->fill, state->name);
    } else {
        oribi_writer_open(w, "for (int32_t i = 0; i < %" PRId64 "; i++) {", state->count);
        oribi_writer_line(w, "state->%s[i] = %d;", state->name, (int)state->fill);
        oribi_writer_close(w, "}");
    }
}

static void reset_function(const emitter *e)
{
    oribi_writer *w = e->w;
    const oribi_program *c = e->c;
    oribi_writer_line(w, "void tvmgen_%s_reset(struct tvmgen_%s_state *state)", c->name, c->name);
    oribi_writer_open(w, "{");
    for (int32_t i = 0; i < c->n_states; i++) {
        oribi_writer_open(w, "{");
        reset_line(e, &c->states[i]);
        oribi_writer_close(w, "}");
    }
    oribi_writer_close(w, "}");
    oribi_writer_blank(w);
}

/* --- Entries --------------------------------------------------------------------------------- */

void oribi_emit_open_entry(const oribi_program *c, oribi_writer *w)
{
    oribi_emit_parameters(c, w, ")");
    oribi_writer_open(w, "{");
    oribi_writer_line(w, "%sint32_t code = check(%s);", has_devices(c) ? "" : "const ",
                      oribi_emit_forwarded(c));
    oribi_writer_open(w, "if (code != TVMGEN_%s_OK) {", c->macro);
    oribi_writer_line(w, "return code;");
    oribi_writer_close(w, "}");
}

void oribi_emit_open_operators(const oribi_program *c, oribi_writer *w, const char *condition)
{
    if (c->n_loops > 0) {
        oribi_writer_open(w, "for (int32_t i = 0; i < TVMGEN_%s_OPERATORS%s;", c->macro, condition);
        oribi_writer_line(w, " i = following(i, %s)) {", oribi_emit_forwarded(c));
    } else {
        oribi_writer_open(w, "for (int32_t i = 0; i < TVMGEN_%s_OPERATORS%s; i++) {", c->macro,
                          condition);
    }
}

/* The number of the operator that a call is, were it one. */
static int32_t number_of(const oribi_program *c, int32_t call)
{
    int32_t number = 0;
    for (int32_t i = 0; i < call; i++) {
        number += oribi_call_is_operator(&c->calls[i]) ? 1 : 0;
    }
    return number;
}

/* After the last operator of a loop comes its first one, behind the one that begins it. */
static void following_function(const emitter *e)
{
    const oribi_program *c = e->c;
    oribi_writer *w = e->w;
    oribi_writer body = {.depth = 1};
    for (int32_t k = 0; k < c->n_loops; k++) {
        const oribi_loop *loop = &c->loops[k];
        const int32_t number = number_of(c, loop->next);
        oribi_text goes_on = {0};
        oribi_emit_place(c, &goes_on, c->calls[loop->next].node->outputs[1]);
        oribi_writer_line(&body, "case %d:", (int)number);
        oribi_writer_line(&body, "    return *(%s) != 0 ? %d : %d;", oribi_text_string(&goes_on),
                          (int)number_of(c, loop->begin) + 1, (int)number + 1);
        oribi_writer_end(&body, &goes_on);
    }
    oribi_writer_comment(w, "The operator that runs after this one: the last of a loop goes back.");
    oribi_writer_line(w, "static int32_t following(int32_t index,");
    oribi_emit_parameters(c, w, ")");
    oribi_writer_open(w, "{");
    oribi_emit_pools(c, w, oribi_text_string(&body.text));
    oribi_writer_line(w, "switch (index) {");
    oribi_text_append(&w->text, oribi_text_string(&body.text));
    oribi_writer_line(w, "default:");
    oribi_writer_line(w, "    return index + 1;");
    oribi_writer_line(w, "}");
    oribi_writer_close(w, "}");
    oribi_writer_blank(w);
    w->text.failed = w->text.failed || body.text.failed;
    oribi_text_destroy(&body.text);
}

static void run_function(const emitter *e)
{
    oribi_writer *w = e->w;
    const oribi_program *c = e->c;
    oribi_writer_line(w, "int32_t tvmgen_%s_run(", c->name);
    oribi_emit_open_entry(c, w);
    oribi_emit_open_operators(c, w, "");
    oribi_writer_line(w, "TVMGEN_ON_OP(i);");
    oribi_writer_line(w, "run_operator(i, %s);", oribi_emit_forwarded(c));
    oribi_writer_close(w, "}");
    if (c->n_states > 0) {
        oribi_writer_line(w, "commit(%s);", oribi_emit_forwarded(c));
    }
    oribi_writer_line(w, "return TVMGEN_%s_OK;", c->macro);
    oribi_writer_close(w, "}");
    oribi_writer_blank(w);
}

/* One operator at a time; devices may refuse. */
static void step_operator(const oribi_program *c, oribi_writer *w)
{
    oribi_writer_open(w, "if (cursor->next < TVMGEN_%s_OPERATORS) {", c->macro);
    oribi_writer_line(w, "TVMGEN_ON_OP(cursor->next);");
    if (has_devices(c)) {
        oribi_writer_line(w, "code = run_operator(cursor->next, %s, cursor);",
                          oribi_emit_forwarded(c));
        oribi_writer_open(w, "if (code != 0) {");
        oribi_writer_line(w, "unwind(devices, cursor);");
        oribi_writer_line(w, "return code;");
        oribi_writer_close(w, "}");
    } else {
        oribi_writer_line(w, "run_operator(cursor->next, %s);", oribi_emit_forwarded(c));
    }
    if (c->n_loops > 0) {
        oribi_writer_line(w, "cursor->next = following(cursor->next, %s);",
                          oribi_emit_forwarded(c));
    } else {
        oribi_writer_line(w, "cursor->next++;");
    }
    oribi_writer_close(w, "}");
}

void oribi_emit_step(const oribi_program *c, oribi_writer *w)
{
    const char *m = c->macro;
    oribi_writer_line(w, "int32_t tvmgen_%s_step(struct tvmgen_%s_cursor *cursor,", c->name,
                      c->name);
    oribi_emit_open_entry(c, w);
    oribi_writer_open(w, "if (cursor == NULL || cursor->next < 0 ||");
    w->depth--;
    oribi_writer_line(w, "    cursor->next > TVMGEN_%s_OPERATORS) {", m);
    w->depth++;
    oribi_writer_line(w, "return TVMGEN_%s_BAD_ARGUMENT;", m);
    oribi_writer_close(w, "}");
    step_operator(c, w);
    oribi_writer_open(w, "if (cursor->next < TVMGEN_%s_OPERATORS) {", m);
    oribi_writer_line(w, "return TVMGEN_%s_MORE;", m);
    oribi_writer_close(w, "}");
    if (c->n_states > 0) {
        oribi_writer_line(w, "commit(%s);", oribi_emit_forwarded(c));
    }
    oribi_writer_line(w, "cursor->next = 0;");
    oribi_writer_line(w, "return TVMGEN_%s_OK;", m);
    oribi_writer_close(w, "}");
    oribi_writer_blank(w);
}

static void abort_function(const emitter *e)
{
    oribi_writer *w = e->w;
    const oribi_program *c = e->c;
    oribi_writer_line(w, "void tvmgen_%s_abort(struct tvmgen_%s_cursor *cursor)", c->name, c->name);
    oribi_writer_open(w, "{");
    oribi_writer_open(w, "if (cursor != NULL) {");
    oribi_writer_line(w, "cursor->next = 0;");
    oribi_writer_close(w, "}");
    oribi_writer_close(w, "}");
}

/* Writes the check of all weight bytes, for use once after they were loaded or written to flash. */
static void check_weights_function(const emitter *e)
{
    oribi_writer *w = e->w;
    const oribi_program *c = e->c;
    oribi_writer_blank(w);
    oribi_writer_line(w, "int32_t tvmgen_%s_check_weights(const uint8_t *weights, uint32_t bytes)",
                      c->name);
    oribi_writer_open(w, "{");
    oribi_writer_line(w, "uint32_t crc = 0xFFFFFFFFu;");
    oribi_writer_open(w, "if (weights == NULL || bytes < TVMGEN_%s_WEIGHTS_SIZE) {", c->macro);
    oribi_writer_line(w, "return TVMGEN_%s_BAD_ARGUMENT;", c->macro);
    oribi_writer_close(w, "}");
    oribi_writer_open(w, "for (uint32_t i = 0; i < TVMGEN_%s_WEIGHTS_SIZE; i++) {", c->macro);
    oribi_writer_line(w, "crc ^= weights[i];");
    oribi_writer_open(w, "for (int32_t bit = 0; bit < 8; bit++) {");
    oribi_writer_line(w, "crc = (crc >> 1) ^ (0xEDB88320u & (0u - (crc & 1u)));");
    oribi_writer_close(w, "}");
    oribi_writer_open(w, "if (i %% 4096u == 0u) {");
    oribi_writer_line(w, "TVMGEN_YIELD();");
    oribi_writer_close(w, "}");
    oribi_writer_close(w, "}");
    oribi_writer_line(w,
                      "return ~crc == TVMGEN_%s_WEIGHTS_CRC32 ? TVMGEN_%s_OK : "
                      "TVMGEN_%s_BAD_WEIGHTS;",
                      c->macro, c->macro, c->macro);
    oribi_writer_close(w, "}");
}

static void map_ports(const emitter *e, const oribi_port *ports, int32_t n_ports, const char *what)
{
    oribi_writer *w = e->w;
    const char *n = e->c->name;
    oribi_writer_blank(w);
    oribi_writer_line(w, "struct tvmgen_%s_%s tvmgen_%s_map_%s(", n, what, n, what);
    oribi_writer_line(w, "    const struct tvmgen_%s_workspace_pools *workspace_pools)", n);
    oribi_writer_open(w, "{");
    oribi_writer_line(w, "struct tvmgen_%s_%s mapped;", n, what);
    for (int32_t i = 0; i < n_ports; i++) {
        const oribi_location *place = &e->c->locations[ports[i].value];
        oribi_writer_line(w, "mapped.%s = %s&workspace_pools->%s[%" PRId64 "];", ports[i].name,
                          oribi_emit_pointer_cast(ports[i].kind, false),
                          e->c->pools[place->index].name, place->offset);
    }
    oribi_writer_line(w, "return mapped;");
    oribi_writer_close(w, "}");
}

void oribi_emit_entries(const oribi_program *c, oribi_writer *writer)
{
    const emitter e = {c, writer};
    check_function(&e);
    if (c->n_loops > 0) {
        following_function(&e);
    }
    if (c->n_states > 0) {
        commit_function(&e);
        reset_function(&e);
    }
    if (has_devices(c)) {
        oribi_emit_device_entries(c, writer);
    } else {
        run_function(&e);
        oribi_emit_step(c, writer);
        abort_function(&e);
    }
    if (c->options->weights == ORIBI_WEIGHTS_BIN) {
        check_weights_function(&e);
    }
    if (c->ports_in_workspace) {
        map_ports(&e, c->inputs, c->n_inputs, "inputs");
        map_ports(&e, c->outputs, c->n_outputs, "outputs");
    }
}
