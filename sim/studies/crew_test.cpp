// Do tasks and answers arrive, and is it noticed when the other end does not behave?
#include "sim/studies/crew.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include "scenarios/answer/formats/report_formats.hpp"
#include "sim/studies/evaluator.hpp"
#include "sim/studies/key.hpp"
#include "sim/studies/study_for_test.hpp"

namespace ringscope {
namespace {

using namespace std::chrono_literals;
using Kind = CrewFrame::Kind;

class CrewTest : public testing::Test {
 protected:
  CrewTest() {
    int ends[2];
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    crew = std::make_unique<Crew>(ends[0]);
    other_end = ends[1];
  }
  ~CrewTest() override {
    if (other_end >= 0) ::close(other_end);
  }

  void say(int rank, Kind kind, const std::string& payload) const {
    const std::string bytes = to_bytes({rank, kind, payload});
    EXPECT_EQ(::write(other_end, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }
  void hello(int rank, const std::string& version = model_version()) const {
    std::string payload;
    Json::to_msgpack(Json{1, version}, payload);
    say(rank, Kind::hello, payload);
  }
  /// Frames that the crew has sent.
  std::vector<CrewFrame> heard() {
    char bytes[65536];
    const ssize_t count = ::recv(other_end, bytes, sizeof bytes, MSG_DONTWAIT);
    if (count > 0) frames.append({bytes, static_cast<std::size_t>(count)});
    std::vector<CrewFrame> all;
    while (auto frame = frames.next()) all.push_back(std::move(*frame));
    return all;
  }

  std::unique_ptr<Crew> crew;
  int other_end = -1;
  FrameStream frames;
};

TEST(CrewFrame, is_found_in_a_stream_however_it_is_cut) {
  const std::string bytes = to_bytes({3, Kind::task, "one"}) + to_bytes({4, Kind::answer, ""});
  FrameStream stream;
  std::vector<CrewFrame> found;
  for (const char byte : bytes) {
    stream.append({&byte, 1});
    while (auto frame = stream.next()) found.push_back(std::move(*frame));
  }
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].rank, 3);
  EXPECT_EQ(found[0].payload, "one");
  EXPECT_EQ(found[1].kind, Kind::answer);
}

TEST(CrewFrame, brings_a_scenario_that_has_the_same_outcome) {
  TaskReader reader;
  const std::vector<std::string> placements = {
      "placement: 2-1", "placement: {hosts: 1-1, bind: host, memory: interleave}",
      "placement: 2\nstorage: {bandwidth: 1 GB/s, host: 1}",
      "placement: 1-1\nneighbours: {x: {placement: 1-1, repeat: 2, job: {collective: broadcast, "
      "algorithm: flat, bytes: 1 MiB}}}"};
  for (const std::string& more : placements) {
    const Scenario scenario = small_scenario(64, more);
    const std::string task = pack_task(7, scenario, false);
    EXPECT_EQ(TaskReader::task_of(task), 7U);
    EXPECT_FALSE(TaskReader::skips(task));
    EXPECT_TRUE(TaskReader::skips(pack_task(7, scenario, true)));
    const Scenario brought = reader.scenario_of(task);
    EXPECT_EQ(scenario_key(brought, "fluid"), scenario_key(scenario, "fluid")) << more;
    const Outcome outcome = simulated_outcome(scenario, "fluid", true);
    EXPECT_EQ(simulated_outcome(brought, "fluid", true), outcome) << more;
    EXPECT_EQ(unpack_answer(pack_answer(7, outcome)).outcome, outcome);
  }
  EXPECT_EQ(unpack_answer(pack_answer(7, {})).outcome, std::nullopt);
}

TEST_F(CrewTest, hands_out_nothing_while_nobody_has_come) {
  EXPECT_FALSE(crew->has_room());
  EXPECT_FALSE(crew->hand_out(1, small_scenario(1), true));
}

TEST_F(CrewTest, gives_no_worker_more_than_it_has_room_for_or_the_same_twice) {
  hello(1);
  EXPECT_TRUE(crew->answers(100ms).empty());
  EXPECT_EQ(crew->workers(), 1);
  EXPECT_TRUE(crew->hand_out(1, small_scenario(1), true));
  EXPECT_FALSE(crew->hand_out(1, small_scenario(1), true));
  EXPECT_TRUE(crew->hand_out(2, small_scenario(2), true));
  EXPECT_FALSE(crew->has_room());
  EXPECT_EQ(heard().size(), 2U);
}

TEST_F(CrewTest, gives_back_the_tasks_of_a_worker_that_died_and_takes_it_back) {
  hello(1);
  crew->answers(100ms);
  crew->hand_out(5, small_scenario(1), true);
  say(1, Kind::died, "");
  const auto answers = crew->answers(100ms);
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0].task, 5U);
  EXPECT_FALSE(answers[0].outcome);
  EXPECT_EQ(crew->workers(), 0);
  hello(1);
  crew->answers(100ms);
  EXPECT_EQ(crew->workers(), 1);
}

TEST_F(CrewTest, gives_back_all_tasks_when_the_socket_breaks) {
  hello(1);
  hello(2);
  crew->answers(100ms);
  crew->hand_out(5, small_scenario(1), true);
  crew->hand_out(6, small_scenario(2), true);
  heard();
  ::close(std::exchange(other_end, -1));
  EXPECT_EQ(crew->answers(100ms).size(), 2U);
  EXPECT_EQ(crew->workers(), 0);
}

TEST_F(CrewTest, leaves_alone_workers_of_another_model_and_names_both) {
  EXPECT_EQ(crew->strangers(), "");
  hello(1, "another");
  hello(2, "a third");
  crew->answers(100ms);
  EXPECT_EQ(crew->workers(), 0);
  EXPECT_EQ(crew->strangers(),
            "process 1 takes no part, nor does 1 other: it was built from other sources, and its "
            "answers would be other ones; it is another, this is " +
                model_version());
}

}  // namespace
}  // namespace ringscope
