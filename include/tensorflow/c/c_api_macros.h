/* SPDX-License-Identifier: Apache-2.0 */
/* Export and boolean macros shared by every header of the plugin contract.
 * Not here: types, functions. Read next: tf_status.h.
 */
#ifndef ORIBI_TENSORFLOW_C_C_API_MACROS_H_
#define ORIBI_TENSORFLOW_C_C_API_MACROS_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Version of the contract that these headers declare: major * 100 + minor. A function that came in
 * 1.N stands in `#if ORIBI_HAS_CONTRACT(1, N)`. A plugin that must load in older hosts is compiled
 * with, say, -DORIBI_TARGET_CONTRACT=100: what is newer than 1.0 is then not declared. */
#define ORIBI_CONTRACT_VERSION 104
#ifndef ORIBI_TARGET_CONTRACT
#define ORIBI_TARGET_CONTRACT ORIBI_CONTRACT_VERSION
#endif
#if ORIBI_TARGET_CONTRACT < 100 || ORIBI_TARGET_CONTRACT > ORIBI_CONTRACT_VERSION
#error "ORIBI_TARGET_CONTRACT: 100 (contract 1.0) up to ORIBI_CONTRACT_VERSION of these headers"
#endif
#define ORIBI_HAS_CONTRACT(major, minor) (ORIBI_TARGET_CONTRACT >= (major)*100 + (minor))

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
