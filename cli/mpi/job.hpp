// SPDX-License-Identifier: LGPL-2.1-or-later
// Shared by every subcommand: options, starting MPI, and the document about this job.
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

#include "cli/replays/measuring.hpp"
#include "validation/executors/mpi/layout.hpp"

namespace ringscope::mpi {

struct JobOptions {
  std::string command;  ///< the whole command line
  std::string output = "-";
  std::string link_bandwidth, emulated;
  double timeout_s = 0;
};

/// -o, --link-bandwidth, --emulated, --timeout.
void add_job_options(Command& subcommand, JobOptions& options);

/// Starts MPI, with MPI_THREAD_MULTIPLE only where asked for: it costs every MPI call a lock.
/// Throws Failure where the library does not offer it, and where another MPI's launcher has started
/// this process.
void start_mpi(bool threads);

/// Checks before a long run: throws InputError for a rate that is none, Failure for an output file
/// that cannot be written.
void check(const JobOptions& options);

/// The name of every rank's host. Collective.
std::vector<std::string> hosts_of(MPI_Comm comm);

/// Provenance of this job. Collective over all its ranks.
Provenance provenance_of_job(const JobOptions& options);

// The subcommands of ringscope-mpi: one file and one line each.

// Each adds itself to the program and runs when it is parsed. It throws Failure or InputError.
// `command` is the whole command line, for the document.
AddSubcommand add_replay, add_probe, add_record;
inline constexpr AddSubcommand* subcommands[] = {add_replay, add_probe, add_record};

}  // namespace ringscope::mpi
