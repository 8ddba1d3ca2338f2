/* SPDX-License-Identifier: Apache-2.0 */
/* What devices add to tvmgen_<model>.h and to the top of tvmgen_<model>.c: their headers and
 * struct, where a run stands, the error record, operators that targets write. Read next:
 * emit_device_table.h, emit_device_steps.c.
 */
#include <inttypes.h>
#include <string.h>

#include "compile/emit/emit_parts.h"
#include "compile/emit/emit_device.h"
#include "compile/schedule/compile_steps.h"

/* --- Header ----------------------------------------------------------------------------------- */

bool oribi_device_is_first_of_kind(const oribi_program *c, int32_t device)
{
    const oribi_device_instance *d = c->devices.partition.devices;
    for (int32_t i = 0; i < device; i++) {
        if (d[i].target == d[device].target) {
            return false;
        }
    }
    return true;
}

void oribi_emit_device_includes(const oribi_program *c, oribi_writer *w)
{
    oribi_writer_line(w, "#include \"tvm/runtime/device.h\"");
    oribi_writer_line(w, "#if !defined(TVM_DEVICE_CONTRACT) || TVM_DEVICE_CONTRACT < %d",
                      TVM_DEVICE_CONTRACT);
    oribi_writer_line(
        w,
        "#error \"tvm/runtime/device.h is older than this model, which needs contract "
        "%d.%d of it: use the headers of the Oribi that compiled the model\"",
        TVM_DEVICE_CONTRACT / 100, TVM_DEVICE_CONTRACT % 100);
    oribi_writer_line(w, "#endif");
    oribi_writer_blank(w);
    for (int32_t i = 0; i < c->devices.partition.n_devices; i++) {
        const oribi_device_names *n = &c->devices.names[i];
        if (!oribi_device_is_first_of_kind(c, i) || !oribi_device_has_hooks(&c->devices, i)) {
            continue;
        }
        oribi_writer_comment(w,
                             "The header with tvm_device_%s_t and the hooks TVMDevice%s...: the "
                             "application chooses one.",
                             n->kind, n->camel);
        oribi_writer_line(w, "#ifndef TVM_DEVICE_%s_HEADER", n->upper);
        if (n->header != NULL) {
            oribi_writer_line(w, "#define TVM_DEVICE_%s_HEADER \"%s\"", n->upper, n->header);
        } else {
            oribi_writer_line(w,
                              "#error \"define TVM_DEVICE_%s_HEADER, as "
                              "\\\"tvm/device/%s/posix.h\\\", or compile with --device-platform "
                              "%s=PLATFORM\"",
                              n->upper, n->kind, c->devices.partition.devices[i].target->name);
        }
        oribi_writer_line(w, "#endif");
        oribi_writer_line(w, "#include TVM_DEVICE_%s_HEADER", n->upper);
        oribi_writer_blank(w);
    }
}

void oribi_emit_device_structs(const oribi_program *c, oribi_writer *w)
{
    const oribi_devices *d = &c->devices;
    oribi_writer_comment(w, "The devices of a run: the application owns and has initialised them. "
                            "All are given; `error` may be NULL, and is filled when a run fails.");
    oribi_writer_open(w, "struct tvmgen_%s_devices {", c->name);
    for (int32_t i = 0; i < d->partition.n_devices; i++) {
        if (oribi_device_has_hooks(d, i)) {
            oribi_writer_line(w, "tvm_device_%s_t *%s;", d->names[i].kind, d->names[i].member);
        }
    }
    oribi_writer_line(w, "struct tvm_device_error *error;");
    oribi_writer_close(w, "};");
    oribi_writer_line(w, "typedef struct tvmgen_%s_devices tvmgen_%s_devices;", c->name, c->name);
    oribi_writer_blank(w);
    for (int32_t i = 0; i < d->partition.n_devices; i++) {
        if (oribi_device_has_memory(d, i)) {
            oribi_writer_line(w, "#define TVMGEN_%s_%s_MEMORY_SIZE %" PRId64 " /* of its own */",
                              c->macro, d->names[i].macro, d->memory_bytes[i]);
        }
    }
}

void oribi_emit_device_cursor(const oribi_program *c, oribi_writer *w)
{
    oribi_writer_line(w, "uint32_t active, open, started; /* devices, a bit for each */");
    oribi_writer_line(w, "struct tvm_device_call calls[%d];", (int)c->devices.most_calls);
    oribi_writer_line(w, "struct tvm_device_tensor tensors[%d];", (int)c->devices.most_tensors);
}

void oribi_emit_device_prototypes(const oribi_program *c, oribi_writer *w)
{
    const char *n = c->name;
    oribi_writer_comment(w, "The same with each device as a pointer of its own, unchecked; what "
                            "run calls.");
    oribi_writer_line(w, "int32_t tvmgen_%s_run_model(", n);
    oribi_emit_model_parameters(c, w, ");");
    oribi_writer_blank(w);
}

void oribi_emit_model_parameters(const oribi_program *c, oribi_writer *w, const char *end)
{
    const char *n = c->name;
    oribi_writer_line(w, "    const struct tvmgen_%s_inputs *inputs,", n);
    oribi_writer_line(w, "    const struct tvmgen_%s_outputs *outputs,", n);
    oribi_writer_line(w, "    const struct tvmgen_%s_workspace_pools *workspace_pools,", n);
    if (c->n_states > 0) {
        oribi_writer_line(w, "    struct tvmgen_%s_state *state,", n);
    }
    for (int32_t i = 0; i < c->devices.partition.n_devices; i++) {
        if (oribi_device_has_hooks(&c->devices, i)) {
            oribi_writer_line(w, "    void *dev_%s,", c->devices.names[i].member);
        }
    }
    oribi_writer_line(w, "    struct tvm_device_error *error%s", end);
}

/* --- Operators -------------------------------------------------------------------------------- */

static void own_operator(oribi_writer *w, const oribi_call *call)
{
    oribi_text_append(&w->text, call->region->code.declarations);
    oribi_writer_blank(w);
    oribi_writer_line(w,
                      "static int32_t %s(const struct tvm_device_call *call, void "
                      "*resource_handle)",
                      call->name);
    oribi_writer_open(w, "{");
    oribi_text_append(&w->text, call->region->code.body);
    oribi_writer_blank(w);
    oribi_writer_close(w, "}");
    oribi_writer_blank(w);
}

static void operators(const oribi_program *c, oribi_writer *w)
{
    for (int32_t i = 0; i < c->n_calls; i++) {
        if (c->calls[i].region != NULL && c->calls[i].region->code.body != NULL) {
            own_operator(w, &c->calls[i]);
        }
    }
}

/* --- Failure ---------------------------------------------------------------------------------- */

static void name_table(const oribi_program *c, oribi_writer *w)
{
    oribi_writer_open(w, "static const char *const operator_names[] = {");
    for (int32_t i = 0; i < c->n_calls; i++) {
        if (oribi_call_is_operator(&c->calls[i])) {
            oribi_text safe = {0};
            oribi_compile_append_safe(&safe, c->calls[i].node->name);
            oribi_writer_line(w, "\"%.48s\",", oribi_text_string(&safe)); /* it lies in flash */
            oribi_writer_end(w, &safe);
        }
    }
    oribi_writer_line(w, "\"\"};");
    w->depth--;
}

static void failed_function(const oribi_program *c, oribi_writer *w)
{
    const oribi_devices *d = &c->devices;
    oribi_writer_comment(w, "Notes what went wrong, for who asked; returns the code.");
    oribi_writer_line(w,
                      "static int32_t failed(const struct tvmgen_%s_devices *devices, int32_t "
                      "hook, int32_t device,",
                      c->name);
    oribi_writer_line(w, "                      int32_t operator_index, int32_t code)");
    oribi_writer_open(w, "{");
    oribi_writer_open(w, "static const char *const kinds[] = {");
    for (int32_t i = 0; i < d->partition.n_devices; i++) {
        oribi_writer_line(w, "\"%s\",", d->partition.devices[i].target->name);
    }
    oribi_writer_close(w, "};");
    oribi_writer_open(w, "static const char *const instances[] = {");
    for (int32_t i = 0; i < d->partition.n_devices; i++) {
        oribi_writer_line(w, "\"%s\",", d->names[i].member);
    }
    oribi_writer_close(w, "};");
    name_table(c, w);
    oribi_writer_open(w, "if (devices->error != NULL) {");
    oribi_writer_line(w, "devices->error->code = code;");
    oribi_writer_line(w, "devices->error->hook = hook;");
    oribi_writer_line(w, "devices->error->device = device;");
    oribi_writer_line(w, "devices->error->operator_index = operator_index;");
    oribi_writer_line(w, "devices->error->cleanup_failures = 0;");
    oribi_writer_line(w, "devices->error->device_kind = kinds[device];");
    oribi_writer_line(w, "devices->error->instance = instances[device];");
    oribi_writer_line(w, "devices->error->operator_name =");
    oribi_writer_line(w, "    operator_index >= 0 ? operator_names[operator_index] : NULL;");
    oribi_writer_close(w, "}");
    oribi_writer_line(w, "return code;");
    oribi_writer_close(w, "}");
    oribi_writer_blank(w);
}

void oribi_emit_device_functions(const oribi_program *c, oribi_writer *w)
{
    operators(c, w);
    failed_function(c, w);
}
