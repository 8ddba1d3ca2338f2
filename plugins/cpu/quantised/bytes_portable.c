/* SPDX-License-Identifier: Apache-2.0 */
/* Floats to bytes and back in portable C. See bytes_loops.h. */
#define ORIBI_ISA portable
#include "cpu/quantised/bytes_loops.h"
