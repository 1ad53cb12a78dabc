// SPDX-License-Identifier: LGPL-2.1-or-later
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <memory>
#include <set>

#include "scenarios/trace/kineto/events.hpp"
#include "scenarios/trace/trace_file.hpp"

namespace ringscope {
namespace {

constexpr std::array<std::string_view, 2> kineto_endings = {".json", ".json.gz"};

/// Other programs write the same format: TensorFlow's profiler, browsers, Ringscope itself.
void require_gpu_work(const kineto::File& file) {
  std::set<std::string> categories;
  for (const kineto::Event& event : file.events) {
    if (kineto::on_gpu(event)) return;
    if (!event.category.empty()) categories.insert(event.category);
  }
  const std::string got =
      categories.empty() ? "none" : fmt::format("{}", fmt::join(categories, ", "));
  throw InputError(file.place(),
                   "expected a trace of PyTorch's profiler with the work of a GPU: events of the "
                   "category kernel, gpu_memcpy or gpu_memset, and the calls that launch it "
                   "(cuda_runtime); got {} events, categories: {}. Record with "
                   "activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]",
                   file.events.size(), got);
}

}  // namespace

bool is_kineto(const std::string& files) { return !rank_files(files, kineto_endings).empty(); }

void read_kineto(const TraceRequest& request, TraceAnswer& into) {
  auto files = std::make_shared<Table<kineto::File>>();
  into.read = chosen_files(request, rank_files(request.files, kineto_endings));
  for (const std::string& path : into.read) {
    files->push_back(kineto::read_events(path, read_packed_file(path)));
    require_gpu_work(files->back());
  }
  const bool own = request.every_rank_as < 0;
  const auto file_of = [files](int rank) -> const kineto::File& {
    return (*files)[files->size() == 1 ? 0 : rank];
  };
  auto events = std::make_shared<Table<Table<std::size_t>>>();
  kineto::Groups groups;
  for (int rank = 0; rank < request.ranks; ++rank) {
    const kineto::Question question{rank, request.ranks, !own,
                                    [&](std::string_view collective, std::string_view otherwise) {
                                      return request.on_gpus(collective, otherwise);
                                    }};
    NodeCounts same;  // of a file that several ranks share, its events are counted once
    kineto::Nodes read =
        kineto::nodes_of(file_of(rank), question, groups, own || rank == 0 ? into.counts : same);
    into.trace.ranks.push_back(std::move(read.nodes));
    events->push_back(std::move(read.events));
  }
  into.trace.groups = groups.all();
  into.trace.asynchronous = true;
  into.words = [file_of, events](traces::NodeId id) {
    const std::size_t event = (*events)[id.rank][id.node];
    return kineto::text_of(file_of(id.rank).events[event]);
  };
  into.place = [file_of](traces::NodeId id) { return file_of(id.rank).place(); };
}

}  // namespace ringscope
