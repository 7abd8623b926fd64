from tests.llvmpipe import worker

__all__ = ["worker"]
