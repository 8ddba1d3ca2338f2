/* SPDX-License-Identifier: Apache-2.0 */
/* Eigen's tensors, when they can be found; ORIBI_HAS_EIGEN says so. ORIBI_NO_EIGEN leaves them out.
 */
#ifndef ORIBI_TENSORFLOW_CORE_PLATFORM_EIGEN_H_
#define ORIBI_TENSORFLOW_CORE_PLATFORM_EIGEN_H_

#if !defined(ORIBI_NO_EIGEN) && defined(__has_include)
#if __has_include(<unsupported/Eigen/CXX11/src/Tensor/Tensor.h>)
#define ORIBI_HAS_EIGEN 1
#elif __has_include(<eigen3/unsupported/Eigen/CXX11/src/Tensor/Tensor.h>)
#define ORIBI_HAS_EIGEN 1
#endif
#endif

#ifdef ORIBI_HAS_EIGEN
#include "unsupported/Eigen/CXX11/Tensor"
namespace Eigen
{
struct GpuDevice;
}
#else
/* Names of devices, for `typedef Eigen::ThreadPoolDevice CPUDevice` in code without Eigen. */
namespace Eigen
{
struct ThreadPoolDevice;
struct DefaultDevice;
struct GpuDevice;
} // namespace Eigen
#endif

#endif
