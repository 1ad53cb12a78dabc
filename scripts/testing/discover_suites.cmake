# SPDX-License-Identifier: LGPL-2.1-or-later
# Writes OUTPUT, which registers the suites of a gtest program with ctest, one test each.
#
#   cmake -D PROGRAM=file -D PREFIX=sim. -D LABELS=slow -D SLOW=slow_suites.txt -D FOLDER=path
#         -D OUTPUT=file.cmake -P discover_suites.cmake
#
# LABELS: of each test, under the sanitizers; without it, a suite is "slow" if SLOW lists it, else
# "quick". SLOW also splits suites into shards, of which the sanitizers run the first, and names
# those that only Release runs. FOLDER: the working directory.
cmake_minimum_required(VERSION 3.25)

# Appends one test to `text`. More arguments: its environment.
function(register name suite)
  set(properties WORKING_DIRECTORY "[==[${FOLDER}]==]" LABELS ${label} COST ${cost})
  if(ARGN)
    list(APPEND properties ENVIRONMENT "[==[${ARGN}]==]")
  endif()
  list(JOIN properties " " properties)
  string(APPEND text
    "add_test([==[${name}]==] [==[${PROGRAM}]==] [==[--gtest_filter=${suite}.*]==])\n"
    "set_tests_properties([==[${name}]==] PROPERTIES ${properties})\n")
  set(text "${text}" PARENT_SCOPE)
endfunction()

# Sets `label`, `cost`, `shards` and `only_release` of a suite of the program.
function(look_up name)
  set(label quick PARENT_SCOPE)
  set(cost 0 PARENT_SCOPE)
  set(shards 1 PARENT_SCOPE)
  set(only_release OFF PARENT_SCOPE)
  foreach(line IN LISTS slow_suites)
    string(REGEX MATCH "^([^ ]+) *([0-9]*) *(release)?$" known "${line}")
    if(CMAKE_MATCH_1 STREQUAL name)
      set(label slow PARENT_SCOPE)
      set(cost 1 PARENT_SCOPE)
      if(CMAKE_MATCH_2)
        set(shards ${CMAKE_MATCH_2} PARENT_SCOPE)
      endif()
      if(CMAKE_MATCH_3)
        set(only_release ON PARENT_SCOPE)
      endif()
    endif()
  endforeach()
endfunction()

execute_process(COMMAND ${PROGRAM} --gtest_list_tests WORKING_DIRECTORY ${FOLDER}
  OUTPUT_VARIABLE listed COMMAND_ERROR_IS_FATAL ANY)
file(STRINGS ${SLOW} slow_suites REGEX "^[^#]")
string(REGEX MATCHALL "(^|\n)[^ \n]+\\." suites "${listed}")
set(text "")
foreach(line IN LISTS suites)
  string(REGEX REPLACE "\n|\\.$" "" suite "${line}")
  string(REGEX REPLACE "^asan\\." "" program "${PREFIX}")
  look_up(${program}${suite})
  if(LABELS AND only_release)
    continue()
  elseif(LABELS)
    set(label ${LABELS})
    if(cost EQUAL 0)
      set(cost 0.5)  # before the quick tests: some take a quarter of a minute
    endif()
  endif()
  if(shards EQUAL 1)
    register(${PREFIX}${suite} ${suite})
  else()
    set(last ${shards})
    if(LABELS)
      set(last 1)
    endif()
    foreach(number RANGE 1 ${last})
      math(EXPR index "${number} - 1")
      register(${PREFIX}${suite}.${number}of${shards} ${suite}
        GTEST_TOTAL_SHARDS=${shards} GTEST_SHARD_INDEX=${index})
    endforeach()
  endif()
endforeach()
file(WRITE ${OUTPUT} "${text}")
