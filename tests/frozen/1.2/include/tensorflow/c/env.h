/* SPDX-License-Identifier: Apache-2.0 */
/* Files, time, threads and libraries for plugins that do not want to care about the system. Every
 * function may be called from any thread; a handle belongs to one thread at a time.
 */
#ifndef ORIBI_TENSORFLOW_C_ENV_H_
#define ORIBI_TENSORFLOW_C_ENV_H_

#include "tensorflow/c/c_api_macros.h"
#include "tensorflow/c/tf_status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TF_WritableFileHandle TF_WritableFileHandle;
typedef struct TF_StringStream TF_StringStream;
typedef struct TF_Thread TF_Thread;

typedef struct TF_FileStatistics {
    int64_t length;     /* bytes */
    int64_t mtime_nsec; /* nanoseconds since 1970 */
    bool is_directory;
} TF_FileStatistics;

typedef struct TF_ThreadOptions {
    size_t stack_size; /* bytes; 0: the system's default */
    size_t guard_size; /* bytes; 0: the system's default */
    int numa_node;     /* -1: any; not used here */
} TF_ThreadOptions;

/* One folder; ALREADY_EXISTS when it is there. Modes follow the umask. */
TF_CAPI_EXPORT extern void TF_CreateDir(const char *dirname, TF_Status *status);
/* An empty folder; FAILED_PRECONDITION when it is not empty. */
TF_CAPI_EXPORT extern void TF_DeleteDir(const char *dirname, TF_Status *status);
/* A folder and all below, links not followed. Counts what could not be deleted; the status is of
 * the first failure. */
TF_CAPI_EXPORT extern void TF_DeleteRecursively(const char *dirname, int64_t *undeleted_file_count,
                                                int64_t *undeleted_dir_count, TF_Status *status);
TF_CAPI_EXPORT extern void TF_FileStat(const char *filename, TF_FileStatistics *stats,
                                       TF_Status *status);
/* Creates or empties a file. *handle is NULL on failure, else closed by TF_CloseWritableFile. */
TF_CAPI_EXPORT extern void TF_NewWritableFile(const char *filename, TF_WritableFileHandle **handle,
                                              TF_Status *status);
/* Flushes, closes and frees, whatever the status says. */
TF_CAPI_EXPORT extern void TF_CloseWritableFile(TF_WritableFileHandle *handle, TF_Status *status);
TF_CAPI_EXPORT extern void TF_SyncWritableFile(TF_WritableFileHandle *handle, TF_Status *status);
TF_CAPI_EXPORT extern void TF_FlushWritableFile(TF_WritableFileHandle *handle, TF_Status *status);
TF_CAPI_EXPORT extern void TF_AppendWritableFile(TF_WritableFileHandle *handle, const char *data,
                                                 size_t length, TF_Status *status);
TF_CAPI_EXPORT extern void TF_DeleteFile(const char *filename, TF_Status *status);
/* Next string of the stream, borrowed until the next call; false at the end. */
TF_CAPI_EXPORT extern bool TF_StringStreamNext(TF_StringStream *list, const char **result);
TF_CAPI_EXPORT extern void TF_StringStreamDone(TF_StringStream *list); /* NULL ok */
/* Names of a folder's entries, without . and .., sorted; NULL on failure. */
TF_CAPI_EXPORT extern TF_StringStream *TF_GetChildren(const char *filename, TF_Status *status);
/* Folders for temporary files that exist, best first; NULL: no memory. */
TF_CAPI_EXPORT extern TF_StringStream *TF_GetLocalTempDirectories(void);
/* Path of a new, empty temporary file with the extension; the caller frees it with free(). NULL
 * when none could be made. */
TF_CAPI_EXPORT extern char *TF_GetTempFileName(const char *extension);
/* Wall clock since 1970. */
TF_CAPI_EXPORT extern uint64_t TF_NowNanos(void);
TF_CAPI_EXPORT extern uint64_t TF_NowMicros(void);
TF_CAPI_EXPORT extern uint64_t TF_NowSeconds(void);
TF_CAPI_EXPORT extern void TF_DefaultThreadOptions(TF_ThreadOptions *options);
/* NULL when the thread could not be started. Joined exactly once by TF_JoinThread, which frees. */
TF_CAPI_EXPORT extern TF_Thread *TF_StartThread(const TF_ThreadOptions *options,
                                                const char *thread_name, void (*work_func)(void *),
                                                void *param);
TF_CAPI_EXPORT extern void TF_JoinThread(TF_Thread *thread);
/* dlopen with local symbols; NULL and NOT_FOUND with the loader's text on failure. */
TF_CAPI_EXPORT extern void *TF_LoadSharedLibrary(const char *library_filename, TF_Status *status);
TF_CAPI_EXPORT extern void *TF_GetSymbolFromLibrary(void *handle, const char *symbol_name,
                                                    TF_Status *status);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* ORIBI_TENSORFLOW_C_ENV_H_ */
