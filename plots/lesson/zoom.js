// SPDX-License-Identifier: LGPL-2.1-or-later
// The part of the run that timelines show, dragged by a mouse or a finger, stretched by two.

/** The part of the time that all timelines show, in seconds. */
const zoom = {from: 0, to: 0};

/** One pointer drags what a TimelineView shows, once it is zoomed; the times below two fingers stay
 * below them. */
class Fingers {
  constructor(view, canvas) {
    this.view = view;
    this.places = new Map();  // of the pointers that are down: [x at first, x now]
    canvas.addEventListener("pointerdown", ({pointerId, offsetX}) => {
      canvas.setPointerCapture(pointerId);
      this.places.set(pointerId, [offsetX, offsetX]);
      this.hold();
    });
    canvas.addEventListener("pointermove", ({pointerId, offsetX}) => this.move(pointerId, offsetX));
    for (const name of ["pointerup", "pointercancel"]) {
      canvas.addEventListener(name, ({pointerId}) => {
        this.places.delete(pointerId);
        this.hold();
      });
    }
  }

  /** From here on, places count from where they are. */
  hold() {
    for (const place of this.places.values()) place[0] = place[1];
    this.held = {...zoom};
  }

  move(pointer, x) {
    const place = this.places.get(pointer), {view, held: {from, to}} = this;
    if (!place) return;
    place[1] = x;
    const [one, other = one] = this.places.values(), isOne = one === other;
    if (isOne && to - from >= view.whole) return;
    const wide = at => Math.max(8, Math.abs(other[at] - one[at]));
    const long = (to - from) * (isOne ? 1 : wide(0) / wide(1));
    const share = at => ((one[at] + other[at]) / 2 - view.left) / view.wide;
    const start = from + share(0) * (to - from) - share(1) * long;
    view.show(start, start + long);
  }
}
