"""The configuration that ships, in a Neovim without a screen."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from shaderlab import locations

CONFIGURATION = locations.resources() / "editors" / "neovim.lua"
SHADER = "void mainImage(out vec4 c, in vec2 p) {\n    c = vec4(sin(p.x), 0, 0, 1);\n}\n"
SCRIPT = """
vim.defer_fn(function()
  local found = {}
  vim.wait(60000, function() return #vim.lsp.codelens.get(0) > 3 end, 200)
  found.lenses = vim.tbl_map(function(l) return l.command.title end, vim.lsp.codelens.get(0))
  vim.api.nvim_buf_set_lines(0, -1, -1, false, { "float x = ;" })
  vim.wait(30000, function() return #vim.diagnostic.get(0) > 0 end, 100)
  found.problems = vim.tbl_map(function(d) return { d.lnum, d.col } end, vim.diagnostic.get(0))
  vim.fn.writefile({ vim.json.encode(found) }, vim.env.FOUND)
  vim.cmd("qa!")
end, 100)
"""


@pytest.mark.skipif(shutil.which("nvim") is None, reason="Neovim is not installed")
def test_neovim_shows_times_and_problems(tmp_path: Path):
    shader, script, found = tmp_path / "one.frag", tmp_path / "look.lua", tmp_path / "found.json"
    shader.write_text(SHADER)
    script.write_text(SCRIPT)
    run = subprocess.run(
        [
            "nvim",
            "--headless",
            "-n",
            "-u",
            CONFIGURATION,
            "-c",
            f"luafile {script}",
            shader,
        ],
        env={**os.environ, "SHADERLAB": f"{sys.executable} -m shaderlab", "FOUND": str(found)},
        capture_output=True,
        text=True,
        timeout=150,
    )
    assert run.returncode == 0, run.stderr
    data = json.loads(found.read_text())
    assert any(title.startswith("GeForce RTX 3060") for title in data["lenses"])
    assert data["problems"] == [[3, 10]]
