// SPDX-License-Identifier: LGPL-2.1-or-later
// A scenario before it is read: its tree, with the overrides and the cases laid over it.
#pragma once

#include <initializer_list>
#include <list>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "nccl/search/job_channels.hpp"
#include "scenarios/library/library.hpp"
#include "scenarios/question/scenario.hpp"
#include "topologies/cluster.hpp"
#include "topologies/input/input.hpp"

namespace ringscope {

// Background jobs of a scenario: those that run beside the foreground job.

/// Reads `neighbours`, a map of jobs by their names, each placed on what those before it have left;
/// or as `placed` says, one placement for each, where that is not empty. Throws InputError.
std::vector<Neighbour> read_neighbours(Fields& scenario, const Topology& topology,
                                       const Library& library, std::span<const Placement> placed);

/// Places of the background jobs' ranks.
std::vector<Location> places_of(std::span<const Neighbour> neighbours);

// Folder of the named scenarios, and files that a user took for another kind.

/// Folder below data_directory().
inline constexpr const char* scenarios_folder = "scenarios/lessons";

/// True if `name`, or the file of that path, is read as a scenario: it is one, or a study, which is
/// then refused as such. Throws InputError for a file that cannot be read.
bool is_read_as_scenario(const std::string& name);

/// File of a scenario, or of one below the data's folders that has the name. Throws InputError.
std::string scenario_file(const std::string& name);

/// Throws where `file`, which the user calls `name`, is a study and a scenario was asked for; the
/// error names the command that reads it.
void refuse_study(const std::string& name, const Value& file);
/// The other way round.
void refuse_scenario(const std::string& name, const Value& file);

// Parts that the scenarios of a study have in common, read once.

/// The same bytes for trees of the same content, in whatever order the keys of their maps stand.
/// Top-level keys in `without` are ignored.
std::string canonical(const Value& value, std::initializer_list<std::string_view> without = {});

/// Clusters, libraries and NCCL's channels by what was asked for. Of each the last few are kept.
/// Not for several threads at once.
class KnownParts {
 public:
  /// Results of read_cluster() and read_library(); valid until the next call.
  const Cluster& cluster(const Value& value);
  const Library& library(const Value& value);
  /// The same on a cluster whose hosts are on such a network ("": nobody says): what blocks pay
  /// there is laid over a library's `base` whose file says another one.
  const Library& library_over(const std::string& transport, const Value& value);
  /// Result of nccl::channels_of_host().
  const nccl::HostChannels& channels(const nccl::HostGraph& host);

 private:
  std::unordered_map<std::string, Cluster> clusters_;
  std::unordered_map<std::string, Library> libraries_;
  std::list<nccl::HostShare::Search> searches_;
};

/// One case of a scenario file, as a tree without cases.
struct CaseTree {
  std::string name;
  Value tree;
  std::vector<std::string> set_keys;  ///< keys that the case lays over its file
};

/// The tree with null for the keys that make or name its cases: `cases` and `compare`.
Value without_cases(Value tree);

/// The cases of `file`, or the file itself as the only one; named after `stem`. What a case sets is
/// laid over the file, and `overrides` over both.
std::vector<CaseTree> case_trees(const Value& file, const std::string& stem,
                                 const std::vector<Override>& overrides);

/// Place of its key on the command line.
Place place_of_key(const Override& change);

/// Check unknown keys first, so that a typo is not reported as a missing key.
void refuse_unknown_keys(const Value& map, const std::string& what,
                         std::initializer_list<const char*> known);

/// Lays `value` over what stands at the dotted `key`, as --set does: a key below a name opens it.
/// Errors about the key point to `key_place`, where it stands, or else to the value.
void lay_over(Value& tree, const std::string& key, const Value& value,
              const std::optional<Place>& key_place = {});

/// One key is the other, or leads to it: "library" and "library.network.latency".
bool overlap(const std::string& a, const std::string& b);

/// Reads such a tree; one scenario per size in `job.bytes`. Many trees of one study share `known`.
std::vector<Scenario> read_tree(const Value& tree, const std::string& name);
std::vector<Scenario> read_tree(const Value& tree, const std::string& name, KnownParts& known);

/// Scenarios of all cases of a file, named as case_trees() names them.
std::vector<Scenario> read_cases(const Value& file, const std::string& stem,
                                 const std::vector<Override>& overrides);

/// Reads a tree whose ranks were placed already, those of the foreground job and of each background
/// job, and whose `placement` is not looked at.
Scenario read_placed(const Value& tree, std::span<const Placement> placed, KnownParts& known);
/// Placements of all its jobs, as read_placed() takes them.
std::vector<Placement> placements_of(const Scenario& scenario);

/// Reads `job` of `ranks` ranks, one Job per size, and the resolved map that goes with each.
struct ReadJob {
  Job job;
  Value resolved;
  std::optional<Value> rings;  ///< the file of those that NCCL built; none: they are searched for
  std::vector<Value> slow_hosts;  ///< names or numbers of hosts whose ranks are stragglers
};
std::vector<ReadJob> read_jobs(const Value& value, int ranks, bool nccl = false);

/// Whether it runs in the channels of a kernel. Algorithms that others are made of do without:
/// these have declared their threads.
bool has_channels(const Algorithm& algorithm);

/// Throws at `place` where the job's algorithm cannot run on ranks placed like this.
void require_ranks(const Value& place, const Placement& placement, const Job& job);

}  // namespace ringscope
