/* SPDX-License-Identifier: Apache-2.0 */
/* What of a real Abseil names.cc and abseil.cc use beside the face; ours has no such headers. */
#include "absl/container/flat_hash_map.h"
#include "absl/random/random.h"
#include "absl/status/statusor.h"
#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
