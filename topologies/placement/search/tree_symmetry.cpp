// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <cassert>

#include "topologies/placement/search/symmetry.hpp"

namespace ringscope {
namespace {

/// The nodes from the root on, parents before children.
std::vector<int> downwards(const Table<std::vector<int>>& children, int root) {
  std::vector<int> order = {root};
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto& below = children[order[i]];
    order.insert(order.end(), below.begin(), below.end());
  }
  return order;
}

}  // namespace

TreeSymmetry::TreeSymmetry(const ColouredTree& tree, std::vector<int> points)
    : parents_(tree.parents),
      points_(std::move(points)),
      point_of_(parents_.size(), -1),
      form_(parents_.size()),
      families_(parents_.size()) {
  Table<std::vector<int>> children(parents_.size());
  int root = -1;
  for (int node = 0; node < static_cast<int>(parents_.size()); ++node) {
    const int parent = parents_[node];
    if (parent < 0)
      root = node;
    else
      children[parent].push_back(node);
  }
  for (std::size_t i = 0; i < points_.size(); ++i) point_of_[points_[i]] = static_cast<int>(i);
  std::vector<int> order = downwards(children, root);
  assert(order.size() == parents_.size() && "a tree is connected");
  std::ranges::reverse(order);
  std::map<std::vector<int>, int> forms;
  for (const int node : order) {
    std::vector<int> form = each_of(children[node], [&](int child) { return form_[child]; });
    std::ranges::sort(form);
    form.push_back(tree.colours[node]);
    form_[node] = forms.try_emplace(form, static_cast<int>(forms.size())).first->second;
    for (const int child : children[node]) families_[node][form_[child]].push_back(child);
  }
}

// At its first touch a node goes to the first of its family that is still free, below where its
// parent has gone.
std::vector<int> TreeSymmetry::first_image(std::span<const int> points) const {
  Table<int> image(parents_.size(), -1);
  std::vector<int> result, way;
  std::map<std::pair<int, int>, std::size_t> taken;  // of a node's children of one form
  for (const int point : points) {
    way.clear();
    for (int node = points_[point]; node >= 0 && image[node] < 0; node = parents_[node])
      way.push_back(node);
    for (; !way.empty(); way.pop_back()) {
      const int node = way.back(), parent = parents_[node];
      if (parent < 0) {
        image[node] = node;
        continue;
      }
      const int there = image[parent], form = form_[node];
      image[node] = families_[there].at(form)[taken[{there, form}]++];
    }
    result.push_back(point_of_[image[points_[point]]]);
  }
  return result;
}

Count TreeSymmetry::images(std::span<const int> points) const {
  Count images = 1;
  Table<char> touched(parents_.size());
  std::map<std::pair<int, int>, std::size_t> taken;
  for (const int point : points) {
    for (int node = points_[point]; node >= 0 && !touched[node]; node = parents_[node]) {
      touched[node] = true;
      const int parent = parents_[node], form = form_[node];
      if (parent < 0) continue;
      images *= families_[parent].at(form).size() - taken[{parent, form}]++;
    }
  }
  return images;
}

}  // namespace ringscope
