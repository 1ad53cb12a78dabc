// SPDX-License-Identifier: LGPL-2.1-or-later
// Hosts and slots as launchers are told them: an MPI hostfile, mpirun's -H, TF_CONFIG. A line of a
// hostfile is `name [slots=N]` or `name:N`, with comments from # on.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "topologies/graph/topology.hpp"

namespace ringscope {

struct HostSlots {
  int host = 0;   ///< index into the topology's hosts
  int slots = 0;  ///< as many as the host has cores where the file does not say
};

/// The text of the file that the path names; `what` names it in errors.
std::shared_ptr<const Source> read_source(const Value& path, std::string_view what);

/// Reads the file that the path names line by line, each at its place; `what` names it in errors.
/// The place of the file as a whole.
Place each_line(const Value& path, std::string_view what,
                const std::function<void(const Value& line)>& read);

/// The same for a source that is read already.
void each_line(const std::shared_ptr<const Source>& source,
               const std::function<void(const Value& line)>& read);

/// A part of a word, at its own place.
Value part_of(const Value& word, std::size_t begin, std::size_t length = std::string::npos);

/// Parts of a word between commas, without blanks around them.
std::vector<Value> divided(const Value& text);

/// Words of a line, each at its place.
std::vector<Value> words_of(const Value& line);

/// Hosts by the names that launchers give them.
class HostNames {
 public:
  explicit HostNames(const Topology& topology);
  /// The host of a name, or of a name with a domain. The launcher's own host is the first one.
  /// Throws InputError at `place`.
  int index(const std::string& name, const Place& place) const;
  std::optional<int> find(const std::string& name) const;  ///< nullopt: none

 private:
  const Topology* topology_;
  std::unordered_map<std::string, int> indices_;
};

/// Slots in the order of the file. Throws InputError with the line of the hostfile.
std::vector<HostSlots> read_hostfile(const Value& path, const Topology& topology);

/// True of hosts by their names, as mpirun takes them; false of counts such as 4-3-1.
bool is_host_list(const Value& value, const Topology& topology);

/// "host0:4,host1:4", for `mpirun -H`: one slot where no number is given; those of a host that is
/// named twice add up. Source: Open MPI 4.1, mpirun(1).
std::vector<HostSlots> read_host_list(const Value& value, const Topology& topology);

/// A slot for each task of TensorFlow's TF_CONFIG, in the order of the ranks: chief, workers,
/// servers. Source: TensorFlow, "Multi-worker training with Keras".
std::vector<HostSlots> read_tf_config(const Value& config, const Topology& topology);

/// The index of the host of that name; throws InputError at `place` when there is none.
int host_of(const Topology& topology, const std::string& name, const Place& place);

}  // namespace ringscope
