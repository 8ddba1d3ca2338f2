/* SPDX-License-Identifier: Apache-2.0 */
/* Export and boolean macros shared by every header of the plugin contract.
 * Not here: types, functions. Read next: tf_status.h.
 */
#ifndef ORIBI_TENSORFLOW_C_C_API_MACROS_H_
#define ORIBI_TENSORFLOW_C_C_API_MACROS_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Visibility of a contract function. TF_CAPI_WEAK makes references weak, so that one binary can
 * test at run time whether its host has a function. */
#if defined(_WIN32)
#ifdef TF_COMPILE_LIBRARY
#define TF_CAPI_EXPORT __declspec(dllexport)
#else
#define TF_CAPI_EXPORT __declspec(dllimport)
#endif
#elif defined(TF_CAPI_WEAK)
#define TF_CAPI_EXPORT __attribute__((visibility("default"), weak))
#else
#define TF_CAPI_EXPORT __attribute__((visibility("default")))
#endif

/* One byte: 0 is false, anything else is true. Not the data type TF_BOOL. */
#define TF_Bool unsigned char

/* Size of a versioned struct: the end offset of its last member, never sizeof. */
#define TF_OFFSET_OF_END(TYPE, MEMBER) (offsetof(TYPE, MEMBER) + sizeof(((TYPE *)0)->MEMBER))

#endif /* ORIBI_TENSORFLOW_C_C_API_MACROS_H_ */
