# SPDX-License-Identifier: LGPL-2.1-or-later
# Installation's own pages and completions, and `cpack` for Debian packages: the program, the
# library to build against, and the replays on MPI.
install(CODE "
  set(root \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}\")
  set(program \"${CMAKE_BINARY_DIR}/ringscope\")
  execute_process(COMMAND \"${CMAKE_CURRENT_LIST_DIR}/man_pages\" \"\${program}\"
    \"\${root}/man/man1\"
    COMMAND_ERROR_IS_FATAL ANY)
  set(zsh site-functions)
  if(CMAKE_INSTALL_PREFIX STREQUAL \"/usr\" AND EXISTS /etc/debian_version)
    set(zsh vendor-completions)  # Debian's zsh reads these
  endif()
  execute_process(COMMAND \"${CMAKE_CURRENT_LIST_DIR}/completions\" \"\${program}\"
    \"\${root}/bash-completion/completions/ringscope\" \"\${root}/zsh/\${zsh}/_ringscope\"
    COMMAND_ERROR_IS_FATAL ANY)")

# ringscope_package(component name KEY VALUE ...): a Debian package of the component's files and the
# licences, with CPACK_DEBIAN_<COMPONENT>_<KEY> set to each value.
macro(ringscope_package component name)
  list(APPEND CPACK_COMPONENTS_ALL ${component})
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name})
  set(values ${ARGN})
  while(values)
    list(POP_FRONT values key value)
    set(CPACK_DEBIAN_${upper}_${key} ${value})
  endwhile()
  install(FILES ${PROJECT_SOURCE_DIR}/scripts/packages/copyright.txt RENAME copyright
    DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${name} COMPONENT ${component})
  foreach(licence LICENSE THIRD_PARTY.md)
    install(FILES ${PROJECT_SOURCE_DIR}/${licence} DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${name}
      COMPONENT ${component} OPTIONAL)
  endforeach()
endmacro()

# The fit and the plots are Python; run, compare, explain, sweep and place need none of it. The
# compiled module is of one version.
set(interpreter python3)
if(python)
  math(EXPR next "${Python3_VERSION_MINOR} + 1")
  set(interpreter "python3 (>= ${Python3_VERSION_MAJOR}.${Python3_VERSION_MINOR}~), \
python3 (<< ${Python3_VERSION_MAJOR}.${next}~)")
endif()
ringscope_package(Unspecified ringscope
  PACKAGE_RECOMMENDS
  "${interpreter}, python3-numpy, python3-scipy, python3-yaml, python3-tqdm, python3-matplotlib")
# Both others read the program's data.
set(same "ringscope (= ${PROJECT_VERSION})")
ringscope_package(development libringscope-dev
  PACKAGE_DEPENDS ${same} PACKAGE_SECTION libdevel
  DESCRIPTION "Header, CMake files and shared library for find_package(ringscope)")
# Replays on GPUs stay out: they are linked with the CUDA of the cluster where they run.
if(TARGET ringscope-mpi)
  ringscope_package(replays ringscope-mpi
    PACKAGE_DEPENDS ${same}
    DESCRIPTION "Probe, replay and record on the MPI libraries that were found at build time")
endif()
set(CPACK_GENERATOR DEB)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_PACKAGE_NAME ringscope)
set(CPACK_PACKAGE_CONTACT "The Ringscope developers <ringscope@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/shared_libraries.cmake)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
include(CPack)
