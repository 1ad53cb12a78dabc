// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cli/lesson/lesson_page.hpp"

#include <fmt/format.h>

#include <boost/algorithm/string/replace.hpp>

#include <sstream>

#include "cli/terminal/failure.hpp"
#include "topologies/exports/exports.hpp"
#include "topologies/input/data_files.hpp"

namespace ringscope::lesson {
namespace {

std::string read(const std::string& name) {
  const std::string path = fmt::format("{}/{}", data_directory(), name);
  return read_file(path, 1, [&path](const std::string& why) {
    throw BadInput("{}: {}; it is a part of the page and comes with this program", path, why);
  });
}

/// Inside a script element nothing may look like its end, or like the start of a comment.
std::string inside_script(const Json& data) {
  return boost::algorithm::replace_all_copy(data.dump(), "<", "\\u003c");
}

/// Sources of the programs that the ranks of all cases ran, by their paths; `yaml` is one's text.
Json sources_of(const Json& data, const std::string& yaml) {
  Json sources = Json::object();
  for (const Json& one : data.at("cases")) {
    const Json& spans = one.at("spans");
    for (const Json& place :
         spans.value(spans.contains("lines") ? "lines" : "places", Json::array()))
      if (const std::string path = place.at(2); !path.empty() && !sources.contains(path))
        sources[path] = path == scenario_source ? yaml : read(path);
  }
  return sources;
}

void replace(std::string& text, const std::string& mark, const std::string& by) {
  const std::size_t at = text.find(mark);
  if (at == std::string::npos) throw BadInput("page.html has no place '{}'", mark);
  text.replace(at, mark.size(), by);
}

}  // namespace

// The template names its scripts one a line, in the order in which they are to run.
std::string page(const Json& data, const std::string& yaml) {
  const std::string folder = "plots/lesson/";
  std::string text = read(folder + "page.html");
  const std::string open = "<!-- scripts:", close = "-->";
  const std::size_t begin = text.find(open), end = text.find(close, begin);
  if (begin == std::string::npos || end == std::string::npos)
    throw BadInput("page.html does not say which scripts it has");
  std::istringstream names(text.substr(begin + open.size(), end - begin - open.size()));
  std::string scripts;
  for (std::string name; names >> name;) scripts += read(folder + name);
  text.replace(begin, end + close.size() - begin,
               "<script>\n\"use strict\";\n" + scripts + "</script>");
  replace(text, "/* style */", read(folder + "style.css"));
  replace(text, "<!-- title -->", escaped_markup(data.at("question").get<std::string>()));
  replace(text, "<!-- data -->", inside_script(data));
  replace(text, "<!-- sources -->", inside_script(sources_of(data, yaml)));
  return text;
}

}  // namespace ringscope::lesson
