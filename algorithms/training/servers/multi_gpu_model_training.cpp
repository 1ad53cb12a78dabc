// SPDX-License-Identifier: LGPL-2.1-or-later
// Training as Keras' multi_gpu_model does it on the devices of one host: the CPU holds the
// variables, splits each batch among the devices, and concatenates what they put out, before the
// loss and backward.
//
// Source: multi_gpu_model in tensorflow/python/keras/utils/multi_gpu_utils.py (removed in 2.4), its
// example with the template model on the CPU: get_slice on the inputs, concatenate on the CPU
// (cpu_merge). A slice has `record` bytes of each record, the outputs are those of the last layer.
// Cost for T steps of W devices: that of a synchronous parameter server, and TW slices and 2TW
// messages of outputs.
#include "algorithms/training/servers/server_strategy.hpp"

namespace ringscope {

Algorithm describe_multi_gpu_model_training() {
  Algorithm model = server_strategy(
      "multi_gpu_model",
      "Keras multi_gpu_model: one host, its CPU splits batches and merges outputs", {}, true);
  model.one_host = true;
  return model;
}

}  // namespace ringscope
