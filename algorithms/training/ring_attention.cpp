// Ring attention: each rank of a context group has a part of the sequence. Its queries meet the
// keys and values of all parts, which go round a ring while the block that is there is computed.
//
// Source: Liu, Zaharia and Abbeel, "Ring Attention with Blockwise Transformers", 2023,
// arXiv:2310.01889, section 3. Backward, as in the paper's appendix: keys and values go round
// again, and their gradients with them, one block behind, up to the rank that they belong to. Cost
// of c ranks, a block of k items: forward c-1 messages of each rank, backward 2c-1, of k items.
#include <utility>

#include "algorithms/training/llm_device.hpp"

namespace ringscope {

Task ring_attention_forward(LlmDevice d) {
  const int next = d->context.next(), prev = d->context.prev(), blocks = d->context.size();
  Range keys = d->at.keys, next_keys = d->at.next_keys;
  for (int block : d->context.phase("ring attention", blocks)) {
    const bool goes_on = block + 1 < blocks;
    Request incoming, outgoing;
    if (goes_on) incoming = d->context.irecv(next_keys, prev);
    if (goes_on) outgoing = d->context.isend(keys, next);
    co_await d->comm.compute(d->step.attention_block.forward, d->step.attention_block.bytes);
    if (goes_on) co_await d->context.wait(incoming);
    if (goes_on) co_await d->context.wait(outgoing);
    std::swap(keys, next_keys);
  }
}

Task ring_attention_backward(LlmDevice d) {
  constexpr int of_gradients = 1;
  const int next = d->context.next(), prev = d->context.prev(), blocks = d->context.size();
  Range keys = d->at.keys, next_keys = d->at.next_keys;
  Range gradients = d->at.key_gradients, next_gradients = d->at.next_key_gradients;
  Request gradients_in, gradients_out;
  for (int block : d->context.phase("ring attention, backward", blocks)) {
    const bool goes_on = block + 1 < blocks;
    Request incoming, outgoing;
    if (goes_on) incoming = d->context.irecv(next_keys, prev);
    if (goes_on) outgoing = d->context.isend(keys, next);
    co_await d->comm.compute(d->step.attention_block.backward, 2 * d->step.attention_block.bytes);
    if (block > 0) co_await d->context.wait(gradients_in);
    if (block > 0) co_await d->context.wait(gradients_out);
    if (block > 0) std::swap(gradients, next_gradients);
    gradients_in = d->context.irecv(next_gradients, prev, of_gradients);
    gradients_out = d->context.isend(gradients, next, of_gradients);
    if (goes_on) co_await d->context.wait(incoming);
    if (goes_on) co_await d->context.wait(outgoing);
    std::swap(keys, next_keys);
  }
  co_await d->context.wait(gradients_in);
  co_await d->context.wait(gradients_out);
}

}  // namespace ringscope
