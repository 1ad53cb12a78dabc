// SPDX-License-Identifier: LGPL-2.1-or-later
// Descriptions of networks that other programs write.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "topologies/imports/fabrics/fabric.hpp"
#include "topologies/imports/format_of.hpp"

namespace ringscope {

/// Labels of nodes for what holds them, which a user names beside those that are known.
using FabricLabels = std::vector<std::string>;

/// Throws InputError.
using ReadFabric = Fabric(const std::shared_ptr<const Source>& source, const FabricLabels& labels);

/// A format: fabrics/<name>.cpp, its reader's name below, and a row in fabrics.cpp.
using FabricFormat = Format<ReadFabric>;

ReadFabric read_ec2, read_ibnetdiscover, read_kubernetes, read_nvidia_smi_q, read_slurm_conf,
    read_slurm_yaml, read_topograph;
std::span<const FabricFormat> fabric_formats();

/// The fabric that a file describes, in the format named by `as`, or, where that is empty, the one
/// that recognises the text. Throws InputError, for an `as` at the place "--format", for labels of
/// a file without nodes that have some at "--label".
Fabric read_fabric(const std::string& path, const std::string& as, const FabricLabels& labels = {});
/// The same of a text.
Fabric parse_fabric(const Source& source, const std::string& as, const FabricLabels& labels = {});

}  // namespace ringscope
