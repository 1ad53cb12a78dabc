// SPDX-License-Identifier: LGPL-2.1-or-later
#include "topologies/imports/xml.hpp"

#include <algorithm>

#include "topologies/input/characters.hpp"

namespace ringscope {
namespace {

constexpr int deepest = 64;

struct DepthCheck : pugi::xml_tree_walker {
  bool for_each(pugi::xml_node& node) override {
    if (depth() > deepest) too_deep = node;
    return !too_deep;
  }
  pugi::xml_node too_deep;
};

/// Bytes before an offset of pugixml, which is -1 where it knows none.
std::size_t bytes_before(const std::string& text, std::ptrdiff_t offset) {
  return std::string_view(text.begin(), text.begin() + std::max<std::ptrdiff_t>(0, offset)).size();
}

}  // namespace

Xml::Xml(std::shared_ptr<const Source> source, const std::string& root_name)
    : source_(std::move(source)) {
  const auto result = document_.load_buffer(source_->text.data(), source_->text.size(),
                                            pugi::parse_default, pugi::encoding_utf8);
  if (!result)
    throw InputError(place_at(source_, bytes_before(source_->text, result.offset)),
                     "not valid XML: {}", result.description());
  if (root() == nullptr || root().name() != root_name)
    throw InputError(place_of(root()), "expected the element <{}>, got <{}>", root_name,
                     root().name());
  DepthCheck check;
  document_.traverse(check);
  if (check.too_deep) fail(check.too_deep, "nested deeper than {} levels", deepest);
}

Place Xml::place_of(pugi::xml_node node) const {
  return place_at(source_, bytes_before(source_->text, node.offset_debug()));
}

void Xml::fail_at(pugi::xml_node node, std::string_view attribute,
                  const std::string& message) const {
  const std::string& text = source_->text;
  const bool has = !node.attribute(std::string(attribute).c_str()).empty();
  auto at = has ? static_cast<std::size_t>(node.offset_debug()) : std::string::npos;
  while (at != std::string::npos) {
    at = text.find(attribute, at + 1);
    if (at == std::string::npos) break;
    const std::size_t behind = text.find_first_not_of(" \t\r\n", at + attribute.size());
    const bool begins = std::string_view(" \t\r\n").find(text[at - 1]) != std::string_view::npos;
    if (begins && behind != std::string::npos && text[behind] == '=') break;
  }
  if (at == std::string::npos) fail(node, "{}", message);
  throw InputError(place_at(source_, at), message);
}

std::string Xml::required(pugi::xml_node node, const char* name) const {
  const pugi::xml_attribute attribute = node.attribute(name);
  if (!attribute) fail(node, "<{}>: the attribute '{}' is missing", node.name(), name);
  return attribute.value();
}

int Xml::integer(pugi::xml_node node, const char* name, int least, int most) const {
  const std::string text = required(node, name);
  const auto value = whole_number(text, least, most);
  if (!value)
    fail(node, "<{}>: expected a whole number from {} to {} as '{}', got \"{}\"", node.name(),
         least, most, name, text);
  return *value;
}

}  // namespace ringscope
