/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECLARATIONS_STREAM_BUFFER_H_
#define DECLARATIONS_STREAM_BUFFER_H_

#include "FreeRTOS.h"

typedef struct stream_buffer *StreamBufferHandle_t;
typedef struct {
    uint32_t words[10];
} StaticStreamBuffer_t;

StreamBufferHandle_t xStreamBufferCreateStatic(size_t bytes, size_t trigger, uint8_t *storage,
                                               StaticStreamBuffer_t *memory);
void vStreamBufferDelete(StreamBufferHandle_t buffer);
size_t xStreamBufferSendFromISR(StreamBufferHandle_t buffer, const void *data, size_t bytes,
                                BaseType_t *out_woken);
size_t xStreamBufferReceive(StreamBufferHandle_t buffer, void *data, size_t bytes,
                            TickType_t ticks);

#endif
