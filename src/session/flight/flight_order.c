/* SPDX-License-Identifier: Apache-2.0 */
/* Which steps are flights, where the host waits for each, and what that does to lives of values.
 *
 * A flight lands before the first step that reads what it makes, or that may touch a resource it
 * may touch, and at the end of the run at the latest; what lands before one step lands in the order
 * of the starts. A kernel of a device lands before the last wait for its stream: what it enqueued
 * until it was done is what the wait is for. Until it has landed, a flight may read its inputs and
 * write its outputs and temporaries, so nothing else gets their memory.
 */
#include "base/alloc.h"
#include "session/flight/flight.h"

bool oribi_flight_is_node(const oribi_node *node)
{
    return node->kernel != NULL && node->kernel->compute == NULL;
}

bool oribi_flight_has_resource(const oribi_node *node)
{
    for (int32_t i = 0; i < node->n_inputs; i++) {
        if (node->inputs[i] >= 0 && (node->signature.input_types[i] == TF_RESOURCE ||
                                     node->signature.input_types[i] == TF_VARIANT)) {
            return true;
        }
    }
    return false;
}

static bool touches_resource(const oribi_session_step *step)
{
    return step->transfer == NULL && oribi_flight_has_resource(step->node);
}

static bool reads(const oribi_session *session, const oribi_session_step *step, int32_t producer)
{
    for (int32_t i = 0; i < step->node->n_inputs; i++) {
        if (step->inputs[i] >= 0 && session->values[step->inputs[i]].producer == producer) {
            return true;
        }
    }
    return false;
}

/* The last wait for the device that the flight is on. */
static bool ends_stream(const oribi_session_step *own, const oribi_session_step *step)
{
    return own->device != 0 && step->transfer != NULL && step->transfer->kind == ORIBI_WAIT_ALL &&
           step->transfer->from == own->device;
}

static bool lands_before(const oribi_session *session, int32_t flight, int32_t s)
{
    const oribi_session_step *own = &session->steps[session->flights[flight]];
    return s == session->n_steps || ends_stream(own, &session->steps[s]) ||
           reads(session, &session->steps[s], session->flights[flight]) ||
           (touches_resource(own) && touches_resource(&session->steps[s]));
}

static void keep_until(oribi_session *session, int32_t value, int32_t until)
{
    if (value >= 0 && session->values[value].last_use < until) {
        session->values[value].last_use = until;
    }
}

static void extend_lives(oribi_session *session, const oribi_session_step *step)
{
    for (int32_t i = 0; i < step->node->n_inputs; i++) {
        keep_until(session, step->inputs[i], step->until);
    }
    for (int32_t i = 0; i < step->node->n_outputs; i++) {
        keep_until(session, step->outputs[i], step->until);
    }
}

/* Flights aloft are those of `aloft`, in the order of their starts; n of them are left. */
static int32_t land_before(oribi_session *session, int32_t s, int32_t *aloft, int32_t n,
                           int32_t *n_landed)
{
    int32_t left = 0;
    session->first_landing[s] = *n_landed;
    for (int32_t k = 0; k < n; k++) {
        if (lands_before(session, aloft[k], s)) {
            oribi_session_step *step = &session->steps[session->flights[aloft[k]]];
            session->landings[(*n_landed)++] = aloft[k];
            step->until = s - 1;
            extend_lives(session, step);
        } else {
            aloft[left++] = aloft[k];
        }
    }
    session->first_landing[s + 1] = *n_landed;
    return left;
}

bool oribi_flights_order(oribi_session *session, TF_Status *status)
{
    for (int32_t s = 0; s < session->n_steps; s++) {
        oribi_session_step *step = &session->steps[s];
        const bool flies = step->transfer == NULL && step->kernel.def->compute == NULL;
        step->until = s;
        step->flight = flies ? session->n_flights++ : -1;
    }
    if (session->n_flights == 0) {
        return true;
    }
    const size_t n = (size_t)session->n_flights;
    session->flights = oribi_arena_array(&session->arena, n, sizeof(int32_t));
    session->landings = oribi_arena_array(&session->arena, n, sizeof(int32_t));
    session->first_landing =
        oribi_arena_array(&session->arena, (size_t)session->n_steps + 2, sizeof(int32_t));
    int32_t *aloft = oribi_alloc_array(n, sizeof *aloft);
    const bool ok = session->flights != NULL && session->landings != NULL &&
                    session->first_landing != NULL && aloft != NULL;
    int32_t n_aloft = 0, n_landed = 0;
    for (int32_t s = 0; ok && s <= session->n_steps; s++) {
        n_aloft = land_before(session, s, aloft, n_aloft, &n_landed);
        const int32_t flight = s < session->n_steps ? session->steps[s].flight : -1;
        if (flight >= 0) {
            session->flights[flight] = s;
            aloft[n_aloft++] = flight;
        }
    }
    oribi_free(aloft);
    return ok || oribi_fail_memory(status);
}
