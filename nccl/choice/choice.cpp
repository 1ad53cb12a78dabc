// SPDX-License-Identifier: LGPL-2.1-or-later
#include "nccl/choice/choice.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "algorithms/verbs/protocol_buffers.hpp"

namespace ringscope {
namespace {

struct Named {
  std::string_view collective;
  std::string_view one_channel;  ///< algorithm that comes nearest to one channel
};
/// In the order of nccl::Function.
constexpr std::array<Named, 5> functions = {{{"allreduce", "ring"},
                                             {"allgather", "ring"},
                                             {"reduce_scatter", "ring"},
                                             {"broadcast", "chain"},
                                             {"reduce", "ring"}}};

int nodes_of(int ranks, const std::vector<int>* hosts) {
  if (hosts == nullptr) return ranks;
  assert(std::ssize(*hosts) >= ranks);
  return static_cast<int>(std::set<int>(hosts->begin(), hosts->begin() + ranks).size());
}

nccl::Forced forced_by(const Options& options) {
  nccl::Forced forced;
  const auto& names = nccl::algorithm_names;
  if (const auto found = std::ranges::find(names, options.algorithm); found != names.end())
    forced.algorithm = static_cast<nccl::Algorithm>(found - names.begin());
  if (options.protocol != "auto") forced.protocol = protocol_named(options.protocol);
  return forced;
}

}  // namespace

std::optional<nccl::Function> nccl_function(std::string_view collective) {
  for (std::size_t i = 0; i < functions.size(); ++i)
    if (functions[i].collective == collective) return static_cast<nccl::Function>(i);
  return {};
}

Choice nccl_choice(nccl::Function function, int ranks, std::size_t items, const Options& options) {
  const std::string_view one_channel = functions[static_cast<std::size_t>(function)].one_channel;
  if (ranks == 1) return {one_channel};
  const nccl::Call call = {ranks, nodes_of(ranks, options.hosts), function};
  const nccl::Machine unknown;
  const nccl::Machine& machine = options.nccl != nullptr ? *options.nccl : unknown;
  const std::uint64_t bytes = bytes_of(items, options);
  const nccl::Choice choice = nccl::choose(call, bytes, machine, forced_by(options));
  if (options.nccl == nullptr)
    return {choice.algorithm == nccl::Algorithm::tree ? "double_binary_tree" : one_channel};
  constexpr std::array<std::string_view, nccl::algorithm_names.size()> in_channels = {
      "channel_trees", "channel_rings", "channel_switch", "channel_pat"};
  return {.name = in_channels[static_cast<std::size_t>(choice.algorithm)],
          .protocol = protocol_names[static_cast<std::size_t>(choice.protocol)],
          .channels = options.channels > 0 ? options.channels
                                           : nccl::channels(choice, call, bytes, machine)};
}

Duration issue_time(const Options& options) {
  if (options.nccl == nullptr) return {};
  return Duration(options.nccl->issue * options.gpus_per_thread);
}

int nccl_channels(const Options& options) {
  if (options.nccl == nullptr) return 1;
  if (options.channels > 0) return options.channels;
  const nccl::Machine& machine = *options.nccl;
  return machine.most > 0 ? machine.most
                          : 2 * std::max(machine.inside.count, machine.between.count);
}

int nccl_threads(const Options& options) {
  if (options.nccl == nullptr) return 1;
  const int channels = options.channels > 0
                           ? options.channels
                           : std::max(nccl_channels(options), options.nccl->nvls_channels);
  return options.sms > 0 ? std::min(options.sms, channels) : channels;
}

bool is_forced_in_vain(std::string_view collective, int ranks, const Options& options) {
  const auto function = nccl_function(collective);
  const nccl::Forced forced = forced_by(options);
  if (!function || !forced.algorithm || ranks < 2) return false;
  const nccl::Call call = {ranks, nodes_of(ranks, options.hosts), *function};
  const nccl::Machine unknown;
  const nccl::Machine& machine = options.nccl != nullptr ? *options.nccl : unknown;
  for (const Protocol protocol : {Protocol::ll, Protocol::ll128, Protocol::simple})
    if (forced.protocol.value_or(protocol) == protocol &&
        nccl::is_known({*forced.algorithm, protocol}, call, machine))
      return false;
  return true;
}

std::string nccl_choice_text(std::string_view collective, int ranks, std::size_t items,
                             const Options& options) {
  const auto function = nccl_function(collective);
  if (!function) return "";
  const Choice choice = nccl_choice(*function, ranks, items, options);
  if (choice.protocol.empty()) return "";
  return std::string(choice.protocol) + ", " + std::to_string(choice.channels) +
         (choice.channels == 1 ? " channel" : " channels");
}

}  // namespace ringscope
