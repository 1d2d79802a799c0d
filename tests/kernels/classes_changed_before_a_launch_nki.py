"""Attributes of classes are open where a function that is handed the class sets them; not where it is handed an object."""

from dataclasses import dataclass

import nki
import nki.isa as nisa
import nki.language as nl


class ByDefault:
    width = 4096


class Handed:
    width_of_handed = 4096


class Held:
    width_of_held = 4096


class Listed:
    width_of_listed = 4096


class Given:
    width_of_given = 4096


class Elsewhere:
    width_of_elsewhere = 4096


@dataclass
class Made:
    width_of_made: int = 4096


class Remade:
    width_of_remade = 4096

    @classmethod
    def usual(cls):
        return cls()


class Holder:
    def __init__(self, config):
        self.config = config

    def widen(self):
        self.config.width_of_held = 512


@dataclass
class Wrapper:
    inner: type

    def widen(self):
        self.inner.width_of_given = 512


def widen_default(config=ByDefault):
    config.width = 512


def widen_handed(config, columns):
    config.width_of_handed = columns


def widen_listed():
    for each in [Listed]:
        each.width_of_listed = 512


def one_of_them():
    return Elsewhere


def widen_elsewhere():
    one_of_them().width_of_elsewhere = 512


def widen_made(config: Made):
    config.width_of_made = 512
    config.width_of_remade = 512


def start():
    widen_default()
    widen_handed(Handed, columns=512)
    Holder(Held).widen()
    Wrapper(inner=Given).widen()
    widen_listed()
    widen_elsewhere()
    widen_made(Made())
    widen_made(Remade.usual())


def clear(columns):
    tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=tile[:, 0:columns], value=0.0)


@nki.jit
def by_default():  # expect: NKI003
    clear(ByDefault.width)


@nki.jit
def handed():  # expect: NKI003
    clear(Handed.width_of_handed)


@nki.jit
def held():  # expect: NKI003
    clear(Held.width_of_held)


@nki.jit
def given():  # expect: NKI003
    clear(Given.width_of_given)


@nki.jit
def listed():  # expect: NKI003
    clear(Listed.width_of_listed)


@nki.jit
def elsewhere():  # expect: NKI003
    clear(Elsewhere.width_of_elsewhere)


@nki.jit
def made():
    tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=tile[:, 0 : Made.width_of_made], value=0.0)  # expect: NKI301


@nki.jit
def remade():
    tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=tile[:, 0 : Remade.width_of_remade], value=0.0)  # expect: NKI301
