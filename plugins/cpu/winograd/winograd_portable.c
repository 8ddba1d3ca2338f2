/* SPDX-License-Identifier: Apache-2.0 */
/* The transforms of winograd.h in plain C; they themselves stand in winograd_tile.inc. */
#include "cpu/winograd/winograd.h"

#include "cpu/base/vector_portable.h"

#include "cpu/winograd/winograd_tile.inc"

const oribi_winograd_variant oribi_winograd_portable = {input_tile, output_tile};
