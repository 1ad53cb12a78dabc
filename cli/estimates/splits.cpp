// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cli/estimates/step_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace ringscope {
namespace {

constexpr int most_stages = 64;
constexpr int most_lacking = 3;  ///< layers that both ends of a pipeline lack
constexpr std::uint64_t most_context = 16, long_sequence = 16384;

/// 1, 2, 4 ... up to `most`, as far as they divide `whole`.
std::vector<int> powers(std::uint64_t whole, std::uint64_t most) {
  std::vector<int> sizes;
  for (unsigned size = 1; size <= most; size *= 2)
    if (whole % size == 0) sizes.push_back(int(size));
  return sizes;
}

/// Schedules of a pipeline: 1F1B, and interleaved ones of 2 and 4 parts.
std::vector<Split> with_parts(const Transformer& model, const Split& split) {
  std::vector<Split> all;
  for (const int parts : {1, 2, 4}) {
    if (parts > 1 && (split.stages == 1 || split.micro_batches % split.stages != 0)) continue;
    const int slots = split.stages * parts, layers = int(model.layers);
    const int lacking = lacking_layers(layers, slots);
    const int each = (layers + lacking) / slots, of_last = (lacking + 1) / 2;
    if (lacking > most_lacking || each < of_last || each * parts == of_last) continue;
    all.push_back(split);
    all.back().parts = parts;
  }
  return all;
}

/// Micro-batches, schedules and ZeRO of a split whose groups have their sizes.
void add_settings(const Transformer& model, int batch, Split split, std::vector<Split>& all) {
  for (const int micro_batch : {1, 2, 4}) {
    if (batch % (split.data * micro_batch) != 0) continue;
    split.micro_batch = micro_batch;
    split.micro_batches = batch / (split.data * micro_batch);
    for (Split one : with_parts(model, split))
      for (const int zero : {1, 3}) {
        if (zero == 3 && (one.stages > 1 || one.expert > 1)) continue;
        one.zero = zero;
        all.push_back(one);
      }
  }
}

}  // namespace

std::string Split::text() const {
  std::string text = fmt::format("tp {}", tensor);
  if (context > 1) text += fmt::format(", cp {}", context);
  if (expert > 1) text += fmt::format(", ep {}", expert);
  text += fmt::format(", pp {}", stages);
  if (parts > 1) text += fmt::format(" x {}", parts);
  text += fmt::format(", dp {}", data);
  if (order != Split().order) text += ", order " + order;  // a table cuts the end of long names
  text += fmt::format(", zero {}, micro-batch {}", zero, micro_batch);
  if (repeats) text += ", recompute";
  return text;
}

std::string Split::groups() const {
  return fmt::format("{{order: {}, tp: {}, cp: {}, pp: {}, dp: {}{}}}", order, tensor, context,
                     stages, data, expert > 1 ? fmt::format(", ep: {}", expert) : "");
}

std::string Split::options() const {
  std::string text = fmt::format("micro_batch: {}, micro_batches: {}, zero: {}, recompute: {}",
                                 micro_batch, micro_batches, zero, repeats ? "full" : "none");
  if (zero == 1) text += ", overlap: all";
  if (tensor > 1) text += ", sequence_parallel: true";
  if (parts > 1) text += fmt::format(", schedule: interleaved, stage_parts: {}", parts);
  return text;
}

std::vector<std::string> Split::orders() const {
  std::vector<int> nesting = {0, 1, 2};
  const std::pair<std::string_view, int> kinds[] = {{"cp", context}, {"dp", data}, {"pp", stages}};
  std::vector<std::string> orders;
  std::set<std::string> seen;  // orders of the kinds with several ranks
  do {
    std::string all = "tp", large;
    for (const int kind : nesting) {
      all += fmt::format("-{}", kinds[kind].first);
      if (kinds[kind].second > 1) large += kinds[kind].first;
    }
    if (seen.insert(large).second) orders.push_back(all);
  } while (std::ranges::next_permutation(nesting).found);
  return orders;
}

std::vector<Split> splits_of(const Transformer& model, const SplitQuestion& question) {
  std::vector<Split> all;
  const std::uint64_t contexts = model.sequence >= long_sequence ? most_context : 1;
  for (const int tensor : powers(model.heads, unsigned(question.gpus_of_host)))
    for (const int context : powers(model.sequence, contexts))
      for (int stages = 1; stages <= most_stages; ++stages) {
        const int replica = tensor * context * stages;
        if (question.gpus % replica != 0 || question.batch % (question.gpus / replica) != 0)
          continue;
        const int data = question.gpus / replica;
        for (const int expert : powers(model.experts, unsigned(data))) {
          if (data % expert != 0) continue;
          add_settings(model, question.batch,
                       {.tensor = tensor,
                        .context = context,
                        .expert = expert,
                        .stages = stages,
                        .data = data},
                       all);
        }
      }
  return all;
}

}  // namespace ringscope
