"""An editor without a window: pygls' client and the server as a child, over its pipes."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from lsprotocol import types
from pygls.lsp.client import LanguageClient

_T = TypeVar("_T")
PATIENCE_S = 120.0
PROGRAM = (sys.executable, "-m", "shaderlab")
_KINDS = {"references": "Reference", "signature_help": "SignatureHelp"}


class LspEditor:
    """Calls block; in between, what the server sends is kept."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        *arguments: str,
        program: tuple[str, ...] = PROGRAM,
        root: Path | None = None,
    ):
        self._loop = loop
        self.client = LanguageClient("test", "1")
        self.diagnostics: dict[str, types.PublishDiagnosticsParams] = {}
        self.refreshed = 0
        client = self.client

        @client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def _(params: types.PublishDiagnosticsParams) -> None:
            self.diagnostics[params.uri] = params

        @client.feature(types.WORKSPACE_CODE_LENS_REFRESH)
        def _(*_: object) -> None:
            self.refreshed += 1

        @client.feature(types.WORKSPACE_INLAY_HINT_REFRESH)
        def _(*_: object) -> None: ...

        self.wait(client.start_io(*program, "lsp", *arguments))
        self.capabilities = self.wait(
            client.initialize_async(
                types.InitializeParams(
                    capabilities=_ABLE,
                    process_id=os.getpid(),
                    root_uri=root.as_uri() if root else None,
                )
            )
        ).capabilities
        client.initialized(types.InitializedParams())

    @property
    def process(self) -> asyncio.subprocess.Process:
        found = self.client._server
        assert found is not None
        return found

    def wait(self, answer: Awaitable[_T]) -> _T:
        return self._loop.run_until_complete(asyncio.wait_for(answer, PATIENCE_S))

    def until(self, condition: Callable[[], _T]) -> _T:
        """What a condition says once it holds."""
        deadline = time.monotonic() + PATIENCE_S
        while not (found := condition()):
            assert time.monotonic() < deadline, "it never came"
            self.wait(asyncio.sleep(0.05))
        return found

    def open(self, path: Path, text: str) -> str:
        uri = path.as_uri()
        item = types.TextDocumentItem(uri, "glsl", 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return uri

    def edit(self, uri: str, text: str, version: int) -> None:
        self.client.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(version, uri),
                [types.TextDocumentContentChangeWholeDocument(text)],
            )
        )

    def save(self, uri: str) -> None:
        self.client.text_document_did_save(types.DidSaveTextDocumentParams(_named(uri)))

    def close(self, uri: str) -> None:
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(_named(uri)))

    def problems(self, uri: str, version: int) -> list[types.Diagnostic]:
        """Diagnostics of a version, once they are there."""

        def sent() -> types.PublishDiagnosticsParams | None:
            found = self.diagnostics.get(uri)
            return found if found is not None and found.version == version else None

        return list(self.until(sent).diagnostics)

    def lenses(self, uri: str) -> list[types.CodeLens]:
        ask = self.client.text_document_code_lens_async
        return list(self.wait(ask(types.CodeLensParams(_named(uri)))) or ())

    def titles(self, uri: str) -> list[str]:
        return [each.command.title for each in self.lenses(uri) if each.command]

    def hints(self, uri: str, first: int = 0, last: int = 9999) -> list[types.InlayHint]:
        asked = types.Range(types.Position(first, 0), types.Position(last, 0))
        ask = self.client.text_document_inlay_hint_async
        return list(self.wait(ask(types.InlayHintParams(_named(uri), asked))) or ())

    def hover(self, uri: str, line: int, character: int) -> str:
        ask = self.client.text_document_hover_async
        found = self.wait(ask(types.HoverParams(_named(uri), types.Position(line, character))))
        if found is None:
            return ""
        assert isinstance(found.contents, types.MarkupContent)
        return found.contents.value

    def ask(self, method: str, uri: str, line: int, character: int, **more: Any) -> Any:
        """Of the methods that take a position: `definition`, `rename`, …; `more`: what else."""
        at = types.Position(line, character)
        kind = getattr(types, _KINDS.get(method, method.title()) + "Params")
        request = getattr(self.client, f"text_document_{method}_async")
        return self.wait(request(kind(text_document=_named(uri), position=at, **more)))

    def command(self, command: types.Command) -> None:
        ask = self.client.workspace_execute_command_async
        self.wait(ask(types.ExecuteCommandParams(command.command, command.arguments)))

    def leave(self) -> int:
        """Shut the server down; its exit code."""
        self.wait(self.client.shutdown_async(None))
        self.client.exit(None)
        return self.wait(self.process.wait())


def _named(uri: str) -> types.TextDocumentIdentifier:
    return types.TextDocumentIdentifier(uri)


_ABLE = types.ClientCapabilities(
    workspace=types.WorkspaceClientCapabilities(
        code_lens=types.CodeLensWorkspaceClientCapabilities(refresh_support=True),
        inlay_hint=types.InlayHintWorkspaceClientCapabilities(refresh_support=True),
    ),
    text_document=types.TextDocumentClientCapabilities(
        hover=types.HoverClientCapabilities(content_format=[types.MarkupKind.Markdown])
    ),
)


@contextmanager
def lsp_editor(
    *arguments: str, program: tuple[str, ...] = PROGRAM, root: Path | None = None
) -> Iterator[LspEditor]:
    """An editor whose server ends with the block at the latest."""
    loop = asyncio.new_event_loop()
    try:
        editor = LspEditor(loop, *arguments, program=program, root=root)
        try:
            yield editor
        finally:
            if editor.process.returncode is None:
                editor.process.kill()
            loop.run_until_complete(editor.client.stop())
    finally:
        loop.close()
