/* SPDX-License-Identifier: Apache-2.0 */
/* Lock annotations, which say nothing to these compilers. */
#ifndef ORIBI_TENSORFLOW_CORE_PLATFORM_THREAD_ANNOTATIONS_H_
#define ORIBI_TENSORFLOW_CORE_PLATFORM_THREAD_ANNOTATIONS_H_

#ifndef GUARDED_BY
#define GUARDED_BY(...)
#endif
#define TF_GUARDED_BY(...)
#ifndef PT_GUARDED_BY
#define PT_GUARDED_BY(...)
#endif
#define TF_PT_GUARDED_BY(...)
#ifndef ACQUIRED_AFTER
#define ACQUIRED_AFTER(...)
#endif
#define TF_ACQUIRED_AFTER(...)
#ifndef ACQUIRED_BEFORE
#define ACQUIRED_BEFORE(...)
#endif
#define TF_ACQUIRED_BEFORE(...)
#ifndef EXCLUSIVE_LOCKS_REQUIRED
#define EXCLUSIVE_LOCKS_REQUIRED(...)
#endif
#define TF_EXCLUSIVE_LOCKS_REQUIRED(...)
#ifndef SHARED_LOCKS_REQUIRED
#define SHARED_LOCKS_REQUIRED(...)
#endif
#define TF_SHARED_LOCKS_REQUIRED(...)
#ifndef LOCKS_EXCLUDED
#define LOCKS_EXCLUDED(...)
#endif
#define TF_LOCKS_EXCLUDED(...)
#ifndef LOCK_RETURNED
#define LOCK_RETURNED(...)
#endif
#define TF_LOCK_RETURNED(...)
#ifndef EXCLUSIVE_LOCK_FUNCTION
#define EXCLUSIVE_LOCK_FUNCTION(...)
#endif
#define TF_EXCLUSIVE_LOCK_FUNCTION(...)
#ifndef SHARED_LOCK_FUNCTION
#define SHARED_LOCK_FUNCTION(...)
#endif
#define TF_SHARED_LOCK_FUNCTION(...)
#ifndef UNLOCK_FUNCTION
#define UNLOCK_FUNCTION(...)
#endif
#define TF_UNLOCK_FUNCTION(...)
#ifndef EXCLUSIVE_TRYLOCK_FUNCTION
#define EXCLUSIVE_TRYLOCK_FUNCTION(...)
#endif
#define TF_EXCLUSIVE_TRYLOCK_FUNCTION(...)
#ifndef LOCKABLE
#define LOCKABLE
#endif
#ifndef SCOPED_LOCKABLE
#define SCOPED_LOCKABLE
#endif
#ifndef NO_THREAD_SAFETY_ANALYSIS
#define NO_THREAD_SAFETY_ANALYSIS
#endif
#define TF_LOCKABLE
#define TF_SCOPED_LOCKABLE
#define TF_NO_THREAD_SAFETY_ANALYSIS

#endif
