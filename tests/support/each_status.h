/* SPDX-License-Identifier: Apache-2.0 */
/* A status of its own for each test of a file, given to
 * cmocka_unit_test_setup_teardown(test, make_status, drop_status). Include last.
 */
#ifndef ORIBI_TESTS_SUPPORT_EACH_STATUS_H_
#define ORIBI_TESTS_SUPPORT_EACH_STATUS_H_

#include "tensorflow/c/tf_status.h"

static TF_Status *status;

static inline int make_status(void **state)
{
    (void)state;
    status = TF_NewStatus();
    return 0;
}

static inline int drop_status(void **state)
{
    (void)state;
    TF_DeleteStatus(status);
    return 0;
}

#endif
