/* SPDX-License-Identifier: Apache-2.0 */
/* functor::FillFunctor, SetZeroFunctor, SetOneFunctor: a tensor of one value. */
#ifndef ORIBI_TENSORFLOW_CORE_KERNELS_FILL_FUNCTOR_H_
#define ORIBI_TENSORFLOW_CORE_KERNELS_FILL_FUNCTOR_H_

#include "tensorflow/core/framework/tensor_types.h"
#include "tensorflow/core/platform/eigen.h"

#ifdef ORIBI_HAS_EIGEN
namespace tensorflow ORIBI_HIDDEN
{
namespace functor
{

template <typename Device, typename T> struct FillFunctor {
    void operator()(const Device &device, typename TTypes<T>::Flat out,
                    typename TTypes<T>::ConstScalar value)
    {
        out.device(device) = out.constant(value());
    }
};
template <typename Device, typename T> struct SetZeroFunctor {
    void operator()(const Device &device, typename TTypes<T>::Flat out)
    {
        out.device(device) = out.constant(T(0));
    }
};
template <typename Device, typename T> struct SetOneFunctor {
    void operator()(const Device &device, typename TTypes<T>::Flat out)
    {
        out.device(device) = out.constant(T(1));
    }
};

} // namespace functor
} // namespace tensorflow
#endif

#endif
