"""How lanes are grouped: the warp that counts per group and every price of one assume.

32 lanes in step are NVIDIA's warps and the wave32 of RDNA.  They shade 8x4 pixels, which stands for
the rasteriser's own order (2x2 quads, in tiles).
"""

from __future__ import annotations

GROUP_WIDTH, GROUP_HEIGHT = 8, 4
"""Pixels of one group."""
LANES = GROUP_WIDTH * GROUP_HEIGHT
"""Lanes of one group, taken to run in step."""
