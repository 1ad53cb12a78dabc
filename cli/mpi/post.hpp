// Letters between the processes of an MPI job, of which some may be dead.
#pragma once

#include <mpi.h>

#include <map>
#include <optional>
#include <string>

namespace ringscope::mpi {

/// Never blocks and never fails: messages to a dead process wait for ever. One thread.
class Post {
 public:
  Post();

  void send(int rank, const std::string& bytes);
  struct Letter {
    int from = 0;
    std::string bytes;
  };
  std::optional<Letter> receive();
  void go_on();        ///< with what was not sent yet
  bool empty() const;  ///< all was sent

 private:
  struct Box {
    std::string waiting, sending;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  std::map<int, Box> boxes_;
};

}  // namespace ringscope::mpi
