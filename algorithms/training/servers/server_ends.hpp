// SPDX-License-Identifier: LGPL-2.1-or-later
// Parts of gradients and weights that go between devices and parameter servers, and the work of
// both ends beside the messages.
#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/compression/compressed_sum.hpp"
#include "algorithms/parameter_server/roles.hpp"
#include "algorithms/training/step.hpp"

namespace ringscope {

inline std::vector<Gradient> server_buckets(const Options& options, Range whole) {
  const std::size_t most = items_of(training_of(options).bucket, options);
  return buckets_of(gradients_of(options, whole), most, most);
}

/// Part of the `number`th bucket on a server: one below `shared_from` items is whole, on the
/// servers in turn.
inline Range part_of(const Roles& roles, Range bucket, int number, std::size_t shared_from,
                     int server) {
  if (bucket.size >= shared_from) return roles.shard(bucket, server);
  const bool holds = number % roles.servers == server;
  return bucket.first(holds ? bucket.size : 0);
}

/// Parts that a device pushes for one step, and their items as they are sent.
struct PushedParts {
  std::int64_t count = 0;
  std::uint64_t items = 0;
};

inline PushedParts pushed_parts(const Roles& roles, std::size_t items, const Options& options) {
  const Training job = training_of(options);
  PushedParts pushed;
  const std::size_t shared_from = items_of(job.whole_below, options);
  int number = 0;
  for (const Gradient& bucket : server_buckets(options, {.size = items})) {
    for (int server = 0; server < roles.servers; ++server)
      if (const Range part = part_of(roles, bucket.range, number, shared_from, server);
          part.size > 0) {
        ++pushed.count;
        pushed.items += kept_of(part, job.compression).size;
      }
    ++number;
  }
  return pushed;
}

/// Work of a rank's processor beside its messages; none where it takes no time.
inline Task spend_time(Communicator comm, Duration time) {
  if (time.count() > 0) co_await comm.compute(time);
}

/// Place in scratch space of a part of a device's vector.
inline Range in_scratch(Range scratch, Range part, int slot = 0, std::size_t items = 0) {
  return {scratch.buffer, scratch.offset + times(slot, items) + part.offset, part.size};
}

/// Work of a transfer's ends beside it.
struct ServerEnds {
  const Options* options;
  std::vector<Gradient> tensors;
  Training job;

  Duration for_each(Duration byte, std::size_t items) const {
    return byte * (static_cast<double>(items) * static_cast<double>(options->given.item_bytes));
  }
  /// Serialising a call that carries `sent` items of the part, at either end.
  Duration call(Range part, std::size_t sent) const {
    const auto calls = static_cast<double>(tensors_in(tensors, part));
    return calls * job.serialisation.tensor + for_each(job.serialisation.byte, sent);
  }
  Range part(const Roles& roles, Range bucket, int number, int server) const {
    return part_of(roles, bucket, number, items_of(job.whole_below, *options), server);
  }
  Range pushed(Range part) const { return kept_of(part, job.compression); }
  Duration push(Range part) const {
    const std::size_t sent = pushed(part).size;
    return for_each(job.compression.compress, part.size) + for_each(job.staging, sent) +
           call(part, sent);
  }
  Duration take_push(Range part) const {
    const std::size_t sent = pushed(part).size;
    return call(part, sent) + for_each(job.compression.decompress, sent);
  }
  Duration answer(Range part) const { return call(part, part.size); }
  Duration pull(Range part) const { return answer(part) + for_each(job.staging, part.size); }
};

inline ServerEnds server_ends(const Options& options, Range whole) {
  return {&options, gradients_of(options, whole), training_of(options)};
}

/// A pull in flight.
struct PulledPart {
  Request request;
  Range part;
};

}  // namespace ringscope
