// The inputs of broken_input_test.cpp, each with its exact message.
#pragma once

#include <string>
#include <vector>

namespace ringscope {

/// The good scenario with one thing wrong.
struct Broken {
  std::string name;
  std::string right, wrong;  ///< the text to replace, and by what
  std::vector<std::string> changes;
  std::string message;
};

// clang-format off
inline std::vector<Broken> broken_inputs() {
  return {
      {"a_missing_question",
       R"(question: How long?
)",
       "",
       {},
       R"(x.yaml:1:1: a scenario: the key 'question' is missing
  cluster: rack
  ^)"},
      {"an_empty_question",
       "question: How long?",
       R"(question: "")",
       {},
       R"(x.yaml:1:11: expected a text, got ""
  question: ""
            ^)"},
      {"a_missing_cluster",
       R"(cluster: rack
)",
       "",
       {},
       R"(x.yaml:1:1: a scenario: the key 'cluster' is missing
  question: How long?
  ^)"},
      {"a_missing_library",
       R"(library: plain
)",
       "",
       {},
       R"(x.yaml:1:1: a scenario: the key 'library' is missing
  question: How long?
  ^)"},
      {"a_missing_placement",
       R"(placement: 1-1
)",
       "",
       {},
       R"(x.yaml:1:1: a scenario: the key 'placement' is missing
  question: How long?
  ^)"},
      {"a_missing_job",
       R"(job:
  collective: allreduce
  algorithm: ring
  bytes: 1 MiB
)",
       "",
       {},
       R"(x.yaml:1:1: a scenario: the key 'job' is missing
  question: How long?
  ^)"},
      {"a_misspelt_key",
       "library: plain",
       "libary: plain",
       {},
       R"(x.yaml:3:1: a scenario: unknown key 'libary'; did you mean 'library'? (known: question, cluster, library, placement, job, cases)
  libary: plain
  ^)"},
      {"a_key_twice",
       "placement: 1-1",
       R"(placement: 1-1
placement: 2-2)",
       {},
       R"(x.yaml:5:1: the key 'placement' stands twice, first on line 4
  placement: 2-2
  ^)"},
      {"an_unknown_key",
       "question: How long?",
       R"(question: How long?
seed: 3)",
       {},
       R"(x.yaml:2:1: a scenario: unknown key 'seed' (known: question, cluster, library, placement, job, cases)
  seed: 3
  ^)"},
      {"a_list_for_a_scenario",
       R"(question: How long?
cluster: rack
library: plain
placement: 1-1
job:
  collective: allreduce
  algorithm: ring
  bytes: 1 MiB
)",
       R"(- a
- b
)",
       {},
       R"(x.yaml:1:1: a scenario: expected a map of keys and values
  - a
  ^)"},
      {"a_text_for_a_scenario",
       R"(question: How long?
cluster: rack
library: plain
placement: 1-1
job:
  collective: allreduce
  algorithm: ring
  bytes: 1 MiB
)",
       R"(hello
)",
       {},
       R"(x.yaml:1:1: a scenario: expected a map of keys and values
  hello
  ^)"},
      {"a_file_with_nothing_in_it",
       R"(question: How long?
cluster: rack
library: plain
placement: 1-1
job:
  collective: allreduce
  algorithm: ring
  bytes: 1 MiB
)",
       "",
       {},
       R"(x.yaml: is empty)"},
      {"broken_yaml",
       "placement: 1-1",
       "placement: [1-1",
       {},
       R"(x.yaml:5:4: not valid YAML: end of sequence flow not found
  job:
     ^)"},
      {"an_unknown_cluster",
       "cluster: rack",
       "cluster: rak",
       {},
       R"(x.yaml:2:10: unknown cluster 'rak'; did you mean 'rack'? (known: rack)
  cluster: rak
           ^)"},
      {"an_unknown_library",
       "library: plain",
       "library: palin",
       {},
       R"(x.yaml:3:10: unknown library 'palin'; did you mean 'plain'? (known: circle, costly, plain)
  library: palin
           ^)"},
      {"a_library_that_is_a_list",
       "library: plain",
       "library: [plain]",
       {},
       R"(x.yaml:3:10: expected the name of a library, or a map
  library: [plain]
           ^)"},
      {"a_library_file_that_is_not_there",
       "library: plain",
       "library: ./none.yaml",
       {},
       R"(x.yaml:3:10: no file is at './none.yaml'
  library: ./none.yaml
           ^)"},
      {"a_library_that_is_its_own_base",
       "library: plain",
       "library: circle",
       {},
       R"(scenarios/libraries/circle.yaml:1:7: library 'circle' is its own base
  base: circle
        ^)"},
      {"an_unknown_base",
       "library: plain",
       "library: {base: plane}",
       {},
       R"(x.yaml:3:17: unknown library 'plane'; did you mean 'plain'? (known: circle, costly, plain)
  library: {base: plane}
                  ^)"},
      {"a_library_without_its_ways",
       "library: plain",
       "library: {progress: caller}",
       {},
       R"(x.yaml:3:10: library: the key 'self' is missing
  library: {progress: caller}
           ^)"},
      {"an_unknown_key_of_a_library",
       "library: plain",
       "library: {base: plain, endpoint: 2}",
       {},
       R"(x.yaml:3:24: library: unknown key 'endpoint'; did you mean 'endpoints'? (known: base, name, about, progress, progress_core, endpoints, reduce_cost, copy_cost, self, shm, network)
  library: {base: plain, endpoint: 2}
                         ^)"},
      {"an_unknown_key_of_a_transport",
       "library: plain",
       "library: {base: plain, network: {sendcost: 1 ns/B}}",
       {},
       R"(x.yaml:3:34: library.network: unknown key 'sendcost'; did you mean 'send_cost'? (known: latency, send_overhead, recv_overhead, send_cost, recv_cost, unexpected_cost, eager_limit, buffer, driver)
  library: {base: plain, network: {sendcost: 1 ns/B}}
                                   ^)"},
      {"an_unknown_driver",
       "library: plain",
       "library: {base: plain, network: {driver: nick}}",
       {},
       R"(x.yaml:3:42: unknown driver 'nick'; did you mean 'nic'? (known: caller, receiver, nic)
  library: {base: plain, network: {driver: nick}}
                                           ^)"},
      {"a_receiver_that_drives_the_network",
       "library: plain",
       "library: {base: costly, network: {driver: receiver}}",
       {},
       R"(x.yaml:3:43: library.network: only shm can have the driver 'receiver'
  library: {base: costly, network: {driver: receiver}}
                                            ^)"},
      {"progress_by_a_nic_that_does_not_drive",
       "library: plain",
       "library: {base: plain, network: {driver: caller}}",
       {},
       R"(scenarios/libraries/plain.yaml:2:11: a NIC that makes progress moves the data too: set library.network.driver to 'nic'
  progress: nic
            ^)"},
      {"a_cost_without_a_unit",
       "library: plain",
       "library: {base: plain, network: {send_cost: 8}}",
       {},
       R"(x.yaml:3:45: expected a cost per byte such as "0.8 ns/B", got "8", which has no unit
  library: {base: plain, network: {send_cost: 8}}
                                              ^)"},
      {"a_negative_latency",
       "library: plain",
       "library: {base: plain, network: {latency: -1 us}}",
       {},
       R"(x.yaml:3:43: expected a time such as "1.5 us", got "-1 us", which is negative
  library: {base: plain, network: {latency: -1 us}}
                                            ^)"},
      {"no_endpoint_at_all",
       "library: plain",
       "library: {base: plain, endpoints: 0}",
       {},
       R"(x.yaml:3:35: expected a whole number from 1 to 1024, got "0"
  library: {base: plain, endpoints: 0}
                                    ^)"},
      {"an_unknown_progress_core",
       "library: plain",
       "library: {base: plain, progress_core: own}",
       {},
       R"(x.yaml:3:39: unknown progress core 'own' (known: spare, shared)
  library: {base: plain, progress_core: own}
                                        ^)"},
      {"a_placement_of_too_many_hosts",
       "placement: 1-1",
       "placement: 1-1-1-1",
       {},
       R"(x.yaml:4:12: the placement names more hosts than the cluster's 3
  placement: 1-1-1-1
             ^)"},
      {"a_placement_of_words",
       "placement: 1-1",
       "placement: one-one",
       {},
       R"(x.yaml:4:12: expected ranks per host such as "4-3-1", got "one-one"
  placement: one-one
             ^)"},
      {"too_few_ranks_for_the_algorithm",
       R"(placement: 1-1
job:
  collective: allreduce
  algorithm: ring)",
       R"(placement: 1
job:
  collective: pingpong
  algorithm: blocking)",
       {},
       R"(x.yaml:4:12: the pingpong blocking needs at least 2 ranks, got 1
  placement: 1
             ^)"},
      {"a_job_that_is_a_text",
       R"(  collective: allreduce
  algorithm: ring
  bytes: 1 MiB
)",
       R"(  ring
)",
       {},
       R"(x.yaml:6:3: job: expected a map of keys and values, got a text
    ring
    ^)"},
      {"a_missing_collective",
       R"(  collective: allreduce
)",
       "",
       {},
       R"(x.yaml:6:3: job: the key 'collective' is missing
    algorithm: ring
    ^)"},
      {"an_unknown_collective",
       "allreduce",
       "alreduce",
       {},
       R"(x.yaml:6:15: unknown collective 'alreduce'; did you mean 'allreduce'? (known: ...)
    collective: alreduce
                ^)"},
      {"an_unknown_algorithm",
       "algorithm: ring",
       "algorithm: rign",
       {},
       R"(x.yaml:7:14: unknown algorithm of allreduce 'rign' (known: ...)
    algorithm: rign
               ^)"},
      {"missing_bytes",
       R"(  bytes: 1 MiB
)",
       "",
       {},
       R"(x.yaml:6:3: job: the key 'bytes' is missing
    collective: allreduce
    ^)"},
      {"bytes_without_a_unit",
       "bytes: 1 MiB",
       "bytes: 1024",
       {},
       R"(x.yaml:8:10: expected a whole number of bytes such as "64 MiB", got "1024", which has no unit
    bytes: 1024
           ^)"},
      {"a_bandwidth_for_bytes",
       "bytes: 1 MiB",
       "bytes: 1 MiB/s",
       {},
       R"(x.yaml:8:10: expected a whole number of bytes such as "64 MiB", got "1 MiB/s"
    bytes: 1 MiB/s
           ^)"},
      {"no_bytes_to_reduce",
       "bytes: 1 MiB",
       "bytes: 0 B",
       {},
       R"(x.yaml:8:10: expected from 1 B to 512 TiB, got 0 B
    bytes: 0 B
           ^)"},
      {"unlimited_bytes",
       "bytes: 1 MiB",
       "bytes: unlimited",
       {},
       R"(x.yaml:8:10: expected from 1 B to 512 TiB, got unlimited
    bytes: unlimited
           ^)"},
      {"an_empty_list_of_sizes",
       "bytes: 1 MiB",
       "bytes: []",
       {},
       R"(x.yaml:8:10: expected at least one size such as "64 MiB", got none
    bytes: []
           ^)"},
      {"a_bad_size_among_good_ones",
       "bytes: 1 MiB",
       "bytes: [1 MiB, 2 MB/s]",
       {},
       R"(x.yaml:8:18: expected a whole number of bytes such as "64 MiB", got "2 MB/s"
    bytes: [1 MiB, 2 MB/s]
                   ^)"},
      {"a_barrier_with_data",
       R"(  collective: allreduce
  algorithm: ring)",
       R"(  collective: barrier
  algorithm: dissemination)",
       {},
       R"(x.yaml:8:10: a barrier carries no data: leave job.bytes out
    bytes: 1 MiB
           ^)"},
      {"an_option_of_another_algorithm",
       "bytes: 1 MiB",
       R"(bytes: 1 MiB
  options: {segment: 64 KiB})",
       {},
       R"(x.yaml:9:13: the allreduce ring has no option 'segment'; it has no options
    options: {segment: 64 KiB}
              ^)"},
      {"an_option_that_does_not_exist",
       "bytes: 1 MiB",
       R"(bytes: 1 MiB
  options: {segmnt: 64 KiB})",
       {},
       R"(x.yaml:9:13: job.options: unknown key 'segmnt'
    options: {segmnt: 64 KiB}
              ^)"},
      {"an_option_instead_of_the_one_there_is",
       R"(ring
  bytes: 1 MiB)",
       R"(ring_segmented
  bytes: 1 MiB
  options: {rounds: 3})",
       {},
       R"(x.yaml:9:13: the allreduce ring_segmented has no option 'rounds'; it has segment
    options: {rounds: 3}
              ^)"},
      {"an_empty_segment",
       R"(ring
  bytes: 1 MiB)",
       R"(ring_segmented
  bytes: 1 MiB
  options: {segment: 0 B})",
       {},
       R"(x.yaml:9:22: expected from 1 B to 512 TiB, got 0 B
    options: {segment: 0 B}
                       ^)"},
      {"options_in_a_list",
       "bytes: 1 MiB",
       R"(bytes: 1 MiB
  options: [1, 2])",
       {},
       R"(x.yaml:9:12: job.options: expected a map of keys and values, got a list
    options: [1, 2]
             ^)"},
      {"no_repetition_at_all",
       "bytes: 1 MiB",
       R"(bytes: 1 MiB
  repetitions: 0)",
       {},
       R"(x.yaml:9:16: expected a whole number from 1 to 1000000, got "0"
    repetitions: 0
                 ^)"},
      {"half_a_repetition",
       "bytes: 1 MiB",
       R"(bytes: 1 MiB
  repetitions: 1.5)",
       {},
       R"(x.yaml:9:16: expected a whole number from 1 to 1000000, got "1.5"
    repetitions: 1.5
                 ^)"},
      {"a_negative_seed",
       "bytes: 1 MiB",
       R"(bytes: 1 MiB
  seed: -1)",
       {},
       R"(x.yaml:9:9: expected a whole number of at least 0, got "-1"
    seed: -1
          ^)"},
      {"a_skew_without_a_unit",
       "bytes: 1 MiB",
       R"(bytes: 1 MiB
  skew: 5)",
       {},
       R"(x.yaml:9:9: expected a time such as "1.5 us", got "5", which has no unit
    skew: 5
          ^)"},
      {"a_misspelt_key_of_the_job",
       "bytes: 1 MiB",
       R"(bytes: 1 MiB
  repetition: 5)",
       {},
       R"(x.yaml:9:3: job: unknown key 'repetition'; did you mean 'repetitions'? (known: collective, algorithm, bytes, options, repetitions, seed, skew)
    repetition: 5
    ^)"},
      {"cases_that_are_no_list",
       "job:",
       R"(cases: 4-3-1
job:)",
       {},
       R"(x.yaml:5:8: expected a list of cases such as [{name: 4-3-1, set: {placement: 4-3-1}}]
  cases: 4-3-1
         ^)"},
      {"an_empty_list_of_cases",
       "job:",
       R"(cases: []
job:)",
       {},
       R"(x.yaml:5:8: expected a list of cases such as [{name: 4-3-1, set: {placement: 4-3-1}}]
  cases: []
         ^)"},
      {"a_case_without_a_name",
       "job:",
       R"(cases: [{set: {placement: 2}}]
job:)",
       {},
       R"(x.yaml:5:9: cases: the key 'name' is missing
  cases: [{set: {placement: 2}}]
          ^)"},
      {"a_case_that_sets_a_list",
       "job:",
       R"(cases: [{name: a, set: [placement]}]
job:)",
       {},
       R"(x.yaml:5:24: expected a map such as {placement: 4-3-1}
  cases: [{name: a, set: [placement]}]
                         ^)"},
      {"a_case_that_sets_an_unknown_key",
       "job:",
       R"(cases: [{name: a, set: {placment: 2-2}}]
job:)",
       {},
       R"(x.yaml:5:35: a scenario: unknown key 'placment'; did you mean 'placement'? (known: question, cluster, library, placement, job, cases)
  cases: [{name: a, set: {placment: 2-2}}]
                                    ^)"},
      {"a_case_that_sets_cases",
       "job:",
       R"(cases: [{name: a, set: {cases: []}}]
job:)",
       {},
       R"(x.yaml:5:32: the cases cannot be set: set the keys that they set
  cases: [{name: a, set: {cases: []}}]
                                 ^)"},
      {"a_misspelt_key_of_a_case",
       "job:",
       R"(cases: [{name: a, sets: {placement: 2-2}}]
job:)",
       {},
       R"(x.yaml:5:19: cases: unknown key 'sets'; did you mean 'set'? (known: name, set)
  cases: [{name: a, sets: {placement: 2-2}}]
                    ^)"},
      {"a_change_without_a_value",
       "",
       "",
       {"job.bytes"},
       R"(--set:1:1: expected KEY=VALUE such as "job.bytes=64MiB", got "job.bytes"
  job.bytes
  ^)"},
      {"a_change_without_a_key",
       "",
       "",
       {"=4"},
       R"(--set:1:1: expected KEY=VALUE such as "job.bytes=64MiB", got "=4"
  =4
  ^)"},
      {"a_change_to_nothing",
       "",
       "",
       {"placement="},
       R"(--set:1:1: expected KEY=VALUE such as "job.bytes=64MiB", got "placement="
  placement=
  ^)"},
      {"a_change_of_an_unknown_key",
       "",
       "",
       {"job.byte=4 MiB"},
       R"(--set job.byte:1:1: job: unknown key 'byte'; did you mean 'bytes'? (known: collective, algorithm, bytes, options, repetitions, seed, skew)
  4 MiB
  ^)"},
      {"a_change_without_a_unit",
       "",
       "",
       {"job.bytes=64"},
       R"(--set job.bytes:1:1: expected a whole number of bytes such as "64 MiB", got "64", which has no unit
  64
  ^)"},
      {"a_change_with_a_bad_size_in_a_list",
       "",
       "",
       {"job.bytes=[1MiB, 2]"},
       R"(--set job.bytes:1:8: expected a whole number of bytes such as "64 MiB", got "2", which has no unit
  [1MiB, 2]
         ^)"},
      {"a_change_that_is_no_yaml",
       "",
       "",
       {"job.bytes=[1MiB}"},
       R"(--set job.bytes:1:6: not valid YAML: illegal flow end
  [1MiB}
       ^)"},
      {"a_change_inside_a_number",
       "",
       "",
       {"job.bytes.count=4"},
       R"(--set job.bytes.count:1:1: 'job.bytes.count' cannot be set: 'job.bytes' is no map
  4
  ^)"},
      {"a_change_with_an_empty_part",
       "",
       "",
       {"job..bytes=4 MiB"},
       R"(--set job..bytes:1:1: 'job..bytes' is no key: a part of it is empty
  4 MiB
  ^)"},
      {"a_change_of_the_cases",
       "",
       "",
       {"cases=[]"},
       R"(--set cases:1:1: the cases cannot be set: set the keys that they set
  []
  ^)"},
      {"a_change_inside_a_named_library",
       "",
       "",
       {"library.network.send_cost=8"},
       R"(--set library.network.send_cost:1:1: expected a cost per byte such as "0.8 ns/B", got "8", which has no unit
  8
  ^)"},
      {"a_change_inside_a_named_cluster",
       "",
       "",
       {"cluster.link.bandwidth=10G"},
       R"(--set cluster.link.bandwidth:1:1: expected a bandwidth such as "10 Gbit/s", got "10G"
  10G
  ^)"},
      {"a_change_to_an_unknown_library",
       "",
       "",
       {"library=palin"},
       R"(--set library:1:1: unknown library 'palin'; did you mean 'plain'? (known: circle, costly, plain)
  palin
  ^)"},
      {"the_second_of_two_changes",
       "",
       "",
       {"job.seed=2", "job.repetitions=no"},
       R"(--set job.repetitions:1:1: expected a whole number from 1 to 1000000, got "no"
  no
  ^)"},
  };
}
// clang-format on

}  // namespace ringscope
