"""Every vendor's compiler without its GPUs: Mesa's drivers of one pinned release, built into a
folder by `packaging/compilers.sh`, over stand-ins for the kernel's interfaces (drm-shim)."""
