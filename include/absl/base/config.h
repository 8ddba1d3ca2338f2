/* SPDX-License-Identifier: Apache-2.0 */
/* Decides whose absl:: names this translation unit has. A real Abseil that stands before this
 * folder in the include path is found instead of these files and wins; one that stands behind it
 * (a system package) wins when ORIBI_USE_ABSL is defined. Otherwise the few names that custom ops
 * use are defined here, over the standard library, with nothing to link.
 *
 * Not here: Abseil. Hash tables are the standard ones, formatting knows the common conversions.
 * Read next: strings/string_view.h, status/status.h.
 */
#if defined(ORIBI_USE_ABSL) && defined(__has_include_next)
#if __has_include_next(<absl/base/config.h>)
#pragma GCC system_header
#include_next <absl/base/config.h>
#define ORIBI_FOREIGN_ABSL 1
#endif
#endif
#if !defined(ORIBI_FOREIGN_ABSL) && !defined(ORIBI_OWN_ABSL)
#define ORIBI_OWN_ABSL        1
#define ABSL_IS_LITTLE_ENDIAN 1
#define ABSL_NAMESPACE_BEGIN
#define ABSL_NAMESPACE_END
/* On a namespace: what is defined in that block stays inside the plugin. */
#define ORIBI_HIDDEN __attribute__((visibility("hidden")))
#include "absl/base/attributes.h"
#include "absl/base/optimization.h"
#include "absl/numeric/bits.h"
#endif
