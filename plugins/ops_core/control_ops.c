/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions and loops, whose graphs belong to the node: sessions run them (src/session/control).
 * Shapes follow from the graphs: importers set them.
 * TensorFlow's If and While name functions of a library instead.
 */
#include "ops_core/ops_core.h"
#include "ops_core/shape_functions.h"

const oribi_ops_row oribi_ops_control[] = {
    {.name = "Oribi>If",
     .inputs = "condition: bool; captured: Tcaptured",
     .outputs = "results: Tresults",
     .attrs = "Tcaptured: list(type) >= 0; Tresults: list(type) >= 0",
     .shape = TF_ShapeInferenceContextSetUnknownShape},
    {.name = "Oribi>Loop",
     .inputs = "trips: int64; condition: bool; initial: Tcarried; captured: Tcaptured",
     .outputs = "final: Tcarried; collected: Tcollected",
     .attrs = "Tcarried: list(type) >= 0; Tcaptured: list(type) >= 0; "
              "Tcollected: list(type) >= 0",
     .shape = TF_ShapeInferenceContextSetUnknownShape},
    /* The ends of a loop whose body stands among the operators of emitted C. */
    {.name = "Oribi>LoopBegin",
     .inputs = "trips: int64; condition: bool; initial: Tcarried; captured: Tcaptured",
     .outputs = "iteration: int64; goes_on: bool; carried: Tcarried; collected: Tcollected",
     .attrs = "Tcarried: list(type) >= 0; Tcaptured: list(type) >= 0; "
              "Tcollected: list(type) >= 0",
     .shape = TF_ShapeInferenceContextSetUnknownShape},
    {.name = "Oribi>LoopNext",
     .inputs = "trips: int64; condition: bool; next: Tcarried; elements: Tcollected",
     .outputs = "iteration: int64; goes_on: bool; carried: Tcarried; collected: Tcollected",
     .attrs = "Tcarried: list(type) >= 0; Tcollected: list(type) >= 0",
     .shape = TF_ShapeInferenceContextSetUnknownShape},
    {.name = NULL}};
