#include "cli/mpi/wire.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

namespace ringscope::mpi {

Wire::~Wire() { ::close(socket_); }

bool Wire::go_on(std::chrono::milliseconds patience) {
  const short wanted = static_cast<short>(outgoing_.empty() ? POLLIN : POLLIN | POLLOUT);
  pollfd polled{socket_, wanted, 0};
  ::poll(&polled, 1, static_cast<int>(patience.count()));
  while (!outgoing_.empty()) {
    const ssize_t count =
        ::send(socket_, outgoing_.data(), outgoing_.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) break;
    if (count < 0) return false;
    outgoing_.erase(0, static_cast<std::size_t>(count));
  }
  char bytes[65536];
  const ssize_t count = ::recv(socket_, bytes, sizeof bytes, MSG_DONTWAIT);
  if (count < 0) return errno == EAGAIN || errno == EINTR;
  incoming_.append({bytes, static_cast<std::size_t>(count)});
  return count > 0;
}

}  // namespace ringscope::mpi
