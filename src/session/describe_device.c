/* SPDX-License-Identifier: Apache-2.0 */
/* JSON about a session's devices: copies and waits among its steps, memory, what was counted. */
#include "format/json.h"
#include "session/session_internal.h"

void oribi_describe_copies(struct oribi_json *json, const oribi_session *session,
                           const struct oribi_plan *plan)
{
    static const char *const kinds[] = {"to device", "to host", "between devices", "wait",
                                        "wait for all"};
    oribi_json_open(json, '{');
    oribi_json_key(json, "copies");
    oribi_json_open(json, '[');
    for (int32_t s = 0; s < session->n_steps; s++) {
        const oribi_session_step *step = &session->steps[s];
        const oribi_transfer *transfer = step->transfer;
        if (transfer == NULL) {
            continue;
        }
        const bool is_copy = step->node->n_outputs > 0;
        oribi_json_open(json, '{');
        oribi_json_put_uint(json, "step", (uint64_t)s);
        oribi_json_put_string(json, "kind", kinds[transfer->kind]);
        oribi_json_put_string(json, "value", is_copy ? session->values[step->outputs[0]].name : "");
        oribi_json_put_string(json, "from", session->devices[transfer->from].name);
        oribi_json_put_string(json, "to", session->devices[is_copy ? transfer->to : 0].name);
        oribi_json_put_uint(json, "bytes",
                            is_copy && plan != NULL ? plan->places[step->outputs[0]].bytes : 0);
        oribi_json_put_string(json, "beside", transfer->is_beside ? "kernels" : "");
        oribi_json_put_string(json, "name", step->node->name);
        oribi_json_close(json, '}');
    }
    oribi_json_close(json, ']');
    oribi_json_close(json, '}');
}

static void put_device(oribi_json *json, const oribi_session *session,
                       const struct oribi_plan *plan, int32_t d)
{
    oribi_device_counts counts = {0};
    uint64_t planned = 0, host = 0, n_units = 0, n_nodes = 0;
    oribi_device_count(session->devices[d].device, &counts);
    for (int32_t u = 0; plan != NULL && u < plan->n_units; u++) {
        const oribi_plan_unit *unit = &plan->units[u];
        if (unit->device == d) {
            *(unit->is_host ? &host : &planned) += unit->bytes;
            n_units += !unit->is_host;
        }
    }
    for (int32_t s = 0; s < session->n_steps; s++) {
        n_nodes += session->steps[s].device == d;
    }
    oribi_json_open(json, '{');
    oribi_json_put_string(json, "name", session->devices[d].name);
    oribi_json_put_uint(json, "nodes", n_nodes);
    oribi_json_put_uint(json, "planned_bytes", planned);
    oribi_json_put_uint(json, "planned_allocations", n_units);
    oribi_json_put_uint(json, "planned_host_bytes", host);
    oribi_json_put_uint(json, "allocations", counts.n_allocations);
    oribi_json_put_uint(json, "bytes_reserved", counts.bytes_reserved);
    oribi_json_put_uint(json, "bytes_in_use", counts.bytes_in_use);
    oribi_json_put_uint(json, "peak_bytes_in_use", counts.peak_bytes_in_use);
    oribi_json_put_uint(json, "waits", counts.n_waits);
    oribi_json_put_uint(json, "copies_to_device", counts.n_to_device);
    oribi_json_put_uint(json, "copies_to_host", counts.n_to_host);
    oribi_json_put_uint(json, "copies_on_device", counts.n_on_device);
    oribi_json_put_uint(json, "bytes_to_device", counts.bytes_to_device);
    oribi_json_put_uint(json, "bytes_to_host", counts.bytes_to_host);
    oribi_json_put_uint(json, "bytes_on_device", counts.bytes_on_device);
    oribi_json_close(json, '}');
}

void oribi_describe_devices(struct oribi_json *json, const oribi_session *session,
                            const struct oribi_plan *plan)
{
    oribi_json_open(json, '{');
    oribi_json_key(json, "devices");
    oribi_json_open(json, '[');
    for (int32_t d = 1; d < session->n_devices; d++) {
        put_device(json, session, plan, d);
    }
    oribi_json_close(json, ']');
    oribi_json_close(json, '}');
}
