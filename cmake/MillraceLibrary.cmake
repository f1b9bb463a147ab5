# SPDX-License-Identifier: Apache-2.0
# libmillrace: the objects of all layers as an archive and as a shared library, with the public headers and
# the .pc file.

set(millrace_objects
    $<TARGET_OBJECTS:millrace_engine>
    $<TARGET_OBJECTS:millrace_generators>
    $<TARGET_OBJECTS:millrace_formats>
    $<TARGET_OBJECTS:millrace_algorithms>
    $<TARGET_OBJECTS:millrace_library>)
set(millrace_requirements
    PkgConfig::LIBURING PkgConfig::ZSTD PkgConfig::XXHASH PkgConfig::ZLIB PkgConfig::JANSSON
    ${MILLRACE_CRAWL_LIBRARIES}
    OpenMP::OpenMP_C Threads::Threads m ${CMAKE_DL_LIBS})

# The program and the tests of the whole link this one, so that they run from the build tree.
add_library(millrace_static STATIC ${millrace_objects})
set_target_properties(millrace_static PROPERTIES OUTPUT_NAME millrace LINKER_LANGUAGE C)
target_include_directories(millrace_static
    PUBLIC ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/generated)
target_link_libraries(millrace_static PUBLIC ${millrace_requirements})
install(TARGETS millrace_static ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev)

# It exports what MR_API marks and nothing else; each symbol has the version of the SONAME. While the major
# version is 0 a new minor version may change any function.
set(MILLRACE_SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
configure_file(cmake/millrace.map.in millrace.map @ONLY)
add_library(millrace_shared SHARED ${millrace_objects})
set_target_properties(millrace_shared PROPERTIES OUTPUT_NAME millrace LINKER_LANGUAGE C
    VERSION ${PROJECT_VERSION} SOVERSION ${MILLRACE_SOVERSION}
    LINK_DEPENDS ${PROJECT_BINARY_DIR}/millrace.map)
target_link_options(millrace_shared PRIVATE
    -Wl,--version-script=${PROJECT_BINARY_DIR}/millrace.map)
target_link_libraries(millrace_shared PRIVATE ${millrace_requirements})
target_include_directories(millrace_shared INTERFACE
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/generated>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
install(TARGETS millrace_shared EXPORT millrace LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    COMPONENT library NAMELINK_COMPONENT dev)

# The same for the wheel of Python: stripped, and what lies beside it is found first. The old kind of run path serves
# the libraries of the libraries as well.
add_library(millrace_wheel SHARED EXCLUDE_FROM_ALL ${millrace_objects})
set_target_properties(millrace_wheel PROPERTIES OUTPUT_NAME millrace LINKER_LANGUAGE C
    VERSION ${PROJECT_VERSION} SOVERSION ${MILLRACE_SOVERSION}
    LINK_DEPENDS ${PROJECT_BINARY_DIR}/millrace.map LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/wheel
    INSTALL_RPATH "$ORIGIN" BUILD_WITH_INSTALL_RPATH ON)
target_link_options(millrace_wheel PRIVATE
    -Wl,--version-script=${PROJECT_BINARY_DIR}/millrace.map -Wl,--disable-new-dtags -s)
target_link_libraries(millrace_wheel PRIVATE ${millrace_requirements})

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/millrace DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    COMPONENT dev FILES_MATCHING PATTERN "*.h")
install(FILES ${PROJECT_BINARY_DIR}/generated/millrace/version.h
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/millrace COMPONENT dev)

# CMake finds the installed library as millrace::millrace, and the archive as millrace::static. A project that
# adds this one with add_subdirectory has the same names.
add_library(millrace::millrace ALIAS millrace_shared)
add_library(millrace::static ALIAS millrace_static)
set_target_properties(millrace_shared PROPERTIES EXPORT_NAME millrace)
include(CMakePackageConfigHelpers)
set(millrace_cmake_directory ${CMAKE_INSTALL_LIBDIR}/cmake/millrace)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/millraceConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
install(EXPORT millrace FILE millraceTargets.cmake NAMESPACE millrace::
    DESTINATION ${millrace_cmake_directory} COMPONENT dev)
install(FILES ${PROJECT_BINARY_DIR}/millraceConfigVersion.cmake
    DESTINATION ${millrace_cmake_directory} COMPONENT dev)

# The .pc file finds its prefix by where it lies, so that an installed tree may be moved.
set(millrace_pc_directory ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR})
    set(MILLRACE_PC_PREFIX ${CMAKE_INSTALL_PREFIX})
    set(MILLRACE_PC_LIBDIR ${CMAKE_INSTALL_LIBDIR})
else()
    file(RELATIVE_PATH millrace_up /prefix/${millrace_pc_directory} /prefix)
    string(REGEX REPLACE "/$" "" millrace_up ${millrace_up})
    set(MILLRACE_PC_PREFIX "\${pcfiledir}/${millrace_up}")
    set(MILLRACE_PC_LIBDIR "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
endif()
if(IS_ABSOLUTE ${CMAKE_INSTALL_INCLUDEDIR})
    set(MILLRACE_PC_INCLUDEDIR ${CMAKE_INSTALL_INCLUDEDIR})
else()
    set(MILLRACE_PC_INCLUDEDIR "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()
# For the archive. The libraries are named one by one: as Requires.private they would ask for all that theirs
# require, which only a program without any shared library needs.
set(MILLRACE_PC_PRIVATE_LIBS "")
foreach(library ${LIBURING_LIBRARIES} ${ZSTD_LIBRARIES} ${XXHASH_LIBRARIES} ${ZLIB_LIBRARIES}
        ${IDN2_LIBRARIES} ${PSL_LIBRARIES} ${JANSSON_LIBRARIES}
        ${BROTLI_LIBRARIES} ${MILLRACE_BZIP2})
    string(APPEND MILLRACE_PC_PRIVATE_LIBS "-l${library} ")
endforeach()
# libidn2.a and libbrotlidec.a need these, in a program without any shared library.
foreach(library unistring brotlicommon)
    find_library(MILLRACE_STATIC_${library} ${library})
    mark_as_advanced(MILLRACE_STATIC_${library})
    if(MILLRACE_STATIC_${library})
        string(APPEND MILLRACE_PC_PRIVATE_LIBS "-l${library} ")
    endif()
endforeach()
string(APPEND MILLRACE_PC_PRIVATE_LIBS "${OpenMP_C_FLAGS} -lm -ldl")
configure_file(millrace.pc.in millrace.pc @ONLY)
string(REPLACE " " ";" MILLRACE_STATIC_LINKS "${MILLRACE_PC_PRIVATE_LIBS}")
configure_package_config_file(cmake/millraceConfig.cmake.in ${PROJECT_BINARY_DIR}/millraceConfig.cmake
    INSTALL_DESTINATION ${millrace_cmake_directory} PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR
    NO_CHECK_REQUIRED_COMPONENTS_MACRO)
install(FILES ${PROJECT_BINARY_DIR}/millraceConfig.cmake DESTINATION ${millrace_cmake_directory} COMPONENT dev)
install(FILES ${PROJECT_BINARY_DIR}/millrace.pc DESTINATION ${millrace_pc_directory} COMPONENT dev)
