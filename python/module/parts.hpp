// SPDX-License-Identifier: LGPL-2.1-or-later
// Parts of the module: each adds its functions and classes.
#pragma once

#include <pybind11/pybind11.h>

namespace ringscope {

void add_cases(pybind11::module_& module);    ///< run, compare, explain
void add_studies(pybind11::module_& module);  ///< sweep
void add_places(pybind11::module_& module);   ///< place
void add_gains(pybind11::module_& module);    ///< what_if

}  // namespace ringscope
