"""Run the collector: one process, or several that share a port and a PostgreSQL database."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import socket
import ssl
import sys
import threading
from collections.abc import Sequence
from types import FrameType

import msgspec
import uvicorn
from uvicorn.supervisors import Multiprocess

from sottovoce.collector.app import Collector
from sottovoce.collector.connections import Connection
from sottovoce.collector.greeting import greeting, greets
from sottovoce.collector.logs import log, relayed, write_for_people
from sottovoce.collector.routes import ROUTES
from sottovoce.collector.settings import HANDED, PREFIX, Settings
from sottovoce.collector.shared_metrics import HANDED as SHARED
from sottovoce.collector.shared_metrics import shared_folder
from sottovoce.errors import ParameterError, StoreError
from sottovoce.loops import compile_at_once
from sottovoce.store import Store

#: Where the settings are handed to worker processes.
_HANDED = f"{PREFIX}{HANDED.upper()}"
#: Seconds between two chances for another thread: the writer wants the interpreter briefly, and often.
_SWITCH = 0.0005
#: Open files besides connections: the store's, the log, and connections that are being closed.
_OTHER_FILES = 256


def collector() -> Collector:
    """The application of a worker, with the settings from its parent."""
    relayed()
    settings = msgspec.json.decode(os.environ[_HANDED], type=Settings)
    write_for_people(wanted=greets(settings))
    _end_in_time(settings.shutdown_seconds)
    compile_at_once()
    return built(settings)


def _end_in_time(seconds: float) -> None:
    """Make sure that the process ends within so many seconds of a signal, even if a thread waits for a database that doesn't respond."""

    def end(number: int, frame: FrameType | None) -> None:
        if not timer.is_alive():
            timer.start()
        if callable(server := before[number]):
            server(number, frame)

    timer = threading.Timer(max(seconds - 1.0, seconds / 2), _abort)
    timer.daemon = True
    before = {int(number): signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    for number in before:
        signal.signal(number, end)


def _abort() -> None:
    log("stopped before all was finished", "error")
    sys.stderr.flush()
    os._exit(1)


def built(settings: Settings) -> Collector:
    """The application, with its studies read and checked."""
    sys.setswitchinterval(_SWITCH)
    Connection.limits, Connection.most, Connection.tls = settings, _connections(settings), _tls(settings)
    store = Store(settings.db, settings.write_seconds)
    store.settle()
    try:
        store.tidy()
    except StoreError as error:  # a full disk: studies can still be read
        log("the store's file was not rewritten", "warning", error=str(error))
    for entry in store.studies():
        for block in store.tally(entry).blocks:  # reads the study, and has its counting loops ready
            channel = block.mechanism.channel
            channel.statistic.count(channel.empty)
    gc.collect()
    gc.freeze()  # what is loaded stays loaded: garbage collection of it would delay requests again and again
    return Collector(settings, store, ROUTES, os.environ.get(SHARED))


def run(settings: Settings, studies: Sequence[str] = (), application: str = "sottovoce.collector.serve:collector", token: str = "") -> None:
    """Serve until a signal arrives. Acknowledged reports are on disk, and current requests are finished first.

    `studies` are names whose pages the log shows. On a terminal, you see links instead, those to dashboards with a token.
    """
    write_for_people(wanted=greets(settings))
    if settings.workers > 1 and not Store(settings.db).dialect.shared:
        raise ParameterError(f"workers is {settings.workers}, but SQLite supports only one. Set workers to 1 or use PostgreSQL.")
    _tls(settings)  # a certificate that can't be read ends it here
    listening = _bound(settings)
    relayed()
    hsts = [("strict-transport-security", f"max-age={settings.hsts_seconds}")] if settings.certificate and settings.hsts_seconds else []
    config = uvicorn.Config(
        application,
        factory=True,
        http=Connection,
        ws="none",
        loop="uvloop" if _has_uvloop() else "asyncio",
        lifespan="on",
        workers=settings.workers,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=max(1, int(settings.idle_seconds)),
        timeout_graceful_shutdown=settings.shutdown_seconds,
        headers=hsts,
    )
    os.environ[_HANDED] = msgspec.json.encode(settings).decode()
    host, port = listening.getsockname()[:2]
    scheme = "https" if settings.certificate else "http"
    address = f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}"
    if greets(settings):
        sys.stderr.write(greeting(address, studies, token, settings.db, settings.operator.strip()))
        sys.stderr.flush()
    else:
        log("listening", address=address, workers=settings.workers)
        for name in studies:
            log("study", name=name, survey=f"{address}/s/{name}", dashboard=f"{address}/d/{name}")
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)  # the server sets its own; when it is done, it is done
    server = uvicorn.Server(config)
    with contextlib.closing(listening):
        if settings.workers > 1:
            with shared_folder():
                Multiprocess(config, sockets=[listening]).run()
        else:
            server.run([listening])


def _bound(settings: Settings) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listening = socket.socket(family)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((settings.host, settings.port))
    except OSError as error:
        listening.close()
        raise OSError(
            error.errno, f"Can't listen on {settings.host}:{settings.port} ({error.strerror}). Choose another --port or --host."
        ) from None
    listening.listen(2048)  # connections made while the studies are read wait and aren't refused
    listening.set_inheritable(True)
    return listening


def _tls(settings: Settings) -> ssl.SSLContext | None:
    """The TLS context, if there is a certificate."""
    if not settings.certificate:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        context.load_cert_chain(settings.certificate, settings.certificate_key or None)
    except OSError as error:
        raise ParameterError(
            f"The certificate {settings.certificate!r} can't be used: {error.strerror or error}. "
            "Set certificate and certificate_key to a matching pair of PEM files."
        ) from None
    return context


def _connections(settings: Settings) -> int:
    """How many connections to accept: as many as the settings allow, if the system allows that many open files."""
    try:
        import resource  # noqa: PLC0415 - not on every system
    except ImportError:
        return settings.connections
    wanted = settings.connections + _OTHER_FILES
    soft, hard = (wanted if each == resource.RLIM_INFINITY else each for each in resource.getrlimit(resource.RLIMIT_NOFILE))
    if soft < wanted:
        soft = min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    room = max(1, min(settings.connections, soft - _OTHER_FILES))
    if room < settings.connections:
        log("fewer connections than set", "warning", connections=room, open_files=soft)
    return room


def _has_uvloop() -> bool:
    try:
        import uvloop  # noqa: PLC0415 - not on every system
    except ImportError:
        return False
    return bool(uvloop)
