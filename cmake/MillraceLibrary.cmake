# libmillrace: the objects of all layers as one library, with its headers and its .pc file.

set(millrace_objects
    $<TARGET_OBJECTS:millrace_engine>
    $<TARGET_OBJECTS:millrace_generators>
    $<TARGET_OBJECTS:millrace_formats>
    $<TARGET_OBJECTS:millrace_algorithms>)
set(millrace_requirements
    PkgConfig::LIBURING PkgConfig::ZSTD PkgConfig::XXHASH PkgConfig::ZLIB PkgConfig::IDN2
    PkgConfig::PSL PkgConfig::CURL PkgConfig::JANSSON
    OpenMP::OpenMP_C Threads::Threads m)

# The program and the tests of the whole link this one, so that they run from the build tree.
add_library(millrace_static STATIC ${millrace_objects})
set_target_properties(millrace_static PROPERTIES OUTPUT_NAME millrace LINKER_LANGUAGE C)
target_include_directories(millrace_static
    PUBLIC ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/generated)
target_link_libraries(millrace_static PUBLIC ${millrace_requirements})
install(TARGETS millrace_static ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})

# With a shared library its dependencies come along by themselves; with the archive alone every
# user has to name them.
set(MILLRACE_PC_PRIVATE "")
if(BUILD_SHARED_LIBS)
    add_library(millrace_shared SHARED ${millrace_objects})
    set_target_properties(millrace_shared PROPERTIES OUTPUT_NAME millrace LINKER_LANGUAGE C
        VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
    target_link_libraries(millrace_shared PRIVATE ${millrace_requirements})
    install(TARGETS millrace_shared LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
    set(MILLRACE_PC_PRIVATE ".private")
endif()

set(MILLRACE_PC_LIBS "-lmillrace")
set(MILLRACE_PC_EXTRA_LIBS "${OpenMP_C_FLAGS} ${CMAKE_THREAD_LIBS_INIT} -lm")
if(NOT BUILD_SHARED_LIBS)
    set(MILLRACE_PC_LIBS "-lmillrace ${MILLRACE_PC_EXTRA_LIBS}")
endif()
configure_file(millrace.pc.in millrace.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/millrace.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES ${PROJECT_SOURCE_DIR}/millrace.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/millrace)
