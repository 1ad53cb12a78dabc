// SPDX-License-Identifier: LGPL-2.1-or-later
// Does a value know its place, and do maps merge, resolve and refuse as they say?
#include "topologies/input/input.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>

namespace ringscope {
namespace {

using testing::ElementsAre;
using testing::StartsWith;

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Input, every_value_knows_its_line_and_column) {
  const Value value = Value::from_text("x.yaml", "a: 1\nb:\n  - c\n  - {d: 2}\n");
  EXPECT_EQ(value.find("a")->place().line, 1);
  EXPECT_EQ(value.find("a")->place().column, 4);
  const Value& d = *value.find("b")->items()[1].find("d");
  EXPECT_EQ(d.place().line, 4);
  EXPECT_EQ(d.place().column, 9);
  EXPECT_EQ(d.place().source->name, "x.yaml");
}

TEST(Input, a_key_without_value_is_null_and_counts_as_absent) {
  const Value value = Value::from_text("x", "a:\nb: ~\nc: 1");
  EXPECT_TRUE(value.find("a")->is_null());
  Fields fields(value, "x");
  EXPECT_EQ(fields.optional("a"), nullptr);
  EXPECT_EQ(fields.value_or("b", "7").integer(0, 9), 7);
  EXPECT_FALSE(fields.has("a"));
  EXPECT_TRUE(fields.has("c"));
}

TEST(Input, set_makes_maps_on_its_way) {
  Value value = Value::from_text("x", "library: {tcp: {send_cost: 1 ns/B}}\n");
  value.set("library.tcp.send_cost", Value::from_text("--set", "2 ns/B"));
  value.set("job.bytes", Value::from_text("--set", "1 MiB"));
  EXPECT_EQ(value.find("library")->find("tcp")->find("send_cost")->scalar(), "2 ns/B");
  EXPECT_EQ(value.find("job")->find("bytes")->bytes().count, 1048576u);
}

TEST(Input, set_refuses_a_way_through_what_is_no_map) {
  Value value = Value::from_text("x", "cluster: rack3");
  const Value over = Value::from_text("--set cluster.link", "1");
  EXPECT_EQ(error_of([&] { value.set("cluster.link", over); }),
            "--set cluster.link:1:1: 'cluster.link' cannot be set: 'cluster' is no map\n"
            "  1\n"
            "  ^");
  EXPECT_THROW(value.set("a..b", over), InputError);
  EXPECT_THROW(value.set("", over), InputError);
  std::string deep = "a";
  for (int i = 0; i < 100000; ++i) deep += ".a";
  EXPECT_THROW(value.set(deep, over), InputError);
}

TEST(Input, set_knows_where_its_keys_stand) {
  Value value = Value::from_text("x", "library: rdma\njob: {bytes: 1 B}");
  const auto source = std::make_shared<const Source>(Source{"--set", "job.byts=2 B"});
  value.set("job.byts", Value::from_text("--set job.byts", "2 B"), Place{source, 1, 1});
  Fields job(*value.find("job"), "job");
  job.required("bytes");
  EXPECT_EQ(error_of([&] { job.finish(); }),
            "--set:1:5: job: unknown key 'byts'; did you mean 'bytes'? (known: bytes)\n"
            "  job.byts=2 B\n"
            "      ^");
}

TEST(Input, a_misspelt_required_key_is_named_and_not_the_missing_one) {
  const Value value = Value::from_text("x", "bandwith: 1 B/s\nother: 2");
  Fields fields(value, "link");
  EXPECT_EQ(error_of([&] { fields.required("bandwidth"); }),
            "x:1:1: link: unknown key 'bandwith'; did you mean 'bandwidth'?\n"
            "  bandwith: 1 B/s\n"
            "  ^");
  EXPECT_EQ(error_of([&] { fields.required("latency"); }).substr(0, 45),
            "x:1:1: link: the key 'latency' is missing\n  b");
}

TEST(Input, merge_goes_into_maps_and_replaces_everything_else) {
  Value value = Value::from_text("x", "a: {b: 1, c: [1, 2]}\nd: 4");
  value.merge(Value::from_text("y", "a: {c: [3], e: 5}\nd: {f: 6}"));
  EXPECT_EQ(value.find("a")->find("b")->scalar(), "1");
  EXPECT_EQ(value.find("a")->find("c")->items().size(), 1u);
  EXPECT_EQ(value.find("a")->find("e")->scalar(), "5");
  EXPECT_EQ(value.find("d")->find("f")->scalar(), "6");
}

TEST(Input, resolved_has_the_defaults_in_the_order_of_the_calls) {
  const Value value = Value::from_text("x", "c: 3\na: 1");
  Fields fields(value, "x");
  const Value& a = fields.required("a");
  const Value& b = fields.value_or("b", "2 us");
  for (int i = 0; i < 100; ++i) fields.value_or("more" + std::to_string(i), "0");
  fields.required("c");
  EXPECT_EQ(a.scalar(), "1");
  EXPECT_EQ(b.scalar(), "2 us");
  std::vector<std::string> keys;
  const Value resolved = fields.resolved();
  for (const auto& entry : resolved.entries()) keys.push_back(entry.key);
  keys.erase(keys.begin() + 2, keys.end() - 1);
  EXPECT_THAT(keys, ElementsAre("a", "b", "c"));
}

TEST(Input, a_default_may_be_a_list_or_a_map) {
  const Value value = Value::from_text("x", "{}");
  Fields fields(value, "x");
  EXPECT_EQ(fields.value_or("a", "[1, 2]").items().size(), 2u);
  EXPECT_EQ(fields.value_or("b", "{c: 1}").find("c")->scalar(), "1");
}

TEST(Input, a_suggestion_needs_one_near_name) {
  const std::vector<std::string> known = {"rack", "rice", "torus"};
  EXPECT_EQ(unknown_name("cluster", "rak", known),
            "unknown cluster 'rak'; did you mean 'rack'? (known: rack, rice, torus)");
  EXPECT_EQ(unknown_name("cluster", "moon", known),
            "unknown cluster 'moon' (known: rack, rice, torus)");
  const std::vector<std::string> twins = {"link0", "link1"};
  EXPECT_EQ(unknown_name("cable", "link2", twins), "unknown cable 'link2' (known: link0, link1)");
  EXPECT_EQ(unknown_name("cable", "x", {}), "unknown cable 'x'");
  const std::vector<std::string> words = {"run", "place", "openmpi_tcp"};
  EXPECT_TRUE(unknown_name("word", "rnu", words)
                  .starts_with("unknown word 'rnu'; did you mean "
                               "'run'?"));
  EXPECT_TRUE(unknown_name("word", "openmpi", words)
                  .starts_with("unknown word 'openmpi'; did you "
                               "mean 'openmpi_tcp'?"));
}

TEST(Input, a_path_is_relative_to_the_file_that_names_it) {
  const Value value = Value::from_text("some/where/x.yaml", "hostfile: h");
  EXPECT_EQ(path_from(value.place(), "h"), "some/where/h");
  EXPECT_EQ(path_from(value.place(), "/h"), "/h");
  EXPECT_EQ(path_from(Value::from_text("--set", "h").place(), "h"), "h");
}

TEST(Input, files_that_are_none_say_why) {
  EXPECT_EQ(error_of([] { Value::from_file("/no/such"); }),
            "/no/such: cannot be read: No such file or directory");
  EXPECT_EQ(error_of([] { Value::from_file(""); }), "the file '': has an empty name");
  EXPECT_EQ(error_of([] { Value::from_file("/tmp"); }), "/tmp: is a directory, expected a file");
  const std::string path = testing::TempDir() + "ringscope_empty.yaml";
  std::ofstream(path).close();
  EXPECT_EQ(error_of([&] { Value::from_file(path); }), path + ": is empty");
  std::ofstream(path) << "# only a comment\n";
  EXPECT_EQ(error_of([&] { Value::from_file(path); }), path + ": is empty");
}

TEST(Input, documents_that_would_grow_are_refused_early) {
  EXPECT_EQ(error_of([] { Value::from_text("x", std::string(1024 * 1024 + 1, ' ')); }),
            "x: is larger than 1 MiB");
  std::string lists;
  for (int i = 0; i < 200000; ++i) lists += "- ";
  EXPECT_THAT(error_of([&] { Value::from_text("x", lists); }),
              StartsWith("x:1:129: nested deeper than 64 levels"));
  EXPECT_THROW(Value::from_text("x", std::string(500000, '[')), InputError);
  EXPECT_THROW(Value::from_text("x", std::string(500000, '{')), InputError);
  std::string many;
  for (int i = 0; i < 5000; ++i) many += "k" + std::to_string(i) + ": 1\n";
  EXPECT_THAT(error_of([&] { Value::from_text("x", many); }),
              StartsWith("x:4097:1: more than 4096 keys in one map"));
}

TEST(Input, an_error_in_a_long_line_shows_the_part_around_it) {
  const std::string line = "a: [" + std::string(1000, ' ') + "&x 1]";
  const std::string error = error_of([&] { Value::from_text("x", line); });
  EXPECT_LT(error.size(), 300u);
  EXPECT_THAT(error, StartsWith("x:1:1005: anchors and aliases are not read here\n"));
}

}  // namespace
}  // namespace ringscope
