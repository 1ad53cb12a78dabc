# SPDX-License-Identifier: LGPL-2.1-or-later
# Writes a header with a digest of the sources that decide what a simulation says: results of
# another model are other results, whatever number the version has.
#
#   cmake -DOUTPUT=model_digest.hpp -DROOT=. -P model_digest.cmake
#
# Without OUTPUT it only sets model_sources, their paths below ROOT.
set(patterns "")
foreach(folder algorithms topologies nccl scenarios sim)
  foreach(kind cpp hpp def)
    list(APPEND patterns ${ROOT}/${folder}/*.${kind})
  endforeach()
endforeach()
file(GLOB_RECURSE model_sources RELATIVE ${ROOT} ${patterns})
list(FILTER model_sources EXCLUDE REGEX
  "_test\\.cpp$|^sim/studies/|^scenarios/(answer|study)/")
list(SORT model_sources)
if(NOT OUTPUT)
  return()
endif()

set(texts "")
foreach(source IN LISTS model_sources)
  file(SHA256 ${ROOT}/${source} digest)
  string(APPEND texts "${source} ${digest}\n")
endforeach()
string(SHA256 digest "${texts}")
string(SUBSTRING ${digest} 0 16 digest)
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT [[
// Of the sources of the model; written by model_digest.cmake.
#pragma once

namespace ringscope {

inline constexpr char model_digest[] = "@digest@";

}  // namespace ringscope
]] @ONLY)
