/* SPDX-License-Identifier: Apache-2.0 */
/* tvmgen_<model>_self_test.h and .c: one known run, stepped; a checksum of what each operator wrote
 * tells which is the first that computes something else on this machine.
 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "compile/emit/emit_parts.h"
#include "compile/common/checksum.h"
#include "tensor/status.h"

typedef struct emitter {
    const oribi_program *c;
    TF_Tensor **values; /* by value: of the known run */
    TF_Tensor **first;  /* the same when their operator has run for the first time */
    oribi_writer w;
} emitter;

/* --- Header ---------------------------------------------------------------------------------- */

static void parameters(const oribi_program *c, oribi_writer *w, const char *end)
{
    const char *n = c->name;
    if (!c->ports_in_workspace) {
        oribi_writer_line(w, "    const struct tvmgen_%s_outputs *outputs,", n);
    }
    oribi_writer_line(w, "    const struct tvmgen_%s_workspace_pools *workspace_pools,", n);
    if (c->n_states > 0) {
        oribi_writer_line(w, "    struct tvmgen_%s_state *state,", n);
    }
    oribi_writer_line(w, "    struct tvmgen_%s_finding *finding)%s", n, end);
}

static bool emit_header(const oribi_program *c, oribi_files *files, TF_Status *status)
{
    oribi_writer w = {0};
    const char *n = c->name;
    oribi_emit_banner(c, &w, "A known run, for the first start on a new board.");
    oribi_writer_line(&w, "#ifndef TVMGEN_%s_SELF_TEST_H_", c->macro);
    oribi_writer_line(&w, "#define TVMGEN_%s_SELF_TEST_H_", c->macro);
    oribi_writer_blank(&w);
    oribi_writer_line(&w, "#include \"tvmgen_%s.h\"", n);
    oribi_writer_blank(&w);
    oribi_writer_line(&w, "#ifdef __cplusplus");
    oribi_writer_line(&w, "extern \"C\" {");
    oribi_writer_line(&w, "#endif");
    oribi_writer_blank(&w);
    oribi_writer_line(&w, "#define TVMGEN_%s_BAD_OPERATOR (-3)", c->macro);
    oribi_writer_blank(&w);
    oribi_writer_comment(&w, "The first operator whose output is not as it was computed where the "
                             "model was compiled.");
    oribi_writer_open(&w, "struct tvmgen_%s_finding {", n);
    oribi_writer_line(&w, "int32_t index;    /* of the operator; -1: all are right */");
    oribi_writer_line(&w, "const char *name; /* of the operator, or \"\" */");
    oribi_writer_line(&w, "uint32_t expected, found; /* CRC-32 of what it wrote */");
    oribi_writer_close(&w, "};");
    oribi_writer_blank(&w);
    oribi_writer_comment(&w,
                         "Runs the model once, an operator at a time, on inputs of its own: OK, "
                         "BAD_OPERATOR, or what a step said. finding may be NULL.%s",
                         c->n_states > 0 ? " The state is reset before and after." : "");
    oribi_writer_line(&w, "int32_t tvmgen_%s_self_test(", n);
    parameters(c, &w, ";");
    oribi_writer_blank(&w);
    oribi_writer_line(&w, "#ifdef __cplusplus");
    oribi_writer_line(&w, "}");
    oribi_writer_line(&w, "#endif");
    oribi_writer_blank(&w);
    oribi_writer_line(&w, "#endif");
    return oribi_files_add(files, &w.text, status, "tvmgen_%s_self_test.h", n);
}

/* --- Checksums ------------------------------------------------------------------------------- */

static uint32_t sum_of(uint32_t crc, const TF_Tensor *tensor)
{
    return oribi_crc32(crc, TF_TensorData(tensor), TF_TensorByteSize(tensor));
}

/* Is the value somewhere after the call? */
static bool is_kept(const emitter *e, oribi_value_id value)
{
    return e->c->locations[value].storage != ORIBI_IN_NOTHING && e->first[value] != NULL;
}

/* "crc32(crc32(0u, a, 4u), b, 8u)"; returns the sum that is expected. */
static uint32_t call_sum(const emitter *e, const oribi_call *call, oribi_text *text)
{
    uint32_t crc = 0;
    oribi_text inner = {0};
    oribi_text_append(&inner, "0u");
    for (int32_t i = 0; i < call->n_outputs; i++) {
        const oribi_value_id value = call->node->outputs[i];
        if (!is_kept(e, value)) {
            continue;
        }
        oribi_text outer = {0};
        oribi_text_printf(&outer, "crc32(%s, ", oribi_text_string(&inner));
        oribi_emit_place(e->c, &outer, value);
        oribi_text_printf(&outer, ", %zuu)", TF_TensorByteSize(e->first[value]));
        outer.failed = outer.failed || inner.failed;
        oribi_text_destroy(&inner);
        inner = outer;
        crc = sum_of(crc, e->first[value]);
    }
    oribi_text_append(text, oribi_text_string(&inner));
    text->failed = text->failed || inner.failed;
    oribi_text_destroy(&inner);
    return crc;
}

static uint32_t copy_sum(const emitter *e, const oribi_copy *copy, oribi_text *text)
{
    const oribi_port *port = &e->c->outputs[copy->output];
    oribi_text_append(text, "crc32(0u, ");
    if (e->c->ports_in_workspace) {
        oribi_emit_place(e->c, text, port->value);
    } else {
        oribi_text_printf(text, "outputs->%s", port->name);
    }
    oribi_text_printf(text, ", TVMGEN_%s_%s_SIZE)", e->c->macro, port->macro);
    return sum_of(0, e->values[copy->from]);
}

/* Cases of the function, numbers and names of the tables. */
static void one(emitter *e, const char *name, const char *node, const char *expression,
                uint32_t crc, int32_t index, oribi_writer *cases, oribi_writer *sums,
                oribi_writer *names)
{
    oribi_text safe = {0}, line = {0};
    oribi_compile_append_safe(&safe, node);
    oribi_text_printf(&line, "return %s;", expression);
    oribi_writer_line(cases, "case %d:", (int)index);
    cases->depth++;
    oribi_writer_wrapped(cases, oribi_text_string(&line));
    cases->depth--;
    oribi_writer_line(sums, "0x%08" PRIx32 "u,", crc);
    oribi_writer_line(names, "\"%s: %s\",", name, oribi_text_string(&safe));
    e->w.text.failed = e->w.text.failed || safe.failed || line.failed;
    oribi_text_destroy(&safe);
    oribi_text_destroy(&line);
}

static void all(emitter *e, oribi_writer *cases, oribi_writer *sums, oribi_writer *names)
{
    const oribi_program *c = e->c;
    int32_t index = 0;
    for (int32_t i = 0; i < c->n_calls; i++) {
        oribi_text text = {0};
        if (c->calls[i].kernel == NULL) {
            continue;
        }
        const uint32_t crc = call_sum(e, &c->calls[i], &text);
        one(e, c->calls[i].name, c->calls[i].node->name, oribi_text_string(&text), crc, index++,
            cases, sums, names);
        oribi_writer_end(&e->w, &text);
    }
    for (int32_t i = 0; i < c->n_copies; i++) {
        oribi_text text = {0};
        const uint32_t crc = copy_sum(e, &c->copies[i], &text);
        one(e, "copy", c->outputs[c->copies[i].output].model_name, oribi_text_string(&text), crc,
            index++, cases, sums, names);
        oribi_writer_end(&e->w, &text);
    }
}

static void table(oribi_writer *w, const char *declaration, oribi_writer *body)
{
    oribi_writer_line(w, "%s[] = {", declaration);
    oribi_text_append(&w->text, oribi_text_string(&body->text));
    oribi_writer_line(w, "};");
    oribi_writer_blank(w);
    w->text.failed = w->text.failed || body->text.failed;
    oribi_text_destroy(&body->text);
}

static void tables(emitter *e)
{
    oribi_writer *w = &e->w;
    oribi_writer cases = {.depth = 1}, sums = {.depth = 1}, names = {.depth = 1};
    all(e, &cases, &sums, &names);
    table(w, "static const uint32_t expected", &sums);
    table(w, "static const char *const names", &names);
    oribi_writer_comment(w, "Of what the operator has just written.");
    oribi_writer_line(w, "static uint32_t output_sum(int32_t index,");
    oribi_emit_parameters(e->c, w, ")");
    oribi_writer_open(w, "{");
    oribi_emit_pools(e->c, w, oribi_text_string(&cases.text));
    oribi_writer_line(w, "switch (index) {");
    oribi_text_append(&w->text, oribi_text_string(&cases.text));
    oribi_writer_line(w, "default:");
    oribi_writer_line(w, "    return 0u;");
    oribi_writer_line(w, "}");
    oribi_writer_close(w, "}");
    oribi_writer_blank(w);
    w->text.failed = w->text.failed || cases.text.failed;
    oribi_text_destroy(&cases.text);
}

static void crc_function(oribi_writer *w)
{
    oribi_writer_line(w, "static uint32_t crc32(uint32_t crc, const void *data, uint32_t bytes)");
    oribi_writer_open(w, "{");
    oribi_writer_line(w, "const uint8_t *at = (const uint8_t *)data;");
    oribi_writer_line(w, "crc = ~crc;");
    oribi_writer_open(w, "for (uint32_t i = 0; i < bytes; i++) {");
    oribi_writer_line(w, "crc ^= at[i];");
    oribi_writer_open(w, "for (int32_t bit = 0; bit < 8; bit++) {");
    oribi_writer_line(w, "crc = (crc >> 1) ^ (0xEDB88320u & (0u - (crc & 1u)));");
    oribi_writer_close(w, "}");
    oribi_writer_close(w, "}");
    oribi_writer_line(w, "return ~crc;");
    oribi_writer_close(w, "}");
    oribi_writer_blank(w);
}

/* --- Run ------------------------------------------------------------------------------------- */

static void vectors(emitter *e)
{
    oribi_writer *w = &e->w;
    for (int32_t i = 0; i < e->c->n_inputs; i++) {
        const oribi_port *port = &e->c->inputs[i];
        oribi_writer_open(w, "TVMGEN_CONSTANT static const %s vector_%s[%" PRId64 "] = {",
                          oribi_element_c_type(port->kind), port->name, port->count);
        oribi_writer_elements(w, port->kind, TF_TensorData(e->values[port->value]), port->count);
        oribi_writer_close(w, "};");
        oribi_writer_blank(w);
    }
}

static void prepare_ports(emitter *e)
{
    oribi_writer *w = &e->w;
    const oribi_program *c = e->c;
    if (c->ports_in_workspace) {
        oribi_writer_open(w, "if (workspace_pools == NULL) {");
        oribi_writer_line(w, "return TVMGEN_%s_BAD_ARGUMENT;", c->macro);
        oribi_writer_close(w, "}");
        oribi_writer_line(w,
                          "const struct tvmgen_%s_inputs mapped_inputs = "
                          "tvmgen_%s_map_inputs(workspace_pools);",
                          c->name, c->name);
        oribi_writer_line(w,
                          "const struct tvmgen_%s_outputs mapped_outputs = "
                          "tvmgen_%s_map_outputs(workspace_pools);",
                          c->name, c->name);
        oribi_writer_line(w, "const struct tvmgen_%s_inputs *inputs = &mapped_inputs;", c->name);
        oribi_writer_line(w, "const struct tvmgen_%s_outputs *outputs = &mapped_outputs;", c->name);
        for (int32_t i = 0; i < c->n_pools; i++) {
            oribi_writer_open(w, "if (workspace_pools->%s == NULL) {", c->pools[i].name);
            oribi_writer_line(w, "return TVMGEN_%s_BAD_ARGUMENT;", c->macro);
            oribi_writer_close(w, "}");
        }
        for (int32_t i = 0; i < c->n_inputs; i++) {
            oribi_writer_line(w, "(void)memcpy(inputs->%s, vector_%s, sizeof vector_%s);",
                              c->inputs[i].name, c->inputs[i].name, c->inputs[i].name);
        }
        return;
    }
    oribi_writer_line(w, "struct tvmgen_%s_inputs vectors;", c->name);
    oribi_writer_line(w, "const struct tvmgen_%s_inputs *inputs = &vectors;", c->name);
    for (int32_t i = 0; i < c->n_inputs; i++) {
        oribi_writer_line(w, "vectors.%s = vector_%s;", c->inputs[i].name, c->inputs[i].name);
    }
    if (c->n_inputs == 0) {
        oribi_writer_line(w, "vectors.none = 0;");
    }
}

static void loop(emitter *e)
{
    oribi_writer *w = &e->w;
    const oribi_program *c = e->c;
    const char *given = oribi_emit_forwarded(c);
    oribi_writer_line(w, "struct tvmgen_%s_cursor cursor = {0};", c->name);
    oribi_writer_line(w, "int32_t code = TVMGEN_%s_MORE;", c->macro);
    if (c->n_loops > 0) {
        oribi_writer_line(w, "int32_t seen = 0; /* of a loop the first iteration */");
    }
    oribi_writer_open(w, "while (code == TVMGEN_%s_MORE) {", c->macro);
    oribi_writer_line(w, "const int32_t index = cursor.next;");
    oribi_writer_line(w, "code = tvmgen_%s_step(&cursor, %s);", c->name, given);
    oribi_writer_open(w, "if (code < 0 || index >= TVMGEN_%s_OPERATORS) {", c->macro);
    oribi_writer_line(w, "break;");
    oribi_writer_close(w, "}");
    if (c->n_loops > 0) {
        oribi_writer_open(w, "if (index < seen) {");
        oribi_writer_line(w, "continue;");
        oribi_writer_close(w, "}");
        oribi_writer_line(w, "seen = index + 1;");
    }
    oribi_writer_line(w, "const uint32_t found = output_sum(index, %s);", given);
    oribi_writer_open(w, "if (found != expected[index]) {");
    oribi_writer_open(w, "if (finding != NULL) {");
    oribi_writer_line(w, "finding->index = index;");
    oribi_writer_line(w, "finding->name = names[index];");
    oribi_writer_line(w, "finding->expected = expected[index];");
    oribi_writer_line(w, "finding->found = found;");
    oribi_writer_close(w, "}");
    oribi_writer_line(w, "code = TVMGEN_%s_BAD_OPERATOR;", c->macro);
    oribi_writer_close(w, "}");
    oribi_writer_close(w, "}");
}

static void entry(emitter *e)
{
    oribi_writer *w = &e->w;
    const oribi_program *c = e->c;
    oribi_writer_line(w, "int32_t tvmgen_%s_self_test(", c->name);
    parameters(c, w, "");
    oribi_writer_open(w, "{");
    oribi_writer_open(w, "if (finding != NULL) {");
    oribi_writer_line(w, "finding->index = -1;");
    oribi_writer_line(w, "finding->name = \"\";");
    oribi_writer_line(w, "finding->expected = 0u;");
    oribi_writer_line(w, "finding->found = 0u;");
    oribi_writer_close(w, "}");
    prepare_ports(e);
    if (c->n_states > 0) {
        oribi_writer_open(w, "if (state == NULL) {");
        oribi_writer_line(w, "return TVMGEN_%s_BAD_ARGUMENT;", c->macro);
        oribi_writer_close(w, "}");
        oribi_writer_line(w, "tvmgen_%s_reset(state);", c->name);
    }
    loop(e);
    if (c->n_states > 0) {
        oribi_writer_line(w, "tvmgen_%s_reset(state);", c->name);
    }
    oribi_writer_line(w, "return code;");
    oribi_writer_close(w, "}");
}

static bool emit_source(const oribi_program *c, oribi_files *files, TF_Tensor **values,
                        TF_Tensor **first, TF_Status *status)
{
    emitter e = {.c = c, .values = values, .first = first};
    oribi_writer *w = &e.w;
    oribi_emit_banner(c, w, "A known run, and what each operator writes in it.");
    oribi_writer_line(w, "#include \"tvmgen_%s_self_test.h\"", c->name);
    oribi_writer_blank(w);
    oribi_writer_line(w, "#include <stddef.h>");
    oribi_writer_blank(w);
    oribi_writer_line(w, "#include \"micro/memory.h\"");
    oribi_writer_line(w, "#include \"micro/port.h\"");
    oribi_writer_blank(w);
    vectors(&e);
    crc_function(w);
    tables(&e);
    entry(&e);
    return oribi_files_add(files, &w->text, status, "tvmgen_%s_self_test.c", c->name);
}

bool oribi_emit_self_test(const oribi_program *c, oribi_files *files, TF_Status *status)
{
    const size_t n = (size_t)c->graph->n_values;
    TF_Tensor **values = oribi_alloc_zero(2 * n + 1, sizeof(TF_Tensor *));
    if (!c->options->self_test) {
        oribi_free(values);
        return true;
    }
    bool ok = values != NULL || oribi_fail_memory(status);
    if (ok && c->devices.partition.n_devices > 0) {
        ok = oribi_fail(status, TF_INVALID_ARGUMENT,
                        "--self-test tests operators of the CPU; a model with devices is tested by "
                        "`oribi verify` and `oribi run --device`");
    }
    if (ok && oribi_emit_operator_count(c) == 0) {
        ok = oribi_fail(status, TF_INVALID_ARGUMENT,
                        "--self-test: the model has no operator to test");
    }
    ok = ok && oribi_program_evaluate(c, values, values + n, status) &&
         emit_header(c, files, status) && emit_source(c, files, values, values + n, status);
    for (size_t i = 0; values != NULL && i < 2 * n; i++) {
        TF_DeleteTensor(values[i]);
    }
    oribi_free(values);
    return ok;
}
