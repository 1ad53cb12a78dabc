// SPDX-License-Identifier: LGPL-2.1-or-later
// Is text that is no YAML of ours refused where it goes wrong?
#include <gtest/gtest.h>

#include "topologies/input/complaint_for_test.hpp"

namespace ringscope::yaml_test {
namespace {

const Broken broken[] = {
    {"network: star\n"
     "network: star\n",
     "x.yaml:2:1: duplicate key 'network', first on line 1\n"
     "  network: star\n"
     "  ^"},
    {"network: star\n"
     "  hosts: 3\n",
     "x.yaml:2:8: not valid YAML: illegal map value\n"
     "    hosts: 3\n"
     "         ^"},
    {"network: [star\n",
     "x.yaml:1:1: not valid YAML: end of sequence flow not found\n"
     "  network: [star\n"
     "  ^"},
    {"a: \"b\n",
     "x.yaml:1:6: not valid YAML: illegal EOF in scalar\n"
     "  a: \"b\n"
     "       ^"},
    {"\tnetwork: star\n",
     "x.yaml:1:1: expected blanks, got a tab: YAML indents with blanks only\n"
     "  \tnetwork: star\n"
     "  ^"},
    {"link:\n"
     "  bandwidth: 1 GB/s\n"
     " \tlatency: 1 us\n",
     "x.yaml:3:2: expected blanks, got a tab: YAML indents with blanks only\n"
     "   \tlatency: 1 us\n"
     "   ^"},
    {"network: star\n"
     "---\n"
     "network: star\n",
     "x.yaml:2:1: a second document starts here; a file holds one\n"
     "  ---\n"
     "  ^"},
    {"network: &n star\n"
     "hosts: *n\n",
     "x.yaml:1:10: anchors and aliases are not read here\n"
     "  network: &n star\n"
     "           ^"},
    {"network: !family star\n",
     "x.yaml:1:10: tags are not read here\n"
     "  network: !family star\n"
     "           ^"},
    {"{[a]: b}",
     "x.yaml:1:2: a key must be a word\n"
     "  {[a]: b}\n"
     "   ^"},
    {"a: \"b\n"
     "\n"
     "  ",
     "x.yaml:1:6: not valid YAML: illegal EOF in scalar\n"
     "  a: \"b\n"
     "       ^"},
    {"a: 'b",
     "x.yaml:1:6: not valid YAML: illegal EOF in scalar\n"
     "  a: 'b\n"
     "       ^"},
};

TEST(Yaml, unsupported_yaml_is_rejected_with_its_place) {
  for (const auto& [input, complaint] : broken) {
    const auto read = [&text = input] { Value::from_text("x.yaml", text); };
    EXPECT_EQ(complaint_of(read), complaint) << input;
  }
}

}  // namespace
}  // namespace ringscope::yaml_test
