"""The server: what the editor sends and asks, answered from the documents."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from shaderlab import __version__
from shaderlab.errors import ShaderlabError
from shaderlab.lsp import costs, diagnostics, names
from shaderlab.lsp.analysis import Analysis, Text
from shaderlab.lsp.analyst import Analyst
from shaderlab.lsp.documents import Document

log = logging.getLogger(__name__)


class _Refused(JsonRpcInvalidParams):
    """An answer to the user, not a failure of the server."""


def _is_failure(record: logging.LogRecord) -> bool:
    return not (record.exc_info and isinstance(record.exc_info[1], _Refused))


logging.getLogger("pygls.protocol.json_rpc").addFilter(_is_failure)  # else with a traceback


class _Protocol(LanguageServer):
    def report_server_error(self, error: Exception, source: Any) -> None:
        if not isinstance(error, _Refused):  # that one is the answer to its request
            super().report_server_error(error, source)


PAUSE_S = 0.35
"""Of typing, after which a text is compiled."""
PATIENCE_S = 2.0
"""After which the count of a text that was changed meanwhile is given up."""


class Server:
    """One editor's documents, and the workers that analyse them."""

    def __init__(self, analyst: Analyst):
        # Whole texts: pygls applies ranges to lines that `str.splitlines` makes, which a form feed
        # or a line separator ends as well, and would then change another place than is meant.
        self.protocol = _Protocol(
            "shaderlab", __version__, text_document_sync_kind=types.TextDocumentSyncKind.Full
        )
        self._analyst = analyst
        self._documents: dict[str, Document] = {}
        self._changed: dict[str, asyncio.Event] = {}
        self._tasks: dict[str, asyncio.Task] = {}
        self._targets: costs.Targets = {}
        self._measuring = asyncio.Lock()
        self._compiler = ThreadPoolExecutor(1, "compiling")
        self._counter = ThreadPoolExecutor(1, "counting")
        self._register()

    def close(self) -> None:
        """End the children, and with them what waits for their answers."""
        self._analyst.close()
        for pool in (self._compiler, self._counter):
            pool.shutdown(wait=True, cancel_futures=True)

    def _register(self) -> None:
        answers: tuple[tuple[str, Callable[..., Any], Any], ...] = (
            (types.INITIALIZED, self._initialized, None),
            (types.TEXT_DOCUMENT_DID_OPEN, self._opened, None),
            (types.TEXT_DOCUMENT_DID_CHANGE, self._edited, None),
            (types.TEXT_DOCUMENT_DID_SAVE, self._was_saved, None),
            (types.TEXT_DOCUMENT_DID_CLOSE, self._was_closed, None),
            (types.WORKSPACE_DID_CHANGE_WATCHED_FILES, self._files_changed, None),
            (types.TEXT_DOCUMENT_HOVER, self._hover, None),
            (types.TEXT_DOCUMENT_CODE_LENS, self._lenses, None),
            (types.TEXT_DOCUMENT_INLAY_HINT, self._hints, None),
            (types.TEXT_DOCUMENT_COMPLETION, self._completions, types.CompletionOptions(["."])),
            (
                types.TEXT_DOCUMENT_SIGNATURE_HELP,
                self._signatures,
                types.SignatureHelpOptions(["(", ","]),
            ),
            (types.TEXT_DOCUMENT_DEFINITION, self._definition, None),
            (types.TEXT_DOCUMENT_REFERENCES, self._references, None),
            (types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, self._outline, None),
            (types.TEXT_DOCUMENT_PREPARE_RENAME, self._renameable, None),
            (types.TEXT_DOCUMENT_RENAME, self._renamed, types.RenameOptions(True)),
        )
        # pygls sets attributes of what it is given, which methods do not let it.
        for name, answer, options in answers:
            self.protocol.feature(name, options)(partial(answer))
        for name, run in (
            (costs.PIN, self._pin),
            (costs.UNPIN, self._unpin),
            (costs.SELECT, self._select),
        ):
            self.protocol.command(name)(partial(run))

    async def _initialized(self, _: types.InitializedParams) -> None:
        loop = asyncio.get_running_loop()
        self._analyst.start()
        try:
            found = await loop.run_in_executor(self._counter, self._analyst.targets)
        except ShaderlabError as error:
            self._say(str(error))
            return
        self._targets = {each.target: each for each in found}
        self._refresh()

    # Documents

    def _opened(self, params: types.DidOpenTextDocumentParams) -> None:
        sent = params.text_document
        codec = self.protocol.workspace.position_codec
        document = Document(sent.uri, sent.text, sent.version, codec, self._is_outside)
        self._documents[sent.uri] = document
        self._changed[sent.uri] = asyncio.Event()
        self._changed[sent.uri].set()
        self._end_task(sent.uri)
        self._tasks[sent.uri] = asyncio.get_running_loop().create_task(self._follow(sent.uri))

    def _is_outside(self, path: Path) -> bool:
        """Whether a file is in none of the editor's folders; without any, all are in."""
        workspace = self.protocol.workspace
        uris = [folder.uri for folder in workspace.folders.values()] or [workspace.root_uri]
        roots = [root for uri in uris if uri and (root := to_fs_path(uri))]
        own = path.resolve()
        return bool(roots) and not any(own.is_relative_to(Path(root).resolve()) for root in roots)

    def _edited(self, params: types.DidChangeTextDocumentParams) -> None:
        document = self._documents.get(params.text_document.uri)
        if document is None or not params.content_changes:
            return
        document.edit(params.content_changes[-1].text, params.text_document.version)
        self._changed[document.uri].set()

    def _was_saved(self, params: types.DidSaveTextDocumentParams) -> None:
        if document := self._documents.get(params.text_document.uri):
            document.save()
            self._refresh()
        self._reconsider(params.text_document.uri)

    def _files_changed(self, params: types.DidChangeWatchedFilesParams) -> None:
        for each in params.changes:
            self._reconsider(each.uri)

    def _reconsider(self, uri: str) -> None:
        """Compile again what includes a file that has changed."""
        path = to_fs_path(uri) if uri.startswith("file:") else None
        for document in self._documents.values():
            if path and document.includes(Path(path).resolve()):
                document.forget_included()
                self._changed[document.uri].set()

    def _was_closed(self, params: types.DidCloseTextDocumentParams) -> None:
        uri = params.text_document.uri
        self._documents.pop(uri, None)
        self._changed.pop(uri, None)
        self._end_task(uri)
        self._publish(uri, None, [])

    def _end_task(self, uri: str) -> None:
        if task := self._tasks.pop(uri, None):
            task.cancel()

    # Analysis

    async def _follow(self, uri: str) -> None:
        """Analyse a document's text whenever it rests, for as long as it is open."""
        document, changed = self._documents[uri], self._changed[uri]
        is_first = True
        while True:
            await changed.wait()
            while changed.is_set():
                changed.clear()
                await asyncio.sleep(0 if is_first else PAUSE_S)
            is_first = False
            try:
                await self._analyse(document, changed)
            except Exception:  # whatever a text brings about, the next one is looked at
                log.exception("%s could not be analysed", document.text.name)

    async def _analyse(self, document: Document, changed: asyncio.Event) -> None:
        text = document.text
        if not document.refusal:
            found = await self._run(self._compiler, self._analyst.compile, text)
            if document.text != text:
                return
            document.take(found)
        self._publish(document.uri, document.version, diagnostics.shown(document))
        self._refresh()
        if document.refusal or document.latest is None:
            return
        await self._measure(document, document.latest, changed)
        for base in document.unfinished_bases:
            if not changed.is_set():
                await self._measure_base(document, base, changed)

    async def _measure_base(self, document: Document, text: Text, changed: asyncio.Event) -> None:
        """What the times of the present text are compared with, where that came too soon before
        the next edit to be counted."""
        found = await self._run(self._compiler, self._analyst.compile, text)
        document.take(found)
        await self._measure(document, found, changed)

    async def _measure(self, document: Document, known: Analysis, changed: asyncio.Event) -> None:
        loop = asyncio.get_running_loop()

        def news(analysis: Analysis) -> None:
            loop.call_soon_threadsafe(self._take, document, analysis)

        async with self._measuring:
            if changed.is_set():
                return
            work = asyncio.ensure_future(
                self._run(self._counter, self._analyst.measure, known, news)
            )
            edited = asyncio.ensure_future(changed.wait())
            try:
                await asyncio.wait((work, edited), return_when=asyncio.FIRST_COMPLETED)
                if not work.done():
                    await asyncio.wait((work,), timeout=PATIENCE_S)
                if not work.done():
                    self._analyst.drop()
                await work
            except asyncio.CancelledError:  # the document was closed
                self._analyst.drop()
                raise
            finally:
                edited.cancel()

    def _take(self, document: Document, analysis: Analysis) -> None:
        document.take(analysis)
        self._refresh()

    async def _run(self, pool: ThreadPoolExecutor, work: Any, *arguments: Any) -> Any:
        return await asyncio.get_running_loop().run_in_executor(pool, work, *arguments)

    # Answers

    def _hover(self, params: types.HoverParams) -> types.Hover | None:
        document = self._documents.get(params.text_document.uri)
        if document is None:
            return None
        return costs.hover(document, params.position, self._targets, self._reads_markdown)

    def _lenses(self, params: types.CodeLensParams) -> list[types.CodeLens]:
        document = self._documents.get(params.text_document.uri)
        return costs.lenses(document, self._targets) if document else []

    def _hints(self, params: types.InlayHintParams) -> list[types.InlayHint]:
        document = self._documents.get(params.text_document.uri)
        if document is None:
            return []
        asked = params.range
        return costs.hints(document, self._targets, asked.start.line + 1, asked.end.line + 1)

    def _completions(self, params: types.CompletionParams) -> types.CompletionList | None:
        document = self._documents.get(params.text_document.uri)
        return names.completions(document, params.position) if document else None

    def _signatures(self, params: types.SignatureHelpParams) -> types.SignatureHelp | None:
        document = self._documents.get(params.text_document.uri)
        return names.signatures(document, params.position) if document else None

    def _definition(self, params: types.DefinitionParams) -> types.Location | None:
        document = self._documents.get(params.text_document.uri)
        return names.declared(document, params.position) if document else None

    def _references(self, params: types.ReferenceParams) -> list[types.Location]:
        document = self._documents.get(params.text_document.uri)
        with_it = params.context.include_declaration
        return names.used(document, params.position, with_it) if document else []

    def _outline(self, params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
        document = self._documents.get(params.text_document.uri)
        return names.outline(document) if document else []

    def _renameable(self, params: types.PrepareRenameParams) -> types.Range | None:
        document = self._documents.get(params.text_document.uri)
        return names.renameable(document, params.position) if document else None

    def _renamed(self, params: types.RenameParams) -> types.WorkspaceEdit | None:
        document = self._documents.get(params.text_document.uri)
        if document is None:
            return None
        if why := names.rename_problem(document, params.position, params.new_name):
            raise _Refused(why)
        return names.renamed(document, params.position, params.new_name)

    # Commands

    def _pin(self, uri: str) -> None:
        if document := self._documents.get(uri):
            document.pin()
            self._refresh()

    def _unpin(self, uri: str) -> None:
        if document := self._documents.get(uri):
            document.unpin()
            self._refresh()

    def _select(self, uri: str, target: str) -> None:
        if document := self._documents.get(uri):
            document.target = target
            self._refresh()

    # To the editor

    def _publish(self, uri: str, version: int | None, found: list[types.Diagnostic]) -> None:
        self.protocol.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(uri, found, version)
        )

    def _refresh(self) -> None:
        """Have the editor ask for lenses and hints again, where it supports that."""
        able = self.protocol.client_capabilities.workspace
        if able and able.code_lens and able.code_lens.refresh_support:
            self.protocol.workspace_code_lens_refresh(None)
        if able and able.inlay_hint and able.inlay_hint.refresh_support:
            self.protocol.workspace_inlay_hint_refresh(None)

    def _say(self, message: str) -> None:
        self.protocol.window_show_message(
            types.ShowMessageParams(types.MessageType.Warning, message)
        )

    @property
    def _reads_markdown(self) -> bool:
        able = self.protocol.client_capabilities.text_document
        formats = able.hover.content_format if able and able.hover else None
        return types.MarkupKind.Markdown in (formats or ())
