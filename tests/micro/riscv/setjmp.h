/* SPDX-License-Identifier: Apache-2.0 */
/* Empty: what cmocka asks of it on a host. */
