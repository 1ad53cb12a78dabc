# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plot a result file (PNG, SVG, PDF or EPS).

The kind of the figure follows from the content of the file:

  timeline    activity of each rank over time: CSV of `run --timeline`
  breakdown   time of each rank by activity: JSON of `run --json` or `compare --json`
  scaling     time and bandwidth against size or ranks: CSV of `run --csv`
  against     value of each case against a key (--key): JSON of `run`, `compare` or `sweep`, or
              CSV of `sweep`
  placements  time of each placement: CSV of `place --csv`
  loads       utilisation of hosts, switches and links: page of `lesson`
  errors      prediction errors and coverage: JSON of `validate --json`

The picture has the format of its name: .png, .svg, .pdf or .eps. --width 85mm sets its width.
`ringscope plot --kind KIND --help` lists the further options of a kind.
Examples:
  ringscope plot timeline.csv -o timeline.png
  ringscope plot jobs.json --key job.options.servers -o jobs.svg
  ringscope plot sweep.csv --width 85mm -o sweep.pdf
"""

import csv
import importlib
import io
import sys

from common import style
from common.programs import Parser, page_parser
from common.style import InputError
from plots import inputs

HELP = ("-h", "--help")
# Keys by which a document is known, and columns by which a table is
DOCUMENTS = {"errors": {"model", "cases"}, "against": {"keys", "rows"}, "breakdown": {"cases"}}
TABLES = {"timeline": {"activity", "start_s"}, "against": inputs.SWEEP,
          "placements": {"placement", "held_up_by"}, "scaling": {"case", "busbw_bytes_per_s"}}


def kind_in(path, text, key_said):
    """`key_said`: whether --key is among the words."""
    if 'id="data"' in text and text.lstrip().startswith("<"):
        return "loads"
    known, words = (DOCUMENTS, inputs.json_of(path, text)) if text.lstrip().startswith("{") else \
        (TABLES, next(csv.reader(io.StringIO(text, newline=""))))
    for kind, needed in known.items():
        if needed <= set(words):
            return "against" if kind == "breakdown" and key_said else kind
    raise InputError(f"{path}: unknown content: expected CSV of run --timeline, run "
                     "--csv, sweep or place --csv, JSON of run, compare, sweep or validate, or a "
                     f"lesson's page; --kind sets the kind: {', '.join(style.PLOTS)}")


def main():
    words = sys.argv[1:]
    helped = bool(set(HELP) & set(words)) and any(word.startswith("--kind") for word in words)
    parser = page_parser("ringscope plot", __doc__, Parser)
    parser.add_argument("file", nargs="?", help="result file to plot")
    parser.add_argument("--kind", choices=style.PLOTS,
                        help="kind of the figure (default: detected from the content)")
    parser.add_argument("-o", "--output", metavar="PICTURE", help=style.OUTPUT)
    known, rest = parser.parse_known_args([word for word in words if word not in HELP]
                                          if helped else words)
    if helped:
        sys.argv[1:] = ["--help"]
    else:
        keyed = any(word.split("=")[0] == "--key" for word in rest)
        known.kind = known.kind or kind_in(known.file, text_to_draw(known), keyed)
        sys.argv[1:] = [known.file, "-o", known.output, *rest]
    plot = importlib.import_module(f"plots.{known.kind}")
    style.write(known.kind, plot.figure_of, plot.__doc__)


def text_to_draw(known):
    """The text of the file; a picture that cannot be is refused before anything is read."""
    if known.file is None:
        raise InputError("expected a file to draw; --help lists what can be drawn")
    if known.output is None:
        raise InputError("expected -o PICTURE, a name that ends in "
                         f"{style.in_a_row(style.FORMATS)}")
    style.format_of(known.output)
    return inputs.read_text(known.file)


if __name__ == "__main__":
    style.run(main)
