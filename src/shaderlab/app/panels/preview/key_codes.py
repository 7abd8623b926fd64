"""Qt's keys as browsers number them (`KeyboardEvent.keyCode`, UI Events, appendix A)."""

from __future__ import annotations

from shaderlab.app.qt import Qt

_K = Qt.Key
_CODES: dict[int, int] = {
    _K.Key_Backspace: 8, _K.Key_Return: 13, _K.Key_Enter: 13, _K.Key_Shift: 16,
    _K.Key_Control: 17, _K.Key_Alt: 18, _K.Key_CapsLock: 20, _K.Key_Space: 32, _K.Key_PageUp: 33,
    _K.Key_PageDown: 34, _K.Key_End: 35, _K.Key_Home: 36, _K.Key_Left: 37, _K.Key_Up: 38,
    _K.Key_Right: 39, _K.Key_Down: 40, _K.Key_Insert: 45, _K.Key_Delete: 46, _K.Key_Semicolon: 186,
    _K.Key_Equal: 187, _K.Key_Comma: 188, _K.Key_Minus: 189, _K.Key_Period: 190, _K.Key_Slash: 191,
    _K.Key_QuoteLeft: 192, _K.Key_BracketLeft: 219, _K.Key_Backslash: 220,
    _K.Key_BracketRight: 221, _K.Key_Apostrophe: 222,
}  # fmt: skip
_KEYPAD = {_K.Key_Asterisk: 106, _K.Key_Plus: 107, _K.Key_Minus: 109, _K.Key_Period: 110,
           _K.Key_Slash: 111}  # fmt: skip


def key_code(event) -> int | None:
    """Of a QKeyEvent; None for keys that are not the shader's: Tab, Escape and F1 to F12 stay the
    window's, so that the picture can be left with the keyboard alone."""
    key = event.key()
    if event.modifiers() & Qt.KeyboardModifier.KeypadModifier:
        if _K.Key_0 <= key <= _K.Key_9:
            return 96 + key - _K.Key_0
        if key in _KEYPAD:
            return _KEYPAD[key]
    if _K.Key_A <= key <= _K.Key_Z or _K.Key_0 <= key <= _K.Key_9:
        return int(key)
    return _CODES.get(key)
