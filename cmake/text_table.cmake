# SPDX-License-Identifier: Apache-2.0
# For scripts that write files as C tables: `arrays` and `rows` grow by a file, `index` counts them.
# What is carried of micro/ lies in one folder.
cmake_minimum_required(VERSION 3.25) # a script has no policies of its own, and would warn
set(arrays "")
set(rows "")
set(index 0)
macro(add_text name path)
    if("${path}" MATCHES "\\.onnx$") # no text: READ would end at a byte of 0
        file(READ ${path} bytes HEX)
    else()
        file(READ ${path} text)
        string(REGEX REPLACE "#include \"micro/[a-z]+/" "#include \"micro/" text "${text}")
        string(HEX "${text}" bytes)
    endif()
    string(REGEX REPLACE "(................................)" "\\1\n    " bytes "${bytes}")
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
    string(APPEND arrays "static const unsigned char text_${index}[] = {\n    ${bytes}0};\n")
    string(APPEND rows "    {\"${name}\", text_${index}, sizeof text_${index} - 1},\n")
    math(EXPR index "${index} + 1")
endmacro()
