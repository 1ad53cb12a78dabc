// SPDX-License-Identifier: LGPL-2.1-or-later
// Reports made by hand, for the tests of everything that prints, writes or reads one.
#pragma once

#include "scenarios/answer/report.hpp"

namespace ringscope {

/// Two ranks on two hosts. Times are sums of negative powers of two, exact in every step.
inline Report sample_report() {
  Report r;
  r.name = "lesson 4-2-2";
  r.collective = "allreduce";
  r.algorithm = "ring";
  r.placement = "1-1";
  r.library = "ideal";
  r.cluster = "two_hosts";
  r.ranks = 2;
  r.bytes = 64 << 20;
  r.seed = 1;
  r.time_s = 0.5;
  r.times_s = {0.5};
  r.algbw = 134217728;
  r.busbw = 134217728;
  r.messages = 4;
  r.bytes_on_wire = 128 << 20;
  r.bytes_between_hosts = 128 << 20;
  r.rank_reports = {{0, "host0", 0, 0.5, {0, 0.125, 0, 0, 0.25, 0.125, 0}, {}},
                    {1, "host1", 0, 0.4375, {0, 0.125, 0.25, 0, 0, 0.0625, 0.0625}, {}}};
  r.rank_reports[0].waited_for[static_cast<std::size_t>(Cause::wire)] = 0.25;
  r.rank_reports[0].waited_for[static_cast<std::size_t>(Cause::progress)] = 0.125;
  r.rank_reports[1].waited_for[static_cast<std::size_t>(Cause::wire)] = 0.0625;
  r.phases = {{"reduce-scatter", 0, 0.25}, {"allgather", 0.25, 0.5}};
  r.resources = {{{"host0/nic0->switch"}, ResourceKind::link, 0.875},
                 {{"host1/core0", 1}, ResourceKind::core, 0.5}};
  r.path = {{Cause::wire, -1, {"host0/nic0->switch"}, 0.375},
            {Cause::reduce, 1, {"host1/core0", 1}, 0.0625},
            {Cause::progress, 0, {}, 0.0625}};
  r.kernel = "simgrid";
  r.wall_s = 0.1;
  r.peak_rss_bytes = 1 << 20;
  r.resolved =
      Value::from_text("sample", "{question: \"How long?\", job: {seed: 1, bytes: 64 MiB}}");
  return r;
}

/// Report with everything that only some jobs have.
inline Report full_report() {
  Report r = sample_report();
  r.skipped_s = 0.25;
  r.tolerance = 0.001;
  r.skipped_messages = 6;
  r.skipped_repetitions = 2;
  r.simulated_ranks = 2;
  r.uneven = 0.0009765625;
  r.file_bytes_between_hosts = 4096;
  r.not_folded = "some ranks are stragglers";
  r.observations = {{"staleness", 4, 0.75, 0, 1, 1, 1, 0.125, 0.25, {{0, 1}, {1, 3}}}};
  r.neighbours = {{"bulk", "broadcast", "flat", "0-0-2", 2, 64, 3, 0.25, 0.75}};
  r.training = TrainingReport{.model = "resnet50",
                              .devices = 2,
                              .batch = 64,
                              .steps = 2,
                              .replica = 2,
                              .one_device_s = 0.125,
                              .step_s = 0.25,
                              .forward_backward_s = 0.125,
                              .busy_s = 0.078125,
                              .slowest_s = 0.015625,
                              .exposed_s = 0.0625,
                              .exposed = {.tp = 0.015625, .pp = 0.015625, .dp = 0.03125},
                              .bubble_s = 0.03125,
                              .input_s = 0.03125,
                              .host = HostWork{0.0078125, 0.0078125, 0.0078125, 0.0078125},
                              .records_per_s = 512,
                              .efficiency = 0.5,
                              .epochs = 0.5,
                              .epoch_s = 0.5,
                              .groups = {{"pipeline", 0.0625, 0.03125}},
                              .memory = StageMemory{1, 64, 64, 384, 32},
                              .startup_s = 0.03125,
                              .all_epochs = 4,
                              .training_s = 2.03125};
  r.samples = {{"host0/gpu0", {77, 22}}, {"host0", {1300, 0}}};
  r.streams = {{"main", 2, {{"computing", 0.125, 0.0625, 0.25}, {"idle", 0.375, 0.25, 0.4375}}},
               {"comm", 1, {{"exchanging in dp groups", 0.5, 0.5, 0.5}}}};
  r.trace_nodes = {{"COMP_NODE", "computation", 12, false},
                   {"node of type 42", "order alone: not understood", 1, true}};
  for (RankReport& rank : r.rank_reports) rank.groups = {{"pipeline", 0.0625, 0.03125}};
  return r;
}

/// The same job, held up for a third of a second by the core of rank 1.
inline Report slower_report() {
  Report r = sample_report();
  r.name = "lesson 4-3-1";
  r.time_s = 0.875;
  r.times_s = {0.875};
  r.algbw = r.busbw = static_cast<double>(r.bytes) / r.time_s;
  r.path = {{Cause::copy, 1, {"host1/core0", 1}, 0.4375},
            {Cause::wire, -1, {"host0/nic0->switch"}, 0.3125},
            {Cause::reduce, 1, {"host1/core0", 1}, 0.0625},
            {Cause::progress, 0, {}, 0.0625}};
  return r;
}

/// Report with two spans of rank 0: one inside a phase with a peer, one outside with none.
inline Report report_with_spans() {
  Report r = sample_report();
  r.name = "a, \"quoted\" case";
  r.spans = {{0, RankActivity::in_send, 0, 0, 1, 0, 0.25, Cause::partner},
             {0, RankActivity::compute, -1, 0, -1, 0.25, 1.0 / 3, {}},
             {1, RankActivity::idle, -1, 0, -1, 0.4375, 0.5, {}}};
  return r;
}

/// Both ranks send first, above the eager limit.
inline Report stuck_report() {
  Report r = report_with_spans();
  r.name = "stuck";
  r.deadlock = Deadlock{"deadlock at 0.5 s: rank 0 waits for rank 1; rank 1 waits for rank 0",
                        {{0, "waits for rank 1", {1}}, {1, "waits for rank 0", {0}}},
                        {0, 1}};
  return r;
}

}  // namespace ringscope
