// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cli/terminal/words.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "base/table.hpp"
#include "cli/terminal/progress_bar.hpp"
#include "topologies/input/characters.hpp"
#include "topologies/input/input.hpp"

namespace ringscope {

extern const char* const help_yml;  // the text of help.yml, in a source that CMake writes

namespace {

/// CLI11 only says that a word was not expected, and not of which subcommand.
std::string refusal(const CLI::App& program, const CLI::ParseError& error) {
  const std::vector<const CLI::App*> said = program.get_subcommands({});
  const auto parsed =
      std::find_if(said.begin(), said.end(), [](const CLI::App* one) { return one->parsed(); });
  const CLI::App& app = parsed == said.end() ? program : **parsed;
  const std::string path =
      parsed == said.end() ? program.get_name() : program.get_name() + " " + app.get_name();
  std::string why = error.what();
  const std::vector<std::string> extra = program.remaining(true);
  const auto option = std::find_if(extra.begin(), extra.end(), [](const std::string& word) {
    return word.size() > 1 && word.front() == '-';
  });
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError) &&
      option != extra.end()) {
    std::vector<std::string> known;
    for (const CLI::Option* one : app.get_options()) known.push_back(one->get_name());
    std::erase_if(known, [](const std::string& name) { return !name.starts_with('-'); });
    why = unknown_name("option", *option, known);
  }
  while (why.ends_with('\n')) why.pop_back();
  return fmt::format("{}{}; '{} --help' describes all",
                     parsed == said.end() ? "" : app.get_name() + ": ", why, path);
}

/// Gives an app of the program, its options and its subcommands their texts. Throws
/// std::logic_error where an option has none.
void describe(CLI::App& app, const Value& texts, const std::string& program) {
  const auto text_of = [&](const std::string& key) -> std::string {
    for (const std::string& name :
         {program + ' ' + app.get_name(), app.get_name(), program, std::string("any")})
      if (const Value* part = texts.find(name))
        if (const Value* text = part->find(key)) return text->text();
    return "";
  };
  app.description(text_of("about"));
  if (app.get_footer().empty()) app.footer(text_of("footer"));
  for (CLI::Option* option : app.get_options()) {
    if (option->get_description().empty()) option->description(text_of(option->get_name()));
    if (option->get_description().empty())
      throw std::logic_error(
          fmt::format("help.yml: no text for {} of {}", option->get_name(), app.get_name()));
  }
  for (CLI::App* subcommand : app.get_subcommands({})) describe(*subcommand, texts, program);
}

}  // namespace

Option Option::required() { return Option(option_->required()); }
Option Option::show_default() { return Option(option_->capture_default_str()); }
Option Option::one_word() { return Option(option_->allow_extra_args(false)); }
Option Option::separated_by(char separator) { return Option(option_->delimiter(separator)); }
Option Option::between(int least, int most) {
  return Option(option_->check(CLI::Range(least, most)));
}
Option Option::between(double least, double most) {
  return Option(option_->check(CLI::Range(least, most)));
}
Option Option::above_zero() { return Option(option_->check(CLI::PositiveNumber)); }
Option Option::one_of(const std::vector<std::string>& words) {
  return Option(option_->check(CLI::IsMember(words)));
}
Option Option::needs(Option other) { return Option(option_->needs(other.option_)); }
Option Option::excludes(Option other) { return Option(option_->excludes(other.option_)); }
Option Option::help(const std::string& text) { return Option(option_->description(text)); }

bool Option::said() const { return option_->count() > 0; }

Command Command::add_subcommand(const std::string& name) {
  CLI::App* added = app_->add_subcommand(name);
  if (group_ != nullptr) added->group(group_);
  added->add_flag("--quiet", quiet(), "print results only (no progress bar, no suggestions)");
  return Command(added);
}

Option Command::add_flag(const std::string& name, bool& value) {
  return Option(app_->add_flag(name, value));
}

Option Command::add_flag(const std::string& name, std::function<void()> set) {
  return Option(app_->add_flag_callback(name, std::move(set)));
}

template <typename T>
Option Command::add_option(const std::string& name, T& value) {
  return Option(app_->add_option(name, value));
}
template Option Command::add_option(const std::string&, std::string&);
template Option Command::add_option(const std::string&, int&);
template Option Command::add_option(const std::string&, std::size_t&);
template Option Command::add_option(const std::string&, double&);
template Option Command::add_option(const std::string&, std::vector<std::string>&);
template Option Command::add_option(const std::string&, std::vector<int>&);

void Command::add_setting(const std::string& name,
                          const std::function<void(const std::string&)>& set) {
  app_->add_option_function(name, set);
}

Option Command::add_numbered(const std::string& name, const std::function<void(int)>& set,
                             const std::map<std::string, int>& choices, const std::string& type) {
  CLI::Option* option = app_->add_option_function<int>(name, set);
  return Option(option->type_name(type)->transform(CLI::CheckedTransformer(choices)));
}

void Command::footer(const std::string& text) { app_->footer(text); }
void Command::callback(std::function<void()> run) { app_->callback(std::move(run)); }

void Command::take_all_words() {
  app_->set_help_flag();
  app_->prefix_command();
}

std::vector<std::string> Command::remaining() const { return app_->remaining(); }

Program::Program(const std::string& name, const std::string& version,
                 const std::function<std::string()>& details)
    : Program(std::make_unique<CLI::App>("", name)) {
  CLI::Option* shown =
      owned_->set_version_flag("--version", [app = owned_.get(), version, details] {
        return details && app->count("--verbose") > 0 ? version + "\n" + details() : version;
      });
  const std::string help = "compiler, build type and libraries too";
  if (details) owned_->add_flag("--verbose", help)->needs(shown);
  owned_->require_subcommand(1);
}

Program::Program(std::unique_ptr<CLI::App> app) : Command(app.get()), owned_(std::move(app)) {
  owned_->get_formatter()->label("Needs", "with");
}

Program::~Program() = default;

std::vector<std::string> Program::subcommand_names() const {
  return each_of(std::as_const(*owned_).get_subcommands({}),
                 [](const CLI::App* subcommand) { return subcommand->get_name(); });
}

ExitCode Program::parse(int count, char** words) {
  try {
    owned_->parse(count, words);
  } catch (const CLI::ParseError& error) {
    describe(*owned_, Value::from_text("help.yml", help_yml), owned_->get_name());
    std::ostringstream message;
    if (owned_->exit(error, std::cout, message) != 0) throw BadInput(refusal(*owned_, error));
  }
  return ExitCode::ok;
}

void require_utf8_words(int count, char** words) {
  for (int i = 1; i < count; ++i) {
    if (first_not_utf8(words[i]) == std::string_view::npos) continue;
    throw BadInput("argument {}: expected text in UTF-8, got '{}'", i, words[i]);
  }
}

}  // namespace ringscope
