# SPDX-License-Identifier: LGPL-2.1-or-later
"""Parameters fitted from whole collectives, beside the probes, with the simulator in the loop.

A ping-pong sees sums: it cannot tell a core's time from the wire's, nor a time that is always there
from one that comes and goes. A collective can: cores that send and receive at once share, and many
ranks wait for the latest. So the shares are fitted, the ping-pong held: least squares on relative
error of the simulated times, the same random numbers for every trial.
"""

import contextlib
import dataclasses
import math
import sys

import numpy as np
from scipy.optimize import least_squares

from validation.calibration.fit import alone, interrupts, segments
from validation.calibration.fit.loop import Loop
from validation.calibration.fit.tables import (choose_algorithms, errors_of_fits,
                                                say_chosen, tables_of)
from validation.calibration.fit.transport import least
from validation.calibration.fit.unknowns import BETWEEN, SHARED, Unknown, are_alone, unknowns_of

ROUNDS = 600  # of simulations for the whole fit, by default; the published set takes half
TRIALS, REFINEMENTS, LAST = 12, 5, 24  # steps of the first fit, of each that refines it, at the end
NOTHING = 0.02  # a share below that is none
OUTLIER = 0.15  # relative error: more of it counts less, for another effect may be behind it
AT_START = 5.0  # abscissa of a fitted logarithm, where a value is as it starts
STEP = 0.04  # of a share, for derivatives: above what chance leaves
FLOOR = 0.02  # of relative error
USUAL_ERROR = 0.05  # of a case in a fit
UNUSUAL = 3.0  # factor on what is usual of a core
OF_HOST = {"reduce_cost": 1e-9, "detours": 1e-2, "receiving": 1e-6}  # unknowns, in SI units
GAIN = 2.0  # of the information criterion, before one more parameter is taken


class OutOfRounds(Exception):
    """No more rounds: the best so far is kept. Counted in rounds, not in seconds: a busy machine
    takes longer and finds the same."""


@dataclasses.dataclass
class Fit:
    """Result: values by unknown, with 95 % intervals; per case `errors`, relative to what was
    measured, and `residuals`, as least_squares scales them in place with its jacobian by the loss
    of outliers: what splits and intervals are judged by."""
    unknowns: list
    values: np.ndarray
    residuals: np.ndarray
    jacobian: np.ndarray
    cases: list
    predicted: np.ndarray
    converged: bool
    errors: np.ndarray = dataclasses.field(default_factory=lambda: np.empty(0))
    pulls: np.ndarray = dataclasses.field(default_factory=lambda: np.empty(0))  # to the starts
    intervals: dict = dataclasses.field(default_factory=dict)
    drawn: np.ndarray = dataclasses.field(default_factory=lambda: np.empty((0, 0)))  # values

    @property
    def score(self):
        """Schwarz's criterion; smaller is better."""
        count = len(self.residuals)
        spread = weighed(self.residuals) / count + FLOOR**2
        return count * math.log(spread) + len(self.unknowns) * math.log(count)


def weighed(residuals):
    """Sum of squares; of outliers, less than that."""
    return float(np.sum(2 * OUTLIER**2 * (np.sqrt(1 + (residuals / OUTLIER)**2) - 1)))


def applied(result, unknowns, values, observations=None):
    """({way: transport}, host) with these values; the ping-pong is fitted again, to `observations`
    where they are others than the fit's."""
    fitted = result.transports["network"]
    transport, of_host = fitted.transport, {}
    late = [0.0] * len(transport.latency.segments)
    changes = {}
    for unknown, value in zip(unknowns, values):
        for segment in unknown.segments:
            late[segment] = float(value) if value > NOTHING else 0.0
        if unknown.name == "cpu_share":
            ping_pong = result.points.of_probe("ping_pong", way="network")
            each = segments.constant(ping_pong[0].seconds * value / 2)
            changes |= {"send_overhead": each, "recv_overhead": each}
        elif unknown.name == "wire_share":  # the stream's rate is that of its cores
            changes |= {"send_cost": transport.wire, "recv_cost": transport.wire,
                        "wire": transport.wire * value}
        elif unknown.name == "message_gap":
            changes["message_gap"] = float(value) * 1e-6
        elif unknown.name == "latency":
            changes["latency"] = segments.constant(float(value) * 1e-6)
        elif unknown.name == "wire":
            changes["wire"] = float(value) * 1e-9
        elif unknown.name == "cost_share":
            changes |= {"send_cost": transport.wire * value, "recv_cost": transport.wire * value}
        elif unknown.name in OF_HOST:
            of_host[unknown.name] = value * OF_HOST[unknown.name]
    transport = dataclasses.replace(transport, late=tuple(late), **changes)
    found = {"network": least(transport, fitted.free, observations or fitted.observations)}
    if SHARED[0] in unknowns:
        named = {one.name: value for one, value in zip(unknowns, values)}
        found["shm"] = alone.shm_with(result.transports["shm"].transport, named)
    return found, dataclasses.replace(result.host, **of_host)


def with_values(result, unknowns, values):
    """The calibration with these values."""
    found, host = applied(result, unknowns, values)
    return dataclasses.replace(result, host=host, transports=result.transports | {
        way: dataclasses.replace(result.transports[way], transport=one)
        for way, one in found.items()})


def fit_unknowns(loop, unknowns, start, steps=REFINEMENTS, held=False) -> Fit:
    """Least squares over these unknowns; the best point seen if the rounds are used up. `held`:
    each unknown counts as a measurement of its start, too, as one is off by OUTLIER where it lies
    as far off as its start from 0. One that is pulled is off by USUAL_ERROR at UNUSUAL times its
    start."""
    low = np.array([one.low for one in unknowns])
    high = np.array([one.high for one in unknowns])
    measured, best = loop.measured(), []
    factors = np.array([one.by_factor for one in unknowns])
    usual = np.array([one.start if one.by_factor else 1.0 for one in unknowns])

    def abscissas(values):
        return np.where(factors, AT_START + np.log(np.where(factors, values / usual, 1)), values)

    def ordinates(points):
        return np.where(factors, usual * np.exp((points - AT_START) * factors), points)

    def residuals(points):
        values = ordinates(points)
        if loop.left <= 0:
            loop.cut = True
            raise OutOfRounds
        loop.left -= 1
        predicted = loop.predict(with_values(loop.result, unknowns, values))
        found = predicted / measured - 1
        if held:
            found = np.append(found, OUTLIER * (values / start - 1))
        found = np.append(found, [USUAL_ERROR * math.log(value / one.start, UNUSUAL)
                                  for one, value in zip(unknowns, values) if one.pulled])
        best.append((weighed(found), values.copy(), found, predicted))
        return found

    try:
        solved = least_squares(residuals, abscissas(np.clip(start, low + 1e-3, high - 1e-3)),
                               bounds=(abscissas(low), abscissas(high)), loss="soft_l1",
                               f_scale=OUTLIER, diff_step=np.where(factors, STEP / AT_START, STEP),
                               x_scale=np.where(factors, 1.0, np.maximum(start, 0.1)),
                               xtol=2e-3, ftol=2e-3, max_nfev=steps)
        jacobian = solved.jac / np.where(factors, ordinates(solved.x), 1.0)
        converged = solved.status > 0
    except OutOfRounds:
        if not best:
            raise
        jacobian, converged = np.zeros((len(best[0][2]), len(unknowns))), False
    _, values, found, predicted = min(best, key=lambda one: one[0])
    return Fit(unknowns, values, found[:len(measured)], jacobian, loop.cases, predicted, converged,
               errors=predicted / measured - 1, pulls=found[len(measured):])


def split(fit: Fit):
    """Fits with one more value of `late`: each way to cut a group of segments in two."""
    for index, one in enumerate(fit.unknowns):
        for cut in range(1, len(one.segments)):
            halves = [one._replace(segments=part)
                      for part in (one.segments[:cut], one.segments[cut:])]
            unknowns = fit.unknowns[:index] + halves + fit.unknowns[index + 1:]
            yield unknowns, np.insert(fit.values, index, fit.values[index])


def search(loop, first=None) -> Fit:
    """The simplest fit that the data do not ask to refine, to its end if the rounds allow it.
    `first`: that of all unknowns from their starts, where it is known."""
    unknowns = unknowns_of(loop.result, loop.cases)
    few = len(loop.cases) <= len(unknowns) + 1
    best = first or fit_unknowns(loop, unknowns, np.array([one.start for one in unknowns]), TRIALS,
                                 few)
    with contextlib.suppress(OutOfRounds):
        while len(loop.cases) > 2 * len(best.unknowns):
            trials = [fit_unknowns(loop, *more) for more in split(best)]
            finer = min(trials, key=lambda one: one.score, default=best)
            if finer.score > best.score - GAIN:
                break
            best = finer
        if not best.converged:
            best = fit_unknowns(loop, best.unknowns, best.values, LAST, few)
    best.converged = best.converged and not loop.cut
    return best


def choose_by_fits(loop):
    """Takes the table by whose fit the collectives err least, if several stay before the fit.
    Returns that fit; None where nothing was chosen."""
    unknowns = unknowns_of(loop.result, loop.cases)
    start, few = np.array([one.start for one in unknowns]), len(loop.cases) <= len(unknowns) + 1
    first = None
    for collective, names in list(loop.result.tables.items()):
        if loop.left < (len(names) + 1) * TRIALS * (len(unknowns) + 1):
            return None  # the fit by the guess comes first
        before, fits = loop.algorithms, {}
        for name in names:
            loop.algorithms = before | {collective: name}
            fits[name] = fit_unknowns(loop, unknowns, start, TRIALS, few)
        errors = errors_of_fits([(name, one.errors) for name, one in fits.items()])
        loop.algorithms, best = dict(before), min(errors, key=errors.get)
        say_chosen(loop, collective, best, errors)
        first = fits[best]
    return first


def with_handshakes(loop, fit: Fit) -> Fit:
    """The fit, or a better one in which every message between hosts has a handshake: a sender
    waits for its receiver."""
    network = loop.result.transports["network"]
    if BETWEEN[0] not in fit.unknowns or loop.left < TRIALS * (len(fit.unknowns) + 1):
        return fit
    usual = network.transport.eager_limit
    network.change(eager_limit=0.0)
    other = fit_unknowns(loop, fit.unknowns, np.array([one.start for one in fit.unknowns]), TRIALS)
    if other.score < fit.score:
        network.assumed["eager_limit"] = "0 B: the collectives do better without eager messages"
        return other
    network.change(eager_limit=usual)
    return fit


def with_receiving(loop, fit: Fit) -> Fit:
    """The fit, or where it misses its own collectives one whose receivers take longer than in a
    measured ping-pong, by the table that then suits best."""
    if np.median(np.abs(fit.errors)) <= OUTLIER or are_alone(loop.result, loop.cases):
        return fit
    steps = 2 * np.log2([case.placement.ranks for case in loop.cases])
    late = np.median((loop.measured() - fit.predicted) / steps) * 1e6
    if late <= 0:
        return fit
    before, trials = loop.algorithms, []
    steady = [(one, value) for one, value in zip(fit.unknowns, fit.values) if one.name != "late"]
    for chosen in tables_of(loop):
        loop.algorithms = before | chosen
        for some in (zip(fit.unknowns, fit.values), steady):
            unknowns, values = zip(*some, (Unknown("receiving", late, 0.0, 100 * late), late))
            with contextlib.suppress(OutOfRounds):
                trials.append((fit_unknowns(loop, [*unknowns], np.array(values), TRIALS), chosen))
    best, chosen = min(trials, key=lambda some: some[0].score, default=(fit, {}))
    loop.algorithms = before
    if best is fit or best.score > fit.score - GAIN:
        return fit
    for collective, name in chosen.items():
        say_chosen(loop, collective, name, errors_of_fits(
            [(one[collective], trial.errors) for trial, one in trials]))
    loop.result.doubts.append(
        f"a message of these collectives takes its receiver {best.values[-1]:.3g} us longer than "
        "a message of ping_pong, for an unknown reason: single messages are predicted too slow")
    return best


def say_unfinished(result, loop, settings):
    """Warns in the report, and where those look who do not read it."""
    why = (f"its {settings.rounds} rounds of simulations were used up (--rounds gives it more)"
           if loop.cut else f"it still moved after {LAST} steps")
    text = (f"the fit to the collectives did not converge: {why}. The result is the best of its "
            "steps, and the intervals are too narrow")
    result.notes.append(text)
    print(f"warning: {text}", file=sys.stderr)


def set_intervals(fit: Fit, generator, count):
    """Residuals drawn again, through the linear model at the solution."""
    if not fit.jacobian.any() or count < 2:
        return
    pull = np.linalg.pinv(fit.jacobian, rcond=1e-4)
    freedom = max(1, len(fit.residuals) + len(fit.pulls) - len(fit.unknowns))
    spare = math.sqrt((len(fit.residuals) + len(fit.pulls)) / freedom)
    errors = spare * (fit.residuals - np.mean(fit.residuals))
    errors = np.append(errors, spare * fit.pulls)
    drawn = np.array([fit.values + pull @ generator.choice(errors, len(errors))
                      for _ in range(count)])
    fit.drawn = np.clip(drawn, [one.low for one in fit.unknowns],
                        [one.high for one in fit.unknowns])
    for index, one in enumerate(fit.unknowns):
        ends = np.percentile(drawn[:, index], [2.5, 97.5])
        fit.intervals[index] = tuple(np.clip(ends, one.low, one.high).tolist())


def fit_collectives(result, documents, simulator, settings):
    """Changes `result`: its network's jitter and shares, its reduce_cost."""
    loop = Loop(result, documents, simulator, settings)
    if are_alone(result, loop.cases):
        alone.begin(result, loop.cases)
    loop.keep_affordable()
    choose_algorithms(loop)
    loop.keep_affordable()
    fit = interrupts.without_interrupts(loop, search(loop, choose_by_fits(loop)), search)
    fit = with_receiving(loop, with_handshakes(loop, fit))
    loop.bar.close()
    if not fit.converged:
        say_unfinished(result, loop, settings)
    set_intervals(fit, np.random.default_rng(settings.seed), settings.bootstrap)
    found, result.host = applied(result, fit.unknowns, fit.values)
    for way, transport in found.items():
        result.transports[way].transport = transport
    result.algorithms, result.collectives = loop.algorithms, fit
    return fit
