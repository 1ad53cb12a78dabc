// SPDX-License-Identifier: LGPL-2.1-or-later
#include "topologies/input/data_files.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "topologies/input/characters.hpp"

namespace ringscope {

namespace fs = std::filesystem;

namespace {

/// "_core.so" and "libringscope.so.0.1", but not "ringscope".
bool is_shared_object(const fs::path& file) {
  return file.filename().string().find(".so") != std::string::npos;
}

/// The program, or the shared object (Python's module, the library) that this is linked into.
fs::path own_file() {
  std::error_code error;
  Dl_info info{};
  if (dladdr(RINGSCOPE_SOURCE_DIRECTORY, &info) != 0 && is_shared_object(info.dli_fname))
    return fs::canonical(info.dli_fname, error);
  return fs::read_symlink("/proc/self/exe", error);
}

}  // namespace

// Installed are bin/ringscope, lib/libringscope.so, lib/python3/dist-packages/ringscope/_core.so
// and, for all, share/ringscope; in a wheel that is beside the module.
std::string data_directory() {
  if (const char* chosen = std::getenv("RINGSCOPE_DATA")) return chosen;
  const fs::path file = own_file();
  std::error_code error;
  fs::path folder = file.parent_path();
  for (int levels = 0; levels < 5 && folder.has_relative_path(); ++levels) {
    const fs::path installed = folder / "share/ringscope";
    if (fs::is_directory(installed / "scenarios", error)) return installed.string();
    if (!is_shared_object(file) && levels > 0) break;
    folder = folder.parent_path();
  }
  return RINGSCOPE_SOURCE_DIRECTORY;
}

std::vector<std::string> names_in(const std::string& folder) {
  const fs::path path = fs::path(data_directory()) / folder;
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator file(path, error), end; !error && file != end; file.increment(error))
    if (file->path().extension() == ".yaml") names.push_back(file->path().stem().string());
  if (error) {
    const bool chosen = std::getenv("RINGSCOPE_DATA") != nullptr;
    refuse_file(path.string(), fmt::format("cannot be read: {}{}", error.message(),
                                           chosen ? "; RINGSCOPE_DATA points there" : ""));
  }
  std::ranges::sort(names);
  return names;
}

bool is_path(std::string_view text) {
  if (text.find('/') != std::string_view::npos) return true;
  const std::string lower = in_lower_case(text);
  return lower.ends_with(".yaml") || lower.ends_with(".yml") || lower.ends_with(".json");
}

std::string unknown_file(std::string_view kind, const Value& name,
                         std::span<const std::string> known) {
  for (const std::string& file : {name.scalar() + ".yaml", name.scalar() + ".yml",
                                  name.scalar() + ".json", "./" + name.scalar()}) {
    std::error_code ignored;
    if (fs::is_regular_file(path_from(name.place(), file), ignored))
      return fmt::format("unknown {} '{}'; did you mean the file '{}'?", kind, name.scalar(), file);
  }
  return unknown_name(kind, name.scalar(), known);
}

std::string file_of(const Value& name, const std::string& folder, std::string_view kind) {
  const std::string text = name.text();
  if (is_path(text)) {
    const std::string path = path_from(name.place(), text);
    std::error_code ignored;
    if (!fs::exists(path, ignored)) name.fail("no file is at '{}'", path);
    return path;
  }
  const std::vector<std::string> known = names_in(folder);
  if (std::ranges::find(known, text) == known.end()) name.fail(unknown_file(kind, name, known));
  return fmt::format("{}/{}/{}.yaml", data_directory(), folder, text);
}

bool holds_both(const Value& file) {
  return file.kind() == Value::Kind::map && file.find("cluster") != nullptr &&
         file.find("library") != nullptr;
}

Value read_part(const std::string& file, std::string_view part) {
  const Value whole = Value::from_file(file);
  return holds_both(whole) ? *whole.find(part) : whole;
}

void refuse_file(const std::string& path, const std::string& why) {
  typed(path.empty() ? "the file ''" : path, "").fail(why);
}

std::string read_file(const std::string& path, std::size_t most_mebibytes,
                      const std::function<void(const std::string& why)>& refuse) {
  if (path.empty()) refuse("has an empty name");
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) refuse("is a directory, expected a file");
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) refuse(fmt::format("cannot be read: {}", std::strerror(errno)));
  const std::size_t most = most_mebibytes * 1024 * 1024;
  std::string text;
  // Most files are small: what the largest may have is not filled with zeros for each.
  for (std::size_t piece = 1 << 16; file && text.size() <= most; piece *= 2) {
    const std::size_t before = text.size();
    text.resize(before + std::min(piece, most + 1 - before));
    file.read(text.data() + before, static_cast<std::streamsize>(text.size() - before));
    text.resize(before + static_cast<std::size_t>(file.gcount()));
  }
  if (file.bad()) refuse("cannot be read to its end");
  if (text.size() > most) refuse(fmt::format("is larger than {} MiB", most_mebibytes));
  return text;
}

std::string read_file(const std::string& path, std::size_t most_mebibytes) {
  return read_file(path, most_mebibytes,
                   [&path](const std::string& why) { refuse_file(path, why); });
}

std::shared_ptr<const Source> read_named(const Value& name, std::string_view what,
                                         const std::string& path, std::size_t most_mebibytes) {
  std::string text = read_file(path, most_mebibytes, [&](const std::string& why) {
    name.fail("the {} '{}' {}", what, path, why);
  });
  auto source = std::make_shared<const Source>(Source{path, std::move(text)});
  require_utf8(source);
  return source;
}

}  // namespace ringscope
