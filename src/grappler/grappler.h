/* SPDX-License-Identifier: Apache-2.0 */
/* Graph optimisers of plugins, called on a graph before our own passes. Read next: optimise.c. */
#ifndef ORIBI_GRAPPLER_GRAPPLER_H_
#define ORIBI_GRAPPLER_GRAPPLER_H_

#include "grappler/graphdef.h"
#include "pass/pass.h"
#include "tensorflow/c/experimental/grappler/grappler.h"

/* What an optimiser is asked to keep: the item that helper functions take. Lives during the call.
 */
struct TF_GrapplerItem {
    oribi_graph *graph;
    const oribi_graphdef_names *names;
};

/* Lets the optimiser of a device type, if there is one, rewrite *graph, which oribi_pass_prepare
 * has seen: replaced, and prepared again, when what comes back is a graph with the same inputs,
 * outputs, types and shapes. What fails or does not fit is a warning in the log that names plugin
 * and reason, and the graph stays. Our passes (ORIBI_PASS_...) that the optimiser switches off
 * leave the nodes alone that it wrote. False: what our own passes failed for, or no memory. */
bool oribi_grappler_run(oribi_graph **graph, const char *device_type,
                        const oribi_pass_options *options, oribi_pass_report *report,
                        TF_Status *status);

#endif
