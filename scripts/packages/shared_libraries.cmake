# SPDX-License-Identifier: LGPL-2.1-or-later
# CPACK_PRE_BUILD_SCRIPTS: adds the packages of shared libraries to each component's dependencies.
# CPack's own way, CPACK_DEBIAN_PACKAGE_SHLIBDEPS, starts two programs for each installed file.
if(NOT CPACK_GENERATOR STREQUAL "DEB")
  return()
endif()
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  set(tree ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/${component})
  set(linked)
  file(GLOB_RECURSE paths LIST_DIRECTORIES false RELATIVE ${tree} ${tree}/*)
  foreach(path IN LISTS paths)
    file(READ ${tree}/${path} magic LIMIT 4 HEX)
    if(magic STREQUAL "7f454c46" AND NOT IS_SYMLINK ${tree}/${path})  # ELF
      list(APPEND linked ${path})
    endif()
  endforeach()
  # dpkg-shlibdeps needs a control file where it runs. It reads $ORIGIN by the folder DEBIAN.
  file(WRITE ${tree}/debian/control "")
  file(MAKE_DIRECTORY ${tree}/DEBIAN)
  execute_process(COMMAND dpkg-shlibdeps --ignore-missing-info -O ${linked}
    WORKING_DIRECTORY ${tree} OUTPUT_VARIABLE found ERROR_VARIABLE error RESULT_VARIABLE result
    OUTPUT_STRIP_TRAILING_WHITESPACE)
  file(REMOVE_RECURSE ${tree}/debian ${tree}/DEBIAN)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${component}: dpkg-shlibdeps: ${error}")
  endif()
  string(REGEX REPLACE "^.*Depends=" "" found "${found}")
  string(TOUPPER ${component} upper)
  set(depends CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS)
  list(PREPEND found ${${depends}})
  list(JOIN found ", " ${depends})
endforeach()
