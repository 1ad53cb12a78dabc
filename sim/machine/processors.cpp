// SPDX-License-Identifier: LGPL-2.1-or-later
// Processors as resources. Cores: each thread of a rank has one of its own, or a share.
//
// GPUs: their processor, and, where a job says what its computations need, the
// multiprocessors and the memory that computations share with a library's kernels.
//
// Max-min shares rates, so what shares a GPU is counted in one kind of work: a computation alone
// goes at `level`, about as many units a second as a block passes on bytes (19 GB/s on an A100,
// scenarios/libraries/nccl_a100.yaml). Where memory is short, both then slow down alike.

#include "scenarios/workload/options.hpp"
#include "sim/machine/machine.hpp"

namespace ringscope::sim {
namespace {

// Powers of two: they cost no digits.
constexpr double level = 0x1p34;
constexpr int whole = 4096;      ///< units of a processor for one of a computation
constexpr int parts_of_sm = 64;  ///< the finest share of an SM
constexpr double last = 1e9;     ///< s: longer than any block runs
/// A block gets its SM before computations do: it asks for it at a lower rate, and so more heavily.
constexpr int block_weight = 1 << 16;
constexpr double block_rate = level * parts_of_sm / block_weight;

constexpr double most_weight = 1 << 24;  // sums of weights stay integers

/// Rounded down: what needs all that there is has it when it is alone.
int weight_of(double units) {
  return static_cast<int>(std::clamp(units * (1 + 1e-9), 1.0, most_weight));
}

/// SMs that blocks take from a kernel. Its last wave may be nearly empty, and takes as long.
/// Source: wave quantization, NVIDIA's "Matrix Multiplication Background User's Guide".
double sms_taken(int blocks, int sms, const Needs& needs) {
  const double all = needs.sms * sms * needs.waves;
  const double waves = std::ceil(all / std::max(1, sms - blocks) - 1e-9);
  return waves <= needs.waves ? blocks : sms - all / waves;
}

/// Blocks of a GPU run the threads of a rank there, and no core does.
std::string block_name(const Location& where, const std::string& thread) {
  return fmt::format("gpu{}/{}", where.gpu, thread);
}

}  // namespace

bool states_needs(const Scenario& scenario) {
  return scenario.job.needs || std::ranges::any_of(scenario.neighbours, [](const Neighbour& one) {
           return one.job.needs.has_value();
         });
}

CpuScale Machine::shared_gpu_scale() { return {whole * level, whole}; }

// Ranks on one GPU share it.
void Machine::add_gpus() {
  std::map<Vertex, int> sharers;
  std::map<Vertex, Gpu> made;
  for (int rank = 0; rank < orbits_.simulated; ++rank)
    if (on_gpu(rank)) ++sharers[fabric_.buffer_locations(rank).front()];
  for (int rank = 0; rank < orbits_.simulated; ++rank) {
    gpus_.emplace_back();
    if (!on_gpu(rank)) continue;
    const Vertex vertex = fabric_.buffer_locations(rank).front();
    const auto [place, is_new] = made.try_emplace(vertex);
    Gpu& gpu = place->second;
    if (is_new) {
      const Component& component = scenario_->cluster.topology.graph()[vertex];
      const double capacity = gpu_scale(rank).capacity();
      gpu.processor = ledger_->add(
          sharers[vertex] > 1
              ? Resource{{component.name}, ResourceKind::core, capacity}
              : Resource{jobs_.owned(component.name, rank), ResourceKind::core, capacity, rank});
      if (shares_gpus()) add_shared(gpu, component);
    }
    gpus_.back() = gpu;
  }
}

void Machine::add_shared(Gpu& gpu, const Component& component) {
  gpu.count = std::max(1, component.sms);
  gpu.memory_rate = component.memory.bytes_per_second;
  gpu.sms = ledger_->add(
      {{component.name + "/SMs"}, ResourceKind::core, gpu.count * double{parts_of_sm} * level});
  if (component.sms > 0)
    gpu.blocks =
        ledger_->add({{component.name + "/blocks"}, ResourceKind::core, gpu.count * block_rate});
  kernels_.try_emplace(gpu.sms);
}

void Machine::add_sms(Uses& uses, int rank, double share) const {
  const Gpu& gpu = gpus_[rank];
  if (gpu.sms >= 0) add_use(uses, gpu.sms, weight_of(share * gpu.count * parts_of_sm));
}

void Machine::add_work(Uses& uses, int rank, int weight) const {
  if (weight == 0) return;
  const Gpu& gpu = gpus_[rank];
  add_use(uses, gpu.processor, weight);
  if (shares_gpus()) add_sms(uses, rank, static_cast<double>(weight) / whole);
}

// The GPU's own memory is no slower than a computation that alone has it says.
void Machine::add_computation(Uses& uses, int rank, double seconds, std::size_t bytes) const {
  const Gpu& gpu = gpus_[rank];
  const Needs needs = jobs_.job(rank).needs.value_or(Needs{});
  add_use(uses, gpu.processor, whole);
  add_sms(uses, rank, needs.sms);
  const double rate =
      needs.stated ? static_cast<double>(bytes) / seconds : needs.memory.bytes_per_second;
  add_memory(uses, rank, std::min(rate, gpu.memory_rate), level);
}

void Machine::add_memory(Uses& uses, int rank, double rate, double speed) const {
  Uses byte;
  fabric_.add_memory(byte, fabric_.buffer_locations(rank).front(), 1);
  for (const Use& use : byte)
    if (rate > 0) add_use(uses, use.resource, weight_of(rate * use.weight / speed));
}

void Machine::add_block_copy(Uses& uses, int rank, Block block, int accesses) const {
  if (!shares_gpus()) return;
  const double rate = scenario_->library.blocks->costs(block.protocol).copy.bytes_per_second;
  const CpuScale& own = scale(rank);
  Uses memory;
  add_memory(memory, rank, accesses * rate, own.capacity() / own.compute_weight());
  add_uses(uses, memory, block.alike);
}

// One activity for all blocks of a GPU, as fast as they are many.
void Machine::count_blocks(int rank, int more) {
  const Gpu& gpu = gpus_[rank];
  if (gpu.blocks < 0) return;
  Kernels& now = kernels_[gpu.sms];
  const int before = std::min(now.blocks, gpu.count);
  now.blocks += more;
  const int after = std::min(now.blocks, gpu.count);
  if (after == before) return;
  const Needs needs = jobs_.job(rank).needs.value_or(Needs{});
  if (after > 0) ledger_->slow(gpu.blocks, sms_taken(after, gpu.count, needs) / gpu.count);
  if (after == 0) ledger_->stop(now.activity);
  if (before > 0) return;
  const Uses uses = {{gpu.blocks, 1}, {gpu.sms, block_weight}};
  now.activity = ledger_->start(last * block_rate, uses, Callback::to<&Machine::never_ends>(this));
}

// The core, or the pool of cores, that a rank runs on. It is the rank's own where nobody shares it.
Resource Machine::core_resource(int rank, int sharers) const {
  const Location& where = location(rank);
  const Topology& topology = scenario_->cluster.topology;
  const Component& domain = topology.graph()[domain_of(rank)];
  const double capacity = scale(rank).capacity();
  const bool is_block = scenario_->library.blocks && on_gpu(rank) && sharers == 1;
  const std::string place =
      is_block ? host_name(rank) + '/' + block_name(where, "thread0") : place_of(rank);
  if (where.binding == Binding::core)
    return sharers > 1 ? Resource{{place}, ResourceKind::core, capacity}
                       : own(place, ResourceKind::core, rank);
  if (where.binding == Binding::numa)
    return {{domain.name + "/cores"}, ResourceKind::core, capacity * domain.cores};
  return {
      {host_name(rank) + "/cores"}, ResourceKind::core, capacity * cores_of(topology, where.host)};
}

void Machine::add_cpus() {
  const auto key = [this](int rank) {
    const Location& where = location(rank);
    return std::tuple(where.host, where.binding == Binding::host ? -1 : where.numa,
                      where.binding == Binding::core ? where.core : -1);
  };
  std::map<decltype(key(0)), int> sharers, resources;
  for (int rank = 0; rank < orbits_.simulated; ++rank) ++sharers[key(rank)];
  for (int rank = 0; rank < orbits_.simulated; ++rank) {
    const auto [place, is_new] = resources.try_emplace(key(rank), -1);
    if (is_new) place->second = ledger_->add(core_resource(rank, sharers[key(rank)]));
    Uses cpu = {{place->second, 1}};
    // Free to use any of several cores, but never more than one at a time.
    if (location(rank).binding != Binding::core)
      cpu.push_back({ledger_->add(own(place_of(rank), ResourceKind::core, rank)), 1});
    const Uses shared = shared_cores(rank);
    cpu.insert(cpu.end() - 1, shared.begin(), shared.end());
    cpus_.push_back(std::move(cpu));
  }
}

Uses Machine::spare_cpu(int rank, const std::string& what) {
  const Location& where = location(rank);
  const auto further = further_.find(where.host);
  const bool crowded = where.binding == Binding::core && !on_gpu(rank) &&
                       further != further_.end() && further->second.lack_cores();
  if (crowded && further->second.cores <= 0) return cpu(rank);
  const std::string place = fmt::format("{}/{}", host_name(rank), what);
  const Use thread = {ledger_->add(own(place, ResourceKind::core, rank)), 1};
  Uses uses = on_gpu(rank) ? Uses() : shared_cores(rank);
  uses.push_back(thread);
  if (!crowded) return uses;
  const auto [shared, is_new] = spare_cores_.try_emplace(where.host, -1);
  if (is_new)
    shared->second = ledger_->add({{host_name(rank) + "/spare cores"},
                                   ResourceKind::core,
                                   scale(rank).capacity() * further->second.cores});
  uses.insert(uses.begin(), Use{shared->second, 1});
  return uses;
}

Uses Machine::thread_cpu(int rank, const std::string& what) {
  if (scenario_->library.thread_core == ProgressCore::shared) return cpu(rank);
  const bool is_block = scenario_->library.blocks && on_gpu(rank);
  Uses spare = spare_cpu(rank, is_block ? block_name(location(rank), what) : what);
  if (location(rank).binding != Binding::core) spare.insert(spare.begin(), cpu(rank).front());
  return spare;
}

void Machine::count_pipelines() {
  for (int rank = 0; rank < orbits_.simulated; ++rank) {
    const Job& job = jobs_.job(rank);
    if (job.training == nullptr || job.training->input.rate <= 0) continue;
    const int index = jobs_.index(rank), number = jobs_.number(rank);
    const int ranks = index == 0 ? jobs_.own() : jobs_.first(index) - jobs_.first(index - 1);
    if (number >= devices_of(*job.algorithm, job.options, ranks)) continue;
    Pipeline& one = pipelines_[{location(rank).host, index}];
    if (one.devices++ == 0) one.rank = rank;
    one.input = &job.training->input;
  }
}

const Machine::Pipeline* Machine::pipeline(int rank) const {
  const auto found = pipelines_.find({location(rank).host, jobs_.index(rank)});
  return found == pipelines_.end() ? nullptr : &found->second;
}

// Threads of the input and of ranks share all cores of the host. Its devices mostly take batches
// together, so each has an equal part of the input's threads, and the factor makes weights whole.
void Machine::add_shared_cores() {
  for (const auto& [place, one] : pipelines_) {
    if (one.input->cores == 0) continue;
    SharedCores& shared = shared_cores_[place.first];
    shared.factor = std::lcm(shared.factor, one.devices);
    shared.taken += one.input->cores;
  }
  const Topology& topology = scenario_->cluster.topology;
  for (const auto& [place, one] : pipelines_) {
    const auto found = shared_cores_.find(place.first);
    if (found == shared_cores_.end() || found->second.resource >= 0) continue;
    SharedCores& shared = found->second;
    const int cores = cores_of(topology, place.first);
    shared.resource = ledger_->add(
        {{fmt::format("{}/{} cores (input: {})", host_name(one.rank), cores, shared.taken)},
         ResourceKind::core,
         scale(one.rank).capacity() * cores * shared.factor});
  }
}

Uses Machine::shared_cores(int rank) const {
  const auto found = shared_cores_.find(location(rank).host);
  if (found == shared_cores_.end()) return {};
  return {{found->second.resource, found->second.factor}};
}

double Machine::input_units(int rank) const {
  const Pipeline* one = pipeline(rank);
  if (one == nullptr || one->input->cores == 0) return 1;
  return scale(rank).compute_amount(one->devices / one->input->rate);
}

double Machine::input_cpu(int rank) const {
  const Pipeline* one = pipeline(rank);
  return one == nullptr ? 0 : one->input->cores / one->input->rate;
}

// Without cores a unit is a record. With cores it is that of a thread's work, which all share.
void Machine::add_inputs() {
  for (int rank = 0; rank < orbits_.simulated; ++rank) {
    Uses& uses = inputs_.emplace_back();
    const auto found = pipelines_.find({location(rank).host, jobs_.index(rank)});
    if (found == pipelines_.end()) continue;
    Pipeline& one = found->second;
    const double rate = one.input->rate;
    if (one.resource < 0)
      one.resource =
          ledger_->add({{fmt::format("{}/input ({:.6g} samples/s)", host_name(rank), rate)},
                        ResourceKind::input,
                        rate * input_units(rank)});
    add_use(uses, one.resource, 1);
    if (one.input->cores == 0) continue;
    const SharedCores& shared = shared_cores_.at(location(rank).host);
    add_use(uses, shared.resource,
            one.input->cores * (shared.factor / one.devices) * scale(rank).compute_weight());
  }
}

}  // namespace ringscope::sim
