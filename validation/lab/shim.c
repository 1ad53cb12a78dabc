// SPDX-License-Identifier: LGPL-2.1-or-later
// Loaded into every rank of the lab (LD_PRELOAD). Many ranks share few cores there, and none of
// their hosts has a network of its own speed; both are made up for with sleeps:
//
//   RINGSCOPE_LAB_NAP_NS        a rank that finds nothing to do sleeps this long, where it would
//                               spin and take the core from those that have work
//   RINGSCOPE_LAB_NAP_POLLS     set: a poll that found nothing counts as finding nothing to do (for
//                               libraries that never yield)
//   RINGSCOPE_LAB_SEND_NS_PER_B, RINGSCOPE_LAB_RECV_NS_PER_B
//                               a thread that moves n bytes to or from another host is away for
//                               n times this long in all: a slow network stack on a core of its own
//
// What is slept for a byte counts as CPU time of its thread, in getrusage and the CPU clocks: on
// the core that is emulated it would be. Naps count as idle.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { NS_PER_S = 1000000000 };
static const double shortest_sleep_ns = 50e3;  // less costs more than it takes: it is added up
static const double longest_credit_ns = 1e6;   // of what an earlier sleep took too long

static double nap_ns, send_ns_per_byte, recv_ns_per_byte;
static bool nap_polls;
static _Thread_local double debt_ns;  // work that this thread has not slept for; below 0: a credit
static _Thread_local double charged_ns;
static _Thread_local bool woken_in_time;
static _Atomic long long all_charged_ns;

static double setting(const char* name) {
  const char* text = getenv(name);
  return text ? strtod(text, NULL) : 0;
}

__attribute__((constructor)) static void read_settings(void) {
  nap_ns = setting("RINGSCOPE_LAB_NAP_NS");
  send_ns_per_byte = setting("RINGSCOPE_LAB_SEND_NS_PER_B");
  recv_ns_per_byte = setting("RINGSCOPE_LAB_RECV_NS_PER_B");
  nap_polls = getenv("RINGSCOPE_LAB_NAP_POLLS") != NULL;
}

// `real` is the C library's function of that name. Found at the first call: constructors of other
// libraries may call before ours has run.
#define FIND_REAL(name)                    \
  static __typeof__(&name) real;           \
  if (!real) {                             \
    void* found = dlsym(RTLD_NEXT, #name); \
    memcpy(&real, &found, sizeof real);    \
  }

static double clock_now(clockid_t clock) {
  struct timespec now;
  FIND_REAL(clock_gettime)
  real(clock, &now);
  return (double)now.tv_sec * NS_PER_S + (double)now.tv_nsec;
}

static void sleep_until(double ns) {
  if (!woken_in_time) {
    prctl(PR_SET_TIMERSLACK, 1UL);  // the default adds 50 us
    woken_in_time = true;
  }
  const time_t seconds = (time_t)(ns / NS_PER_S);
  const struct timespec end = {seconds, (long)(ns - (double)seconds * NS_PER_S)};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL) == EINTR) continue;
}

static void nap(void) { sleep_until(clock_now(CLOCK_MONOTONIC) + nap_ns); }

// A connection whose two ends have one address stays on its host: the launcher's.
static bool leaves_the_host(int fd) {
  struct sockaddr_in here, there;
  socklen_t here_size = sizeof here, there_size = sizeof there;
  return getpeername(fd, (struct sockaddr*)&there, &there_size) == 0 &&
         there.sin_family == AF_INET && getsockname(fd, (struct sockaddr*)&here, &here_size) == 0 &&
         here.sin_addr.s_addr != there.sin_addr.s_addr;
}

// The call that moved `bytes` began at `start`. An error that the call left in errno stays there.
static void charge(int fd, ssize_t bytes, double ns_per_byte, double start) {
  const int error = errno;
  if (bytes > 0 && leaves_the_host(fd)) {
    const double before = clock_now(CLOCK_MONOTONIC);
    const double missing = (double)bytes * ns_per_byte - (before - start);
    if (missing > 0) {
      debt_ns += missing;
      charged_ns += missing;
      atomic_fetch_add(&all_charged_ns, (long long)missing);
    }
    if (debt_ns > shortest_sleep_ns) {
      sleep_until(before + debt_ns);
      debt_ns -= clock_now(CLOCK_MONOTONIC) - before;
      if (debt_ns < -longest_credit_ns) debt_ns = -longest_credit_ns;
    }
  }
  errno = error;
}

#define CHARGED(name, declared, passed, ns_per_byte) \
  ssize_t name declared {                            \
    FIND_REAL(name)                                  \
    if (ns_per_byte <= 0) return real passed;        \
    const double start = clock_now(CLOCK_MONOTONIC); \
    const ssize_t bytes = real passed;               \
    charge(fd, bytes, ns_per_byte, start);           \
    return bytes;                                    \
  }

CHARGED(write, (int fd, const void* data, size_t size), (fd, data, size), send_ns_per_byte)
CHARGED(writev, (int fd, const struct iovec* parts, int count), (fd, parts, count),
        send_ns_per_byte)
CHARGED(send, (int fd, const void* data, size_t size, int flags), (fd, data, size, flags),
        send_ns_per_byte)
CHARGED(sendto,
        (int fd, const void* data, size_t size, int flags, __CONST_SOCKADDR_ARG to,
         socklen_t to_size),
        (fd, data, size, flags, to, to_size), send_ns_per_byte)
CHARGED(sendmsg, (int fd, const struct msghdr* message, int flags), (fd, message, flags),
        send_ns_per_byte)
CHARGED(read, (int fd, void* data, size_t size), (fd, data, size), recv_ns_per_byte)
CHARGED(readv, (int fd, const struct iovec* parts, int count), (fd, parts, count), recv_ns_per_byte)
CHARGED(recv, (int fd, void* data, size_t size, int flags), (fd, data, size, flags),
        recv_ns_per_byte)
CHARGED(recvfrom,
        (int fd, void* data, size_t size, int flags, __SOCKADDR_ARG from, socklen_t* from_size),
        (fd, data, size, flags, from, from_size), recv_ns_per_byte)
CHARGED(recvmsg, (int fd, struct msghdr* message, int flags), (fd, message, flags),
        recv_ns_per_byte)

int sched_yield(void) {
  FIND_REAL(sched_yield)
  if (nap_ns <= 0) return real();
  nap();
  return 0;
}

int epoll_wait(int fd, struct epoll_event* events, int count, int timeout) {
  FIND_REAL(epoll_wait)
  const int ready = real(fd, events, count, timeout);
  if (ready == 0 && timeout == 0 && nap_polls && nap_ns > 0) nap();
  return ready;
}

int poll(struct pollfd* fds, nfds_t count, int timeout) {
  FIND_REAL(poll)
  const int ready = real(fds, count, timeout);
  if (ready == 0 && timeout == 0 && nap_polls && nap_ns > 0) nap();
  return ready;
}

int clock_gettime(clockid_t clock, struct timespec* now) {
  FIND_REAL(clock_gettime)
  const int result = real(clock, now);
  long long charged = 0;
  if (clock == CLOCK_PROCESS_CPUTIME_ID) charged = atomic_load(&all_charged_ns);
  if (clock == CLOCK_THREAD_CPUTIME_ID) charged = (long long)charged_ns;
  if (result != 0 || charged == 0) return result;
  charged += now->tv_nsec;
  now->tv_sec += (time_t)(charged / NS_PER_S);
  now->tv_nsec = (long)(charged % NS_PER_S);
  return result;
}

int getrusage(__rusage_who_t who, struct rusage* usage) {
  FIND_REAL(getrusage)
  const int result = real(who, usage);
  long long charged = 0;
  if (who == RUSAGE_SELF) charged = atomic_load(&all_charged_ns);
  if (who == RUSAGE_THREAD) charged = (long long)charged_ns;
  if (result != 0 || charged == 0) return result;
  charged = charged / 1000 + usage->ru_stime.tv_usec;
  usage->ru_stime.tv_sec += (time_t)(charged / 1000000);
  usage->ru_stime.tv_usec = (suseconds_t)(charged % 1000000);
  return result;
}
