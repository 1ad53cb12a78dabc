// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/trace/recorded/file.hpp"

#include <fmt/format.h>

#include <limits>

#include "topologies/input/characters.hpp"

namespace ringscope::recorded {
namespace {

constexpr int form = 1;
constexpr std::int64_t most_ranks = 1 << 20;

}  // namespace

Place Line::place(std::string_view word) const {
  if (word.empty()) return {source, number, 1};
  const std::string_view before(source->text.data(), word.data());
  return {source, number, static_cast<int>(before.size() - before.find_last_of('\n'))};
}

std::int64_t Line::number_at(std::string_view word, std::string_view what,
                             std::int64_t least) const {
  const auto value = whole_number<std::int64_t>(word, least);
  if (!value)
    fail(word.empty() ? words.back() : word, "expected {} of at least {}, got '{}'", what, least,
         word);
  return *value;
}

Call::Call(const Line& line) : line_(&line) {
  constexpr std::size_t least_words = 3;
  if (line.words.size() < least_words)
    line.fail({}, "expected 'GAP TOOK CALL ...': nanoseconds before the call, in it, its name");
  gap_ns_ = line.number_at(line.words[0], "nanoseconds before the call", 0);
  line.number_at(line.words[1], "nanoseconds in the call", 0);
  for (std::size_t i = least_words; i < line.words.size(); ++i)
    if (line.words[i].find('=') == std::string_view::npos)
      line.fail(line.words[i], "expected KEY=VALUE, got '{}'", line.words[i]);
}

std::string_view Call::find(std::string_view key) const {
  for (const std::string_view word : line_->words)
    if (word.size() > key.size() + 1 && word[key.size()] == '=' && word.starts_with(key))
      return word.substr(key.size() + 1);
  return {};
}

std::string_view Call::word(std::string_view key) const {
  const std::string_view value = find(key);
  if (value.empty()) line_->fail(name(), "a call of {} needs '{}='", name(), key);
  return value;
}

std::int64_t Call::number(std::string_view key, std::int64_t least) const {
  return line_->number_at(word(key), fmt::format("a number for '{}'", key), least);
}

std::int64_t Call::number_or(std::string_view key, std::int64_t otherwise,
                             std::int64_t least) const {
  return has(key) ? number(key, least) : otherwise;
}

std::uint64_t Call::bytes(std::string_view key) const {
  const std::int64_t value = number(key);
  if (value > most_bytes) fail(key, "{} B are more than 512 TiB", value);
  return static_cast<std::uint64_t>(value);
}

int Call::rank_of(std::string_view text, int size) const {
  if (text == "none") return none;
  if (text == "any") return any;
  const std::int64_t rank = line_->number_at(text, "a rank, 'none' or 'any'", 0);
  if (rank >= size)
    line_->fail(text, "rank {} is not in a communicator of {} ranks, 0 to {}", rank, size,
                size - 1);
  return static_cast<int>(rank);
}

int Call::rank(std::string_view key, int size) const { return rank_of(word(key), size); }

std::vector<Done> Call::done() const {
  std::vector<Done> all;
  if (!has("done")) return all;
  for (const std::string_view text : split(word("done"), ',')) {
    const auto parts = split(text, ':');
    Done one{.word = text, .request = line_->number_at(parts[0], "a request", 0)};
    one.cancelled = parts.size() == 2 && parts[1] == "cancelled";
    constexpr std::size_t words_of_receive = 4;
    one.came = parts.size() == words_of_receive;
    if (one.came) {
      one.from = rank_of(parts[1], std::numeric_limits<int>::max());
      one.tag = line_->number_at(parts[2], "a tag", std::numeric_limits<int>::min());
      one.bytes = line_->number_at(parts[3], "bytes", 0);
    } else if (parts.size() != 1 && !one.cancelled) {
      line_->fail(text, "expected REQUEST, REQUEST:FROM:TAG:BYTES or REQUEST:cancelled, got '{}'",
                  text);
    }
    all.push_back(one);
  }
  return all;
}

Table<std::uint64_t> Call::parts(int size) const {
  Table<std::uint64_t> all;
  for (const std::string_view text : split(word("parts"), ',')) {
    const std::size_t times = text.find('x');
    const bool several = times != std::string_view::npos;
    const std::int64_t count =
        several ? line_->number_at(text.substr(0, times), "a number of parts", 1) : 1;
    const std::int64_t bytes =
        line_->number_at(several ? text.substr(times + 1) : text, "bytes", 0);
    if (count > size || bytes > most_bytes) fail("parts", "these are more than there may be");
    all.resize(std::ssize(all) + count, static_cast<std::uint64_t>(bytes));
  }
  if (std::ssize(all) != size)
    fail("parts", "expected {} parts, one for each rank of the communicator, got {}", size,
         all.size());
  return all;
}

File::File(std::shared_ptr<const Source> source) : source_(std::move(source)) {
  const std::string_view first = head_line("ringscope-calls ");
  if (whole_number(first) != form)
    throw InputError(place(number_),
                     "this is form '{}' of recorded calls, and this program reads form {}", first,
                     form);
  const std::string_view rank = head_line("rank ");
  const auto words = split(rank, ' ');
  const auto mine = whole_number<std::int64_t>(words.front()),
             all = whole_number<std::int64_t>(words.back());
  if (words.size() != 3 || words[1] != "of" || !mine || !all || *mine >= *all || *all > most_ranks)
    throw InputError(place(number_), "expected 'rank R of N', got 'rank {}'", rank);
  head_.rank = static_cast<int>(*mine);
  head_.ranks = static_cast<int>(*all);
  head_line("host ");
  head_.mpi = head_line("mpi ");
  head_line("program ");
  head_line("clock ");
}

std::optional<std::string_view> File::take() {
  const std::string_view text = source_->text;
  if (at_ >= text.size()) return {};
  const std::size_t end = text.find('\n', at_);
  ++number_;
  if (end == std::string_view::npos) fail_cut_off();
  const std::string_view line = text.substr(at_, end - at_);
  at_ = end + 1;
  return line;
}

std::string_view File::head_line(std::string_view begins) {
  const auto line = take();
  if (!line) throw InputError(place(), "the file ends before the line '{}...' of its head", begins);
  if (!line->starts_with(begins))
    throw InputError(place(number_), "expected '{}...', got '{}'", begins, *line);
  return line->substr(begins.size());
}

void File::fail_cut_off() const {
  const std::string last =
      last_name_.empty() ? "" : fmt::format("; the last call that it names is {}", last_name_);
  throw InputError(
      place(number_),
      "the record of rank {} ends without 'finalize': the program died, or has not ended yet{}",
      head_.rank, last);
}

bool File::next(Line& line) {
  const auto text = take();
  if (!text) {
    if (last_name_ != "finalize") fail_cut_off();
    return false;
  }
  line.source = source_;
  line.number = number_;
  line.words = split(*text, ' ');
  if (last_name_ == "finalize") line.fail({}, "nothing may come behind the call 'finalize'");
  if (!line.is_communicator() && line.words.size() > 2) last_name_ = line.words[2];
  return true;
}

}  // namespace ringscope::recorded
