/* SPDX-License-Identifier: Apache-2.0 */
/* Copies beside kernels. A copy gets a stream of its own where the device has other work at that
 * time: one to the host when nodes follow on the device before the host waits for the copy, one to
 * the device when nodes before it were not waited for. Others stay on the stream of the kernels,
 * where order costs nothing.
 *
 * Work of several streams is not in the order of the steps any more, so lives of values change:
 * what a copy writes beside kernels is taken from the last step that is known to be done by then,
 * and what it reads is kept until the host has waited. Copies to the host of one device are either
 * all beside or none, since a wait for one is a wait for those before it.
 */
#include "session/session_internal.h"

/* The step of the host's wait that includes the copy. */
static int32_t wait_step(const oribi_session *session, int32_t copy)
{
    const oribi_transfer *transfer = session->steps[copy].transfer;
    for (int32_t s = copy + 1; s < session->n_steps; s++) {
        const oribi_transfer *other = session->steps[s].transfer;
        if (other != NULL && other->from == transfer->from &&
            (other->kind == ORIBI_WAIT_ALL ||
             (other->kind == ORIBI_WAIT && other->mark >= transfer->mark))) {
            return s;
        }
    }
    return session->n_steps - 1;
}

static bool is_work(const oribi_session *session, int32_t s, int32_t device)
{
    const oribi_session_step *step = &session->steps[s];
    return step->transfer == NULL && step->device == device;
}

static bool has_work(const oribi_session *session, int32_t from, int32_t to, int32_t device)
{
    for (int32_t s = from; s < to; s++) {
        if (is_work(session, s, device)) {
            return true;
        }
    }
    return false;
}

static bool pays_to_host(const oribi_session *session, int32_t device)
{
    for (int32_t s = 0; s < session->n_steps; s++) {
        const oribi_transfer *transfer = session->steps[s].transfer;
        if (transfer != NULL && transfer->kind == ORIBI_TO_HOST && transfer->from == device &&
            has_work(session, s + 1, wait_step(session, s), device)) {
            return true;
        }
    }
    return false;
}

static void overlap_to_host(oribi_session *session, int32_t device)
{
    if (!pays_to_host(session, device)) {
        return;
    }
    session->devices[device].has_beside[ORIBI_TO_HOST] = true;
    for (int32_t s = 0; s < session->n_steps; s++) {
        oribi_transfer *transfer = session->steps[s].transfer;
        if (transfer != NULL && transfer->kind == ORIBI_TO_HOST && transfer->from == device) {
            oribi_session_value *value = &session->values[session->steps[s].inputs[0]];
            const int32_t until = wait_step(session, s);
            transfer->is_beside = true;
            value->last_use = value->last_use > until ? value->last_use : until;
        }
    }
}

/* The step that copies to the host and records the mark: when it was waited for, all steps of the
 * device before it are done. */
static int32_t step_of_mark(const oribi_session *session, const oribi_transfer *wait)
{
    for (int32_t s = 0; s < session->n_steps; s++) {
        const oribi_transfer *transfer = session->steps[s].transfer;
        if (transfer != NULL && transfer->kind == ORIBI_TO_HOST && transfer->from == wait->from &&
            transfer->mark == wait->mark) {
            return s;
        }
    }
    return 0;
}

static void overlap_to_device(oribi_session *session, int32_t device)
{
    int32_t done = 0; /* steps below are done */
    for (int32_t s = 0; s < session->n_steps; s++) {
        oribi_transfer *transfer = session->steps[s].transfer;
        if (transfer == NULL) {
            continue;
        }
        if (transfer->kind == ORIBI_WAIT && transfer->from == device) {
            const int32_t known = step_of_mark(session, transfer);
            done = done > known ? done : known;
        } else if (transfer->kind == ORIBI_TO_DEVICE && transfer->to == device &&
                   has_work(session, done, s, device)) {
            transfer->is_beside = true;
            session->devices[device].has_beside[ORIBI_TO_DEVICE] = true;
            session->values[session->steps[s].outputs[0]].first_use = done;
        }
    }
}

void oribi_steps_overlap(oribi_session *session)
{
    for (int32_t device = 1; device < session->n_devices; device++) {
        overlap_to_host(session, device);
        overlap_to_device(session, device);
    }
}
