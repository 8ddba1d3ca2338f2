# SPDX-License-Identifier: Apache-2.0
# What `make install` places: headers in a folder of ours, libraries, pkg-config and CMake files.
install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/oribi)
install(TARGETS oribi_shared oribi_static
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
