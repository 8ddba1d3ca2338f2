/* SPDX-License-Identifier: Apache-2.0 */
/* A callable of someone else. */
#include "absl/base/config.h"
#ifndef ORIBI_OWN_ABSL
#pragma GCC system_header
#include_next <absl/functional/function_ref.h>
#elif !defined(ORIBI_ABSL_FUNCTIONAL_FUNCTION_REF_H_)
#define ORIBI_ABSL_FUNCTIONAL_FUNCTION_REF_H_

#include <memory>
#include <type_traits>
#include <utility>

namespace absl ORIBI_HIDDEN
{

template <typename F> class FunctionRef;
template <typename R, typename... A> class FunctionRef<R(A...)>
{
  public:
    template <typename F, typename = typename std::enable_if<!std::is_same<
                              typename std::decay<F>::type, FunctionRef>::value>::type>
    FunctionRef(F &&f)
        : object_(const_cast<void *>(static_cast<const void *>(std::addressof(f)))),
          call_([](void *object, A... args) -> R {
              return (*static_cast<typename std::remove_reference<F>::type *>(object))(
                  std::forward<A>(args)...);
          })
    {
    }
    R operator()(A... args) const
    {
        return call_(object_, std::forward<A>(args)...);
    }

  private:
    void *object_;
    R (*call_)(void *, A...);
};

} // namespace absl
#endif
