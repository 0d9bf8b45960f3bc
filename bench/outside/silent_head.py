"""Nobody absent blocks anybody: people who fell silent stand before the living, and a slot becomes free."""

import time

from load import join_wires, progress
from people import Person, Present, Stream, Watch
from processes import BenchError

PRESENCE_MIN_SECONDS = 10
MARGIN_SECONDS = 1
FILL_SECONDS = 30
JOIN_SECONDS = 600  # For the silent crowd.
LIMIT_SECONDS = 2  # What a free slot may take while somebody present waits.
PHONE_SLEEPS_SECONDS = 300


def absent_after(person, options):
    """So many seconds after a sign of life somebody with this person's interval counts as absent."""
    return options.absent_after or max(PRESENCE_MIN_SECONDS, 3 * person.poll_after) + MARGIN_SECONDS


def fill(system, present):
    insiders = [Person(system, f"insider-{i}") for i in range(system.capacity)]
    present.add(*insiders)
    if not present.wait_for(lambda: all(person.is_inside for person in insiders), FILL_SECONDS):
        raise BenchError(f"{system.name}: not all of {system.capacity} who came first are inside after {FILL_SECONDS} s")
    return insiders


def free(present, person):
    """When the slot was given back: asked for, so that nothing that is measured is forgotten."""
    present.remove(person)
    begin = time.monotonic()
    person.finish()
    return begin


def measure(figures, client, system, silent, options):
    """One cell: so many silent, the system's capacity. None: not within --patience."""
    label = f"{system.capacity}_{silent}"
    with Present() as present:
        insiders = fill(system, present)
        load = client.run(system, join_wires(system, 0, silent), JOIN_SECONDS)
        if load.requests != silent:
            raise BenchError(f"{system.name}: only {load.requests} of {silent} silent visitors joined")
        joined = time.monotonic()
        polling = Person(system, "polling")
        present.add(polling)
        listening = Person(system, "listening") if system.request("stream") else None
        stream = Stream(listening) if listening else None
        span = absent_after(polling, options)
        progress(f"{system.name}: capacity {system.capacity}, {silent:,} silent, absent in {span:.0f} s")
        present.wait(joined + span)
        if polling.is_inside:
            raise BenchError(f"{system.name}: somebody was called into a full room")
        interval = polling.poll_after  # Once inside, it is another one.
        called, told = wait_polling(system, present, insiders, polling, options.patience)
        add_seconds(figures, system, f"silent_{label}_poll_called_s", called, at_most=LIMIT_SECONDS)
        add_seconds(figures, system, f"silent_{label}_poll_told_s", told, at_most=LIMIT_SECONDS + interval)
        if stream and told is not None:
            since = free(present, insiders[1] if len(insiders) > 1 else polling)
            stream.called.wait(options.patience)
            heard = stream.when - since if stream.when else None
            add_seconds(figures, system, f"silent_{label}_stream_told_s", heard, at_most=LIMIT_SECONDS)
            progress(f"{system.name}: the stream said it {seconds(heard)} after the slot was free")
        if stream:
            stream.close()


def wait_polling(system, present, insiders, polling, patience):
    """Seconds from the free slot until the one who polls is called, as seen from outside, and until it is told."""
    interval = polling.poll_after
    watch = Watch(system, polling.number) if system.request("room") and polling.number else None
    since = free(present, insiders[0])
    is_told = present.wait_for(lambda: polling.is_inside, patience)
    told = polling.heard - since if is_told else None
    if watch:
        watch.stop()
    called = watch.when - since if watch and watch.when and is_told else told
    progress(f"{system.name}: who polls every {interval:.0f} s was called {seconds(called)} after the slot was free, "
             f"told {seconds(told)}")  # fmt: skip
    return called, told


def measure_phone(figures, system, options):
    """The first in line polls, then sleeps for minutes; others are called past it; it wakes, and is the next."""
    with Present() as present:
        insider = fill(system, present)[0]
        phone = Person(system, "phone")
        present.add(phone)
        present.wait(time.monotonic() + 2 * phone.poll_after)
        present.remove(phone)
        asleep = phone.heard
        others = [Person(system, f"awake-{i}") for i in range(2)]
        present.add(*others)
        progress(f"{system.name}: the first in line sleeps for {options.phone_sleeps} s")
        present.wait(asleep + absent_after(phone, options))
        since = free(present, insider)
        is_past = present.wait_for(lambda: others[0].is_inside, options.phone_sleeps - (time.monotonic() - asleep))
        limit = LIMIT_SECONDS + phone.poll_after  # They are told by polling.
        add_seconds(figures, system, "phone_passed_s", others[0].heard - since if is_past else None, limit)
        present.wait(asleep + options.phone_sleeps)
        phone.look()
        present.add(phone)
        present.wait(phone.heard + LIMIT_SECONDS)  # Where several processes share a room, all have heard of it by then.
        if is_past:
            since = free(present, others[0])
            is_next = present.wait_for(lambda: phone.is_inside or others[1].is_inside, options.patience) and phone.is_inside
        else:
            is_next = False
        add_seconds(figures, system, "phone_next_s", phone.heard - since if is_next else None, limit)
        others_state = f"{phone.state}, and the one behind it {others[1].state}"
        progress(f"{system.name}: the phone that woke is {'the next' if is_next else f'not the next: {others_state}'}")


def add_seconds(figures, system, name, value, at_most):
    figures.add(system.name, name, value, "s", at_most)


def seconds(value):
    return "never" if value is None else f"{value:.2f} s"
