"""The preview's clock: what `iTime`, `iFrame` and `iTimeDelta` are, played, paused or stepped."""

from __future__ import annotations

from collections import deque
from datetime import datetime
from typing import NamedTuple

from shaderlab.scene.uniforms import STEP_S


class Moment(NamedTuple):
    """Time of one frame."""

    time_s: float
    frame: int
    delta_s: float


def date_of(now: datetime) -> tuple[float, float, float, float]:
    """`iDate`: year, month from 0 (as on Shadertoy), day, seconds since midnight."""
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    return now.year, now.month - 1, now.day, (now - midnight).total_seconds()


def frame_at(time_s: float) -> int:
    """`iFrame` of a time at 60 frames a second."""
    return max(round(time_s / STEP_S), 0)


class Playback:
    """Times are seconds; `now` is any clock that only rises.

    Time stands still while paused and runs with the clock while playing, however long a frame
    takes, as on Shadertoy.
    """

    def __init__(self, playing: bool = True):
        self.playing = playing
        self._halted = False
        self._time_s = 0.0
        self._frame = 0
        self._seen: float | None = None
        self._delta_s = 0.0
        self.loop: tuple[float, float] | None = None
        """Start and end, seconds: from the end playing goes on at the start."""

    @property
    def time_s(self) -> float:
        """`iTime` of the latest moment."""
        return self._time_s

    @property
    def moment(self) -> Moment:
        """The latest moment, unchanged."""
        return Moment(self._time_s, self._frame, self._delta_s)

    def next(self, now: float) -> Moment:
        """Advance to `now` and count a frame; while paused the same moment again."""
        if not self.playing:
            return self.moment
        self._delta_s = now - self._seen if self._seen is not None else 0.0
        self._time_s += self._delta_s
        self._frame += self._seen is not None
        if self.loop is not None and not self.loop[0] <= self._time_s < self.loop[1]:
            start, end = self.loop
            over = max(self._time_s - start, 0.0) % (end - start)
            self._time_s = start + over
            self._frame = frame_at(self._time_s)
        self._seen = now
        return self.moment

    def play(self) -> None:
        self.playing, self._halted = True, False
        self._seen = None

    def pause(self) -> None:
        self.playing = self._halted = False
        self._seen = None

    def halt(self) -> None:
        """Pause because of an error: what was playing resumes once that is gone."""
        halted = self.playing or self._halted
        self.pause()
        self._halted = halted

    def resume(self) -> None:
        """Another program, or another try: play again where only an error paused."""
        if self._halted:
            self.play()

    def restart(self) -> None:
        """Back to time 0, frame 0, playing or not."""
        self._time_s, self._frame, self._delta_s, self._seen = 0.0, 0, 0.0, None

    def step(self, frames: int = 1) -> None:
        """Pause and go so many sixtieths of a second on, or back to time 0 at most."""
        self.pause()
        self._frame = max(self._frame + frames, 0)
        self._time_s = max(self._time_s + frames * STEP_S, 0.0)
        self._delta_s = STEP_S

    def seek(self, time_s: float) -> None:
        """Go to this time, playing or not; the frame is the one it is at 60 a second."""
        self._time_s, self._frame = max(time_s, 0.0), frame_at(time_s)
        self._delta_s = STEP_S
        self.hold()

    def hold(self) -> None:
        """The next frame is late because of other work: let no time pass for it."""
        self._seen = None


class FrameRate:
    """Frames per second over the last second or so."""

    def __init__(self, window_s: float = 1.0):
        self._window_s = window_s
        self._stamps: deque[float] = deque()

    def tick(self, now: float) -> None:
        self._stamps.append(now)
        while len(self._stamps) > 2 and now - self._stamps[0] > self._window_s:
            self._stamps.popleft()

    def clear(self) -> None:
        self._stamps.clear()

    @property
    def value(self) -> float | None:
        """Frames per second; None before two frames."""
        if len(self._stamps) < 2:
            return None
        return (len(self._stamps) - 1) / max(self._stamps[-1] - self._stamps[0], 1e-6)
