"""The fixture `mock_provider`, found by pytest through an entry point; nothing is imported before a test wants it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolwire.testing import MockProvider

__all__ = ["mock_provider"]


@pytest.fixture
def mock_provider() -> Iterator[MockProvider]:
    """A `toolwire.testing.MockProvider` whose answers are made up of the tools that a request offers."""
    from toolwire.testing import MockProvider

    with MockProvider() as provider:
        yield provider
