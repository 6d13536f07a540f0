"""The folder of one demo: whose it is, what runs in it, and how that ends."""

import os
import shutil
from pathlib import Path

from controlplane import ControlPlaneError, processes
from controlplane.processes import Process

END_SECONDS = 20.0
"""How long a process may take to end by itself."""


class FolderError(ControlPlaneError):
    """A demo is there already, or there is none."""


class Folder:
    """Where a demo keeps everything; it exists while the demo does."""

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()

    @property
    def plane(self) -> Path:
        """The control plane's folder."""
        return self.path / "control-plane"

    @property
    def log(self) -> Path:
        """The operator's log."""
        return self.path / "operator.log"

    @property
    def operator_kubeconfig(self) -> Path:
        """What the operator reaches the API server with."""
        return self.path / "operator.kubeconfig"

    def claim(self) -> None:
        """Makes the folder ours; what a killed demo left is removed first.

        Raises FolderError when a demo runs in it.
        """
        alive = self._alive()
        if alive:
            names = ", ".join(f"{process.name} {process.pid}" for process in alive)
            message = f"a demo is here already ({names}); `make demo-down` ends it"
            raise FolderError(message)
        shutil.rmtree(self.path, ignore_errors=True)
        # with our name in it before it is there: nobody takes it for one that a killed demo left
        prepared = self.path.with_name(f"{self.path.name}.{os.getpid()}")
        prepared.mkdir(mode=0o700, parents=True)
        processes.record("demo", os.getpid(), prepared)
        try:
            prepared.rename(self.path)
        except OSError:
            shutil.rmtree(prepared)
            message = f"another demo is starting in {self.path} at this moment"
            raise FolderError(message) from None

    def record(self, name: str, pid: int) -> None:
        """Notes a process of the demo, so that `end` finds it."""
        processes.record(name, pid, self.path)

    def end(self) -> list[str]:
        """Ends everything of the demo, by pid, and removes the folder; the names of what ran."""
        ended = [p for p in self._alive() if p.pid != os.getpid()]
        for process in ended:
            if process.directory == self.path:
                process.ask_to_end(END_SECONDS)
            process.end()
        shutil.rmtree(self.path, ignore_errors=True)
        return [process.name for process in ended]

    def _alive(self) -> list[Process]:
        """What runs: the demo and the operator first, then the control plane, etcd last."""
        own = processes.recorded(self.path)
        return [p for p in (*own, *reversed(processes.recorded(self.plane))) if p.alive()]
