"""A child whose process is loaded once more, with environment variables its parent does not have.

The dynamic linker reads some variables when it loads a program, before any of it runs
(LD_PRELOAD, ld.so(8)), and `multiprocessing` gives all children the parent's own environment.  So
such a child executes itself again: same process, same pipe, other environment.
"""

from __future__ import annotations

import base64
import os
import pickle
import subprocess
import sys

from shaderlab.errors import InternalError
from shaderlab.system import orphans, process_group
from shaderlab.system.pipes import PipeEnd
from shaderlab.workers.supervisor import child
from shaderlab.workers.supervisor.child import Reply, Server


def serve(connection: PipeEnd, server: Server) -> None:
    """Runs the server behind `connection` in this process, loaded again with its environment."""
    plain = base64.b64encode(pickle.dumps(server._replace(environment=()))).decode()
    flags = subprocess._args_from_interpreter_flags()  # type: ignore[attr-defined]
    module = process_group.python(__name__, str(connection.fileno()), plain)
    command = [module[0], *flags, *module[1:]]
    # The module search path is the parent's, which `multiprocessing` has handed over.
    path = os.pathsep.join(filter(None, sys.path))
    environment = {**os.environ, "PYTHONPATH": path, **dict(server.environment)}
    orphans.die_with_parent()  # kept by the program that is loaded (prctl(2)), the thread is not
    try:
        for descriptor in (0, connection.fileno()):
            os.set_inheritable(descriptor, True)
        os.execve(sys.executable, command, environment)
    except OSError as error:
        connection.send(Reply(None, InternalError(f"the child could not be loaded: {error}")))


def main() -> None:
    descriptor, plain = sys.argv[1:]
    child.serve(PipeEnd(int(descriptor)), pickle.loads(base64.b64decode(plain)))


if __name__ == "__main__":
    main()
