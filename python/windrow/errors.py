"""What can go wrong, in plain words and with stable codes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from windrow import _conditions

_CODE = r"[A-Z][A-Z0-9_]*"
_ONE = re.compile(rf"\[({_CODE})\] (.*)", re.DOTALL)
_MANY = re.compile(rf"\d+ problems in .*?: (?=\[{_CODE}\] )", re.DOTALL)
_NEXT = re.compile(rf"\[({_CODE})\] ")


class WindrowError(Exception):
    """Parent of every error that windrow raises itself."""


@dataclass(frozen=True)
class SpecProblem:
    """One thing that is wrong: a stable code and a full sentence."""

    code: str
    text: str

    def __str__(self) -> str:
        """Show as ``[CODE] sentence``."""
        return f"[{self.code}] {self.text}"

    def _of(self, where: str) -> SpecProblem:
        """Give the same with where it is in front."""
        return SpecProblem(self.code, f"{where}: {self.text}")


class SpecError(WindrowError, ValueError):
    """A description that cannot run; ``problems`` has all that is wrong with it."""

    def __init__(self, message: str, problems: Sequence[SpecProblem]) -> None:
        """Take the whole message and the problems it tells of."""
        super().__init__(message)
        self.problems = tuple(problems)

    def __reduce__(self) -> tuple[type[SpecError], tuple[str, tuple[SpecProblem, ...]]]:
        """Keep the problems when pickled."""
        return type(self), (str(self), self.problems)

    @classmethod
    def of(cls, subject: str, problems: Sequence[SpecProblem]) -> SpecError:
        """Say what is wrong with ``subject``, which is written as its call."""
        if len(problems) == 1:
            [only] = problems
            made = class_of(only.code)
            return (made if issubclass(made, cls) else cls)(
                f"[{only.code}] {subject}: {only.text}", problems
            )
        found = " ".join(map(str, problems))
        return cls(f"{len(problems)} problems in {subject}: {found}", problems)


class UnboundedJoinError(SpecError):
    """A join that would keep its messages for ever."""


class MessageError(WindrowError, ValueError):
    """Messages that do not fit the schema of an operator; ``problems`` has all that is wrong."""

    def __init__(self, message: str, problems: Sequence[SpecProblem]) -> None:
        """Take the whole message and the problems it tells of."""
        super().__init__(message)
        self.problems = tuple(problems)

    def __reduce__(self) -> tuple[type[MessageError], tuple[str, tuple[SpecProblem, ...]]]:
        """Keep the problems when pickled."""
        return type(self), (str(self), self.problems)


class BackpressureError(WindrowError):
    """An operator takes no message while its downstream is full; ``timeout`` drains it."""


class OperatorError(WindrowError):
    """An operator was asked for what it cannot do, or is not open."""


class JarNotFoundError(WindrowError):
    """The JAR is not in the package, not in the session, or of another version."""


class CheckpointError(WindrowError):
    """A checkpoint that does not fit the query that continues it, or cannot be read."""


def expect(call: str, value: object, *kinds: type, say: str = "") -> None:
    """Refuse a value of another type before it leads to a strange error elsewhere.

    say: what to write instead, for example.
    """
    if not isinstance(value, kinds):
        names = " or ".join(kind.__name__ for kind in kinds if kind is not type(None))
        example = f" Pass for example {say}." if say else ""
        msg = f"{call} must be {names}, not {value!r}.{example}"
        raise TypeError(msg)


def problem(condition: str, /, **parameters: object) -> SpecProblem:
    """Give the problem of a condition, by the sentence of the catalogue."""
    return SpecProblem(condition.partition(".")[0], _conditions.text(condition, parameters))


def failure(condition: str, /, **parameters: object) -> WindrowError:
    """Give the error of a condition, of its class and by its sentence."""
    made = problem(condition, **parameters)
    return class_of(made.code)(str(made))


def problems_of(error: WindrowError) -> list[SpecProblem]:
    """Give what an error of windrow's reports, each as a problem."""
    if isinstance(error, SpecError):
        return list(error.problems)
    one = _ONE.fullmatch(str(error))
    return [SpecProblem(one[1], one[2])] if one else []


def class_of(code: str) -> type[WindrowError]:
    """Give the class of the errors of a code; SpecError if it is not known."""
    name = _conditions.catalogue().get(code, {}).get("class", "SpecError")
    found: type[WindrowError] = globals()[name]
    return found


def from_text(text: str) -> WindrowError | None:
    """Read a message written by the JVM part back into an error.

    Returns None if the text does not have the form of windrow's messages.
    """
    many = _MANY.match(text)
    if many:
        parts = _NEXT.split(text[many.end() :])[1:]
        pairs = zip(parts[::2], parts[1::2], strict=True)
        return SpecError(text, [SpecProblem(code, said.strip()) for code, said in pairs])
    one = _ONE.fullmatch(text)
    if one is None:
        return None
    made = class_of(one[1])
    if issubclass(made, SpecError | MessageError):
        return made(text, [SpecProblem(one[1], one[2])])
    return made(text)
