/* SPDX-License-Identifier: Apache-2.0 */
/* OP_NAME comes from the command line. */
#include "add_one.h"
