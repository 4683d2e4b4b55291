"""The errors of Windrow, with stable codes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from windrow import _conditions

_CODE = r"[A-Z][A-Z0-9_]*"
_ONE = re.compile(rf"\[({_CODE})\] (.*)", re.DOTALL)
_MANY = re.compile(rf"\d+ problems in .*?: (?=\[{_CODE}\] )", re.DOTALL)
_NEXT = re.compile(rf"\[({_CODE})\] ")


class WindrowError(Exception):
    """The parent of all errors that Windrow raises.

    The message starts with a stable code in brackets. docs/errors.md lists all codes with their
    remedies.

    Example:
        >>> issubclass(wr.SpecError, wr.WindrowError)
        True

    """


@dataclass(frozen=True)
class SpecProblem:
    """One problem: a stable code and a sentence.

    Attributes:
        code: The code, for example ``"DURATION_WITHOUT_UNIT"``.
        text: The sentence.

    Example:
        >>> problem = wr.SpecProblem(code="CODE", text="The sentence.")
        >>> print(problem)
        [CODE] The sentence.

    """

    code: str
    text: str

    def __str__(self) -> str:
        """Show as ``[CODE] sentence``."""
        return f"[{self.code}] {self.text}"

    def _of(self, where: str) -> SpecProblem:
        """Return the problem with its place in front of the sentence."""
        return SpecProblem(self.code, f"{where}: {self.text}")


class _WithProblems(WindrowError, ValueError):  # noqa: N818  only a parent
    """The parent of errors that list all problems."""

    def __init__(self, message: str, problems: Sequence[SpecProblem]) -> None:
        """Store the full message and its problems."""
        super().__init__(message)
        self.problems = tuple(problems)

    def __reduce__(self) -> tuple[type[Self], tuple[str, tuple[SpecProblem, ...]]]:
        """Keep the problems when pickled."""
        return type(self), (str(self), self.problems)


class SpecError(_WithProblems):
    """A description that cannot run.

    The error lists all problems at once, so you can fix them together.

    Attributes:
        problems: All problems, each with ``code`` and ``text``.

    Example:
        >>> try:
        ...     wr.Tumbling(60)
        ... except wr.SpecError as error:
        ...     print([problem.code for problem in error.problems])
        ['DURATION_WITHOUT_UNIT']

    """

    @classmethod
    def of(cls, subject: str, problems: Sequence[SpecProblem]) -> SpecError:
        """Create the error for a description.

        Args:
            subject: The description, written as its call.
            problems: One or more problems.

        Returns:
            The error. A single problem whose code belongs to a subclass creates that subclass.

        Example:
            >>> problem = wr.SpecProblem(code="CODE", text="The sentence.")
            >>> print(wr.SpecError.of("spec", [problem]))
            [CODE] spec: The sentence.

        """
        if len(problems) == 1:
            [only] = problems
            made = class_of(only.code)
            return (made if issubclass(made, cls) else cls)(
                f"[{only.code}] {subject}: {only.text}", problems
            )
        found = " ".join(map(str, problems))
        return cls(f"{len(problems)} problems in {subject}: {found}", problems)


class UnboundedJoinError(SpecError):
    """A join that would store its rows forever (``UNBOUNDED_JOIN``).

    Set a range (``within``), windows, or a retention.
    """


class MessageError(_WithProblems):
    """Rows that do not fit the schema of an operator, or that ``invalid="fail"`` rejects.

    Attributes:
        problems: All problems, each with ``code`` and ``text``.

    Example:
        ::

            try:
                operator.addMessages(table)
            except wr.MessageError as error:
                print([problem.code for problem in error.problems])  # ['COLUMN_MISSING']

    """


class BackpressureError(WindrowError):
    """An operator that accepts no rows, because its consumer is full (``DOWNSTREAM_FULL``).

    Call ``timeout`` to send the waiting outputs again.
    """


class OperatorError(WindrowError):
    """An operation that an operator does not support, or that needs an open operator."""


class JarNotFoundError(WindrowError):
    """A JAR that is missing in the package or in the session, or is of another version.

    Call ``wr.configure`` before you create a session, or ``wr.attach`` for a running one.
    """


class CheckpointError(WindrowError):
    """A checkpoint that does not fit the query, or cannot be read."""


def expect(call: str, value: object, *kinds: type, example: str = "") -> None:
    """Raise TypeError for a value of another type, before it causes an unclear error elsewhere.

    example: an example of a valid value.
    """
    if not isinstance(value, kinds):
        names = " or ".join(kind.__name__ for kind in kinds if kind is not type(None))
        remedy = f" Pass for example {example}." if example else ""
        msg = f"{call} must be {names}, not {value!r}.{remedy}"
        raise TypeError(msg)


def problem(condition: str, /, **parameters: object) -> SpecProblem:
    """Return the problem of a condition, with the sentence of the catalogue."""
    return SpecProblem(condition.partition(".")[0], _conditions.text(condition, parameters))


def failure(condition: str, /, **parameters: object) -> WindrowError:
    """Return the error of a condition, with its class and its sentence."""
    made = problem(condition, **parameters)
    kind = class_of(made.code)
    if issubclass(kind, (SpecError, MessageError)):
        return kind(str(made), [made])
    return kind(str(made))


def problems_of(error: WindrowError) -> list[SpecProblem]:
    """Return each problem that an error of Windrow reports."""
    if isinstance(error, SpecError):
        return list(error.problems)
    one = _ONE.fullmatch(str(error))
    return [SpecProblem(one[1], one[2])] if one else []


def class_of(code: str) -> type[WindrowError]:
    """Return the error class of a code; SpecError for an unknown code."""
    name = _conditions.catalogue().get(code, {}).get("class", "SpecError")
    found: type[WindrowError] = globals()[name]
    return found


def from_text(text: str) -> WindrowError | None:
    """Return the error for a message of the JVM, or None if it does not have Windrow's form."""
    many = _MANY.match(text)
    if many:
        codes = _conditions.catalogue()
        # A sentence may quote an error of Spark, whose code is not one of Windrow's.
        found = [one for one in _NEXT.finditer(text, many.end()) if one[1] in codes]
        ends = [*(one.start() for one in found[1:]), len(text)]
        problems = [
            SpecProblem(one[1], text[one.end() : end].strip())
            for one, end in zip(found, ends, strict=True)
        ]
        return SpecError(text, problems)
    one = _ONE.fullmatch(text)
    if one is None:
        return None
    made = class_of(one[1])
    if issubclass(made, SpecError | MessageError):
        return made(text, [SpecProblem(one[1], one[2])])
    return made(text)
