// SPDX-License-Identifier: LGPL-2.1-or-later
// XML whose nodes know where they stood.
#pragma once

#include <memory>
#include <pugixml.hpp>
#include <string>

#include "topologies/input/input.hpp"

namespace ringscope {

class Xml {
 public:
  /// Throws InputError where the text is no XML, its root is not called `root`, or elements are
  /// nested deeper than 64 levels.
  Xml(std::shared_ptr<const Source> source, const std::string& root);

  pugi::xml_node root() const { return document_.document_element(); }
  Place place_of(pugi::xml_node node) const;
  template <typename... Parts>
  [[noreturn]] void fail(pugi::xml_node node, fmt::format_string<Parts...> text,
                         Parts&&... parts) const {
    throw InputError(place_of(node), fmt::format(text, std::forward<Parts>(parts)...));
  }

  /// The error stands at the attribute, or, where there is none of that name, at the node.
  [[noreturn]] void fail_at(pugi::xml_node node, std::string_view attribute,
                            const std::string& message) const;

  /// The attribute, or an error at the node.
  std::string required(pugi::xml_node node, const char* name) const;
  /// The same as a whole number from `least` to `most`.
  int integer(pugi::xml_node node, const char* name, int least, int most) const;

 private:
  std::shared_ptr<const Source> source_;
  pugi::xml_document document_;
};

}  // namespace ringscope
