# SPDX-License-Identifier: LGPL-2.1-or-later
"""Do the stub of what is compiled, and the docstrings of what is public, say all that there is?"""

import ast
import inspect
import pathlib
import re
import sys
import unittest

import ringscope
from ringscope import _core

STUB = pathlib.Path(ringscope.__file__).with_name("_core.pyi")
IMPLICIT = {"__init__", "__len__", "__getstate__", "__setstate__"}


def names_of(scope):
    """Functions, classes and values of a scope of the stub; types of its own are none of them."""
    found = set()
    for node in scope.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, ast.AnnAssign):
            found.add(node.target.id)
    return found


def parameters_of(compiled):
    """Names of the parameters, as pybind11 writes the signature into the docstring."""
    inside = re.match(r"\w+\((.*)\) -> ", compiled.__doc__.splitlines()[0])[1]
    return re.findall(r"(\w+): ", re.sub(r"[\[(][^\])]*[\])]", "", inside))


class Stub(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.stub = ast.parse(STUB.read_text(encoding="utf-8"))

    def test_names_all_that_is_compiled_and_nothing_else(self):
        compiled = {name for name in vars(_core) if not name.startswith("__")} | {"__version__"}
        self.assertEqual(names_of(self.stub), compiled)

    def test_names_all_members(self):
        for node in self.stub.body:
            if isinstance(node, ast.ClassDef) and not issubclass(getattr(_core, node.name),
                                                                 Exception):
                members = {name for name in vars(getattr(_core, node.name))
                           if not name.startswith("_") or name in IMPLICIT}
                with self.subTest(node.name):
                    stated = names_of(node)
                    self.assertEqual(stated, members - ({"__init__"} - stated))

    def test_functions_take_the_parameters_that_it_states(self):
        for node in self.stub.body:
            if isinstance(node, ast.FunctionDef):
                with self.subTest(node.name):
                    self.assertEqual([one.arg for one in node.args.args],
                                     parameters_of(getattr(_core, node.name)))

    def test_everything_stated_has_a_type(self):
        for node in ast.walk(self.stub):
            if isinstance(node, ast.FunctionDef):
                with self.subTest(node.name):
                    self.assertIsNotNone(node.returns)
                    for one in [*node.args.posonlyargs, *node.args.args]:
                        self.assertTrue(one.annotation or one.arg == "self")


class Docstrings(unittest.TestCase):
    def public(self):
        """(name, object) of all that is public, with the members of classes."""
        for name in ringscope.__all__:
            one = getattr(ringscope, name)
            if isinstance(one, str):
                continue
            yield name, one
            if inspect.isclass(one) and not issubclass(one, Exception):
                for member, value in vars(one).items():
                    if not member.startswith("_") and (callable(value)
                                                       or isinstance(value, property)):
                        yield f"{name}.{member}", value

    def test_everything_public_has_one(self):
        for name, one in self.public():
            with self.subTest(name):
                self.assertTrue((inspect.getdoc(one) or "").strip())

    def test_everything_public_has_types(self):
        for name, one in self.public():
            code = one.fget if isinstance(one, property) else one
            if not inspect.isfunction(code):
                continue
            with self.subTest(name):
                stated = inspect.signature(code)
                self.assertIsNot(stated.return_annotation, inspect.Signature.empty)
                for parameter in stated.parameters.values():
                    self.assertTrue(parameter.name == "self" or
                                    parameter.annotation is not inspect.Parameter.empty)

    def test_times_sizes_and_rates_have_their_units_said(self):
        for name, one in self.public():
            words = inspect.getdoc(one) or ""
            if re.search(r"\w_s\b|\btimes\b", words) and "--json" not in words:
                with self.subTest(name):
                    self.assertRegex(words.lower(), r"seconds?|units")


if __name__ == "__main__":
    sys.argv[1:] = [word for word in sys.argv[1:] if word.startswith("-")]
    unittest.main()
