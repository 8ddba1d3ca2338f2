/* SPDX-License-Identifier: Apache-2.0 */
/* Streams of a run object: one for each device of the session, kept from run to run. After a
 * failure they are replaced, because what is on them is not known; blocks and sessions go on.
 */
#include "base/alloc.h"
#include "session/session_internal.h"

bool oribi_run_open_streams(oribi_run *run, TF_Status *status)
{
    const oribi_session *session = run->session;
    if (session->n_devices == 1) {
        return true;
    }
    if (run->streams == NULL) {
        run->streams = oribi_alloc_zero((size_t)session->n_devices, sizeof(oribi_stream *));
        if (run->streams == NULL) {
            return oribi_fail_memory(status);
        }
    }
    for (int32_t d = 1; d < session->n_devices; d++) {
        if (run->streams[d] == NULL) {
            run->streams[d] =
                oribi_stream_create(session->devices[d].device, session->devices[d].n_marks,
                                    session->devices[d].account, status);
            ORIBI_TRY(run->streams[d] != NULL);
        }
    }
    for (int32_t d = 1; d < session->n_devices; d++) {
        oribi_stream_touch(run->streams[d]); /* kernels enqueue without telling us */
    }
    return true;
}

void oribi_run_reset_streams(oribi_run *run)
{
    for (int32_t d = 1; run->streams != NULL && d < run->session->n_devices; d++) {
        oribi_stream_destroy(run->streams[d]); /* waits; NULL where a run before this failed */
        run->streams[d] = NULL;
    }
}
