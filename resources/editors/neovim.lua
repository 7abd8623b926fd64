-- shaderlab in Neovim 0.7 or newer: errors, hovers, names, predicted times and shares.
-- SHADERLAB is the command that starts it, "shaderlab" unless set.

local command = vim.split(vim.env.SHADERLAB or "shaderlab", " ")
table.insert(command, "lsp")

vim.cmd([[
  augroup shaderlab
    autocmd!
    autocmd BufRead,BufNewFile *.frag,*.vert,*.comp,*.glsl,*.fs,*.vs,*.gdshader setfiletype glsl
    autocmd BufRead,BufNewFile *.hlsl,*.hlsli,*.fx setfiletype hlsl
  augroup END
]])

local client

local function attached(_, buffer)
  vim.bo[buffer].omnifunc = "v:lua.vim.lsp.omnifunc"
  local keys = { K = "hover", gd = "definition", gr = "references", ["<F2>"] = "rename" }
  for key, what in pairs(keys) do
    vim.api.nvim_buf_set_keymap(
      buffer, "n", key, "<cmd>lua vim.lsp.buf." .. what .. "()<cr>", { noremap = true }
    )
  end
  if vim.lsp.inlay_hint then
    vim.lsp.inlay_hint.enable(true, { bufnr = buffer })
  end
end

-- The server says when there are new times; Neovim asks for them then.
local handlers = {
  ["workspace/codeLens/refresh"] = function()
    vim.schedule(vim.lsp.codelens.refresh)
    return vim.NIL
  end,
}

local capabilities = vim.lsp.protocol.make_client_capabilities()
capabilities.workspace.codeLens = { refreshSupport = true }

local function attach()
  client = client
    or vim.lsp.start_client({
      name = "shaderlab",
      cmd = command,
      root_dir = vim.fn.getcwd(),
      handlers = handlers,
      capabilities = capabilities,
      on_attach = attached,
    })
  if client then
    vim.lsp.buf_attach_client(0, client)
  end
end

vim.api.nvim_create_autocmd("FileType", { pattern = { "glsl", "hlsl" }, callback = attach })
