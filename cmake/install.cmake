# SPDX-License-Identifier: Apache-2.0
# What `make install` places: headers in a folder of ours, libraries, the command, pkg-config and
# CMake files, man page and completions.
include(CMakePackageConfigHelpers)
set(ORIBI_CMAKE_FOLDER ${CMAKE_INSTALL_LIBDIR}/cmake/oribi)

install(DIRECTORY ${PROJECT_BINARY_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/oribi)
install(DIRECTORY include/ ${ORIBI_HEADER_PATHS}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/oribi-plugin
    PATTERN .clang-format EXCLUDE PATTERN README.md EXCLUDE)
# Example accelerators, whose drivers `oribi verify --driver` takes, and the module of Zephyr that builds them.
install(DIRECTORY examples/accelerators DESTINATION ${CMAKE_INSTALL_DATADIR}/oribi/examples USE_SOURCE_PERMISSIONS)
install(DIRECTORY platform/ethos_u DESTINATION ${CMAKE_INSTALL_DATADIR}/oribi/platform)
install(DIRECTORY zephyr DESTINATION ${CMAKE_INSTALL_DATADIR}/oribi)
install(TARGETS oribi_shared oribi_static oribi_plugin_headers EXPORT oribi-targets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT oribi-targets NAMESPACE oribi:: DESTINATION ${ORIBI_CMAKE_FOLDER})
install(FILES plugins/built_in.cases.json DESTINATION ${CMAKE_INSTALL_LIBDIR}/oribi/cases)
if(TARGET oribi_command)
    install(TARGETS oribi_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
if(TARGET oribi_plugin_probe)
    install(TARGETS oribi_plugin_probe RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/oribi)
endif()

install(TARGETS oribi_cpu_extra oribi_kernel_texts LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/oribi)
if(TARGET oribi_ort_adapter)
    install(TARGETS oribi_ort_adapter LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/oribi)
endif()

# The devices by name: tests build modules of their own by the same functions.
foreach(device oribi_opencl oribi_cuda oribi_hip)
    if(TARGET ${device})
        install(TARGETS ${device} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/oribi/plugins)
    endif()
endforeach()

configure_package_config_file(packaging/oribi-config.cmake.in
    ${PROJECT_BINARY_DIR}/packaging/oribi-config.cmake INSTALL_DESTINATION ${ORIBI_CMAKE_FOLDER})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/packaging/oribi-config-version.cmake
    COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/packaging/oribi-config.cmake
    ${PROJECT_BINARY_DIR}/packaging/oribi-config-version.cmake DESTINATION ${ORIBI_CMAKE_FOLDER})
# Up from the pkg-config files to the prefix: two folders, or three where libdir is lib/TRIPLET.
file(RELATIVE_PATH ORIBI_PC_TO_PREFIX /x/${CMAKE_INSTALL_LIBDIR}/pkgconfig /x)
string(REGEX REPLACE "/$" "" ORIBI_PC_TO_PREFIX "${ORIBI_PC_TO_PREFIX}")
foreach(name oribi oribi-static oribi-plugin)
    configure_file(packaging/${name}.pc.in ${PROJECT_BINARY_DIR}/packaging/${name}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/packaging/${name}.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

if(TARGET oribi_command AND NOT ORIBI_PARTIAL AND NOT CMAKE_CROSSCOMPILING)
    foreach(item "man:oribi.1:${CMAKE_INSTALL_MANDIR}/man1"
            "bash:oribi:${CMAKE_INSTALL_DATADIR}/bash-completion/completions"
            "zsh:_oribi:${CMAKE_INSTALL_DATADIR}/zsh/site-functions"
            "fish:oribi.fish:${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
        string(REPLACE ":" ";" item ${item})
        list(GET item 0 what)
        list(GET item 1 file)
        list(GET item 2 folder)
        set(output ${PROJECT_BINARY_DIR}/packaging/${what}/${file})
        file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/packaging/${what})
        add_custom_command(OUTPUT ${output}
            COMMAND oribi_command help --generate ${what} > ${output} DEPENDS oribi_command)
        add_custom_target(oribi_${what} ALL DEPENDS ${output})
        install(FILES ${output} DESTINATION ${folder})
    endforeach()
endif()
