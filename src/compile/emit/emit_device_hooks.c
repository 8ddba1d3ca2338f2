/* SPDX-License-Identifier: Apache-2.0 */
/* How do the walkers of a model with devices call a hook? By a function for each kind of device
 * with a case a hook, under one that takes a device's number; and unwinding, which calls the same.
 */
#include <inttypes.h>

#include "compile/emit/emit_device.h"
#include "compile/emit/emit_device_table.h"

typedef oribi_device_stepper stepper;

static void own_call(const stepper *s)
{
    oribi_writer *w = s->w;
    oribi_writer_comment(w, "An operator that its target has written.");
    oribi_writer_line(w, "static int32_t own_call(uint32_t which, const struct tvm_device_call "
                         "*call,");
    oribi_writer_line(w, "    void *resource_handle)");
    oribi_writer_open(w, "{");
    oribi_writer_line(w, "switch (which) {");
    for (int32_t i = 0; i < s->t->n_calls; i++) {
        const oribi_call *call = &s->c->calls[s->t->calls[i]];
        if (call->region->code.body != NULL) {
            oribi_writer_line(w, "case %du:", (int)i);
            oribi_writer_line(w, "    return %s(call, resource_handle);", call->name);
        }
    }
    oribi_writer_line(w, "default:");
    oribi_writer_line(w, "    return TVM_DEVICE_E_STATE;");
    oribi_writer_line(w, "}");
    oribi_writer_close(w, "}");
    oribi_writer_blank(w);
}

/* --- Kinds ------------------------------------------------------------------------------------ */

/* What a hook is given behind, or before, its device. */
static void hook_line(const stepper *s, int32_t device, int32_t hook)
{
    const oribi_device_names *n = &s->c->devices.names[device];
    const char *name = tvm_device_hook_name(hook);
    const bool is_started = s->c->devices.partition.devices[device].target->is_asynchronous != 0;
    oribi_writer *w = s->w;
    switch (hook) {
    case TVM_DEVICE_HOOK_COPY_TO:
        oribi_writer_line(
            w, "return TVMDevice%s%s%s(a->from.data, dev, a->to.device_offset, a->to.bytes);",
            n->camel, name, is_started ? "Start" : "");
        break;
    case TVM_DEVICE_HOOK_COPY_FROM:
        oribi_writer_line(
            w, "return TVMDevice%s%s%s(dev, a->from.device_offset, a->to.data, a->to.bytes);",
            n->camel, name, is_started ? "Start" : "");
        break;
    case TVM_DEVICE_HOOK_COPY_PEER:
        oribi_writer_line(
            w, "return TVMDevice%s%s(dev, a->from.device_offset, (tvm_device_%s_t *)a->peer,",
            n->camel, name, n->kind);
        oribi_writer_line(w, "    a->to.device_offset, a->to.bytes);");
        break;
    case TVM_DEVICE_HOOK_CACHE_CLEAN:
    case TVM_DEVICE_HOOK_CACHE_INVALIDATE:
        oribi_writer_line(w, "return TVMDevice%s%s(dev, a->from.data, a->from.bytes);", n->camel,
                          name);
        break;
    case TVM_DEVICE_HOOK_ADDRESS:
        oribi_writer_open(w, "for (int32_t i = 0; i < a->n_tensors && code == 0; i++) {");
        oribi_writer_line(w, "code = TVMDevice%s%s(dev, &a->tensors[i]);", n->camel, name);
        oribi_writer_close(w, "}");
        oribi_writer_line(w, "return code;");
        break;
    case TVM_DEVICE_HOOK_INVOKE:
    case TVM_DEVICE_HOOK_START:
    case TVM_DEVICE_HOOK_LOAD:
        oribi_writer_line(w, "return TVMDevice%s%s(dev, a->call);", n->camel, name);
        break;
    default:
        oribi_writer_line(w, "return TVMDevice%s%s(dev);", n->camel, name);
    }
}

/* The hooks that are called of devices of one kind. */
static uint32_t hooks_of_kind(const stepper *s, int32_t device)
{
    const oribi_device_instance *devices = s->c->devices.partition.devices;
    uint32_t hooks = 0;
    for (int32_t i = 0; i < s->c->devices.partition.n_devices; i++) {
        hooks |= devices[i].target == devices[device].target ? s->t->hooks[i] : 0;
    }
    return hooks;
}

static void kind_function(const stepper *s, int32_t device)
{
    static const uint32_t with_arguments =
        1u << TVM_DEVICE_HOOK_COPY_TO | 1u << TVM_DEVICE_HOOK_COPY_FROM |
        1u << TVM_DEVICE_HOOK_COPY_PEER | 1u << TVM_DEVICE_HOOK_CACHE_CLEAN |
        1u << TVM_DEVICE_HOOK_CACHE_INVALIDATE | 1u << TVM_DEVICE_HOOK_ADDRESS |
        1u << TVM_DEVICE_HOOK_INVOKE | 1u << TVM_DEVICE_HOOK_START | 1u << TVM_DEVICE_HOOK_LOAD;
    const oribi_device_names *n = &s->c->devices.names[device];
    const uint32_t hooks = hooks_of_kind(s, device);
    oribi_writer *w = s->w;
    oribi_writer_line(w, "static int32_t %s_hook(int32_t hook, tvm_device_%s_t *dev,", n->kind,
                      n->kind);
    oribi_writer_line(w, "    const struct device_arguments *a)");
    oribi_writer_open(w, "{");
    if ((hooks >> TVM_DEVICE_HOOK_ADDRESS & 1) != 0) {
        oribi_writer_line(w, "int32_t code = 0;");
    }
    if ((hooks & with_arguments) == 0) {
        oribi_writer_line(w, "(void)a;");
    }
    oribi_writer_line(w, "switch (hook) {");
    for (int32_t hook = 1; hook <= TVM_DEVICE_HOOK_LOAD; hook++) {
        if ((hooks >> hook & 1) != 0) {
            oribi_text text = {0};
            oribi_emit_hook_macro(&text, hook);
            oribi_writer_line(w, "case %s:", oribi_text_string(&text));
            w->depth++;
            hook_line(s, device, hook);
            w->depth--;
            oribi_writer_end(w, &text);
        }
    }
    oribi_writer_line(w, "default:");
    oribi_writer_line(w, "    return TVM_DEVICE_E_STATE;");
    oribi_writer_line(w, "}");
    oribi_writer_close(w, "}");
    oribi_writer_blank(w);
}

static void arguments_struct(const stepper *s)
{
    oribi_writer *w = s->w;
    oribi_writer_comment(w, "What hooks take beside their device.");
    oribi_writer_open(w, "struct device_arguments {");
    oribi_writer_line(w, "struct tvm_device_tensor from, to;");
    oribi_writer_line(w, "void *peer;");
    oribi_writer_line(w, "struct tvm_device_call *call;");
    oribi_writer_line(w, "struct tvm_device_tensor *tensors;");
    oribi_writer_line(w, "int32_t n_tensors;");
    oribi_writer_close(w, "};");
    oribi_writer_blank(w);
}

static void device_handle(const stepper *s)
{
    const oribi_devices *d = &s->c->devices;
    oribi_writer *w = s->w;
    oribi_writer_line(w,
                      "static void *device_handle(uint32_t device, const struct tvmgen_%s_devices "
                      "*devices)",
                      s->c->name);
    oribi_writer_open(w, "{");
    oribi_writer_line(w, "switch (device) {");
    bool has_any = false;
    for (int32_t i = 0; i < d->partition.n_devices; i++) {
        if (oribi_device_has_hooks(d, i)) {
            has_any = true;
            oribi_writer_line(w, "case %du:", (int)i);
            oribi_writer_line(w, "    return devices->%s;", d->names[i].member);
        }
    }
    oribi_writer_line(w, "default:");
    w->depth++;
    if (!has_any) {
        oribi_writer_line(w, "(void)devices;");
    }
    oribi_writer_line(w, "return NULL;");
    w->depth--;
    oribi_writer_line(w, "}");
    oribi_writer_close(w, "}");
    oribi_writer_blank(w);
}

static void call_device(const stepper *s)
{
    const oribi_devices *d = &s->c->devices;
    oribi_writer *w = s->w;
    oribi_writer_comment(w, "Calls a hook of a device.");
    oribi_writer_line(w, "static int32_t call_device(int32_t hook, uint32_t device, const struct "
                         "device_arguments *a,");
    oribi_writer_line(w, "    const struct tvmgen_%s_devices *devices)", s->c->name);
    oribi_writer_open(w, "{");
    oribi_writer_line(w, "void *handle = device_handle(device, devices);");
    oribi_writer_line(w, "switch (device) {");
    for (int32_t i = 0; i < d->partition.n_devices; i++) {
        if (!oribi_device_is_first_of_kind(s->c, i) || hooks_of_kind(s, i) == 0) {
            continue;
        }
        for (int32_t k = i; k < d->partition.n_devices; k++) {
            if (d->partition.devices[k].target == d->partition.devices[i].target) {
                oribi_writer_line(w, "case %du:", (int)k);
            }
        }
        oribi_writer_line(w, "    return %s_hook(hook, (tvm_device_%s_t *)handle, a);",
                          d->names[i].kind, d->names[i].kind);
    }
    oribi_writer_line(w, "default:");
    oribi_writer_line(w, "    return TVM_DEVICE_E_STATE;");
    oribi_writer_line(w, "}");
    oribi_writer_close(w, "}");
    oribi_writer_blank(w);
}

/* --- Failure ---------------------------------------------------------------------------------- */

static void unwinding_rows(const stepper *s)
{
    oribi_writer *w = s->w;
    oribi_writer_open(w, "static const struct {");
    oribi_writer_line(w, "uint8_t hook, device;");
    w->depth--;
    oribi_writer_open(w, "} device_unwinding[] = {");
    for (int32_t i = 0; i < s->c->devices.n_unwinding; i++) {
        const oribi_step *step = &s->c->devices.unwinding[i];
        oribi_text text = {0};
        oribi_emit_hook_macro(&text, step->kind);
        oribi_writer_line(w, "{%s, %du},", oribi_text_string(&text), (int)step->device);
        oribi_writer_end(w, &text);
    }
    oribi_writer_close(w, "};");
    oribi_writer_blank(w);
}

/* What has been begun that the hook ends. */
static void begun(const stepper *s)
{
    uint32_t seen = 0;
    oribi_writer_line(s->w, "uint32_t begun = 0u;");
    oribi_writer_line(s->w, "switch (hook) {");
    for (int32_t i = 0; i < s->c->devices.n_unwinding; i++) {
        const oribi_step *step = &s->c->devices.unwinding[i];
        if ((seen >> step->kind & 1) == 0) {
            oribi_text text = {0};
            seen |= 1u << step->kind;
            oribi_emit_hook_macro(&text, step->kind);
            oribi_writer_line(s->w, "case %s:", oribi_text_string(&text));
            oribi_writer_line(s->w, "    begun = cursor->%s;", oribi_device_marks[step->mark]);
            oribi_writer_line(s->w, "    break;");
            oribi_writer_end(s->w, &text);
        }
    }
    oribi_writer_line(s->w, "default:");
    oribi_writer_line(s->w, "    break;");
    oribi_writer_line(s->w, "}");
}

/* Work that cannot be cancelled is waited for: nothing may write after the run has returned. */
static void unwinding_loop(const stepper *s)
{
    oribi_writer *w = s->w;
    bool has_cancel = false;
    for (int32_t i = 0; i < s->c->devices.n_unwinding; i++) {
        has_cancel = has_cancel || s->c->devices.unwinding[i].kind == TVM_DEVICE_HOOK_CANCEL;
    }
    oribi_writer_open(w, "for (uint32_t i = 0; i < %du; i++) {", (int)s->c->devices.n_unwinding);
    oribi_writer_line(w, "const int32_t hook = (int32_t)device_unwinding[i].hook;");
    oribi_writer_line(w, "const uint32_t device = device_unwinding[i].device;");
    begun(s);
    oribi_writer_open(w, "if ((begun >> device & 1u) != 0u &&");
    w->depth--;
    oribi_writer_line(w, "    call_device(hook, device, NULL, devices) != 0) {");
    w->depth++;
    oribi_writer_line(w, "failures++;");
    if (has_cancel) {
        oribi_writer_open(w, "if (hook == TVM_DEVICE_HOOK_CANCEL) {");
        oribi_writer_line(w, "failures += call_device(TVM_DEVICE_HOOK_WAIT, device, NULL, "
                             "devices) != 0;");
        oribi_writer_close(w, "}");
    }
    oribi_writer_close(w, "}");
    oribi_writer_close(w, "}");
}

static void unwind_function(const stepper *s)
{
    oribi_writer *w = s->w;
    const char *n = s->c->name;
    if (s->c->devices.n_unwinding > 0) {
        unwinding_rows(s);
    }
    oribi_writer_comment(w, "Ends what a run that failed has begun, the last first. What fails "
                            "here is counted.");
    oribi_writer_line(w,
                      "static void unwind(const struct tvmgen_%s_devices *devices, struct "
                      "tvmgen_%s_cursor *cursor)",
                      n, n);
    oribi_writer_open(w, "{");
    oribi_writer_line(w, "int32_t failures = 0;");
    if (s->c->devices.n_unwinding > 0) {
        unwinding_loop(s);
    }
    oribi_writer_open(w, "if (devices->error != NULL) {");
    oribi_writer_line(w, "devices->error->cleanup_failures = failures;");
    oribi_writer_close(w, "}");
    oribi_writer_line(w, "(void)memset(cursor, 0, sizeof *cursor);");
    oribi_writer_close(w, "}");
    oribi_writer_blank(w);
}

void oribi_emit_device_hooks(const stepper *s)
{
    const bool has_hooks = oribi_device_table_has_hooks(s->t);
    if (s->t->has_own) {
        own_call(s);
    }
    if (has_hooks || s->t->has_own) {
        device_handle(s);
    }
    if (has_hooks || oribi_device_table_calls_any(s->t)) {
        arguments_struct(s);
    }
    for (int32_t i = 0; i < s->c->devices.partition.n_devices; i++) {
        if (oribi_device_is_first_of_kind(s->c, i) && hooks_of_kind(s, i) != 0) {
            kind_function(s, i);
        }
    }
    if (has_hooks) {
        call_device(s);
    }
    unwind_function(s);
}
