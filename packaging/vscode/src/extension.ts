// Starts `shaderlab lsp` and connects it to the editor; everything shown comes from there.

import * as vscode from "vscode";
import { LanguageClient, LanguageClientOptions, ServerOptions } from "vscode-languageclient/node";

let client: LanguageClient | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  context.subscriptions.push(
    vscode.commands.registerCommand("shaderlab.restart", restart),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("shaderlab")) void restart();
    }),
  );
  await start();
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}

async function restart(): Promise<void> {
  await client?.stop().catch(() => undefined); // one that never started cannot be stopped
  await start();
}

async function start(): Promise<void> {
  const settings = vscode.workspace.getConfiguration("shaderlab");
  const [program, ...before] = settings.get<string[]>("command", ["shaderlab"]);
  if (!program) {
    void vscode.window.showErrorMessage("shaderlab: the setting shaderlab.command is empty.");
    return;
  }
  const device = settings.get<string>("device", "");
  const server: ServerOptions = {
    command: program,
    args: [...before, "lsp", ...(device ? ["--device", device] : [])],
  };
  const options: LanguageClientOptions = {
    documentSelector: [{ language: "glsl" }, { language: "hlsl" }],
    synchronize: {
      fileEvents: vscode.workspace.createFileSystemWatcher("**/*.{glsl,hlsl,hlsli,inc,h}"),
    },
  };
  client = new LanguageClient("shaderlab", "shaderlab", server, options);
  try {
    await client.start();
  } catch (error) {
    const chosen = await vscode.window.showErrorMessage(
      `shaderlab: ${program} did not start: ${error instanceof Error ? error.message : error}. ` +
        "Install it (pipx install shaderlab) or name it in the setting shaderlab.command.",
      "Open Settings",
    );
    if (chosen) {
      await vscode.commands.executeCommand("workbench.action.openSettings", "shaderlab.command");
    }
  }
}
