# SPDX-License-Identifier: Apache-2.0
# Somebody else's project: the examples and the consumer, in C and in C++, with the shared library and with the
# archive. It finds an installed Millrace, or adds the source tree MILLRACE_TREE.
cmake_minimum_required(VERSION 3.25)
project(consumer LANGUAGES C CXX)
if(MILLRACE_TREE)
    add_subdirectory(${MILLRACE_TREE} millrace EXCLUDE_FROM_ALL)
else()
    find_package(millrace ${MILLRACE_WANTED} REQUIRED)
endif()

foreach(name arrays_to_ranks file_to_precedence store_by_name consumer)
    configure_file(${SOURCES}/${name}.c ${name}.cpp COPYONLY)
    foreach(library millrace static)
        add_executable(${name}-c-${library} ${SOURCES}/${name}.c)
        add_executable(${name}-cxx-${library} ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
        target_link_libraries(${name}-c-${library} PRIVATE millrace::${library} m)
        target_link_libraries(${name}-cxx-${library} PRIVATE millrace::${library} m)
    endforeach()
endforeach()
