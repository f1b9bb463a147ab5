# SPDX-License-Identifier: Apache-2.0
# What a Debian package has beside the installed tree: compressed man pages, the licence and the changes under the
# names that Debian's policy wants, and a program without debug symbols. CPack runs it before it packs.
find_program(gzip gzip REQUIRED)
find_program(strip strip)

function(compress)
    if(ARGN)
        execute_process(COMMAND ${gzip} -9nf ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
    endif()
endfunction()

string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC) # SOURCE_DATE_EPOCH, if it is set
string(TIMESTAMP year "%Y" UTC)
set(packages program millrace library ${CPACK_DEBIAN_LIBRARY_PACKAGE_NAME} dev libmillrace-dev)
while(packages)
    list(POP_FRONT packages component package)
    set(tree ${CPACK_TEMPORARY_DIRECTORY}/${component}/usr)
    if(EXISTS ${tree})
        file(GLOB pages ${tree}/share/man/man*/*.[17])
        compress(${pages})
        file(GLOB_RECURSE archives ${tree}/lib/*.a)
        if(strip AND EXISTS ${tree}/bin/millrace)
            execute_process(COMMAND ${strip} ${tree}/bin/millrace)
        endif()
        if(strip AND archives)
            execute_process(COMMAND ${strip} --strip-debug ${archives})
        endif()
        set(folder ${tree}/share/doc/${package})
        file(WRITE ${folder}/copyright
            "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n"
            "Upstream-Name: Millrace\n\nFiles: *\nCopyright: ${year} The Millrace authors\nLicense: Apache-2.0\n"
            " On Debian systems the text of the Apache License, version 2.0, is in\n"
            " /usr/share/common-licenses/Apache-2.0.\n")
        file(WRITE ${folder}/changelog
            "millrace (${CPACK_PACKAGE_VERSION}) unstable; urgency=low\n\n  * What is new: CHANGELOG.md in the package "
            "millrace.\n\n -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
        compress(${folder}/changelog)
        if(DEFINED ENV{SOURCE_DATE_EPOCH})
            execute_process(COMMAND find ${tree} -exec touch -h -d @$ENV{SOURCE_DATE_EPOCH} {} +
                COMMAND_ERROR_IS_FATAL ANY)
        endif()
    endif()
endwhile()
