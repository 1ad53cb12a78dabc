#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Findings of check_words.py in made-up texts."""

import re
import unittest

import check_words

LONG = "One " + "word " * 29 + "more."  # 31 words
SHORT = "One " + "word " * 28 + "more."  # 30 words


def messages(path, text):
    return [f"{line}: {message}" for line, message in check_words.findings_in(path, text)]


def phrases(path, text):
    """(line, phrase) of each phrase."""
    return [(line, re.match("'(.*)': write", message)[1])
            for line, message in check_words.findings_in(path, text) if message[0] == "'"]


def counts(path, text):
    """[phrases, long sentences, long paragraphs]"""
    found = [message.split()[0] for _, message in check_words.findings_in(path, text)]
    return [len(found) - found.count("sentence") - found.count("paragraph"),
            found.count("sentence"), found.count("paragraph")]


class Entries(unittest.TestCase):
    def test_every_line_is_a_phrase_and_its_replacement(self):
        lines = (check_words.ROOT / check_words.WORDS).read_text(encoding="utf-8").splitlines()
        for line in lines:
            if line and line[0] != "#":
                self.assertRegex(line, r"^\^?\w[\w' ]* -> \S.*$")
        entries = [line.split(" -> ")[0].lower() for line in lines if " -> " in line[1:]]
        self.assertEqual(len(entries), len(set(entries)), "duplicate phrase")

    def test_message_has_phrase_and_replacement(self):
        self.assertEqual(messages("a.md", "A rank\nhas so many links.\n"),
                         ["2: 'so many': write 'N'"])

    def test_longest_phrase_wins(self):
        self.assertEqual(phrases("a.md", "It is held up by a lock.\n"), [(1, "held up by")])

    def test_whole_words_match_in_any_case_and_over_a_line_break(self):
        self.assertEqual(phrases("a.md", "SO\nMANY ranks, likewise.\n"),
                         [(1, "so many"), (2, "likewise")])
        self.assertEqual(phrases("a.md", "Besides, a stand-alone run; see a/beside.txt.\n"), [])

    def test_caret_matches_the_beginning_of_a_sentence_only(self):
        self.assertEqual(phrases("a.md", "It ends. **Of** the hosts,\none is idle, of three.\n"),
                         [(1, "of")])

    def test_question_may_begin_with_what(self):
        self.assertEqual(phrases("a.md", "What is a ring?\n\nWhat is a ring.\n"), [(3, "what")])


class Markdown(unittest.TestCase):
    def test_sentence_of_31_words_is_reported(self):
        self.assertEqual(messages("a.md", f"# Title\n\n{SHORT}\nShort. {LONG}\n"),
                         ["4: sentence of 31 words, at most 30 allowed: split it"])

    def test_abbreviation_number_and_address_do_not_end_a_sentence(self):
        half = "One " + "word " * 14
        for inside in ("e.g. the", "i.e. the", "cf. the", "etc. and", "2.5 and", "v2.8.3 and",
                       "a.b and", "https://x.y/a.b?c=d and", "NAME.1, ... and", "`a. b` and"):
            text = half + inside + " word" * 14 + ".\n"
            self.assertEqual(counts("a.md", text), [0, 1, 0], inside)

    def test_point_question_quote_and_etc_end_a_sentence(self):
        half = "One " + "word " * 14
        for end in ("so.", "so?", "so!", "(so.)", "*so.*", 'so."', "`so`.", "etc.", "2.5."):
            self.assertEqual(counts("a.md", f"{half}{end} The{' word' * 14}.\n"), [0, 0, 0], end)

    def test_code_span_and_link_count_as_one_word_each(self):
        text = "One " + "word " * 27
        self.assertEqual(counts("a.md", f"{text}`a b c` [d e](f.md).\n"), [0, 0, 0])
        self.assertEqual(counts("a.md", f"{text}`a b c` [d e](f.md) g.\n"), [0, 1, 0])
        self.assertEqual(counts("a.md", "Use `--so many` of [x](so many).\n"), [0, 0, 0])

    def test_list_items_and_headings_are_sentences_of_their_own(self):
        half = "one " + "word " * 15
        for text in (f"- {half}\n- {half}\n", f"1. {half}\n2. {half}\n", f"# {half}\n{half}\n",
                     f"{half}\n\n{half}\n"):
            self.assertEqual(counts("a.md", text), [0, 0, 0], text)
        self.assertEqual(counts("a.md", f"- {half}\n  {half}\n"), [0, 1, 0])

    def test_table_counts_for_phrases_only(self):
        row = f"| {LONG} | so many |\n"
        self.assertEqual(counts("a.md", "| a | b |\n|---|---|\n" + row * 6), [6, 0, 0])

    def test_fence_and_html_comment_are_skipped(self):
        line = f"{LONG} So many.\n"
        for begin, end in (("```text\n", "```\n"), ("~~~\n", "~~~\n"), ("- ```sh\n", "  ```\n"),
                           ("<!-- ", "-->\n"), ("```\n", "")):
            self.assertEqual(counts("a.md", begin + line * 6 + end), [0, 0, 0], begin)
        self.assertEqual(phrases("a.md", f"```text\n{line}```\nSo many.\n"), [(4, "so many")])

    def test_paragraph_of_six_lines_is_reported(self):
        self.assertEqual(messages("a.md", "A line.\n" * 5 + "\n" + "A line.\n" * 5), [])
        self.assertEqual(messages("a.md", "# Title\n\n" + "A line.\n" * 6),
                         ["3: paragraph of 6 lines, at most 5 allowed: split it"])

    def test_lists_are_no_paragraphs(self):
        self.assertEqual(messages("a.md", "- A line.\n" * 6), [])
        self.assertEqual(messages("a.md", "- A line.\n" + "  A line.\n" * 6), [])
        self.assertEqual(messages("a.md", "- A line.\n\n" + "  A line.\n" * 6), [])


class Yaml(unittest.TestCase):
    def test_lines_of_a_comment_are_one_text(self):
        half = "word " * 15
        self.assertEqual(messages("a.yaml", f"a: 1\n# One {half}\n# {half}end.\nb: 2\n"),
                         ["2: sentence of 32 words, at most 30 allowed: split it"])
        self.assertEqual(phrases("a.yml", "# There are so\n# many ranks.\n"), [(1, "so many")])

    def test_comments_apart_are_several_sentences(self):
        half = "word " * 16
        for between in ("\n", "a: 1\n", "#\n", "a: 1  # one\n", "  # deeper\n"):
            self.assertEqual(counts("a.yaml", f"# {half}\n{between}# {half}\n"), [0, 0, 0], between)
        self.assertEqual(counts("a.yaml", f"# {half}\n# {half}\n"), [0, 1, 0])
        self.assertEqual(counts("a.yaml", f"# SPDX-{half}\n# {half}\n"), [0, 0, 0])

    def test_values_and_quoted_hashes_are_no_comments(self):
        self.assertEqual(phrases("a.yaml", 'a: so many\nb: "x # so many"\nc: \'x # so many\'\n'
                                 "d: x#so many\ne: it's  # so many\n"), [(5, "so many")])


class Strings(unittest.TestCase):
    def test_adjacent_cpp_literals_are_joined(self):
        text = '// so many\nf(a, "rank {} has so "\n  // so many\n  "many links");\n'
        self.assertEqual(phrases("a.cpp", text), [(2, "so many")])
        self.assertEqual(phrases("a.cpp", 'f("has so ", "many links");\n'), [])

    def test_help_that_begins_with_of_is_reported_and_a_later_fragment_is_not(self):
        self.assertEqual(phrases("a.cpp", 'add("--seed", "of the search");\n'), [(1, "of")])
        self.assertEqual(phrases("a.cpp", 'f(a + " of the search");\n'), [])
        self.assertEqual(phrases("a.cpp", 'f("{} of the search");\n'), [])

    def test_quotes_of_other_kinds_do_not_open_a_literal(self):
        text = ("char a = '\"'; // it's\nint b = 1'000; /* ' */\n"
                "f(\"so many \\\" links\", 'so many');\n")
        self.assertEqual(phrases("a.cpp", text), [(3, "so many")])

    def test_key_of_one_word_is_no_text(self):
        self.assertEqual(phrases("a.cpp", "f(\"a run under 'likewise' in JSON\");\n"), [])
        self.assertEqual(phrases("a.cpp", 'f("likewise");\n'), [])
        self.assertEqual(phrases("a.py", "f('likewise')\n"), [])

    def test_python_literals_and_f_strings_are_joined(self):
        text = "x = 1  # so many\nf(f\"{x} has so \"\n  \"many\", 'a stands')\n"
        self.assertEqual(phrases("a.py", text), [(2, "so many"), (3, "stands")])
        self.assertEqual(phrases("a.py", "f('has so ' f'many {x}')\n"), [(1, "so many")])
        self.assertEqual(phrases("a.py", "f(f\"{a['so many']}: one\")\n"), [])

    def test_docstring_is_no_message_and_a_text_in_three_quotes_is(self):
        self.assertEqual(phrases("a.py", '"""So many."""\ndef f():\n    """So many."""\n'), [])
        self.assertEqual(phrases("a.py", 'f("""A\nhas so many""")\n'), [(2, "so many")])

    def test_script_without_suffix_is_python(self):
        self.assertEqual(phrases("a", "#!/usr/bin/python3\nf('a stands')\n"), [(2, "stands")])
        self.assertEqual(phrases("a", "f('a stands')\n"), [])

    def test_tests_are_skipped(self):
        for path in ("a_test.cpp", "a_test.py", "testing/a.hpp", "a_for_test.hpp"):
            self.assertEqual(phrases(path, 'f("so many")\n'), [], path)


class Breaches(unittest.TestCase):
    def test_each_finding_has_its_place(self):
        self.assertEqual(list(check_words.breaches_of({"a.md": f"So many.\n{LONG}\n",
                                                       "b.md": "Three.\n"})), [
            "a.md:1: 'so many': write 'N'",
            "a.md:2: sentence of 31 words, at most 30 allowed: split it"])


if __name__ == "__main__":
    unittest.main()
