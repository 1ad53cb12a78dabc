// SPDX-License-Identifier: LGPL-2.1-or-later
// Text inside XML and HTML.
#pragma once

#include <string>
#include <string_view>

namespace ringscope {

/// The text with &, < and " as entities: for content, and for attributes in double quotes.
std::string escaped_markup(std::string_view text);

}  // namespace ringscope
