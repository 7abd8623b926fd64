"""The vendors, Mesa's driver for each, and how a process is made to believe in one of its GPUs.

Sources: Mesa's documentation ("Environment Variables", and of each drm-shim); drm-shim replaces a
process's system calls on graphics devices and answers them itself, so it is preloaded into a
child that does nothing else: a real GPU is never hidden from another.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Vendor:
    """A maker of GPUs, and the driver whose compiler stands for its chips."""

    slug: str
    name: str
    driver: str
    library: str
    """File name of the driver."""
    shim: str
    """File name of the library to preload; empty where the driver needs none."""
    family_variable: str
    """The environment variable that names the chip."""
    registers: int
    """That an invocation can have; of Intel's a subgroup, which share them.  AMD's vector registers
    ("RDNA 3 Instruction Set Architecture", 3.3), Intel's general ones (brw_fs_reg_allocate.cpp),
    NVIDIA's (CUDA C++ Programming Guide, compute capabilities), Adreno's of four components
    (ir3_compiler.c), Mali's (bifrost.h: twice the threads fit where half are enough)."""
    standing: str
    """Who runs this compiler, in a sentence."""
    environment: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Other environment variables the driver needs."""

    @property
    def icd(self) -> str:
        """File name of the manifest by which the Vulkan loader finds the driver."""
        return f"{self.slug}_icd.json"

    def preload(self, folder: str, inherited: Mapping[str, str]) -> dict[str, str]:
        """Environment a child must be started with; `inherited`: the present one.

        The dynamic linker splits LD_PRELOAD at blanks too, which folders may have in their names,
        but LD_LIBRARY_PATH only at colons and semicolons (ld.so(8)).
        """
        if not self.shim:
            return {}
        found = {"LD_PRELOAD": self.shim, "LD_LIBRARY_PATH": folder}
        return {
            name: f"{value}:{inherited[name]}" if inherited.get(name) else value
            for name, value in found.items()
        }


VENDORS = {
    vendor.slug: vendor
    for vendor in (
        Vendor(
            "amd",
            "AMD",
            "RADV",
            "libvulkan_radeon.so",
            "",
            "RADV_FORCE_FAMILY",
            256,
            "RADV is what most Linux users run; AMD's driver on Windows has another compiler",
        ),
        Vendor(
            "intel",
            "Intel",
            "ANV",
            "libvulkan_intel.so",
            "libintel_noop_drm_shim.so",
            "INTEL_STUB_GPU_PLATFORM",
            128,
            "ANV is what Linux users run; Intel's driver on Windows has another compiler",
        ),
        Vendor(
            "nvidia",
            "NVIDIA",
            "NVK",
            "libvulkan_nouveau.so",
            "libnouveau_noop_drm_shim.so",
            "NOUVEAU_CHIPSET",
            255,
            "NVK is not NVIDIA's compiler, which most users of these GPUs run",
            # The driver hands out no optimised program; packaging/compilers.sh has it print one.
            {"NVK_I_WANT_A_BROKEN_VULKAN_DRIVER": "1", "SHADERLAB_PRINTS_NIR": "1"},
        ),
        Vendor(
            "adreno",
            "Qualcomm",
            "Turnip",
            "libvulkan_freedreno.so",
            "libfreedreno_noop_drm_shim.so",
            "FD_GPU_ID",
            48,
            "Turnip is not Qualcomm's compiler, which Android phones run",
        ),
        Vendor(
            "mali",
            "Arm",
            "PanVK",
            "libvulkan_panfrost.so",
            "libpanfrost_noop_drm_shim.so",
            "PAN_GPU_ID",
            64,
            "PanVK is not Arm's compiler, which Android phones run",
            # The driver reports the size of the code alone; its compiler prints the rest.
            {"PAN_I_WANT_A_BROKEN_VULKAN_DRIVER": "1", "BIFROST_MESA_DEBUG": "shaderdb"},
        ),
    )
}
"""By slug, in the order in which they are shown."""
