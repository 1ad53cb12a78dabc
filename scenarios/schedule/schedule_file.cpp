// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/schedule/schedule_file.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "algorithms/traces/trace.hpp"
#include "topologies/input/data_files.hpp"

namespace ringscope {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_mebibytes = 16;
/// Endings of files, and who reads what ends so.
struct FileKind {
  std::string_view suffix, of;
  void (*read)(const std::shared_ptr<const Source>& source, ScheduleFile& into);
};
constexpr FileKind kinds[] = {{".xml", "MSCCL's", read_msccl},
                              {".json", "MSCCL++'s", read_mscclpp},
                              {".goal", "GOAL's", read_goal}};

/// Null where there is none.
const FileKind* kind_of(const fs::path& path) {
  const auto found = std::ranges::find(kinds, path.extension().string(), &FileKind::suffix);
  return found == std::end(kinds) ? nullptr : found;
}

std::vector<std::string> known_files(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored))
    if (kind_of(entry.path()) != nullptr) names.push_back(entry.path().filename().string());
  std::ranges::sort(names);
  return names;
}

/// Where it is: beside the file that names it, or among ours.
std::string path_of(const Value& name) {
  const std::string text = name.text();
  const std::string beside = path_from(name.place(), text);
  std::error_code ignored;
  if (fs::exists(beside, ignored)) return beside;
  if (text.find('/') != std::string::npos) name.fail("no file is at '{}'", beside);
  const std::string folder = fmt::format("{}/{}", data_directory(), schedules_folder);
  const std::vector<std::string> known = known_files(folder);
  if (std::ranges::find(known, text) == known.end())
    name.fail(unknown_name("schedule", text, known));
  return folder + "/" + text;
}

}  // namespace

void read_schedule_text(const std::shared_ptr<const Source>& source, ScheduleFile& into) {
  kind_of(source->name)->read(source, into);
  if (into.schedule.name.empty()) into.schedule.name = fs::path(source->name).stem().string();
}

std::shared_ptr<const ScheduleFile> read_schedule(const Value& name, int ranks) {
  const auto source = read_named(name, "schedule", path_of(name), most_mebibytes);
  if (kind_of(source->name) == nullptr) {
    std::string known;
    for (const FileKind& kind : kinds)
      known += fmt::format("{}{} end in {}", known.empty() ? "" : ", ", kind.of, kind.suffix);
    name.fail("'{}' is no schedule by its name: {}", source->name, known);
  }
  auto file = std::make_shared<ScheduleFile>();
  file->file = fs::path(name.text()).filename().string();
  file->read = {source->name};
  read_schedule_text(source, *file);
  const bool has_trace = file->schedule.trace != nullptr;
  file->algorithm = has_trace ? traces::algorithm_of_trace(file->schedule)
                              : schedules::algorithm_of(file->schedule);
  const int needed = file->algorithm.least_ranks;
  if (needed != ranks)
    name.fail("{} is for {} ranks, and the job has {}", file->file, needed, ranks);
  return file;
}

void require_whole_chunks(const Value& size, std::uint64_t bytes, const ScheduleFile& file) {
  if (has_whole_chunks(bytes, file)) return;
  const auto chunks = static_cast<std::uint64_t>(file.schedule.chunks);
  const std::uint64_t below = bytes / chunks * chunks;
  const std::string near = below == 0
                               ? fmt::format("the least is {} B", chunks)
                               : fmt::format("near it are {} B and {} B", below, below + chunks);
  size.fail("{} B cannot be cut into the {} equal chunks of {}; {}", bytes, chunks, file.file,
            near);
}

}  // namespace ringscope
