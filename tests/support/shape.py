# SPDX-License-Identifier: Apache-2.0
"""The configuration that a unit was built for, handed from the pytest side to the cocotb side of a test.

pytest: Unit.run(..., config=name, overrides=changes, env=shape.environment(name, changes));
cocotb: CONFIG = shape.config().
"""

import os

from support import model

NAME, CHANGES = "SHAPE", "CHANGES"


def environment(name, changes=()):
    return {NAME: name, CHANGES: ",".join(changes)}


def config():
    changes = [item.split("=") for item in os.environ.get(CHANGES, "").split(",") if item]
    values = {key.replace(".", "_").replace("-", "_"): int(value) for key, value in changes}
    return model.config(os.environ.get(NAME, "tiny"), **values)
