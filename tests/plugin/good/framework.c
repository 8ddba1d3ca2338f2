/* SPDX-License-Identifier: Apache-2.0 */
/* What stands for TensorFlow's library when a plugin is linked: names with a version, no bodies. */
#define NAME(name)                                                                                 \
    void name(void);                                                                               \
    void name(void)                                                                                \
    {                                                                                              \
    }

NAME(TF_NewStatus)
NAME(TF_DeleteStatus)
NAME(TF_GetCode)
NAME(TF_GetInput)
NAME(TF_NumDims)
NAME(TF_Dim)
NAME(TF_TensorByteSize)
NAME(TF_TensorData)
NAME(TF_TensorElementCount)
NAME(TF_DeleteTensor)
NAME(TF_AllocateOutput)
NAME(TF_OpKernelContext_Failure)
NAME(TF_NewOpDefinitionBuilder)
NAME(TF_OpDefinitionBuilderAddInput)
NAME(TF_OpDefinitionBuilderAddOutput)
NAME(TF_RegisterOpDefinition)
NAME(TF_NewKernelBuilder)
NAME(TF_RegisterKernelBuilder)
