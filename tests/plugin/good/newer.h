/* SPDX-License-Identifier: Apache-2.0 */
/* Headers as they may look in contract 1.4, for the tests of versions: one function came in 1.4. */
#ifndef TEST_NEWER_H_
#define TEST_NEWER_H_

#include "tensorflow/c/plugin_note.h"

#undef ORIBI_CONTRACT_VERSION
#define ORIBI_CONTRACT_VERSION 105

#ifdef TEST_FLOOR
#undef ORIBI_TARGET_CONTRACT
#define ORIBI_TARGET_CONTRACT TEST_FLOOR
#endif

#if ORIBI_HAS_CONTRACT(1, 4)
TF_CAPI_EXPORT extern void TF_FrobnicateTensor(void);
#endif

#endif
