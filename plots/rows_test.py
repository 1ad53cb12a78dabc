# SPDX-License-Identifier: LGPL-2.1-or-later
"""Can timelines of many ranks be read: no more rows than fit, each said to be what it is?"""

import unittest

from plots.plots_test import InFolder, style, timeline  # skips without matplotlib
from plots.rows import MOST_OWN, MOST_ROWS, SLICES, Span, most_of, rows_of

HEADER = "case,rank,activity,phase,step,peer,start_s,end_s,cause\n"


def life(middle, kind="copy"):
    return [Span("reduce", "first", 0, middle), Span(kind, "second", middle, 1)]


class Rows(unittest.TestCase):
    def test_few_ranks_have_a_row_each(self):
        rows, note = rows_of({rank: life(0.5) for rank in range(MOST_OWN)})
        self.assertEqual([row.label for row in rows], [str(rank) for rank in range(MOST_OWN)])
        self.assertEqual(note, "")

    def test_ranks_that_do_the_same_share_a_row_named_after_them(self):
        ranks = {rank: life(0.25 if rank % 2 and rank < 60 else 0.5) for rank in range(61)}
        ranks[60] = life(0.75)
        rows, note = rows_of(ranks)
        self.assertEqual([row.label for row in rows], ["0 and 29 more", "1 and 29 more", "60"])
        self.assertEqual(rows[1].spans, life(0.25))
        self.assertEqual(note, "61 ranks; those that do the same share a row")
        self.assertEqual(rows_of(dict.fromkeys(range(64), life(0.5))).rows[0].label, "0-63")

    def test_times_that_a_picture_cannot_tell_apart_are_the_same(self):
        for apart, count in ((0.1 / SLICES, 1), (2 / SLICES, 2)):
            ranks = {rank: life(0.5 + apart * (rank == 7)) for rank in range(64)}
            self.assertEqual(len(rows_of(ranks).rows), count)

    def test_1024_different_ranks_become_rows_of_neighbours_that_fit(self):
        rows, note = rows_of({rank: life((rank + 1) / 1025) for rank in range(1024)})
        self.assertEqual(len(rows), MOST_ROWS)
        self.assertEqual([rows[0].label, rows[-1].label], ["0-15", "1008-1023"])
        self.assertEqual(note, "1024 ranks; a row shows what most of its 16 do")

    def test_a_row_of_neighbours_shows_what_most_of_them_do(self):
        spans = most_of([life(0.25), life(0.5), life(0.75)], 1.0)
        self.assertEqual(spans, [Span("reduce", "first", 0, 0.5), Span("copy", "second", 0.5, 1)])

    def test_finished_rank_is_idle(self):
        gone = [Span("reduce", "", 0, 0.25)]
        spans = most_of([gone, gone, [Span("reduce", "", 0, 1)]], 1.0)
        self.assertEqual([(span.kind, span.start, span.end) for span in spans],
                         [("reduce", 0, 0.25), ("idle", 0.25, 1)])


class Pictures(InFolder):
    def drawn(self, ranks, middle):
        rows = "".join(f"a,{rank},reduce,reduce-scatter,,,0,{middle(rank)},\n"
                       f"a,{rank},copy,allgather,,,{middle(rank)},1,\n" for rank in range(ranks))
        figure = timeline.draw(timeline.read_timeline(self.write(HEADER + rows)), "Why?")
        figure.canvas.draw()
        return figure

    def assert_apart(self, texts, canvas):
        boxes = [text.get_window_extent(canvas.get_renderer()) for text in texts
                 if text.get_text() and text.get_visible()]
        for i, box in enumerate(boxes):
            for other in boxes[i + 1:]:
                self.assertFalse(box.overlaps(other), (box, other))
        return boxes

    def test_no_two_words_overlap(self):
        middles = {"alike": lambda rank: 0.5, "own": lambda rank: (rank + 1) / 2000,
                   "by host": lambda rank: 0.5 + rank % 8 / 100,
                   "short": lambda rank: 0.001}
        for ranks in (8, 64, 1024):
            for name, middle in middles.items():
                with self.subTest(ranks=ranks, middle=name):
                    figure = self.drawn(ranks, middle)
                    axes = figure.axes[0]
                    words = [*axes.get_yticklabels(), axes.yaxis.label, *axes.texts,
                             *axes.get_xticklabels(), axes.xaxis.label, *figure.texts,
                             axes._left_title, axes._right_title]
                    boxes = self.assert_apart(words, figure.canvas)
                    self.assertGreater(len(boxes), 5)
                    self.assertGreaterEqual(min(box.x0 for box in boxes), 0)
                    style.plt.close("all")

    def test_rows_of_64_and_1024_ranks_are_high_enough_to_be_seen(self):
        for ranks in (64, 1024):
            axes = self.drawn(ranks, lambda rank: (rank + 1) / 2000).axes[0]
            rows = round(axes.get_ylim()[0] + 0.4)
            inches = axes.get_window_extent().height / axes.figure.dpi
            self.assertGreaterEqual(150 * inches / rows, 12)  # pixels of the picture that is saved


if __name__ == "__main__":
    unittest.main()
