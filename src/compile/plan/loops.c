/* SPDX-License-Identifier: Apache-2.0 */
/* Loops among calls, which stand in the order of the model: each from the call that begins it to
 * the one that ends an iteration, after which emitted code goes back. */
#include "compile/lower/args_table.h"
#include "compile/plan/planning.h"
#include "tensor/status.h"

/* The call that makes the guard of the last call of a loop; -1: none. */
static int32_t find_begin(const oribi_program *c, int32_t next)
{
    for (int32_t i = next - 1; i >= 0; i--) {
        if (c->calls[i].args == &oribi_args_loop_begin &&
            c->calls[i].node->outputs[1] == c->calls[next].node->guard - 1) {
            return i;
        }
    }
    return -1;
}

/* Hooks of devices would be called in each iteration. */
static bool check_devices(const oribi_program *c, const oribi_loop *loop, TF_Status *status)
{
    for (int32_t i = loop->begin; i <= loop->next; i++) {
        if (c->calls[i].region != NULL) {
            return oribi_fail(status, TF_UNIMPLEMENTED,
                              "node '%s' runs on a device, and stands in the loop '%s': operators "
                              "of loops run on the CPU",
                              c->calls[i].node->name, c->calls[loop->next].node->name);
        }
    }
    return true;
}

/* An operator of a body that its results do not need would stand behind the loop, and never run. */
static bool check_body(const oribi_program *c, const oribi_loop *loop, TF_Status *status)
{
    const int32_t guard = c->calls[loop->next].node->guard;
    for (int32_t i = loop->next + 1; i < c->n_calls; i++) {
        if (c->calls[i].node->guard == guard) {
            return oribi_fail(status, TF_UNIMPLEMENTED,
                              "node '%s': the loop '%s' does not need its result; in compiled "
                              "models all that a body does goes into what the loop gives",
                              c->calls[i].node->name, c->calls[loop->next].node->name);
        }
    }
    return true;
}

bool oribi_program_find_loops(oribi_program *c, TF_Status *status)
{
    c->n_loops = 0;
    c->loops = oribi_claim_array(&c->arena, (size_t)c->n_calls + 1, sizeof *c->loops, status);
    ORIBI_TRY(c->loops != NULL);
    for (int32_t i = 0; i < c->n_calls; i++) {
        if (c->calls[i].args != &oribi_args_loop_next) {
            continue;
        }
        const oribi_loop loop = {find_begin(c, i), i};
        if (loop.begin < 0) {
            return oribi_fail(status, TF_INTERNAL, "node '%s': a loop ends that has not begun",
                              c->calls[i].node->name);
        }
        ORIBI_TRY(check_devices(c, &loop, status) && check_body(c, &loop, status));
        c->loops[c->n_loops++] = loop;
    }
    return true;
}

int32_t oribi_program_block(const oribi_program *c, int32_t call)
{
    int32_t first = call;
    for (int32_t k = 0; k < c->n_loops; k++) {
        const oribi_loop *loop = &c->loops[k];
        first = loop->begin < first && call <= loop->next ? loop->begin : first;
    }
    return first;
}

const oribi_loop *oribi_program_loop_of(const oribi_program *c, int32_t next)
{
    for (int32_t k = 0; k < c->n_loops; k++) {
        if (c->loops[k].next == next) {
            return &c->loops[k];
        }
    }
    return NULL;
}
