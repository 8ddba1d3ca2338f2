/* SPDX-License-Identifier: Apache-2.0 */
/* Budgets: a model that needs more memory than was given is refused, with what is largest. */
#include <inttypes.h>

#include "compile/plan/planning.h"
#include "tensor/status.h"

static const char *largest_call(const oribi_program *c, bool in_flash)
{
    const char *name = "nothing";
    int64_t most = -1;
    for (int32_t i = 0; i < c->n_calls; i++) {
        const oribi_call *call = &c->calls[i];
        int64_t bytes = in_flash ? oribi_call_flash(call) : call->scratch_bytes;
        for (int32_t k = 0; !in_flash && k < call->n_inputs; k++) {
            bytes += c->locations[call->inputs[k]].bytes;
        }
        bytes += in_flash ? 0 : c->locations[call->node->outputs[0]].bytes;
        if (bytes > most) {
            most = bytes;
            name = call->node->name;
        }
    }
    return name;
}

int64_t oribi_program_ram(const oribi_program *c)
{
    return c->workspace_bytes + c->state_bytes + (c->ports_in_workspace ? 0 : c->io_bytes);
}

bool oribi_program_check_budget(const oribi_program *c, TF_Status *status)
{
    const int64_t ram = oribi_program_ram(c);
    const bool ram_fits = c->options->max_ram == 0 || (uint64_t)ram <= c->options->max_ram;
    const bool flash_fits =
        c->options->max_flash == 0 || (uint64_t)c->constants_bytes <= c->options->max_flash;
    if (ram_fits && flash_fits) {
        return true;
    }
    oribi_text safe = {0};
    oribi_compile_append_safe(&safe, largest_call(c, ram_fits));
    if (!ram_fits) {
        oribi_fail(status, TF_RESOURCE_EXHAUSTED,
                   "the model needs %" PRId64 " bytes of RAM (workspace %" PRId64 ", state %" PRId64
                   ", inputs and outputs %" PRId64 "), more than --max-ram %" PRIu64
                   "; the largest operator is '%s'",
                   ram, c->workspace_bytes, c->state_bytes, c->io_bytes, c->options->max_ram,
                   oribi_text_string(&safe));
    } else {
        oribi_fail(status, TF_RESOURCE_EXHAUSTED,
                   "the constants take %" PRId64 " bytes of flash, more than --max-flash %" PRIu64
                   "; the largest operator is '%s'",
                   c->constants_bytes, c->options->max_flash, oribi_text_string(&safe));
    }
    oribi_text_destroy(&safe);
    return false;
}

/* Constants and state add up; workspace, inputs and outputs are used in turn. */
bool oribi_compile_check_budgets(const oribi_compile *all, TF_Status *status)
{
    int64_t flash = 0, states = 0, working = 0;
    for (int32_t i = 0; i < all->n_programs; i++) {
        const oribi_program *c = all->programs[i];
        const int64_t one = c->workspace_bytes + (c->ports_in_workspace ? 0 : c->io_bytes);
        flash += c->constants_bytes;
        states += c->state_bytes;
        working = one > working ? one : working;
    }
    if (all->options.max_flash > 0 && (uint64_t)flash > all->options.max_flash) {
        return oribi_fail(status, TF_RESOURCE_EXHAUSTED,
                          "the constants of the %d models take %" PRId64
                          " bytes of flash, more than --max-flash %" PRIu64,
                          (int)all->n_programs, flash, all->options.max_flash);
    }
    if (all->options.max_ram > 0 && (uint64_t)(working + states) > all->options.max_ram) {
        return oribi_fail(status, TF_RESOURCE_EXHAUSTED,
                          "the %d models need %" PRId64 " bytes of RAM (%" PRId64
                          " in turn, states %" PRId64 "), more than --max-ram %" PRIu64,
                          (int)all->n_programs, working + states, working, states,
                          all->options.max_ram);
    }
    return true;
}
