// SPDX-License-Identifier: LGPL-2.1-or-later
// Facts that a test asks of the build that it runs in.
#pragma once

namespace ringscope {

/// Whether the libraries under test check their memory. The tests themselves are the same objects
/// with and without the sanitizers.
extern const bool sanitized;

}  // namespace ringscope
