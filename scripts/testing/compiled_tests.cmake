# SPDX-License-Identifier: LGPL-2.1-or-later
# Test programs of libraries that the sanitizers check and of tests that the Release build compiled.

# ringscope_compiled_tests(program list): a test program of the objects that another build compiled
# without the sanitizers; `list` has their paths. Libraries come first when it is linked: where both
# have an inline function, it is theirs, which the sanitizers check.
function(ringscope_compiled_tests program list)
  if(NOT EXISTS ${list})
    message(FATAL_ERROR "RINGSCOPE_TEST_OBJECTS: expected a build with tests, got ${list} missing: "
      "run scripts/build default -DRINGSCOPE_TESTS=ON, or set -DRINGSCOPE_TESTS=OFF")
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${list})
  file(STRINGS ${list} objects)
  set_source_files_properties(${objects} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  add_executable(${program} ${objects})
  set_target_properties(${program} PROPERTIES LINKER_LANGUAGE CXX)
  set_property(GLOBAL APPEND PROPERTY ringscope_compiled_tests ${program})
endfunction()

# ringscope_libraries(target): appends the static libraries that it is linked from to `libraries`.
function(ringscope_libraries target)
  get_target_property(direct ${target} LINK_LIBRARIES)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "INTERFACE_LIBRARY")
    get_target_property(direct ${target} INTERFACE_LINK_LIBRARIES)
  endif()
  foreach(library IN LISTS direct)
    if(library MATCHES "^ringscope_" AND NOT library IN_LIST libraries)
      list(APPEND libraries ${library})
      ringscope_libraries(${library})
    endif()
  endforeach()
  set(libraries "${libraries}" PARENT_SCOPE)
endfunction()

# Links these programs, when all libraries are known.
function(ringscope_link_compiled_tests)
  get_property(programs GLOBAL PROPERTY ringscope_compiled_tests)
  foreach(program IN LISTS programs)
    set(libraries "")
    ringscope_libraries(${program})
    set(archives "")
    foreach(library IN LISTS libraries)
      get_target_property(type ${library} TYPE)
      if(type STREQUAL "STATIC_LIBRARY")
        list(APPEND archives $<TARGET_FILE:${library}>)
      endif()
    endforeach()
    target_link_options(${program} PRIVATE
      LINKER:--whole-archive ${archives} LINKER:--no-whole-archive)
  endforeach()
endfunction()
