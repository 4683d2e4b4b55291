"""The parent of operators whose description is of one class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

from windrow.operators._operator import StandaloneOperator
from windrow.operators._steps import Send

if TYPE_CHECKING:
    from windrow.operators._cogroup import CoGroupSpec
    from windrow.operators._join import JoinSpec
    from windrow.operators._spec import WindowOperatorSpec

Spec = TypeVar("Spec", bound="WindowOperatorSpec | JoinSpec | CoGroupSpec")


class DescribedOperator(StandaloneOperator, Generic[Spec]):
    """An operator with a description of one class."""

    def __init__(self, spec: Spec, *, store: str | None = None, send: Send | None = None) -> None:
        """Store the description; nothing starts."""
        super().__init__(spec, store=store, send=send)

    @property
    def spec(self) -> Spec:
        """Return the description of the operator.

        Returns:
            The spec that was passed to the constructor.

        """
        spec: Spec = self._spec
        return spec
