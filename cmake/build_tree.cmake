# SPDX-License-Identifier: Apache-2.0
# The build tree as if it were installed: `. build/env.sh` puts the command on the path has pkg-config
# answer with folders of the build, so that what pages print runs without `make install`.
foreach(name oribi oribi-static oribi-plugin)
    set(includedir ${PROJECT_BINARY_DIR}/include)
    if(name STREQUAL "oribi-plugin")
        set(includedir ${PROJECT_SOURCE_DIR}/include)
    endif()
    file(READ packaging/${name}.pc.in text)
    string(REGEX REPLACE "\nincludedir=[^\n]*" "\nincludedir=${includedir}" text "${text}")
    string(REGEX REPLACE "\nlibdir=[^\n]*" "\nlibdir=${PROJECT_BINARY_DIR}/lib" text "${text}")
    if(name STREQUAL "oribi-plugin")
        string(REGEX REPLACE "(\nCflags:[^\n]*)" "\\1 -I${ORIBI_HEADER_PATHS}" text "${text}")
    endif()
    string(CONFIGURE "${text}" text @ONLY)
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/pkgconfig/${name}.pc CONTENT "${text}" @ONLY)
endforeach()
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/env.sh CONTENT "# For `.` in a shell: the command, pkg-config and the library of this build.
PATH=@PROJECT_BINARY_DIR@/bin:$PATH
PKG_CONFIG_PATH=@PROJECT_BINARY_DIR@/pkgconfig\${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
LD_LIBRARY_PATH=@PROJECT_BINARY_DIR@/lib\${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
PYTHONPATH=@PROJECT_SOURCE_DIR@/python\${PYTHONPATH:+:$PYTHONPATH}
ORIBI_LIBRARY=@PROJECT_BINARY_DIR@/lib/liboribi.so.1
ORIBI_COMMAND=@PROJECT_BINARY_DIR@/bin/oribi
export PATH PKG_CONFIG_PATH LD_LIBRARY_PATH PYTHONPATH ORIBI_LIBRARY ORIBI_COMMAND
" @ONLY)
