# SPDX-License-Identifier: Apache-2.0
"""One installation that all tests may look at, and none may change."""

import place
import pytest


@pytest.fixture(scope="session")
def prefix(tmp_path_factory):
    """Installed as a user does it: by make."""
    folder = tmp_path_factory.mktemp("user") / "prefix"
    result = place.run("make", "-C", place.ROOT, "install", f"PREFIX={folder}", f"BUILD={place.BUILD}")
    assert result.returncode == 0, result.stderr
    assert f"Weft {place.VERSION} is installed in {folder}" in result.stdout
    return folder
