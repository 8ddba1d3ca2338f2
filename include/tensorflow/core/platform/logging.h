/* SPDX-License-Identifier: Apache-2.0 */
/* LOG, VLOG, CHECK: lines go through the host's log; LOG(FATAL) and a failed CHECK end the process
 * after theirs. */
#ifndef ORIBI_TENSORFLOW_CORE_PLATFORM_LOGGING_H_
#define ORIBI_TENSORFLOW_CORE_PLATFORM_LOGGING_H_

#include <cstdlib>
#include <memory>
#include <ostream>
#include <sstream>
#include <string>
#include <utility>

#include "tensorflow/c/logging.h"
#include "tensorflow/core/platform/macros.h"
#include "tensorflow/core/platform/types.h"

namespace tensorflow ORIBI_HIDDEN
{

const int INFO = 0;
const int WARNING = 1;
const int ERROR = 2;
const int FATAL = 3;
const int NUM_SEVERITIES = 4;

namespace internal
{

/* One line, sent when the statement ends. */
class LogMessage : public std::ostringstream
{
  public:
    LogMessage(const char *file, int line, int severity) : severity_(severity)
    {
        *this << file << ':' << line << ": ";
    }
    ~LogMessage() override
    {
        TF_Log(static_cast<TF_LogLevel>(severity_), "%s", str().c_str());
        if (severity_ == FATAL) {
            std::abort();
        }
    }
    /* Number that TF_CPP_MAX_VLOG_LEVEL allows. */
    static int MaxVLogLevel()
    {
        static const int level = [] {
            const char *text = std::getenv("TF_CPP_MAX_VLOG_LEVEL");
            return text != nullptr ? std::atoi(text) : 0;
        }();
        return level;
    }

  private:
    int severity_;
};

/* Makes `cond ? void : stream << ...` an expression without value. */
struct Voidifier {
    void operator&(const std::ostream &) const
    {
    }
};

template <typename T> const T &Printable(const T &value)
{
    return value;
}
inline const char *Printable(std::nullptr_t)
{
    return "nullptr";
}

template <typename A, typename B>
std::unique_ptr<std::string> CheckFailure(const A &a, const B &b, const char *text)
{
    std::ostringstream out;
    out << text << " (" << Printable(a) << " vs. " << Printable(b) << ")";
    return std::unique_ptr<std::string>(new std::string(out.str()));
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wfloat-equal"
#define ORIBI_CHECK_OP(Name, op)                                                                   \
    template <typename A, typename B>                                                              \
    std::unique_ptr<std::string> Check##Name(const A &a, const B &b, const char *text)             \
    {                                                                                              \
        return TF_PREDICT_TRUE(a op b) ? nullptr : CheckFailure(a, b, text);                       \
    }
ORIBI_CHECK_OP(EQ, ==)
ORIBI_CHECK_OP(NE, !=)
ORIBI_CHECK_OP(LE, <=)
ORIBI_CHECK_OP(LT, <)
ORIBI_CHECK_OP(GE, >=)
ORIBI_CHECK_OP(GT, >)
#undef ORIBI_CHECK_OP
#pragma GCC diagnostic pop

template <typename T> T CheckNotNull(const char *file, int line, const char *text, T &&value)
{
    if (value == nullptr) {
        LogMessage(file, line, FATAL) << text;
    }
    return std::forward<T>(value);
}

} // namespace internal
} // namespace tensorflow

#define ORIBI_LOG_AT(severity)                                                                     \
    ::tensorflow::internal::LogMessage(__FILE__, __LINE__, ::tensorflow::severity)
#define ORIBI_LOG_IF(severity, condition)                                                          \
    !(condition) ? (void)0 : ::tensorflow::internal::Voidifier() & ORIBI_LOG_AT(severity)

#ifndef LOG
#define LOG(severity)               ORIBI_LOG_AT(severity)
#define LOG_IF(severity, condition) ORIBI_LOG_IF(severity, condition)
#define VLOG_IS_ON(level)           ((level) <= ::tensorflow::internal::LogMessage::MaxVLogLevel())
#define VLOG(level)                 ORIBI_LOG_IF(INFO, VLOG_IS_ON(level))
#define LOG_EVERY_N(severity, n)                                                                   \
    ORIBI_LOG_IF(severity, [] {                                                                    \
        static int oribi_count = 0;                                                                \
        return oribi_count++ % (n) == 0;                                                           \
    }())
#define LOG_FIRST_N(severity, n)                                                                   \
    ORIBI_LOG_IF(severity, [] {                                                                    \
        static int oribi_count = 0;                                                                \
        return oribi_count++ < (n);                                                                \
    }())
#define LOG_EVERY_N_SEC(severity, n) LOG_EVERY_N(severity, 1000)

#define CHECK(condition)                                                                           \
    ORIBI_LOG_IF(FATAL, TF_PREDICT_FALSE(!(condition))) << "Check failed: " #condition " "
#define ORIBI_CHECK(Name, op, a, b)                                                                \
    while (auto oribi_failure = ::tensorflow::internal::Check##Name((a), (b), #a " " #op " " #b))  \
    ORIBI_LOG_AT(FATAL) << "Check failed: " << *oribi_failure << ' '
#define CHECK_EQ(a, b) ORIBI_CHECK(EQ, ==, a, b)
#define CHECK_NE(a, b) ORIBI_CHECK(NE, !=, a, b)
#define CHECK_LE(a, b) ORIBI_CHECK(LE, <=, a, b)
#define CHECK_LT(a, b) ORIBI_CHECK(LT, <, a, b)
#define CHECK_GE(a, b) ORIBI_CHECK(GE, >=, a, b)
#define CHECK_GT(a, b) ORIBI_CHECK(GT, >, a, b)
#define CHECK_NOTNULL(value)                                                                       \
    ::tensorflow::internal::CheckNotNull(__FILE__, __LINE__, "'" #value "' is null", (value))
#define CHECK_OK(status)  CHECK((status).ok()) << (status)
#define QCHECK(condition) CHECK(condition)
#define QCHECK_EQ(a, b)   CHECK_EQ(a, b)
#define QCHECK_NE(a, b)   CHECK_NE(a, b)
#define QCHECK_GE(a, b)   CHECK_GE(a, b)
#define QCHECK_GT(a, b)   CHECK_GT(a, b)
#define QCHECK_LE(a, b)   CHECK_LE(a, b)
#define QCHECK_LT(a, b)   CHECK_LT(a, b)

#ifdef NDEBUG /* compiled, never run */
#define ORIBI_NOT_RUN while (false)
#else
#define ORIBI_NOT_RUN
#endif
#define DCHECK(condition) ORIBI_NOT_RUN CHECK(condition)
#define DCHECK_EQ(a, b)   ORIBI_NOT_RUN CHECK_EQ(a, b)
#define DCHECK_NE(a, b)   ORIBI_NOT_RUN CHECK_NE(a, b)
#define DCHECK_LE(a, b)   ORIBI_NOT_RUN CHECK_LE(a, b)
#define DCHECK_LT(a, b)   ORIBI_NOT_RUN CHECK_LT(a, b)
#define DCHECK_GE(a, b)   ORIBI_NOT_RUN CHECK_GE(a, b)
#define DCHECK_GT(a, b)   ORIBI_NOT_RUN CHECK_GT(a, b)
#define DCHECK_OK(status) ORIBI_NOT_RUN CHECK_OK(status)
#define DVLOG(level)      ORIBI_NOT_RUN VLOG(level)
#define DLOG(severity)    ORIBI_NOT_RUN LOG(severity)
#endif

#endif
