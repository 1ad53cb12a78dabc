// SPDX-License-Identifier: LGPL-2.1-or-later
// Says which of a scenario's cases is faster, and why: which_is_faster SCENARIO.yaml KEY=VALUE...
#include <fstream>
#include <iostream>
#include <iterator>
#include <ringscope/ringscope.hpp>

int main(int count, char** words) {
  if (count < 2) return 2;
  std::ifstream file(words[1]);
  const std::string scenario(std::istreambuf_iterator<char>(file), {});
  const std::vector<std::string> changes(words + 2, words + count);
  try {
    std::cout << ringscope::compare(scenario, changes, words[1]);
    std::ofstream("report.json") << ringscope::run(scenario, changes, words[1]);
    return 0;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
