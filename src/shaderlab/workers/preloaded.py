"""What most children need, imported once: by the process that they are forked from, on Linux.

Their memory is then shared until it is written to.  No driver is loaded here and no thread started.
"""

from __future__ import annotations

import gc

import shaderlab.frontend.compiler
import shaderlab.frontend.inlining
import shaderlab.frontend.optimizing
import shaderlab.gpu.compilers.compiler
import shaderlab.gpu.vulkan.rendering
import shaderlab.gpu.vulkan.tracing
import shaderlab.scene.defaults
import shaderlab.workers.compiled
import shaderlab.workers.compiler
import shaderlab.workers.device
import shaderlab.workers.predictor  # noqa: F401

gc.collect()
gc.freeze()  # else the first search for cycles in each child writes to all of it
