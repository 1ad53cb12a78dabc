# SPDX-License-Identifier: LGPL-2.1-or-later
"""By which table an MPI library chose its algorithms, where the documents name no version.

Each known table is simulated before anything is fitted. Those that are far worse than the best are
ruled out; those that stay share the ensemble of the interval (fit/draws.py).
"""

import math

import numpy as np

from common.quantities import format_bytes
from validation.calibration.fit.profile import library_of
from validation.calibration.verdict import cases, model
from validation.calibration.verdict.simulator import batch

TUNED = ("open_mpi_tuned", "open_mpi_tuned_4_0", "mpich_flat")
# Times the least error (validation/published/SPLIT.md, "Library without a version").
RULED_OUT = 2.0
SIZES = tuple(4 ** power for power in range(2, 13))  # 16 B to 16 MiB, to tell tables apart
MOST_RANKS = 128  # of such simulations: a ring has messages as the square of its ranks
GUESS = "the algorithm of {} is a guess"
TELLS = 1.1  # ratio of two tables' times that a measurement sees


def is_chosen(case) -> bool:
    """True of a blocking collective whose algorithm nobody named."""
    return not case.parameters["algorithm"] and not case.is_posted


def choose_algorithms(loop):
    """Sets algorithms for a choice that the documents do not name: those that their MPI's version
    is known to choose, else the table that errs less before the fit."""
    for collective in sorted({case.parameters["collective"] for case in loop.cases
                              if is_chosen(case)} - set(loop.algorithms)):
        listed = [case for case in loop.cases if case.parameters["collective"] == collective
                  and is_chosen(case)]
        found = {model.table_of(case.series.mpi, collective) for case in listed}
        if len(found) == 1 and "" not in found:
            continue  # as the model has it
        errors = errors_of_tables(loop, collective)
        if errors:
            choose(loop, collective, errors, {case.placement.ranks for case in listed})


def choose(loop, collective: str, errors: dict, ranks: set):
    """`errors`: {table: its error}; one number of ranks decides only what it rules out."""
    best, (staying, words, hint) = min(errors, key=errors.get), compared(loop, collective, errors)
    if len(ranks) > 1 or len(staying) == 1:
        loop.algorithms[collective] = best
        why = f"{best}, which errs least before the fit ({words})"
    else:
        why = (f"{model.CHOSEN}, a guess: where.mpi names no version of Open MPI, and one "
               f"number of ranks ({min(ranks)}) determines too little of the tables ({words}); "
               f"--algorithm {collective}=NAME sets it")
        loop.result.notes.append(GUESS.format(collective))
    if len(staying) > 1:
        loop.result.tables[collective] = staying
    loop.result.assumed[f"algorithm of {collective}"] = why + hint


def compared(loop, collective: str, errors: dict) -> tuple:
    """(tables that are not ruled out, all errors in words, which measurement would tell them)"""
    staying = [name for name, one in errors.items() if one <= RULED_OUT * min(errors.values())]
    words = ", ".join(f"{name} {math.expm1(one):.0%}" for name, one in errors.items())
    return staying, words, telling(loop, collective, staying) if len(staying) > 1 else ""


def tables_of(loop) -> list:
    """{collective: table} of each table that may be the library's; {} where somebody said."""
    guessed = "algorithm of allreduce" in loop.result.assumed
    return [{"allreduce": name} for name in TUNED] if guessed else [{}]


def errors_of_fits(fits: list) -> dict:
    """{table: least error} of (table, relative errors) of each fit by it."""
    errors = {}
    for name, found in fits:
        errors[name] = min(float(np.mean(np.abs(np.log1p(found)))), errors.get(name, math.inf))
    return errors


def say_chosen(loop, collective: str, chosen: str, errors: dict):
    """Takes a table after a fit by each, whose `errors` these are. Those that are far worse go."""
    staying, words, hint = compared(loop, collective, errors)
    loop.algorithms[collective] = chosen
    loop.result.tables[collective] = staying
    loop.result.notes = [one for one in loop.result.notes
                         if one != GUESS.format(collective) or len(staying) > 1]
    loop.result.assumed[f"algorithm of {collective}"] = (
        f"{chosen}, by whose fit the collectives err least ({words})" + hint)


def errors_of_tables(loop, collective: str) -> dict:
    """{known table of the collective: its error before the fit}."""
    errors = {}
    for name in TUNED:
        if name in loop.known.get(collective, ()):
            loop.algorithms[collective] = name
            predicted = loop.predict(loop.result)
            errors[name] = float(np.mean(np.abs(np.log(predicted / loop.measured()))))
    loop.algorithms.pop(collective, None)
    return errors


def telling(loop, collective: str, names: list) -> str:
    """"; allreduce of 64 KiB on the same ranks would tell them apart, ...": the size at which the
    tables differ most; "" where they do not, or the simulations would take minutes."""
    index = next(i for i, case in enumerate(loop.cases)
                 if case.parameters["collective"] == collective
                 and is_chosen(case))
    if loop.cases[index].placement.ranks > MOST_RANKS:
        return ""
    times = {}
    for name in names:
        loop.algorithms[collective] = name
        scenario = loop.scenarios(loop.result, once=True)[index]
        asked = [{**scenario, "job": {**scenario["job"], "bytes": f"{size} B"}} for size in SIZES]
        place = cases.place_of(loop.cases[index].measured)
        found = batch(loop.simulator, library_of(loop.result), asked,
                      [f"{place}, {size} B" for size in SIZES])
        times[name] = [case["time_s"] for case in found]
    loop.algorithms.pop(collective, None)
    ratio, size = max((max(one) / min(one), size) for *one, size in zip(*times.values(), SIZES))
    return (f"; {collective} of {format_bytes(size)} on the same ranks would tell them apart, by a "
            f"factor of {ratio:.2g}") if ratio > TELLS else ""
