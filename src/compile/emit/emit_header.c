/* SPDX-License-Identifier: Apache-2.0 */
/* tvmgen_<model>.h: what an application includes. Clean in C99 and C++. Read next: emit_helpers.c.
 */
#include <inttypes.h>

#include "compile/emit/emit_parts.h"
#include "compile/emit/emit_device.h"

typedef struct emitter {
    const oribi_program *c;
    oribi_writer w;
} emitter;

void oribi_emit_shape(oribi_text *text, const oribi_shape *shape)
{
    for (int32_t i = 0; i < shape->rank; i++) {
        oribi_text_printf(text, "%s%" PRId64, i > 0 ? ", " : "", shape->dims[i]);
    }
    oribi_text_append(text, shape->rank > 0 ? "" : "1");
}

static void port_macros(emitter *e, const oribi_port *port, const char *what)
{
    oribi_writer *w = &e->w;
    const char *m = e->c->macro, *p = port->macro;
    const oribi_shape *shape = &e->c->graph->values[port->value]->shape;
    oribi_text dims = {0}, safe = {0}, type = {0};
    oribi_compile_append_safe(&safe, port->model_name);
    oribi_program_print_type(e->c, &type, port->value);
    oribi_writer_comment(w, "%s '%s': %s.", what, oribi_text_string(&safe),
                         oribi_text_string(&type));
    oribi_writer_line(w, "#define TVMGEN_%s_%s_SIZE %" PRId64 " /* bytes */", m, p, port->bytes);
    oribi_writer_line(w, "#define TVMGEN_%s_%s_COUNT %" PRId64 " /* elements */", m, p,
                      port->count);
    oribi_writer_line(w, "#define TVMGEN_%s_%s_TYPE %s", m, p, oribi_element_c_type(port->kind));
    oribi_writer_line(w, "#define TVMGEN_%s_%s_RANK %d", m, p, (int)shape->rank);
    oribi_emit_shape(&dims, shape);
    oribi_writer_line(w, "#define TVMGEN_%s_%s_SHAPE {%s}", m, p, oribi_text_string(&dims));
    if (port->units.n_scales > 1) {
        oribi_writer_comment(w, "Its numbers have %d scales, one for each index of dimension %d.",
                             (int)port->units.n_scales, (int)port->units.axis);
    } else if (port->units.n_scales == 1) {
        oribi_text scale = {0};
        oribi_writer_append_float(&scale, port->units.scale);
        oribi_writer_line(w, "#define TVMGEN_%s_%s_SCALE %s", m, p, oribi_text_string(&scale));
        oribi_writer_line(w, "#define TVMGEN_%s_%s_ZERO_POINT (%d)", m, p, (int)port->units.zero);
        oribi_writer_end(w, &scale);
    }
    oribi_writer_blank(w);
    oribi_writer_end(w, &dims);
    oribi_writer_end(w, &safe);
    oribi_writer_end(w, &type);
}

static void sizes(emitter *e)
{
    const oribi_program *c = e->c;
    oribi_writer *w = &e->w;
    oribi_writer_comment(w, "Results of the functions below.");
    oribi_writer_line(w, "#define TVMGEN_%s_OK 0", c->macro);
    oribi_writer_line(w, "#define TVMGEN_%s_MORE 1 /* of a step: operators are left */", c->macro);
    oribi_writer_line(
        w, "#define TVMGEN_%s_BAD_ARGUMENT (-1) /* a pointer is NULL or misaligned */", c->macro);
    if (c->options->weights == ORIBI_WEIGHTS_BIN) {
        oribi_writer_line(w, "#define TVMGEN_%s_BAD_WEIGHTS (-2) /* of another model or version */",
                          c->macro);
    }
    oribi_writer_blank(w);
    for (int32_t i = 0; i < c->n_inputs; i++) {
        port_macros(e, &c->inputs[i], "Input");
    }
    for (int32_t i = 0; i < c->n_outputs; i++) {
        port_macros(e, &c->outputs[i], "Output");
    }
    oribi_writer_comment(w, "Working memory of a run, all scratch included%s.",
                         c->ports_in_workspace ? ", inputs and outputs too" : "");
    oribi_writer_line(w, "#define TVMGEN_%s_WORKSPACE_SIZE %" PRId64, c->macro, c->workspace_bytes);
    for (int32_t i = 0; i < c->n_pools && c->options->pools.n > 0; i++) {
        oribi_writer_line(w, "#define TVMGEN_%s_%s_WORKSPACE_POOL_SIZE %" PRId64, c->macro,
                          c->pools[i].macro, c->pools[i].bytes);
    }
    oribi_writer_line(w, "#define TVMGEN_%s_WORKSPACE_ALIGNMENT %d /* of each pool */", c->macro,
                      (int)oribi_program_pool_alignment(c));
    oribi_writer_blank(w);
    if (c->options->weights == ORIBI_WEIGHTS_BIN) {
        oribi_writer_comment(w, "Bytes of tvmgen_%s_weights.bin, and how they are aligned.",
                             c->name);
        oribi_writer_line(w, "#define TVMGEN_%s_WEIGHTS_SIZE %" PRId64 "u", c->macro,
                          c->image_bytes);
        oribi_writer_line(w, "#define TVMGEN_%s_WEIGHTS_ALIGNMENT %d", c->macro,
                          (int)oribi_weights_most_alignment(c));
        oribi_writer_blank(w);
    }
    if (c->n_states > 0) {
        oribi_writer_comment(w, "Bytes that the model keeps between runs.");
        oribi_writer_line(w, "#define TVMGEN_%s_STATE_SIZE %" PRId64, c->macro, c->state_bytes);
        oribi_writer_blank(w);
    }
}

/* Members with the widest elements come first, so that none needs padding. */
static void state_struct(emitter *e)
{
    const oribi_program *c = e->c;
    oribi_writer *w = &e->w;
    oribi_writer_comment(w, "What a run leaves to the next one. Reset before the first; a run that "
                            "fails or is given up leaves it as it was.");
    oribi_writer_open(w, "struct tvmgen_%s_state {", c->name);
    for (int64_t size = 8; size > 0; size /= 2) {
        for (int32_t i = 0; i < c->n_states; i++) {
            const oribi_state *state = &c->states[i];
            if (oribi_element_bytes(state->kind) == size) {
                oribi_writer_line(w, "%s %s[%" PRId64 "];", oribi_element_c_type(state->kind),
                                  state->name, state->count);
            }
        }
    }
    oribi_writer_close(w, "};");
    oribi_writer_blank(w);
}

static void port_struct(emitter *e, const char *what, const oribi_port *ports, int32_t n,
                        bool is_const)
{
    oribi_writer *w = &e->w;
    oribi_writer_open(w, "struct tvmgen_%s_%s {", e->c->name, what);
    for (int32_t i = 0; i < n; i++) {
        oribi_writer_line(w, "%s%s *%s;", is_const ? "const " : "",
                          oribi_element_c_type(ports[i].kind), ports[i].name);
    }
    if (n == 0) {
        oribi_writer_line(w, "uint8_t none; /* C wants a member */");
    }
    oribi_writer_close(w, "};");
    oribi_writer_blank(w);
}

static void structs(emitter *e)
{
    const oribi_program *c = e->c;
    oribi_writer *w = &e->w;
    port_struct(e, "inputs", c->inputs, c->n_inputs, !c->ports_in_workspace);
    port_struct(e, "outputs", c->outputs, c->n_outputs, false);
    oribi_writer_open(w, "struct tvmgen_%s_workspace_pools {", c->name);
    for (int32_t i = 0; i < c->n_pools; i++) {
        oribi_writer_line(w, "uint8_t *%s; /* %" PRId64 " bytes */", c->pools[i].name,
                          c->pools[i].bytes);
    }
    if (c->options->weights == ORIBI_WEIGHTS_BIN) {
        oribi_writer_line(w, "const uint8_t *weights; /* TVMGEN_%s_WEIGHTS_SIZE bytes */",
                          c->macro);
    }
    oribi_writer_close(w, "};");
    oribi_writer_blank(w);
    if (c->n_states > 0) {
        state_struct(e);
    }
    if (c->devices.partition.n_devices > 0) {
        oribi_emit_device_structs(c, w);
    }
    oribi_writer_comment(w, "Where a stepped run stands; all zero before the first step.");
    oribi_writer_open(w, "struct tvmgen_%s_cursor {", c->name);
    oribi_writer_line(w, "int32_t next; /* operator */");
    if (c->devices.partition.n_devices > 0) {
        oribi_emit_device_cursor(c, w);
    }
    oribi_writer_close(w, "};");
    oribi_writer_blank(w);
}

static void other_prototypes(emitter *e)
{
    const oribi_program *c = e->c;
    oribi_writer *w = &e->w;
    const char *n = c->name;
    if (c->ports_in_workspace) {
        oribi_writer_comment(w, "Where inputs and outputs lie in the workspace. Inputs are written "
                                "before each run: it may overwrite them.");
        oribi_writer_line(w, "struct tvmgen_%s_inputs tvmgen_%s_map_inputs(", n, n);
        oribi_writer_line(w, "    const struct tvmgen_%s_workspace_pools *workspace_pools);", n);
        oribi_writer_line(w, "struct tvmgen_%s_outputs tvmgen_%s_map_outputs(", n, n);
        oribi_writer_line(w, "    const struct tvmgen_%s_workspace_pools *workspace_pools);", n);
        oribi_writer_blank(w);
    }
    if (c->n_states > 0) {
        oribi_writer_comment(w, "Puts the state to what it is before the first run.");
        oribi_writer_line(w, "void tvmgen_%s_reset(struct tvmgen_%s_state *state);", n, n);
        oribi_writer_blank(w);
    }
    if (c->options->weights == ORIBI_WEIGHTS_BIN) {
        oribi_writer_comment(w, "Reads all of the weights and compares their checksum: OK, "
                                "BAD_ARGUMENT or BAD_WEIGHTS. A run compares their first 32 bytes "
                                "only, which name model and version.");
        oribi_writer_line(
            w, "int32_t tvmgen_%s_check_weights(const uint8_t *weights, uint32_t bytes);", n);
        oribi_writer_blank(w);
    }
}

static void prototypes(emitter *e)
{
    const oribi_program *c = e->c;
    oribi_writer *w = &e->w;
    const char *n = c->name;
    other_prototypes(e);
    oribi_writer_comment(w, "Runs the model once. Any thread may call it, with memory of its own: "
                            "there is no other state. On failure outputs are unspecified.");
    oribi_writer_line(w, "int32_t tvmgen_%s_run(", n);
    oribi_emit_parameters(c, w, ");");
    oribi_writer_blank(w);
    oribi_writer_comment(w,
                         "Runs one operator and moves the cursor: MORE while operators are left, "
                         "then OK, with the cursor ready for another run.");
    oribi_writer_line(w, "#define TVMGEN_%s_OPERATORS %d", c->macro,
                      (int)oribi_emit_operator_count(c));
    oribi_writer_line(w, "int32_t tvmgen_%s_step(struct tvmgen_%s_cursor *cursor,", n, n);
    oribi_emit_parameters(c, w, ");");
    if (c->devices.partition.n_devices > 0) {
        oribi_writer_comment(w, "Gives a stepped run up: what is under way on a device is "
                                "cancelled, what is open is closed.");
        oribi_writer_line(w, "void tvmgen_%s_abort(struct tvmgen_%s_cursor *cursor,", n, n);
        oribi_writer_line(w, "    const struct tvmgen_%s_devices *devices);", n);
        oribi_emit_device_prototypes(c, w);
    } else {
        oribi_writer_comment(w, "Gives a stepped run up.");
        oribi_writer_line(w, "void tvmgen_%s_abort(struct tvmgen_%s_cursor *cursor);", n, n);
    }
    oribi_writer_blank(w);
}

bool oribi_emit_header(const oribi_program *c, oribi_files *files, TF_Status *status)
{
    emitter e = {.c = c};
    oribi_writer *w = &e.w;
    oribi_emit_banner(c, w, "The model's interface: sizes, structs, functions.");
    oribi_writer_line(w, "#ifndef TVMGEN_%s_H_", c->macro);
    oribi_writer_line(w, "#define TVMGEN_%s_H_", c->macro);
    oribi_writer_blank(w);
    oribi_writer_line(w, "#include <stdint.h>");
    oribi_writer_blank(w);
    if (c->devices.partition.n_devices > 0) {
        oribi_emit_device_includes(c, w);
    }
    oribi_writer_line(w, "#ifdef __cplusplus");
    oribi_writer_line(w, "extern \"C\" {");
    oribi_writer_line(w, "#endif");
    oribi_writer_blank(w);
    sizes(&e);
    structs(&e);
    prototypes(&e);
    oribi_emit_helpers(c, w);
    oribi_writer_line(w, "#ifdef __cplusplus");
    oribi_writer_line(w, "}");
    oribi_writer_line(w, "#endif");
    oribi_writer_blank(w);
    oribi_writer_line(w, "#endif");
    return oribi_files_add(files, &w->text, status, "tvmgen_%s.h", c->name);
}
