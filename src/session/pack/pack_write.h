/* SPDX-License-Identifier: Apache-2.0 */
/* The file that a session can be made of at once. */
#ifndef ORIBI_SESSION_PACK_PACK_WRITE_H_
#define ORIBI_SESSION_PACK_PACK_WRITE_H_

#include "oribi/oribi.h"

/* Fills an empty buffer. The session was made of a graph that keeps_constants; `source` is what the
 * model is called. UNIMPLEMENTED, naming the node, for what a packed file cannot say. */
bool oribi_pack_write(oribi_session *session, const char *source, TF_Buffer *out,
                      TF_Status *status);

#endif
