// SPDX-License-Identifier: LGPL-2.1-or-later
// Recorder of one process: the file that its calls go to, and the clock between them. It is loaded
// into programs of others (LD_PRELOAD) and never calls MPI_ functions, only PMPI_ ones, and
// the library's own of those that it stands in the place of.
#pragma once

#include <mpi.h>

#include <boost/preprocessor/punctuation/comma_if.hpp>
#include <boost/preprocessor/repetition/enum.hpp>
#include <boost/preprocessor/repetition/enum_params.hpp>
#include <boost/preprocessor/seq/for_each_i.hpp>
#include <boost/preprocessor/tuple/to_seq.hpp>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>

namespace ringscope::record {

// Fortran's calls come by ways of their own. Open MPI's Fortran libraries call PMPI_Send, by its
// name for profilers, where a C program calls MPI_Send; so does MPICH's mpi_f08 for calls without
// buffers (PMPI_Waitall), and MPICH's others call MPI_Send. All have turned handles, statuses and
// special addresses (MPI_IN_PLACE, MPI_BOTTOM) into C's by then. So the recorder stands in the
// place of both names, and finds the library's own function behind itself.

/// The next function of this name behind the recorder's own. Ends the program where there is none.
void* behind_recorder(const char* name);

/// One file, calls.RANK, whose form is told in calls.md. Buffered: written when the buffer is full,
/// when it is older than a moment, and at the end.
class Recorder {
 public:
  /// Opens the file and writes its head; does nothing where RINGSCOPE_RECORD names no folder. Ends
  /// the program where the file cannot be made: a run without its record is of no use.
  void begin();
  bool is_on() const { return file_ >= 0; }
  void write(std::string_view line);
  /// Writes what the buffer holds, unless another thread is at it.
  void flush();
  void end();

  /// Guards the recorder and its tables: programs may call from several threads.
  std::recursive_mutex mutex;

 private:
  void put();
  int file_ = -1;
  double written_s_ = 0;
  std::string buffer_;
};

/// Never destroyed: other libraries' destructors may still call.
Recorder& recorder();

/// Clock of what a call takes, in seconds.
double wall_s();

/// One call of MPI's: begins with its construction, ends with over(), and becomes a line when it
/// goes out of scope. A call inside another one, of the library itself, is none.
class Call {
 public:
  explicit Call(std::string_view name);
  Call& operator=(Call&&) = delete;  ///< neither copied nor moved
  ~Call();

  /// The call has returned `result`; a failed one leaves no line.
  int over(int result);
  /// True where a line will be written: only then fields are worth their cost.
  bool counts() const { return counts_; }
  /// It asked in vain, as MPI_Test may: counted with its like (the line "poll").
  void in_vain() { in_vain_ = true; }

  void number(std::string_view key, std::int64_t value);
  void word(std::string_view key, std::string_view value);
  /// A rank of the communicator; "none" and "any" for MPI's special ones.
  void rank(std::string_view key, int value);
  /// "any", or the tag.
  void tag(std::string_view key, int value);
  void bytes(std::string_view key, std::int64_t count, MPI_Datatype type);
  void communicator(MPI_Comm comm);

 private:
  bool outermost_ = false, counts_ = false, in_vain_ = false;
  double began_s_ = 0, took_s_ = 0, gap_s_ = 0;
  std::string text_;
};

std::int64_t bytes_of(std::int64_t count, MPI_Datatype type);
/// As Call::rank writes it.
std::string rank_text(int rank);

/// Never defined: its type is that of the function's parameter of this number.
template <std::size_t number, typename... Parameters>
std::tuple_element_t<number, std::tuple<Parameters...>> parameter_of(int (*)(Parameters...));

}  // namespace ringscope::record

/// The library's function MPI_`function`, found once.
#define LIBRARY(function)                                                    \
  ([] {                                                                      \
    static const auto behind = reinterpret_cast<decltype(&PMPI_##function)>( \
        ringscope::record::behind_recorder("PMPI_" #function));              \
    return behind;                                                           \
  }())

/// Behind the definition of MPI_`function`: it is PMPI_`function`, too.
#define ALSO_AS_PMPI(function)                       \
  extern "C" __attribute__((alias("MPI_" #function), \
                            visibility("default"))) decltype(PMPI_##function) PMPI_##function;

/// The `count` parameters of MPI_`function` as mpi.h declares them, and the same passed on: a0, a1,
/// and so on.
#define PARAMETERS(function, count) (BOOST_PP_ENUM(count, PARAMETER, PMPI_##function))
#define PARAMETER(unused, number, function) \
  decltype(ringscope::record::parameter_of<number>(function)) a##number
#define PASSED(count) (BOOST_PP_ENUM_PARAMS(count, a))

/// The parameters of MPI_`function` by these names.
#define NAMED(function, names) \
  (BOOST_PP_SEQ_FOR_EACH_I(NAMED_PARAMETER, PMPI_##function, BOOST_PP_TUPLE_TO_SEQ(names)))
#define NAMED_PARAMETER(unused, function, number, name) \
  BOOST_PP_COMMA_IF(number) decltype(ringscope::record::parameter_of<number>(function)) name
