// SPDX-License-Identifier: LGPL-2.1-or-later
// The words of a command line, for each of the programs. CLI11's own headers take ten seconds to
// compile: only words.cpp reads them.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "cli/terminal/failure.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace ringscope {

/// An option, a flag or a word that goes by its position; a handle, as cheap as a pointer.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  Option required();
  Option show_default();
  Option one_word();  ///< each time that it is said, of a list that is said word by word
  Option separated_by(char separator);
  Option between(int least, int most);
  Option between(double least, double most);
  Option above_zero();
  Option one_of(const std::vector<std::string>& words);
  Option needs(Option other);
  Option excludes(Option other);
  /// A text that help.yml cannot have, as it lists what the sources know.
  Option help(const std::string& text);
  bool said() const;

 private:
  CLI::Option* option_;
};

/// A subcommand, or the program itself; a handle, as cheap as a pointer.
class Command {
 public:
  explicit Command(CLI::App* app) : app_(app) {}

  Command add_subcommand(const std::string& name);
  /// The same with the values of its options, which `run` takes when the words are parsed. It
  /// throws Failure or InputError.
  template <typename Arguments>
  std::pair<Command, std::remove_const_t<Arguments>&> add_subcommand(const std::string& name,
                                                                     void (*run)(Arguments&)) {
    const auto arguments = std::make_shared<std::remove_const_t<Arguments>>();
    Command added = add_subcommand(name);
    added.callback([arguments, run] { run(*arguments); });
    return {added, *arguments};
  }
  /// Heading of the help for the subcommands that are added after this call.
  void begin_group(const char* heading) { group_ = heading; }
  // `value` is read and written where it is, and must outlive the parsing.
  Option add_flag(const std::string& name, bool& value);
  Option add_flag(const std::string& name, std::function<void()> set);
  /// A string, a number, or a list of strings or of whole numbers.
  template <typename T>
  Option add_option(const std::string& name, T& value);
  /// An option whose word `set` takes, each time that it is given.
  void add_setting(const std::string& name, const std::function<void(const std::string&)>& set);

  /// A value, bool or an enumeration's, by its name.
  template <typename T>
  Option add_choice(const std::string& name, T& value, const std::map<std::string, T>& choices) {
    std::map<std::string, int> numbers;
    for (const auto& [word, choice] : choices) numbers[word] = static_cast<int>(choice);
    const auto set = [&value](int number) { value = static_cast<T>(number); };
    return add_numbered(name, set, numbers, std::is_enum_v<T> ? "ENUM" : "BOOLEAN");
  }

  /// Below the help: what else there is to say, where help.yml does not say it.
  void footer(const std::string& text);
  /// Runs when the words are parsed. It throws Failure or InputError.
  void callback(std::function<void()> run);
  /// Leaves all words that follow, --help too, to someone else: remaining().
  void take_all_words();
  std::vector<std::string> remaining() const;

 private:
  Option add_numbered(const std::string& name, const std::function<void(int)>& set,
                      const std::map<std::string, int>& choices, const std::string& type);
  CLI::App* app_;
  const char* group_ = nullptr;
};

/// All of a program's words; one subcommand must be among them.
class Program : public Command {
 public:
  /// `version` is what --version prints; `details`, where given, what --verbose adds to it.
  Program(const std::string& name, const std::string& version,
          const std::function<std::string()>& details = {});
  ~Program();
  Program& operator=(Program&&) = delete;  ///< neither copied nor moved

  std::vector<std::string> subcommand_names() const;

  /// Parses, and thereby runs, the words; prints help that was asked for. Throws Failure where
  /// CLI11 refuses them: its words repeat ours, and have to go where errors are printed.
  ExitCode parse(int count, char** words);

 private:
  explicit Program(std::unique_ptr<CLI::App> app);
  std::unique_ptr<CLI::App> owned_;
};

/// Typed words end up in names, and names in files that others read. Throws Failure.
void require_utf8_words(int count, char** words);

}  // namespace ringscope
