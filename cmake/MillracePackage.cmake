# SPDX-License-Identifier: Apache-2.0
# Debian packages, by `cpack` in the build directory: the program, the shared library, and what
# compiling against it needs. The program has libmillrace inside and does not need its package.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR Millrace)
set(CPACK_PACKAGE_CONTACT "${MILLRACE_MAINTAINER}")
set(CPACK_PACKAGE_HOMEPAGE_URL "${PROJECT_HOMEPAGE_URL}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL program library dev)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_SECTION science)

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME millrace)
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION "The program millrace, with man pages and completions.")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libmillrace${MILLRACE_SOVERSION})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "The shared library of Millrace.")
set(CPACK_DEBIAN_DEV_PACKAGE_NAME libmillrace-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_SHLIBDEPS OFF)
if(CPACK_DEBIAN_PACKAGE_RELEASE) # ./dev release names the system in it
    set(millrace_release -${CPACK_DEBIAN_PACKAGE_RELEASE})
endif()
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS
    "libmillrace${MILLRACE_SOVERSION} (= ${PROJECT_VERSION}${millrace_release})")
string(CONCAT CPACK_DEBIAN_DEV_PACKAGE_RECOMMENDS "liburing-dev, libzstd-dev, libxxhash-dev, zlib1g-dev, "
    "libjansson-dev, libidn2-dev, libpsl-dev, libunistring-dev, libbrotli-dev, libbz2-dev")
set(CPACK_COMPONENT_DEV_DESCRIPTION "Headers and the static library of Millrace.")

# The loader learns about the library when it is installed and when it is removed.
file(WRITE ${PROJECT_BINARY_DIR}/package/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/package/triggers)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/package_files.cmake)
include(CPack)
