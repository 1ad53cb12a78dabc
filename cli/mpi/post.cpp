#include "cli/mpi/post.hpp"

#include <algorithm>

namespace ringscope::mpi {
namespace {

constexpr int tag = 1;
constexpr std::size_t longest = 1 << 24;

}  // namespace

Post::Post() { MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN); }

void Post::send(int rank, const std::string& bytes) {
  boxes_[rank].waiting += bytes;
  go_on();
}

void Post::go_on() {
  for (auto& [rank, box] : boxes_) {
    int done = 1;
    if (box.request != MPI_REQUEST_NULL) MPI_Test(&box.request, &done, MPI_STATUS_IGNORE);
    if (done == 0 || box.waiting.empty() || box.waiting.size() > longest) continue;
    box.sending.swap(box.waiting);
    box.waiting.clear();
    MPI_Isend(box.sending.data(), static_cast<int>(box.sending.size()), MPI_CHAR, rank, tag,
              MPI_COMM_WORLD, &box.request);
  }
}

bool Post::empty() const {
  return std::all_of(boxes_.begin(), boxes_.end(), [](const auto& one) {
    return one.second.waiting.empty() && one.second.request == MPI_REQUEST_NULL;
  });
}

std::optional<Post::Letter> Post::receive() {
  int there = 0;
  MPI_Status status;
  if (MPI_Iprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &there, &status) != MPI_SUCCESS || there == 0)
    return {};
  int count = 0;
  MPI_Get_count(&status, MPI_CHAR, &count);
  Letter letter{status.MPI_SOURCE, std::string(static_cast<std::size_t>(count), '\0')};
  const int code = MPI_Recv(letter.bytes.data(), count, MPI_CHAR, letter.from, tag, MPI_COMM_WORLD,
                            MPI_STATUS_IGNORE);
  if (code != MPI_SUCCESS) return {};
  return letter;
}

}  // namespace ringscope::mpi
