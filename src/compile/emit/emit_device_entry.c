/* SPDX-License-Identifier: Apache-2.0 */
/* run, run_model, step and abort of a model with devices. */
#include "compile/emit/emit_device.h"

/* Was the driver compiled for structs as they are here? */
static void check_driver(const oribi_program *c, oribi_writer *w, int32_t device)
{
    const oribi_target *target = c->devices.partition.devices[device].target;
    if (oribi_target_driver_contract(target) == 0 || !oribi_device_is_first_of_kind(c, device)) {
        return;
    }
    oribi_writer_open(w, "if (tvm_device_driver_fits(&TVMDevice%sDriver) == 0) {",
                      c->devices.names[device].camel);
    oribi_writer_line(w,
                      "return failed(devices, TVM_DEVICE_HOOK_NONE, %d, -1, "
                      "TVM_DEVICE_E_CONTRACT);",
                      (int)device);
    oribi_writer_close(w, "}");
}

void oribi_emit_device_checks(const oribi_program *c, oribi_writer *w)
{
    oribi_writer_open(w, "if (devices == NULL) {");
    oribi_writer_line(w, "return TVM_DEVICE_E_NULL;");
    oribi_writer_close(w, "}");
    for (int32_t i = 0; i < c->devices.partition.n_devices; i++) {
        if (!oribi_device_has_hooks(&c->devices, i)) {
            continue;
        }
        oribi_writer_open(w, "if (devices->%s == NULL) {", c->devices.names[i].member);
        oribi_writer_line(w,
                          "return failed(devices, TVM_DEVICE_HOOK_NONE, %d, -1, "
                          "TVM_DEVICE_E_NULL);",
                          (int)i);
        oribi_writer_close(w, "}");
    }
    for (int32_t i = 0; i < c->devices.partition.n_devices; i++) {
        check_driver(c, w, i);
    }
}

static void run_model(const oribi_program *c, oribi_writer *w)
{
    const oribi_devices *d = &c->devices;
    oribi_writer_line(w, "int32_t tvmgen_%s_run_model(", c->name);
    oribi_emit_model_parameters(c, w, ")");
    oribi_writer_open(w, "{");
    oribi_writer_line(w, "struct tvmgen_%s_devices members;", c->name);
    oribi_writer_line(w, "const struct tvmgen_%s_devices *const devices = &members;", c->name);
    oribi_writer_line(w, "struct tvmgen_%s_cursor cursor;", c->name);
    oribi_writer_line(w, "int32_t code = TVMGEN_%s_OK;", c->macro);
    for (int32_t i = 0; i < d->partition.n_devices; i++) {
        if (oribi_device_has_hooks(d, i)) {
            oribi_writer_line(w, "members.%s = (tvm_device_%s_t *)dev_%s;", d->names[i].member,
                              d->names[i].kind, d->names[i].member);
        }
    }
    oribi_writer_line(w, "members.error = error;");
    oribi_writer_line(w, "(void)memset(&cursor, 0, sizeof cursor);");
    oribi_emit_open_operators(c, w, " && code == 0");
    oribi_writer_line(w, "TVMGEN_ON_OP(i);");
    oribi_writer_line(w, "code = run_operator(i, %s, &cursor);", oribi_emit_forwarded(c));
    oribi_writer_close(w, "}");
    oribi_writer_open(w, "if (code != 0) {");
    oribi_writer_line(w, "unwind(devices, &cursor);");
    oribi_writer_line(w, "return code;");
    oribi_writer_close(w, "}");
    if (c->n_states > 0) {
        oribi_writer_line(w, "commit(%s);", oribi_emit_forwarded(c));
    }
    oribi_writer_line(w, "return TVMGEN_%s_OK;", c->macro);
    oribi_writer_close(w, "}");
    oribi_writer_blank(w);
}

static void run(const oribi_program *c, oribi_writer *w)
{
    oribi_text call = {0};
    oribi_writer_line(w, "int32_t tvmgen_%s_run(", c->name);
    oribi_emit_open_entry(c, w);
    oribi_text_printf(&call, "code = tvmgen_%s_run_model(inputs, outputs, workspace_pools%s",
                      c->name, c->n_states > 0 ? ", state" : "");
    for (int32_t i = 0; i < c->devices.partition.n_devices; i++) {
        if (oribi_device_has_hooks(&c->devices, i)) {
            oribi_text_printf(&call, ", devices->%s", c->devices.names[i].member);
        }
    }
    oribi_text_append(&call, ", devices->error);");
    oribi_writer_statement(w, &call);
    oribi_writer_line(w, "return code;");
    oribi_writer_close(w, "}");
    oribi_writer_blank(w);
}

static void abort_step(const oribi_program *c, oribi_writer *w)
{
    const char *n = c->name;
    oribi_writer_line(w, "void tvmgen_%s_abort(struct tvmgen_%s_cursor *cursor,", n, n);
    oribi_writer_line(w, "    const struct tvmgen_%s_devices *devices)", n);
    oribi_writer_open(w, "{");
    oribi_writer_open(w, "if (cursor != NULL && devices != NULL) {");
    oribi_writer_line(w, "unwind(devices, cursor);");
    oribi_writer_close(w, "}");
    oribi_writer_close(w, "}");
}

void oribi_emit_device_entries(const oribi_program *c, oribi_writer *w)
{
    run_model(c, w);
    run(c, w);
    oribi_emit_step(c, w);
    abort_step(c, w);
}
