"""A loopback proxy in front of the API server that can be cut or made mute."""

import asyncio
import contextlib
from pathlib import Path

import yaml


class Wire:
    """Passes on what goes to and from the API server. `flowing` cleared makes it mute, `refusing`
    takes no new connection."""

    def __init__(self, host: str, port: int) -> None:
        self._target = (host, port)
        self._writers: set[asyncio.StreamWriter] = set()
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self.flowing = asyncio.Event()
        self.flowing.set()
        self.refusing = False

    @classmethod
    async def before(cls, kubeconfig: Path, through: Path) -> "Wire":
        """A wire to the API server of `kubeconfig`; writes the kubeconfig that goes through it."""
        config = yaml.safe_load(kubeconfig.read_text())
        cluster = config["clusters"][0]["cluster"]
        host, _, port = cluster["server"].removeprefix("https://").rpartition(":")
        wire = cls(host, int(port))
        cluster["server"] = f"https://127.0.0.1:{await wire.open()}"
        through.write_text(yaml.safe_dump(config))
        return wire

    async def open(self) -> int:
        """Listens; the port."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        port: int = self._server.sockets[0].getsockname()[1]
        return port

    async def close(self) -> None:
        """Ends everything."""
        if self._server is not None:
            self._server.close()
        self.cut()
        for task in self._tasks:
            task.cancel()

    def cut(self) -> None:
        """Ends every connection that is open."""
        for writer in list(self._writers):
            writer.transport.abort()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.refusing:
            writer.transport.abort()
            return
        far_reader, far_writer = await asyncio.open_connection(*self._target)
        self._writers |= {writer, far_writer}
        for source, sink in ((reader, far_writer), (far_reader, writer)):
            task = asyncio.create_task(self._pump(source, sink))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _pump(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, asyncio.CancelledError):
            while data := await source.read(65536):
                await self.flowing.wait()
                sink.write(data)
                await sink.drain()
        sink.transport.abort()
        self._writers.discard(sink)
