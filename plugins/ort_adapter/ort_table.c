/* SPDX-License-Identifier: Apache-2.0 */
/* The table that a library is handed: every slot up to ORT_ABI_VERSION has a function. What we lack
 * answers with a status that names it, so that a library which can do without goes on.
 */
#include "ort_adapter.h"

#define ORT_HAVE(result, name, arguments)
#define ORT_STATUS(name)                                                                           \
    static ort_status *absent_##name(void)                                                         \
    {                                                                                              \
        return oribi_ort_fail(ORT_NOT_IMPLEMENTED,                                                 \
                              "OrtApi::" #name " is not there for custom ops in Oribi");           \
    }
#define ORT_RELEASE(name)
#define ORT_NOTHING(name)
#include "ort_slots.inc"
#undef ORT_HAVE
#undef ORT_STATUS
#undef ORT_RELEASE
#undef ORT_NOTHING

static void release_nothing(void *object)
{
    (void)object;
}

static int64_t answer_nothing(void)
{
    return 0;
}

const ort_api oribi_ort_table = {
#define ORT_HAVE(result, name, arguments) .name = oribi_ort_##name,
#define ORT_STATUS(name)                  .name = absent_##name,
#define ORT_RELEASE(name)                 .name = release_nothing,
#define ORT_NOTHING(name)                 .name = answer_nothing,
#include "ort_slots.inc"
#undef ORT_HAVE
#undef ORT_STATUS
#undef ORT_RELEASE
#undef ORT_NOTHING
};

/* Places that the interface fixes, one in each stretch of rows. */
#define SLOT(name) (offsetof(ort_api, name) / sizeof(void (*)(void)))
_Static_assert(SLOT(CreateCustomOpDomain) == 26, "slots of version 1");
_Static_assert(SLOT(KernelContext_GetOutput) == 91, "slots of version 1");
_Static_assert(SLOT(ReleaseCustomOpDomain) == 101, "slots of version 1");
_Static_assert(SLOT(KernelContext_GetGPUComputeStream) == 193, "slots of version 10");
_Static_assert(SLOT(ReleaseKernelInfo) == 218, "slots of version 12");
_Static_assert(SLOT(KernelContext_ParallelFor) == 274, "slots of version 17");
_Static_assert(sizeof(ort_api) / sizeof(void (*)(void)) == 425, "slots of version 29");

static uint32_t refused; /* a library is registered at a time: loads are serialised */

uint32_t oribi_ort_refused_version(void)
{
    const uint32_t version = refused;
    refused = 0;
    return version;
}

static const ort_api *get_api(uint32_t version)
{
    if (version == 0 || version > ORT_ABI_VERSION) {
        refused = version;
        return NULL;
    }
    return &oribi_ort_table;
}

/* Libraries take the second number for the newest table that there is. */
static const char *get_version_string(void)
{
    return "1.29.0";
}

const ort_api_base oribi_ort_base = {get_api, get_version_string};

const char *oribi_ort_GetBuildInfoString(void)
{
    return "Oribi";
}
