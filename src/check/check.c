/* SPDX-License-Identifier: Apache-2.0 */
#include "check/check.h"

#include <string.h>

#include "base/alloc.h"
#include "base/log.h"
#include "check/call_record.h"
#include "check/checked_call.h"

typedef struct wrapped {
    oribi_kernel_def def; /* the kernel's, save for how it is called */
    oribi_kernel kernel;
    oribi_check *check;
    bool is_checked;
} wrapped;

bool oribi_check_parse(const char *text, oribi_check_whose *out, TF_Status *status)
{
    static const struct {
        const char *word;
        oribi_check_whose whose;
    } words[] = {{"plugins", ORIBI_CHECK_PLUGINS}, {"1", ORIBI_CHECK_PLUGINS},
                 {"all", ORIBI_CHECK_ALL},         {"off", ORIBI_CHECK_NONE},
                 {"0", ORIBI_CHECK_NONE},          {"", ORIBI_CHECK_NONE}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(text, words[i].word) == 0) {
            *out = words[i].whose;
            return true;
        }
    }
    return oribi_fail(status, TF_INVALID_ARGUMENT,
                      "there are no kernels '%s' to check; choose plugins, all or off", text);
}

static bool is_checked(const oribi_check *check, const oribi_kernel_def *def)
{
    return check->whose == ORIBI_CHECK_ALL ||
           (check->whose == ORIBI_CHECK_PLUGINS && strcmp(def->provider, "built-in") != 0);
}

bool oribi_check_wants(const oribi_check *check, const oribi_kernel_def *def, const char *node)
{
    const bool is_recorded =
        check->file != NULL && (check->node == NULL || strcmp(check->node, node) == 0);
    return is_recorded || is_checked(check, def);
}

static bool get_inputs(TF_OpKernelContext *ctx, TF_Tensor **inputs, int32_t n, TF_Status *status)
{
    for (int32_t i = 0; i < n && oribi_ok(status); i++) {
        TF_GetInput(ctx, i, &inputs[i], status);
    }
    return oribi_ok(status);
}

/* Is this the call that the file is for? `status` is its end; NULL: it has not begun. */
static bool is_recorded(wrapped *w, const TF_Status *status)
{
    oribi_check *check = w->check;
    if (check->file == NULL) {
        return false;
    }
    return check->node != NULL ? strcmp(check->node, w->kernel.node->name) == 0
                               : status != NULL && !oribi_ok(status);
}

/* A failure to write is a warning: the run's own end is what counts. */
static void record(wrapped *w, TF_Tensor *const *inputs, TF_Tensor *const *outputs,
                   const TF_Status *status)
{
    TF_Status *written = TF_NewStatus();
    if (!oribi_call_record(w->check->file, &w->kernel, inputs, outputs, status, written)) {
        oribi_log(ORIBI_LOG_WARNING, "the call of node '%s' was not recorded: %s",
                  w->kernel.node->name, TF_Message(written));
    } else if (status != NULL) {
        oribi_log(ORIBI_LOG_INFO, "the call of node '%s' is recorded in '%s'", w->kernel.node->name,
                  w->check->file);
    }
    TF_DeleteStatus(written);
}

/* A crash in the kernel leaves what was written before it. */
static bool begin_record(wrapped *w, TF_Tensor *const *inputs)
{
    if (!is_recorded(w, NULL) || atomic_exchange(&w->check->is_recorded, true)) {
        return false;
    }
    record(w, inputs, NULL, NULL);
    return true;
}

static bool call_kernel(wrapped *w, TF_OpKernelContext *outer, TF_Tensor **inputs,
                        TF_Tensor **outputs, TF_Status *status)
{
    if (w->is_checked) {
        return oribi_checked_call(&w->kernel, outer, NULL, inputs, outputs, status);
    }
    oribi_runner *runner = oribi_runner_create(&w->kernel, status);
    const bool ok =
        runner != NULL && oribi_runner_run(&runner, outer, NULL, inputs, outputs, status);
    oribi_runner_destroy(runner);
    return ok;
}

static bool compute_with(wrapped *w, TF_OpKernelContext *outer, TF_Tensor **inputs,
                         TF_Tensor **outputs, TF_Status *status)
{
    const oribi_signature *s = w->kernel.node->signature;
    ORIBI_TRY(get_inputs(outer, inputs, s->n_inputs, status));
    const bool is_begun = begin_record(w, inputs);
    bool ok = call_kernel(w, outer, inputs, outputs, status);
    if (is_begun || (is_recorded(w, status) && w->check->node == NULL &&
                     !atomic_exchange(&w->check->is_recorded, true))) {
        record(w, inputs, ok ? outputs : NULL, status);
    }
    for (int32_t i = 0; i < s->n_outputs && ok; i++) {
        TF_SetOutput(outer, i, outputs[i], status);
        ok = oribi_ok(status);
    }
    return ok;
}

static void compute(void *state, TF_OpKernelContext *outer)
{
    wrapped *w = state;
    const oribi_signature *s = w->kernel.node->signature;
    const size_t n = (size_t)s->n_inputs + (size_t)s->n_outputs;
    TF_Status *status = TF_NewStatus();
    TF_Tensor **tensors = oribi_alloc_zero(n + 1, sizeof(TF_Tensor *));
    const bool ok = tensors != NULL ? compute_with(w, outer, tensors, tensors + s->n_inputs, status)
                                    : oribi_fail_memory(status);
    if (!ok) {
        TF_OpKernelContext_Failure(outer, status);
    }
    for (size_t i = 0; tensors != NULL && i < n; i++) {
        TF_DeleteTensor(tensors[i]);
    }
    oribi_free(tensors);
    TF_DeleteStatus(status);
}

static void destroy(void *state)
{
    wrapped *w = state;
    oribi_kernel_destroy(&w->kernel);
    oribi_free(w);
}

bool oribi_check_wrap(oribi_check *check, oribi_kernel *kernel, TF_Status *status)
{
    wrapped *w = oribi_claim_zero(1, sizeof *w, status);
    ORIBI_TRY(w != NULL);
    w->def = *kernel->def;
    w->def.compute = compute;
    w->def.compute_async = NULL; /* it is waited for at once */
    w->def.destroy = destroy;
    w->def.functions = (TF_KernelFunctions){0};
    w->def.strided_outputs = 0;
    w->kernel = *kernel;
    w->check = check;
    w->is_checked = is_checked(check, kernel->def);
    check->has_node =
        check->has_node || (check->node != NULL && strcmp(check->node, kernel->node->name) == 0);
    *kernel = (oribi_kernel){.def = &w->def, .state = w, .node = kernel->node};
    return true;
}
