/* SPDX-License-Identifier: Apache-2.0 */
/* A library with a name and nothing else; see src/plugin/dropin.c. */
typedef int oribi_dropin_is_empty;
