# SPDX-License-Identifier: Apache-2.0
# Makes the headers of the C++ face that are another path of a header, from header_paths.txt, in a
# folder beside include/: a plugin built in the tree sees both, an installed one finds them in one.
set(ORIBI_HEADER_PATHS ${PROJECT_BINARY_DIR}/header_paths)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS cmake/header_paths.txt)
file(STRINGS cmake/header_paths.txt rows REGEX "^[^#]")
# What a later TensorFlow calls TSL is the same headers under three further roots.
file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/include
    include/tensorflow/core/platform/*.h include/tensorflow/core/lib/*.h)
foreach(row ${rows})
    string(REGEX REPLACE " .*" "" path ${row})
    list(APPEND headers ${path})
endforeach()
foreach(header ${headers})
    if(header MATCHES "^tensorflow/core/((platform|lib)/.*)")
        foreach(root tsl xla/tsl tensorflow/tsl)
            list(APPEND rows "${root}/${CMAKE_MATCH_1} ${header}")
        endforeach()
    endif()
endforeach()
foreach(row ${rows})
    string(REPLACE " " ";" row ${row})
    list(GET row 0 path)
    list(GET row 1 header)
    string(TOUPPER "ORIBI_${path}_" guard)
    string(REGEX REPLACE "[^A-Z0-9]" "_" guard ${guard})
    file(CONFIGURE OUTPUT ${ORIBI_HEADER_PATHS}/${path} CONTENT "/* SPDX-License-Identifier: Apache-2.0 */
/* Another path of the same header. */
#ifndef @guard@
#define @guard@
#include \"@header@\"
#endif
" @ONLY)
endforeach()
