// SPDX-License-Identifier: LGPL-2.1-or-later
// The simulator in WebAssembly: one function, with JSON in and out.
#include "cli/web/answers.hpp"

extern "C" const char* ringscope_answer(const char* request) {
  using ringscope::Json;
  static std::string text;
  text = ringscope::web::answer(Json::parse(request, nullptr, false));
  return text.c_str();
}
