// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cli/lesson/lesson_page.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/terminal/failure.hpp"
#include "topologies/exports/exports.hpp"
#include "topologies/input/data_files.hpp"

namespace ringscope::lesson {
namespace {

namespace fs = std::filesystem;

std::string read(const std::string& name) {
  const std::string path = (fs::path(data_directory()) / "plots/lesson" / name).string();
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  if (!file || text.str().empty())
    throw BadInput("{}: cannot be read; it is a part of the page and comes with this program",
                   path);
  return text.str();
}

/// Inside a script element nothing may look like its end, or like the start of a comment.
std::string inside_script(const Json& data) {
  std::string text;
  for (const char letter : data.dump())
    text += letter == '<' ? std::string("\\u003c") : std::string{letter};
  return text;
}

void replace(std::string& text, const std::string& mark, const std::string& by) {
  const std::size_t at = text.find(mark);
  if (at == std::string::npos) throw BadInput("page.html has no place '{}'", mark);
  text.replace(at, mark.size(), by);
}

}  // namespace

// The template names its scripts one a line, in the order in which they are to run.
std::string page(const Json& data) {
  std::string text = read("page.html");
  const std::string open = "<!-- scripts:", close = "-->";
  const std::size_t begin = text.find(open), end = text.find(close, begin);
  if (begin == std::string::npos || end == std::string::npos)
    throw BadInput("page.html does not say which scripts it has");
  std::istringstream names(text.substr(begin + open.size(), end - begin - open.size()));
  std::string scripts;
  for (std::string name; names >> name;) scripts += read(name);
  text.replace(begin, end + close.size() - begin,
               "<script>\n\"use strict\";\n" + scripts + "</script>");
  replace(text, "/* style */", read("style.css"));
  replace(text, "<!-- title -->", escaped_markup(data.at("question").get<std::string>()));
  replace(text, "<!-- data -->", inside_script(data));
  return text;
}

}  // namespace ringscope::lesson
