// SPDX-License-Identifier: LGPL-2.1-or-later
// The simulator in WebAssembly: one function, with JSON in and out.
#include <new>

#include "cli/web/answers.hpp"

extern "C" const char* ringscope_answer(const char* request) {
  using ringscope::Json;
  static std::string text;
  const Json asked = Json::parse(request, nullptr, false);
  const Json answer =
      asked.is_object() ? ringscope::web::answer(asked) : Json{{"error", "expected a JSON map"}};
  try {
    text = answer.dump(-1, ' ', false, Json::error_handler_t::replace);
  } catch (const std::bad_alloc&) {
    text = Json{{"error", ringscope::web::too_large}}.dump();
  }
  return text.c_str();
}
