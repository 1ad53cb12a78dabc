// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/trace/trace_file.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "scenarios/trace/recorded_rank.hpp"
#include "topologies/input/characters.hpp"
#include "topologies/input/data_files.hpp"

namespace ringscope {
namespace {

namespace fs = std::filesystem;

using recorded::Part;

std::string path_of(const std::string& folder, int rank) {
  return fmt::format("{}/calls.{}", folder, rank);
}

std::shared_ptr<const Source> source_of(const std::string& folder, int rank) {
  const std::string path = path_of(folder, rank);
  constexpr std::uintmax_t mebibyte = 1 << 20;
  std::error_code ignored;
  const std::size_t mebibytes = fs::file_size(path, ignored) / mebibyte;
  auto source = std::make_shared<const Source>(Source{path, read_file(path, mebibytes + 1)});
  require_utf8(source);
  return source;
}

/// Words of a line of a text, from its third on: those of a call.
std::string call_of(const Source& source, int line) {
  std::size_t at = 0;
  for (int i = 1; i < line; ++i) at = source.text.find('\n', at) + 1;
  constexpr int words_before = 2;
  for (int i = 0; i < words_before; ++i) at = source.text.find(' ', at) + 1;
  return source.text.substr(at, source.text.find_first_of(" \n", at) - at);
}

/// All files of a program, and what its ranks did in each communicator.
class Program {
 public:
  explicit Program(const TraceRequest& request) : request_(&request), groups_(request.ranks) {}

  void read(TraceAnswer& into) {
    open();
    const recorded::Settings settings{.request = request_, .mpi = files_[0].head().mpi};
    for (recorded::File& file : files_)
      ranks_.push_back(read_rank(file, settings, groups_, into.counts));
    for (int group = 0; group < std::ssize(groups_.all()); ++group) compare(group, settings);
    auto lines = std::make_shared<Table<Table<int>>>();
    for (recorded::Rank& rank : ranks_) {
      into.trace.ranks.push_back(std::move(rank.nodes));
      lines->push_back(std::move(rank.lines));
    }
    into.trace.groups = groups_.all();
    for (const auto& source : sources_) into.read.push_back(source->name);
    const auto sources = std::make_shared<Table<std::shared_ptr<const Source>>>(sources_);
    into.place = [sources, lines](traces::NodeId id) -> Place {
      return {(*sources)[id.rank], (*lines)[id.rank][id.node], 1};
    };
    into.words = [sources, lines](traces::NodeId id) {
      const int line = (*lines)[id.rank][id.node];
      return fmt::format("{} in line {}", call_of(*(*sources)[id.rank], line), line);
    };
  }

 private:
  void open() {
    if (request_->every_rank_as >= 0)
      request_->fail("'every_rank_as' is for traces of one rank: a recorded program has all");
    open_file(0);
    const int ranks = files_[0].head().ranks;
    if (ranks != request_->ranks)
      request_->fail("the program was recorded on {} ranks, and the job has {}", ranks,
                     request_->ranks);
    for (int rank = 1; rank < ranks; ++rank) open_file(rank);
    if (fs::exists(path_of(request_->files, ranks)))
      request_->fail("'{}' is of another run: this one has {} ranks",
                     path_of(request_->files, ranks), ranks);
  }

  void open_file(int rank) {
    if (!fs::exists(path_of(request_->files, rank)))
      request_->fail(
          "rank {} has no file: the program ran on {} ranks, so there must be calls.0 to calls.{}",
          rank, files_[0].head().ranks, files_[0].head().ranks - 1);
    sources_.push_back(source_of(request_->files, rank));
    files_.emplace_back(sources_.back());
    const recorded::Head& head = files_.back().head();
    if (head.rank != rank || head.ranks != files_[0].head().ranks)
      throw InputError(
          files_.back().place(2),
          "expected 'rank {} of {}', got 'rank {} of {}': the files are of several runs", rank,
          files_[0].head().ranks, head.rank, head.ranks);
  }

  /// The n-th collective of a communicator is one in all its ranks; then each gets the sizes that
  /// only the others know.
  void compare(int group, const recorded::Settings& settings) {
    const Table<int>& members = *groups_.all()[group].ranks;
    const std::vector<Part>& first = ranks_[members[0]].groups[group];
    for (const int rank : members) {
      const std::vector<Part>& own = ranks_[rank].groups[group];
      const std::size_t common = std::min(own.size(), first.size());
      for (std::size_t i = 0; i < common; ++i) require_same(group, i, rank);
      if (own.size() == first.size()) continue;
      const int more = own.size() > first.size() ? rank : members[0];
      const int fewer = own.size() > first.size() ? members[0] : rank;
      const Part& alone = ranks_[more].groups[group][common];
      throw InputError(files_[more].place(alone.line),
                       "rank {} calls {} as collective {} of {}, and rank {} has no more than {}",
                       more, alone.name, common + 1, groups_.all()[group].name, fewer, common);
    }
    for (std::size_t i = 0; i < first.size(); ++i) fill(group, i, settings);
  }

  void require_same(int group, std::size_t number, int rank) {
    const traces::TraceGroup& members = groups_.all()[group];
    const int leader = members.ranks->front();
    const Part& own = ranks_[rank].groups[group][number];
    const Part& first = ranks_[leader].groups[group][number];
    if (own.name == first.name && own.root == first.root) return;
    const auto told = [](const Part& part) {
      return part.root < 0 ? std::string(part.name)
                           : fmt::format("{} with root {}", part.name, part.root);
    };
    throw InputError(files_[rank].place(own.line),
                     "collective {} of {} is {} here, and {} in line {} of rank {}", number + 1,
                     members.name, told(own), told(first), first.line, leader);
  }

  std::vector<Part*> parts_of(int group, std::size_t number) {
    return each_of(*groups_.all()[group].ranks,
                   [&](int rank) { return &ranks_[rank].groups[group][number]; });
  }

  void fill(int group, std::size_t number, const recorded::Settings& settings) {
    const Table<int>& members = *groups_.all()[group].ranks;
    const std::vector<Part*> parts = parts_of(group, number);
    std::uint64_t sum = 0;
    for (const Part* part : parts) sum += part->bytes;
    for (std::size_t self = 0; self < parts.size(); ++self) {
      const Part& own = *parts[self];
      auto& nodes = ranks_[members[self]].nodes;
      if (own.name == "allgatherv" || own.name == "reduce_scatter") {
        for (const int node : own.nodes)
          set_collective(nodes[node], settings,
                         own.name == "allgatherv" ? "allgather" : "reduce_scatter",
                         static_cast<int>(parts.size()), sum);
        continue;
      }
      for (std::size_t i = 0; i < own.nodes.size(); ++i) {
        traces::Node& node = nodes[own.nodes[i]];
        const bool all = own.name == "alltoallv";
        const std::size_t step = i + 1, count = parts.size();
        const std::size_t peer = all ? (self + count - step) % count : i + (i >= self ? 1 : 0);
        recorded::set_size(node, all ? parts[peer]->parts[self] : parts[peer]->bytes);
      }
    }
  }

  const TraceRequest* request_;
  recorded::Groups groups_;
  Table<std::shared_ptr<const Source>> sources_;
  Table<recorded::File> files_;
  Table<recorded::Rank> ranks_;
};

}  // namespace

bool is_recorded(const std::string& folder) {
  std::error_code ignored;
  return fs::exists(path_of(folder, 0), ignored);
}

void read_recorded(const TraceRequest& request, TraceAnswer& into) { Program(request).read(into); }

}  // namespace ringscope
