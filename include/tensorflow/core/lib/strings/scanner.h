/* SPDX-License-Identifier: Apache-2.0 */
/* strings::Scanner: takes text apart from left to right. */
#ifndef ORIBI_TENSORFLOW_CORE_LIB_STRINGS_SCANNER_H_
#define ORIBI_TENSORFLOW_CORE_LIB_STRINGS_SCANNER_H_

#include <cctype>

#include "tensorflow/core/platform/stringpiece.h"
#include "tensorflow/core/platform/str_util.h"

namespace tensorflow ORIBI_HIDDEN
{
namespace strings
{

class Scanner
{
  public:
    /* What a character may be. */
    enum CharClass {
        ALL,
        DIGIT,
        LETTER,
        LETTER_DIGIT,
        LETTER_DIGIT_DASH_UNDERSCORE,
        LETTER_DIGIT_DASH_DOT_SLASH,
        LETTER_DIGIT_DASH_DOT_SLASH_UNDERSCORE,
        LETTER_DIGIT_DOT,
        LETTER_DIGIT_DOT_PLUS_MINUS,
        LETTER_DIGIT_DOT_UNDERSCORE,
        LETTER_DIGIT_UNDERSCORE,
        LOWERLETTER,
        LOWERLETTER_DIGIT,
        LOWERLETTER_DIGIT_UNDERSCORE,
        NON_ZERO_DIGIT,
        SPACE,
        UPPERLETTER,
        RANGLE
    };
    explicit Scanner(StringPiece source) : rest_(source), begin_(source.data())
    {
    }
    Scanner &One(CharClass kind)
    {
        if (rest_.empty() || !Matches(kind, rest_[0])) {
            return Fail();
        }
        rest_.remove_prefix(1);
        return *this;
    }
    Scanner &Many(CharClass kind)
    {
        return One(kind).Any(kind);
    }
    Scanner &Any(CharClass kind)
    {
        while (!rest_.empty() && Matches(kind, rest_[0])) {
            rest_.remove_prefix(1);
        }
        return *this;
    }
    Scanner &ZeroOrOneLiteral(StringPiece literal)
    {
        str_util::ConsumePrefix(&rest_, literal);
        return *this;
    }
    Scanner &OneLiteral(StringPiece literal)
    {
        return str_util::ConsumePrefix(&rest_, literal) ? *this : Fail();
    }
    Scanner &AnySpace()
    {
        return Any(SPACE);
    }
    Scanner &ScanUntil(char end)
    {
        return ScanTo(end, false);
    }
    Scanner &ScanEscapedUntil(char end)
    {
        return ScanTo(end, true);
    }
    Scanner &Eos()
    {
        return rest_.empty() ? *this : Fail();
    }
    /* What is scanned from here on is the capture. */
    Scanner &RestartCapture()
    {
        begin_ = rest_.data();
        end_ = nullptr;
        return *this;
    }
    Scanner &StopCapture()
    {
        end_ = rest_.data();
        return *this;
    }
    bool GetResult(StringPiece *remaining = nullptr, StringPiece *capture = nullptr)
    {
        if (failed_) {
            return false;
        }
        if (remaining != nullptr) {
            *remaining = rest_;
        }
        if (capture != nullptr) {
            const char *end = end_ != nullptr ? end_ : rest_.data();
            *capture = StringPiece(begin_, static_cast<size_t>(end - begin_));
        }
        return true;
    }
    char Peek(char at_end = '\0') const
    {
        return rest_.empty() ? at_end : rest_[0];
    }
    int empty() const
    {
        return rest_.empty();
    }

  private:
    Scanner &Fail()
    {
        failed_ = true;
        return *this;
    }
    Scanner &ScanTo(char end, bool has_escapes)
    {
        while (!rest_.empty() && rest_[0] != end) {
            rest_.remove_prefix(has_escapes && rest_[0] == '\\' && rest_.size() > 1 ? 2 : 1);
        }
        return rest_.empty() ? Fail() : *this;
    }
    static bool IsOneOf(char c, const char *others)
    {
        for (; *others != '\0'; others++) {
            if (c == *others) {
                return true;
            }
        }
        return false;
    }
    static bool Matches(CharClass kind, char c)
    {
        const bool lower = c >= 'a' && c <= 'z', upper = c >= 'A' && c <= 'Z';
        const bool digit = c >= '0' && c <= '9', letter = lower || upper;
        switch (kind) {
        case ALL:
            return true;
        case DIGIT:
            return digit;
        case LETTER:
            return letter;
        case LETTER_DIGIT:
            return letter || digit;
        case LETTER_DIGIT_DASH_UNDERSCORE:
            return letter || digit || IsOneOf(c, "-_");
        case LETTER_DIGIT_DASH_DOT_SLASH:
            return letter || digit || IsOneOf(c, "-./");
        case LETTER_DIGIT_DASH_DOT_SLASH_UNDERSCORE:
            return letter || digit || IsOneOf(c, "-./_");
        case LETTER_DIGIT_DOT:
            return letter || digit || c == '.';
        case LETTER_DIGIT_DOT_PLUS_MINUS:
            return letter || digit || IsOneOf(c, ".+-");
        case LETTER_DIGIT_DOT_UNDERSCORE:
            return letter || digit || IsOneOf(c, "._");
        case LETTER_DIGIT_UNDERSCORE:
            return letter || digit || c == '_';
        case LOWERLETTER:
            return lower;
        case LOWERLETTER_DIGIT:
            return lower || digit;
        case LOWERLETTER_DIGIT_UNDERSCORE:
            return lower || digit || c == '_';
        case NON_ZERO_DIGIT:
            return digit && c != '0';
        case SPACE:
            return IsOneOf(c, " \t\n\v\f\r");
        case UPPERLETTER:
            return upper;
        case RANGLE:
            return c == '>';
        }
        return false;
    }
    StringPiece rest_;
    const char *begin_, *end_ = nullptr;
    bool failed_ = false;
};

} // namespace strings
} // namespace tensorflow

#endif
