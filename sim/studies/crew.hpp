// Workers at the other end of a socket: as many as come, for as long as they live.
#pragma once

#include <map>
#include <set>

#include "sim/studies/crew_frame.hpp"
#include "sim/studies/remote_workers.hpp"

namespace ringscope {

/// Reads and writes frames. A worker of another model gets nothing to do. Where the socket breaks
/// all workers have died; nothing is thrown, as there always are threads here too.
class Crew final : public RemoteWorkers {
 public:
  explicit Crew(int socket);  ///< closed in the end
  ~Crew() override;
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  bool has_room() const override;
  bool hand_out(std::uint64_t task, const Scenario& scenario, bool skip) override;
  std::vector<RemoteAnswer> answers(std::chrono::milliseconds patience) override;
  int workers() const override { return static_cast<int>(workers_.size()); }
  int threads() const override;
  std::string strangers() const override;

 private:
  using Clock = std::chrono::steady_clock;
  struct Worker {
    int threads = 1;
    std::size_t room = 1;  ///< tasks that it may have: for about a tenth of a second
    std::set<std::uint64_t> tasks;
    std::size_t answered = 0;  ///< since `since`
    Clock::time_point since;
  };

  bool write_some();
  bool read_some();
  void take(const CrewFrame& frame, std::vector<RemoteAnswer>& answers);
  void forget(int rank, std::vector<RemoteAnswer>& answers);
  void break_off();
  static void adapt(Worker& worker);

  int socket_;
  bool broken_ = false;
  std::map<int, Worker> workers_;         ///< by rank
  std::map<int, std::string> strangers_;  ///< by rank, their versions
  FrameStream incoming_;
  std::string outgoing_;
};

}  // namespace ringscope
