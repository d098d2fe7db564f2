"""The annotation page: Gradio on this machine only, which judges what a desk holds. Source: M3CoT, sections A.2, A.5.

A request carries all that the page holds, so that a page that was open while the server ended and began again goes on.
"""

import itertools
import logging
import os
import socket
import threading
import webbrowser
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from assets.annotation import VERDICTS, AnnotationError
from assets.images import Pictures
from assets.schema.faults import Fault
from assets.schema.sample import Sample
from orchestration import annotation_interleaved as interleaved
from orchestration import annotation_view as view
from orchestration.annotation_script import CSS, SCRIPT
from orchestration.annotation_session import Desk, Entry, entry_of, named

if TYPE_CHECKING:
    from assets.annotation import Judgement

HOST = "127.0.0.1"
POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; form-action 'self'"
)
"""What the browser may load for the page: from here, and from nowhere else."""

Message = MutableMapping[str, Any]
App = Callable[[Message, Callable[[], Awaitable[Message]], Callable[[Message], Awaitable[None]]], Awaitable[None]]


class PageError(Fault):
    """The page cannot be served; the message says why."""


class Panels:
    """What stands on the page after each thing that an annotator does: the parts of it that change, by name."""

    def __init__(self, desk: Desk, shelf: view.Shelf, annotator: str | None = None) -> None:
        """Take what is judged, its pictures, and who judges where the page does not know."""
        self._desk, self._shelf, self._annotator = desk, shelf, annotator
        self._turns = itertools.count(1)
        self.welcome = view.welcome(desk)
        # Pictures among the words have the place that they are judged in; beside a question they have the other half.
        self.scales = (13, 8) if interleaved.is_among_words(desk) else (11, 10)

    def open(self, payload: str, typed: str | None = None) -> dict[str, Any]:
        """The page for whoever it says is there: the next sample, or the question for a name.

        Args:
            payload: what the page holds.
            typed: the name that was typed, when somebody just did.
        """
        try:
            entry = entry_of(payload)
            name = typed if typed is not None else entry.annotator
            name = self._annotator if name is None else name
            # Empty before anybody typed: the annotator who was there has left.
            if not name and typed is None:
                return {"naming": True, "message": view.message()}
            return self._next(named(name))
        except AnnotationError as error:
            return {"naming": True, "message": view.message(str(error))}

    def show(self, payload: str) -> dict[str, Any]:
        """The picture, once the text alone has been judged."""
        try:
            entry, sample = self._entered(payload)
        except AnnotationError as error:
            return {"message": view.message(str(error))}
        if entry.verdict not in VERDICTS[self._desk.stage] and not self._desk.edits:
            return {"message": view.message("Judge the text alone first; the picture is shown after that.")}
        return {
            "picture": view.picture(sample, self._shelf, next(self._turns)),
            "asked": view.asked(self._desk, True),
            "shown": True,
            "message": view.message(),
        }

    def save(self, payload: str) -> dict[str, Any]:
        """The next sample, after the judgement has been written; or why it was not."""
        try:
            entry, _ = self._entered(payload)
            self._desk.save(entry, datetime.now(UTC).isoformat(timespec="seconds"))
        except AnnotationError as error:
            return {"message": view.message(str(error), warned=str(error).startswith("Yes says"))}
        return self._next(named(entry.annotator))

    def back(self, payload: str) -> dict[str, Any]:
        """The sample that was judged before the one on the page, as it was judged."""
        try:
            entry = entry_of(payload)
            annotator = named(entry.annotator)
        except AnnotationError as error:
            return {"message": view.message(str(error))}
        found = self._desk.back(annotator, entry.sample_id)
        if found is None:
            return {"message": view.message("There is none before this one.")}
        return self._on_page(annotator, *found)

    def _entered(self, payload: str) -> tuple[Entry, Sample]:
        entry = entry_of(payload)
        named(entry.annotator)
        sample = self._desk.samples.get(entry.sample_id)
        if sample is None:
            raise AnnotationError("The page shows no sample of this stage: reload it.")
        return entry, sample

    def _next(self, annotator: str) -> dict[str, Any]:
        sample = self._desk.next(annotator)
        if sample is not None:
            return self._on_page(annotator, sample)
        done = view.finished(self._desk, annotator, next(self._turns), self._desk.outcome(annotator))
        return {
            "naming": False,
            "top": view.top(self._desk, annotator, self._desk.progress(annotator)),
            "sheet": done,
            "judging": False,
            "message": view.message(),
        }

    def _on_page(self, annotator: str, sample: Sample, before: "Judgement | None" = None) -> dict[str, Any]:
        turn = next(self._turns)
        seen = before is not None or not self._desk.masks
        if not self._desk.masks:
            sheet = interleaved.sheet(self._desk, annotator, sample, turn, before)
            picture = interleaved.pane(self._desk, sample, turn)
        else:
            sheet = view.sheet(self._desk, annotator, sample, turn, before)
            picture = view.picture(sample, self._shelf, turn) if seen else view.masked(self._desk, sample, turn)
        return {
            "naming": False,
            "top": view.top(self._desk, annotator, self._desk.progress(annotator)),
            "sheet": sheet,
            "picture": picture,
            "asked": view.asked(self._desk, seen),
            "form": view.form(self._desk, turn, before),
            "judging": True,
            "shown": seen,
            "message": view.message(),
        }


def serve(
    desk: Desk,
    pictures: Sequence[Pictures],
    *,
    port: int,
    annotator: str | None = None,
    browser: bool = True,
    notice: str = "",
) -> int:
    """Serve the page on loopback until it is interrupted.

    Raises:
        PageError: the port is not to be had.
    """
    listening = _listening(port)
    address = f"http://{HOST}:{listening.getsockname()[1]}"
    shelf = view.Shelf(pictures)
    app = _app(Panels(desk, shelf, annotator), shelf)
    import uvicorn

    # The page holds a connection open; what is cut off at the end is nobody's error.
    logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, access_log=False, timeout_graceful_shutdown=1))
    if notice:
        print(notice, flush=True)
    print(
        f"Annotation page, {view.named_stage(desk)}, {len(desk.samples)} samples: {address} (Ctrl-C ends it)",
        flush=True,
    )
    if browser:
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
    server.run(sockets=[listening])
    return 0


def _listening(port: int) -> socket.socket:
    listening = socket.socket()
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((HOST, port))
        listening.listen()
    except (OSError, OverflowError) as error:
        listening.close()
        why = getattr(error, "strerror", None) or error
        raise PageError(f"port {port} of {HOST} is not to be had ({why}): name another one with --port") from None
    return listening


def _app(panels: Panels, shelf: view.Shelf) -> App:
    """The page and its pictures as a web application that answers this machine alone."""
    # Read when gradio is imported: it would tell its makers of each start otherwise, and ask for a newer version.
    os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
    os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
    import gradio
    from fastapi import FastAPI, Response

    web = FastAPI(openapi_url=None)

    @web.get(f"{interleaved.PICTURES}/{{image_id}}")
    def picture(image_id: str) -> Response:
        png = shelf.png(image_id)
        if png is None:
            return Response("no table of this stage has this picture\n", 404, media_type="text/plain")
        # The name says which pixels it is: they never change.
        return Response(png, media_type="image/png", headers={"cache-control": "private, max-age=86400, immutable"})

    theme = gradio.themes.Base(font=["system-ui", "sans-serif"], font_mono=["ui-monospace", "monospace"])
    whole: App = gradio.mount_gradio_app(
        web,
        _blocks(panels),
        path="/",
        footer_links=[],
        run_history=False,
        ssr_mode=False,
        mcp_server=False,
        enable_monitoring=False,
        max_file_size=1,
        theme=theme,
        css=CSS,
    )
    return _own_machine_only(whole)


def _blocks(panels: Panels) -> Any:
    import gradio

    with gradio.Blocks(title="cotline annotate", analytics_enabled=False, fill_width=True) as page:
        payload = gradio.Textbox(visible=False)
        with gradio.Column(elem_id="cot-name", visible=False) as naming:
            gradio.HTML(panels.welcome, elem_id="cot-welcome", apply_default_css=False, js_on_load=None)
            name = gradio.Textbox(label="Your name", info="Your judgements are saved under it.", max_length=300)
            start = gradio.Button("Start", variant="primary", elem_id="cot-start")
            refused = _html("cot-refused")
        with gradio.Column(elem_id="cot-work", visible=False) as work:
            top = _html("cot-head")
            with gradio.Row(elem_id="cot-columns"):
                with gradio.Column(scale=panels.scales[0], elem_id="cot-left"):
                    sheet = _html("cot-text")
                with gradio.Column(scale=panels.scales[1], elem_id="cot-right"):
                    parts = {name: _html(f"cot-{name}") for name in ("picture", "asked", "form", "message")}
                    with gradio.Row(elem_id="cot-buttons"):
                        back = gradio.Button("Back", elem_id="cot-back")
                        show = gradio.Button("Show the picture (s)", elem_id="cot-show", variant="primary")
                        save = gradio.Button("Save and next (Enter)", elem_id="cot-save", variant="primary")
        outputs = [naming, work, refused, top, sheet, *parts.values(), show, save]

        def on_page(panel: dict[str, Any]) -> list[Any]:
            """A value for each of the outputs; what the panel does not name stays as it is."""
            asks, judging, shown = panel.get("naming"), panel.get("judging"), panel.get("shown")
            texts = [panel.get(name, gradio.skip()) for name in ("top", "sheet", "picture", "asked", "form", "message")]
            if judging is False:
                texts[2:5] = ["", "", ""]
            same = gradio.skip()
            return [
                same if asks is None else gradio.update(visible=asks),
                same if asks is None else gradio.update(visible=not asks),
                panel["message"] if asks else same,
                *texts,
                same
                if judging is None and shown is None
                else gradio.update(visible=judging is not False and not shown),
                same
                if judging is None and shown is None
                else gradio.update(visible=judging is not False and bool(shown)),
            ]

        def held(what: str) -> str:
            return f"() => [window.cotline.payload('{what}')]"

        quiet: dict[str, Any] = {"show_progress": "hidden", "queue": False}
        page.load(
            lambda sent: on_page(panels.open(sent)),
            payload,
            outputs,
            js=f"() => {{ ({SCRIPT})(); return [window.cotline.payload('load')]; }}",
            **quiet,
        )
        typed = "(sent, name) => [window.cotline.payload('start'), name]"
        for event in (start.click, name.submit):
            event(
                lambda sent, text: on_page(panels.open(sent, text or "")), [payload, name], outputs, js=typed, **quiet
            )
        for button, what in ((show, panels.show), (save, panels.save), (back, panels.back)):
            button.click(
                lambda sent, what=what: on_page(what(sent)), payload, outputs, js=held(what.__name__), **quiet
            ).then(None, js="() => window.cotline.answered()")
    return page


def _html(elem_id: str) -> Any:
    import gradio

    return gradio.HTML("", elem_id=elem_id, apply_default_css=False, js_on_load=None)


def _own_machine_only(app: App) -> App:
    """The application, deaf to requests that another site's page has made, and with POLICY on what it answers."""
    names = {HOST, "localhost"}

    async def answer(
        scope: Message, receive: Callable[[], Awaitable[Message]], send: Callable[[Message], Awaitable[None]]
    ) -> None:
        if scope["type"] not in ("http", "websocket"):
            await app(scope, receive, send)
            return
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        host, origin = headers.get(b"host", ""), headers.get(b"origin")
        if _name(f"//{host}") not in names or (origin is not None and _name(origin) not in names):
            await send({"type": "http.response.start", "status": 403, "headers": [(b"content-type", b"text/plain")]})
            await send({"type": "http.response.body", "body": b"this page answers its own machine alone\n"})
            return

        async def restricted(message: Message) -> None:
            if message["type"] == "http.response.start":
                more = [(b"content-security-policy", POLICY.encode()), (b"referrer-policy", b"no-referrer")]
                message["headers"] = [*message.get("headers", ()), *more]
            await send(message)

        await app(scope, receive, restricted)

    return answer


def _name(address: str) -> str | None:
    try:
        return urlsplit(address).hostname
    except ValueError:
        return None
