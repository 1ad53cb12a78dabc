// SPDX-License-Identifier: LGPL-2.1-or-later
// The critical path in the rows of a timeline.

/** Rows of a segment of the path at its start and end; undefined where no rank is known. */
function rowsOfSegment([, , , rank, resource, from, to], owners, count) {
  const one = rank >= 0 ? rank : from >= 0 ? from : owners.get(resource) ?? -1;
  const other = rank < 0 && from >= 0 ? to : one;
  return Math.min(one, other) >= 0 && Math.max(one, other) < count ? [one, other] : undefined;
}

/** The path of a case in lines: a message goes from the sender's row to the receiver's. */
function pathLines({loads, path, spans}) {
  const owners = new Map(loads.map(({name, rank}) => [name, rank])), lines = [];
  for (const segment of path) {
    const [start, end] = segment, rows = rowsOfSegment(segment, owners, spans.rows.length);
    const last = lines.at(-1);
    if (last && String(last.rows) === String(rows)) last.end = end;
    else lines.push({start, end, rows});
  }
  return lines;
}

/** What a path is spent on long enough to be seen, as pictures tell it apart. */
function pathKinds(path) {
  const sums = new Map();
  for (const [start, end, cause] of path) {
    const kind = pathKind(cause);
    sums.set(kind, (sums.get(kind) || 0) + end - start);
  }
  return new Set([...sums.keys()].filter(kind => sums.get(kind) > 0.001 * TICKS));
}
