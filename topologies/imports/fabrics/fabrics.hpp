// SPDX-License-Identifier: LGPL-2.1-or-later
// Descriptions of networks that other programs write.
#pragma once

#include <span>
#include <string_view>

#include "topologies/imports/fabrics/fabric.hpp"

namespace ringscope {

/// A format: fabrics/<name>.cpp, and one line in fabrics.def.
struct FabricFormat {
  std::string name;
  std::string summary;
  bool (*recognises)(std::string_view text);
  /// Throws InputError.
  Fabric (*read)(const std::shared_ptr<const Source>& source);
};

std::span<const FabricFormat> fabric_formats();

/// The fabric that a file describes, in the format named by `as`, or, where that is empty, the one
/// that recognises the text. Throws InputError, for an `as` at the place "--as".
Fabric read_fabric(const std::string& path, const std::string& as);
/// The same of a text.
Fabric parse_fabric(const Source& source, const std::string& as);

}  // namespace ringscope
