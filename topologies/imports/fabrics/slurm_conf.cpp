// SPDX-License-Identifier: LGPL-2.1-or-later
// Slurm's topology.conf, of the plugins topology/tree and topology/block, and what `scontrol show
// topology` prints, which lists all nodes below a switch.
//
//   SwitchName=core Switches=leaf[1-2]
//   SwitchName=leaf1 Nodes=n[01-16]
//   SwitchName=core Level=1 LinkSpeed=1 Nodes=n[01-32] Switches=leaf[1-2]
#include "topologies/imports/fabrics/fabric.hpp"
#include "topologies/input/characters.hpp"
#include "topologies/placement/hostfile.hpp"

namespace ringscope {
namespace {

/// One `Key=value`.
struct Setting {
  std::string key;  ///< in lower case
  Value word, value;
};

class SlurmConfReader {
 public:
  explicit SlurmConfReader(const std::shared_ptr<const Source>& source) : source_(source) {}

  Fabric read() {
    each_line(source_, [this](const Value& line) {
      std::vector<Value> words = words_of(part_of(line, 0, line.scalar().find('#')));
      const bool goes_on = !words.empty() && words.back().scalar().ends_with('\\');
      if (goes_on) words.back() = part_of(words.back(), 0, words.back().scalar().size() - 1);
      for (const Value& word : words)
        if (!word.scalar().empty()) add_setting(word);
      if (!goes_on) finish_line();
    });
    finish_line();
    return tree_.fabric();
  }

 private:
  void add_setting(const Value& word) {
    const std::string& text = word.scalar();
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
      word.fail("expected KEY=VALUE, such as SwitchName=leaf1, got '{}'", text.substr(0, 60));
    settings_.push_back({in_lower_case(text.substr(0, equals)), word, part_of(word, equals + 1)});
  }

  void finish_line() {
    const std::vector<Setting> settings = std::exchange(settings_, {});
    if (settings.empty()) return;
    const Setting& first = settings.front();
    const bool is_switch = first.key == "switchname", is_block = first.key == "blockname";
    if (!is_switch && !is_block) {
      if (first.key == "blocksizes" || first.key == "include") return;
      const std::string known[] = {"SwitchName", "BlockName", "BlockSizes"};
      first.word.fail(unknown_name("key", first.word.text().substr(0, first.key.size()), known));
    }
    tree_.add(first.value);
    const bool above = std::ranges::count(settings, "switches", &Setting::key) > 0;
    for (const Setting& setting : std::span(settings).subspan(1))
      if (!above || setting.key != "nodes") read(first.value.text(), is_switch, setting);
  }

  void read(const std::string& name, bool is_switch, const Setting& one) {
    if (one.key == "nodes") {
      for (const std::string& host : names_of_hostlist(one.value))
        tree_.add_host(name, host, one.value.place());
    } else if (one.key == "switches" && is_switch) {
      for (const std::string& child : names_of_hostlist(one.value))
        tree_.add_child(name, child, one.value.place());
    } else if (one.key != "linkspeed" && one.key != "level" && one.key != "blockindex" &&
               one.key != "blocksize") {  // Slurm makes no use of the first either
      const std::string known[] = {"Nodes", "Switches", "LinkSpeed"};
      one.word.fail(unknown_name("key", one.word.text().substr(0, one.key.size()), known));
    }
  }

  std::shared_ptr<const Source> source_;
  SwitchTree tree_;
  std::vector<Setting> settings_;
};

}  // namespace

Fabric read_slurm_conf(const std::shared_ptr<const Source>& source, const FabricLabels&) {
  return SlurmConfReader(source).read();
}

}  // namespace ringscope
