// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cli/program.hpp"

int main(int count, char** words) { return ringscope::run_program(count, words); }
