// SPDX-License-Identifier: LGPL-2.1-or-later
// Training as TensorFlow's CentralStorageStrategy does it on the devices of one host: the variables
// are in host memory, devices copy them, and a core of the host sums the gradients and updates.
//
// Source: tf.distribute.experimental.CentralStorageStrategy, which is
// tensorflow/python/distribute/parameter_server_strategy.py on one host: variables on the CPU,
// gradients reduced to where the variable is. Each variable goes by itself. TensorFlow adds up with
// several cores: `servers`, each with a part of every variable.
// Cost: that of a synchronous parameter server.
#include "algorithms/training/servers/server_strategy.hpp"

namespace ringscope {

Algorithm describe_central_storage_training() {
  Algorithm central = server_strategy(
      "central_storage",
      "TensorFlow CentralStorageStrategy: one host, variables and sums on its CPU", {"servers"});
  central.one_host = true;
  return central;
}

}  // namespace ringscope
