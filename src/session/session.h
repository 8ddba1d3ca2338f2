/* SPDX-License-Identifier: Apache-2.0 */
/* Session room, as the rest of the house sees it; applications use include/oribi/oribi.h. */
#ifndef ORIBI_SESSION_SESSION_H_
#define ORIBI_SESSION_SESSION_H_

#include "graph/graph.h"
#include "oribi/oribi.h"

/* Session over a graph made by hand. Takes the graph over, also when it fails. */
oribi_session *oribi_session_from_graph(oribi_graph *graph, const oribi_options *options,
                                        TF_Status *status);

#endif
