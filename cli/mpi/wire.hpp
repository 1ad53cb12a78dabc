// A socket to another process of this host, written and read without waiting.
#pragma once

#include <chrono>
#include <string>

#include "sim/studies/crew_frame.hpp"

namespace ringscope::mpi {

class Wire {
 public:
  explicit Wire(int socket) : socket_(socket) {}
  ~Wire();
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;

  void send(const CrewFrame& frame) { outgoing_ += to_bytes(frame); }
  std::optional<CrewFrame> receive() { return incoming_.next(); }
  /// Moves what can be moved; waits for something to read at most `patience`. False at the end.
  bool go_on(std::chrono::milliseconds patience);

 private:
  int socket_;
  FrameStream incoming_;
  std::string outgoing_;
};

}  // namespace ringscope::mpi
