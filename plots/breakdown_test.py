# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does plots/breakdown show what each rank did and what it was blocked by, with names that can be
read?
"""

import unittest

from plots.plots_test import InFolder, breakdown, report, style  # skips without matplotlib


class Breakdown(InFolder):
    def draw(self, text):
        return breakdown.draw(breakdown.read_report(self.write(text)), "Why?")

    def test_bars_stack_to_the_time_of_the_case(self):
        axes = self.draw(report(ranks=3)).axes[0]
        tops = [bar.get_y() + bar.get_height() for bar in axes.patches]
        self.assertEqual(tops, [0.25] * 3 + [0.75] * 3 + [1.0] * 3)
        self.assertEqual(axes.get_ylabel(), "time (s)")

    def test_blocked_time_has_the_colour_of_its_cause(self):
        def colours(waited):
            axes = self.draw(report(waited=waited, ranks=1)).axes[0]
            return [style.matplotlib.colors.to_hex(bar.get_facecolor()).upper()
                    for bar in axes.patches if bar.get_height() > 0]
        reduce = style.KINDS["reduce"][0]
        self.assertEqual(colours({"copy": 0.75}), [reduce, style.KINDS["by copy"][0]])
        self.assertEqual(colours({"wire": 0.75}), [reduce, style.KINDS["by wire"][0]])
        self.assertEqual(colours({"protocol": 0.5, "storage": 0.25}),
                         [reduce, style.KINDS["by latency"][0], style.KINDS["by other"][0]])

    def test_no_two_kinds_look_alike(self):
        looks = [tuple(look[:2]) for name, look in style.KINDS.items()]
        self.assertEqual(len(set(looks)), len(looks))

    def test_names_of_hosts_stand_clear_of_the_words_below_and_of_each_other(self):
        for ranks, per_host, names in ((64, 4, "ab"), (64, 8, "a"), (12, 4, "abcde"), (64, 4, "a")):
            figure = self.draw(report(names, ranks, per_host))
            canvas = figure.canvas
            canvas.draw()
            below = next(text for text in figure.texts if text.get_text() == "rank, by host")
            top = below.get_window_extent(canvas.get_renderer()).y1
            for axes in figure.axes:
                boxes = [text.get_window_extent(canvas.get_renderer()) for text in axes.texts]
                self.assertEqual(len(boxes), ranks // per_host if axes.get_visible() else 0)
                for box, after in zip(boxes, boxes[1:]):
                    self.assertLess(box.x1, after.x0)
                for box in boxes:
                    self.assertGreater(box.y0, top)

    def test_ranks_are_grouped_by_host(self):
        axes = self.draw(report(ranks=3)).axes[0]
        self.assertEqual([text.get_text() for text in axes.texts], ["host0", "host1"])
        self.assertEqual([text.get_position()[0] for text in axes.texts], [0.5, 2.0])

    def test_one_panel_per_case_four_in_a_row(self):
        figure = self.draw(report(names="abcde"))
        self.assertEqual([axes.get_visible() for axes in figure.axes], [True] * 5 + [False] * 3)
        self.assertEqual(figure.axes[4].get_title("left"), "e:  1 s")

    def test_headings_stand_clear_of_each_other_and_differ(self):
        for count in range(1, 6):
            names = [f"gigabit-is-not-enough ResNet-50 and MNIST, many commas, workers: {rate}"
                     for rate in (10, 16, 25, 40, 100)[:count]]
            figure = self.draw(report(names))
            figure.canvas.draw()
            shown = [axes for axes in figure.axes if axes.get_visible()]
            titles = [axes.get_title("left") for axes in shown]
            self.assertEqual(len(set(titles)), count)
            self.assertEqual({title.startswith("gigabit") for title in titles}, {count == 1})
            for axes, title in zip(shown, titles):
                (text,) = axes.findobj(lambda one, title=title: isinstance(
                    one, style.matplotlib.text.Text) and one.get_text() == title)
                row = axes.get_window_extent()
                room = row.x1 + 0.08 * row.width if count > 1 else figure.bbox.x1
                self.assertLess(text.get_window_extent().x1, room, titles)

    def test_a_thousand_ranks_fit(self):
        axes = self.draw(report(ranks=1000)).axes[0]
        self.assertLessEqual(len(axes.get_xticks()), 16)


if __name__ == "__main__":
    unittest.main()
