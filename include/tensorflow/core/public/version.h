/* SPDX-License-Identifier: Apache-2.0 */
/* Version of TensorFlow's interface that these headers follow. */
#ifndef ORIBI_TENSORFLOW_CORE_PUBLIC_VERSION_H_
#define ORIBI_TENSORFLOW_CORE_PUBLIC_VERSION_H_

#define TF_MAJOR_VERSION  2
#define TF_MINOR_VERSION  16
#define TF_PATCH_VERSION  0
#define TF_VERSION_SUFFIX "-oribi"
#define TF_VERSION_STRING "2.16.0-oribi"

#define TF_GRAPH_DEF_VERSION              1766
#define TF_GRAPH_DEF_VERSION_MIN_CONSUMER 0
#define TF_GRAPH_DEF_VERSION_MIN_PRODUCER 0
#define TF_CHECKPOINT_VERSION             1

#endif
