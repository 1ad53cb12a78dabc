# SPDX-License-Identifier: LGPL-2.1-or-later
# Which folders are compiled with how much care, and which as one unit.

# How much of a run's time folders take. Hot ones are compiled with -O2, warm ones in half the time,
# and others (readers, texts, commands) and all tests in a third of it. Calls between coroutines
# leave no frame behind in any.
set(hot_folders "^(topologies/graph|nccl/search|sim($|/(kernel|machine|mpi|paths|ranks)))")
string(CONCAT warm_folders
  "^(algorithms/(allgather|allreduce|alltoall|groups|parameter_server|rooted|selectors|steps|"
  "training|verbs)|nccl/(channels|choice|groups|kernels)|sim/alike|topologies/placement/search)")

# Folders that a unity build compiles as one unit: it reads their headers once, which saves a fifth
# to a third of their time. Local names of a unit's folders must differ, and all are equally hot.
set(units
  "^algorithms/(allgather|allreduce|alltoall|groups|parameter_server|rooted|steps|training(/llm)?)$"
  "^algorithms/(selectors|training/servers)$"
  "^algorithms(/(compression|loopback|programs|schedules|traces))?$"
  "^topologies(/(networks|exports|placement|placement/launch))?$"
  "^topologies/imports(/.*)?$"
  "^scenarios/(library|program)$"
  "^scenarios/(question|warnings)$"
  "^scenarios(/study)?$"
  "^scenarios/trace(/.*)?$"
  "^scenarios/answer(/.*)?$"
  "^sim/(session|estimate|studies/(search|messages))$"
  "^cli/(lesson|estimates)$")

# unit_of(path result): the name of the library that compiles the folder: its unit's, or its own.
function(unit_of path result)
  string(REPLACE / _ name ${path})
  set(library ringscope_${name})
  set(number 0)
  foreach(unit IN LISTS units)
    math(EXPR number "${number} + 1")
    if(path MATCHES "${unit}")
      set(library ringscope_unit_${number})
    endif()
  endforeach()
  set(${result} ${library} PARENT_SCOPE)
endfunction()
