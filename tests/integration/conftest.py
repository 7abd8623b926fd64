from tests.captured_cube import cube, cube_display
from tests.llvmpipe import worker

__all__ = ["cube", "cube_display", "worker"]
