/* SPDX-License-Identifier: Apache-2.0 */
/* Do the face's streams, records, random numbers and small libraries do what sources for TensorFlow
 * expect of them? The checks are those of plugins/streams.cc, where the headers are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "cxx/run_session.h"
#include "plugin/plugin.h"
#include "tensorflow/c/tf_tstring.h"

/* What TensorFlow writes for the records "abc" and "" with GZIP. */
static const unsigned char packed_records[] = {
    0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x03, 0x63, 0x66, 0x80, 0x80, 0x0d, 0x33,
    0x3d, 0xf9, 0x12, 0x93, 0x92, 0xf3, 0xc2, 0x3f, 0x2a, 0x42, 0x45, 0x18, 0x34, 0x99, 0x67, 0xb0,
    0xdf, 0x78, 0xd5, 0xb4, 0x08, 0x00, 0x23, 0x4a, 0xb4, 0xed, 0x23, 0x00, 0x00, 0x00};

static TF_Tensor *text(const char *bytes, size_t n)
{
    TF_Tensor *tensor = TF_AllocateTensor(TF_STRING, NULL, 0, sizeof(TF_TString));
    TF_TString_Copy(TF_TensorData(tensor), bytes, n);
    return tensor;
}

static void all_checks_of_the_libraries_hold(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    char folder[] = "/tmp/oribi-streams-XXXXXX";
    assert_non_null(mkdtemp(folder));
    setenv("ORIBI_PLUGIN_PROBE", TEST_PROBE, 0);
    oribi_plugin_load_built_ins(status);
    oribi_plugin_load(CXX_PLUGINS "/streams.so", status);
    assert_string_equal(TF_Message(status), "");
    TF_Tensor *inputs[2] = {text(folder, strlen(folder)),
                            text((const char *)packed_records, sizeof packed_records)};
    run_op run;

    (void)run_op_begin(&run, "StreamChecks", NULL, inputs, 2, NULL, status);

    assert_string_equal(TF_Message(status), "");
    const TF_TString *failed = TF_TensorData(run.outputs[0]);
    if (TF_TString_GetSize(failed) > 0) {
        fail_msg("fails: %.*s", (int)TF_TString_GetSize(failed), TF_TString_GetDataPointer(failed));
    }
    run_op_end(&run);
    TF_DeleteTensor(inputs[0]);
    TF_DeleteTensor(inputs[1]);
    TF_DeleteStatus(status);
    char path[64];
    snprintf(path, sizeof path, "%s/deep/er", folder);
    assert_int_equal(rmdir(path), 0); /* the checks left no file behind */
    snprintf(path, sizeof path, "%s/deep", folder);
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_checks_of_the_libraries_hold)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
