// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/workload/llm_cut.hpp"

#include <fmt/format.h>

#include <numeric>

#include "scenarios/workload/options.hpp"

namespace ringscope {
namespace {

/// Shares of all tokens' choices that experts get, of a mean of 1, and beyond which none takes any.
struct Routing {
  std::vector<double> loads;
  double capacity = 0;  ///< 0: no limit
  bool in_fp8 = false;  ///< tokens go to their experts so
  int hosts = 1, most_hosts = 1;
};

bool says_loads(const Value& map) {
  for (const char* key : {"imbalance", "shape", "hot", "seed"})
    if (const Value* value = map.find(key); value != nullptr && !value->is_null()) return true;
  return false;
}

Routing read_routing(Fields& options, int experts, int ranks, int top_k) {
  Routing routing{Table<double>(experts, 1)};
  options.nested("routing", [&](Fields& fields) {
    if (const Value* capacity = fields.optional("capacity")) {
      routing.capacity = capacity->number(0, 1e6);
      if (routing.capacity <= 0)
        capacity->fail("expected a capacity above 0, by an expert's even share of the tokens");
    }
    if (const Value* dispatch = fields.optional("dispatch"))
      routing.in_fp8 =
          dispatch->one_of("dispatch", std::vector<std::string>{"element", "fp8"}) == 1;
    const Value& hosts = fields.value_or("hosts", "1");
    routing.hosts = static_cast<int>(hosts.integer(1, ranks));
    if (ranks % routing.hosts != 0)
      hosts.fail("{} ranks of ep cannot be cut into {} equal hosts", ranks, routing.hosts);
    const Value& most = fields.value_or("most_hosts", std::to_string(routing.hosts));
    routing.most_hosts = static_cast<int>(most.integer(1, routing.hosts));
    if (experts * routing.most_hosts < top_k * routing.hosts)
      most.fail("{} of {} hosts have fewer than {} of {} experts", routing.most_hosts,
                routing.hosts, top_k, experts);
    if (says_loads(fields.map())) routing.loads = read_loads(fields, experts, "expert");
    for (const char* key : {"imbalance", "shape", "hot", "seed"}) fields.optional(key);
  });
  return routing;
}

/// One part after the other of the experts, with what its experts take.
std::vector<double> loads_of_ranks(const Routing& routing, int ranks) {
  Table<double> loads(ranks);
  const std::size_t each = routing.loads.size() / loads.size();
  for (std::size_t expert = 0; expert < routing.loads.size(); ++expert) {
    const double load = routing.loads[expert];
    loads[expert / each] += (routing.capacity > 0 ? std::min(load, routing.capacity) : load) /
                            static_cast<double>(each);
  }
  return loads;
}

std::string gigabytes(double bytes) { return fmt::format("{:.4g} GB", bytes / 1e9); }

std::string_view advice(const Cut& cut) {
  if (cut.expert == 1 && cut.model.experts > 1 && cut.data > 1) return ", or ep";
  if (cut.zero == 0 && cut.data > 1) return ", or zero: 1, 2 or 3";
  if (cut.zero < 3 && cut.data > 1 && cut.stages == 1) return ", or zero: 3";
  if (cut.recompute < 1) return ", or recompute: full";
  return "";
}

}  // namespace

void read_experts(Fields& options, Cut& cut) {
  const auto experts = static_cast<int>(cut.model.experts);
  const Value& model = *options.map().find("model");
  if (experts == 1 && cut.expert > 1)
    model.fail("{} has no experts that groups.ep {} could cut", cut.model.name, cut.expert);
  if (experts % cut.expert != 0)
    model.fail("{} experts cannot be cut into ep {} equal parts", experts, cut.expert);
  const Value* routing = options.map().find("routing");
  if (routing != nullptr && !routing->is_null() && experts == 1)
    routing->fail(
        "{} has no experts to which tokens are routed: it needs a model with experts, such as "
        "mixtral_8x7b",
        cut.model.name);
  const Routing read =
      read_routing(options, experts, cut.expert, static_cast<int>(cut.model.top_k));
  cut.expert_hosts = read.hosts;
  cut.most_hosts = read.most_hosts;
  cut.loads = loads_of_ranks(read, cut.expert);
  // A scale of 4 bytes for 128 values: arXiv:2412.19437, sections 3.2.2 and 3.3.2.
  cut.dispatched = read.in_fp8 ? 1 + 4.0 / 128 : cut.element;
}

/// `values` of the tokens, times its weight, go to each rank.
TokenExchange::Sizes sizes_there(const Cut& cut, const std::vector<double>& weights,
                                 double values) {
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  return {std::make_shared<const PairSizes>(weights), whole_bytes(sum * values * cut.dispatched)};
}

/// As many come back from there.
TokenExchange::Sizes sizes_back(const Cut& cut, const std::vector<double>& weights, double values) {
  std::vector<std::vector<double>> rows;
  for (const double weight : weights) rows.emplace_back(weights.size(), weight);
  const double most = *std::ranges::max_element(weights) * static_cast<double>(weights.size());
  return {std::make_shared<const PairSizes>(rows), whole_bytes(most * values * cut.element)};
}

/// Share of the tokens that go to a part of the experts, to which `some` of them come by their
/// load: of `top_k` different ones on the hosts that a token is limited to.
double tokens_for(double some, const Cut& cut) {
  const double limit = static_cast<double>(cut.most_hosts) / cut.expert_hosts;
  double none = 1;
  const double all = limit * static_cast<double>(cut.model.experts);
  for (std::uint64_t i = 0; i < cut.model.top_k; ++i)
    none *= std::max(0.0, 1 - some / (all - static_cast<double>(i)));
  return limit * (1 - none);
}

/// Each host gets a token once, on the rank with the sender's place, which passes it on to the
/// ranks of its experts; what these made of it is summed there and goes back. Source: README.md of
/// deepseek-ai/DeepEP, "normal kernels".
void through_hosts(const Cut& cut, double values, Experts& experts) {
  using Kind = TokenExchange::Group;
  const int hosts = cut.expert_hosts, each = cut.expert / hosts;
  const double of_rank = static_cast<double>(cut.model.experts) / cut.expert;
  TokenExchange on{Kind::host, each, {}}, up{Kind::host, each, {}};
  std::vector<double> to_hosts;
  for (int host = 0; host < hosts; ++host) {
    double all = 0;
    std::vector<double> to_ranks;
    for (int rank = host * each; rank < (host + 1) * each; ++rank) {
      const double some = Table<double>(cut.loads)[rank] * of_rank;
      to_ranks.push_back(tokens_for(some, cut));
      all += some;
    }
    to_hosts.push_back(tokens_for(all, cut));
    on.sizes.push_back(sizes_there(cut, to_ranks, hosts * values));
    up.sizes.push_back(sizes_back(cut, to_ranks, hosts * values));
  }
  experts.hosts = hosts;
  experts.dispatch = {{Kind::rail, hosts, {sizes_there(cut, to_hosts, values)}}, on};
  experts.combine = {up, {Kind::rail, hosts, {sizes_back(cut, to_hosts, values)}}};
}

/// A rank's tokens are those of its part of the sequence; each has `top_k` experts. Layers without
/// experts make all exchanges smaller.
Experts experts_of(const Cut& cut) {
  Experts experts;
  experts.ranks = cut.expert;
  if (cut.expert == 1) return experts;
  const double values = cut.model.expert_share() * cut.hidden_tokens() / cut.tensor;
  const double each = values * static_cast<double>(cut.model.top_k) / cut.expert;
  experts.dispatch = {{{}, cut.expert, {sizes_there(cut, cut.loads, each)}}};
  experts.combine = {{{}, cut.expert, {sizes_back(cut, cut.loads, each)}}};
  if (cut.expert_hosts > 1) through_hosts(cut, values, experts);
  for (const double load : cut.loads) experts.passes.push_back(mlp_pass(cut, load));
  for (int stage = 0; stage < cut.stages; ++stage)
    experts.gradients.push_back(
        whole_bytes(cut.layers(stage) * cut.expert_parameters() * cut.gradient));
  return experts;
}

void read_context_exchange(Fields& options, Cut& cut) {
  const Value& value = options.value_or("context_exchange", "ring");
  const std::vector<std::string> names = {"ring", "allgather", "alltoall"};
  cut.context_exchange = static_cast<ContextExchange>(value.one_of("context_exchange", names));
  if (cut.context_exchange == ContextExchange::ring) return;
  if (cut.context == 1) value.fail("a context group of one rank exchanges nothing: set groups.cp");
  const auto ranks = static_cast<std::uint64_t>(cut.context * cut.tensor);
  if (cut.context_exchange == ContextExchange::alltoall && cut.model.key_value_heads % ranks != 0)
    value.fail("{} heads of keys and values cannot be cut into tp {} x cp {} equal parts",
               cut.model.key_value_heads, cut.tensor, cut.context);
}

void require_memory(const Value& place, const Cut& cut) {
  const auto has = static_cast<double>(cut.gpu.memory);
  for (int stage = 0; stage < cut.stages && cut.gpu.memory > 0; ++stage) {
    const StageMemory needs = memory_of(cut, stage);
    if (needs.sum() <= has) continue;
    throw TooLarge(
        place.place(),
        "a GPU of stage {} needs {}, and {} has {}: parameters {} + gradients {} + optimiser {} + "
        "activations {} ({:.4g} of {} micro-batches in flight){}; more tp or pp takes less{}",
        stage, gigabytes(needs.sum()), cut.gpu.name, gigabytes(has), gigabytes(needs.parameters),
        gigabytes(needs.gradients), gigabytes(needs.optimiser), gigabytes(needs.activations),
        cut.in_flight(stage), cut.micro_batches,
        needs.reserved > 0 ? " + reserved " + gigabytes(needs.reserved) : "", advice(cut));
  }
}

}  // namespace ringscope
