// SPDX-License-Identifier: LGPL-2.1-or-later
// Costs that go by what the caches hold: of jobs with longer vectors than a library says.
#pragma once

#include "scenarios/library/library.hpp"

namespace ringscope {

/// Refuses what is wrong with a library's `uncached`, also where no job has such vectors.
/// `resolved` is the library as it was read. Throws InputError.
void check_uncached(const Value& resolved);

/// Fits `library` to a job whose vectors have `bytes` bytes; a second call forgets the first.
void take_vectors(Library& library, Bytes vector);

}  // namespace ringscope
