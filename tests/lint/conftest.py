# SPDX-License-Identifier: Apache-2.0
"""Makes the build scripts importable before the tests are read."""

import common  # noqa: F401
