"""Replies of a model behind any OpenAI-compatible chat endpoint: texts and pictures, several dialogues at a time."""

import asyncio
import queue
import random
import sys
import threading
from collections.abc import Coroutine, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from assets import chat_completion
from assets.chat_completion import Completion, EndpointFault, NoCompletion
from assets.models import openai_message
from assets.models.model import FINAL, Dialogue, ModelError, Pictures, Reply

if TYPE_CHECKING:
    import openai

LONGEST_PAUSE_S = 60.0
"""A service that asks for a longer pause is left alone until the next run."""

LONGEST_BACKOFF = 16
"""Times the first pause: how far pauses grow where the service names none."""

UNREACHED = 3
"""Dialogues that find no connection, before any answer, after which the endpoint counts as not reachable."""

UNREACHED_RETRIES = 2
"""Times that connecting is tried again before any answer."""


class OpenAIChat:
    """A model that a chat endpoint answers for."""

    def __init__(
        self,
        name: str,
        *,
        model: str,
        base_url: str | None = None,
        key_variables: Sequence[str] = ("OPENAI_API_KEY",),
        timeout_s: float = 120.0,
        concurrency: int = 8,
        retries: int = chat_completion.RETRIES,
        temperature: float | None = 0.0,
        top_p: float | None = None,
        max_tokens: int = 1024,
        seed: int | None = None,
        draws: bool = False,
        first_pause_s: float = 0.5,
    ) -> None:
        """Take the settings; the keys are read when `replies` begins, and are neither kept nor shown.

        Args:
            name: in params.yaml.
            model: as the endpoint calls it.
            base_url: of the endpoint; None is OpenAI's.
            key_variables: the NAMES of environment variables that hold a key each, taken in turn; none for an
                endpoint that wants none.
            timeout_s: that one request may take as a whole.
            concurrency: dialogues that are asked at a time; up to as many more wait for their turn.
            retries: times that a request is asked again that failed in a way that passes.
            temperature: of sampling; None leaves it to the endpoint.
            top_p: as temperature.
            max_tokens: of one reply; a longer one is truncated.
            seed: as temperature.
            draws: whether pictures are asked for in the replies.
            first_pause_s: before the second attempt, where the service names no pause; it doubles with each.

        Raises:
            ModelError: base_url cannot be an endpoint's, or would show a secret.
        """
        self.name = name
        self._key_variables = tuple(key_variables)
        self._timeout_s, self._concurrency, self._retries = timeout_s, max(1, concurrency), retries
        self._first_pause_s = first_pause_s
        self._model, self._draws = model, draws
        self._sampling = {"max_tokens": max_tokens, "seed": seed, "temperature": temperature, "top_p": top_p}
        try:
            self._address = chat_completion.address(base_url)
            self._place = chat_completion.place(base_url)
        except EndpointFault as fault:
            raise ModelError(f"models.{name}: {fault}") from None

    @property
    def identity(self) -> Mapping[str, Any]:
        """What its replies depend on; neither keys nor how many are asked at once."""
        drawing = {"draws": True} if self._draws else {}
        sampling = dict(self._sampling)
        return {"kind": "openai", "model": self._model, "base_url": self._place, "sampling": sampling, **drawing}

    def replies(self, dialogues: Iterable[Dialogue], pictures: Pictures) -> Iterator[Reply]:
        """The replies that the dialogues still lack, each as soon as it is there, in any order.

        Dialogues and pictures are read in the caller's thread alone, at most twice `concurrency` dialogues ahead.
        What is asked when the caller stops, or when this raises, is given up.

        Raises:
            ModelError: a key is not set, all keys are refused or spent, the endpoint cannot be reached, has no such
                model, or forbids asking; or a picture is missing. What was yielded stands.
        """
        stream = iter(dialogues)
        first = next(stream, None)
        if first is None:
            return
        keys = _Keys(self.name, self._place, self._key_variables)
        client = chat_completion.async_client(self._address, self._timeout_s)
        events: queue.SimpleQueue[_Event] = queue.SimpleQueue()
        with _Loop(client.close) as loop:
            asking = _Asking(self, client, keys, events)
            yield from self._streamed(chain([first], stream), pictures, asking, loop)

    def _streamed(
        self, stream: Iterator[Dialogue], pictures: Pictures, asking: "_Asking", loop: "_Loop"
    ) -> Iterator[Reply]:
        running, more = 0, True
        held: list[Reply] = []
        while more or running:
            try:
                event = asking.events.get(block=not more or running >= 2 * self._concurrency)
            except queue.Empty:
                dialogue = next(stream, None)
                if dialogue is None:
                    more = False
                elif len(dialogue.said) < len(dialogue.asks):
                    loop.start(asking.converse(dialogue, openai_message.shown_in(dialogue, pictures)))
                    running += 1
                continue
            if event.raised is not None:
                yield from _before(asking.events)
                raise event.raised
            running -= event.reply is None
            if event.reply is not None and event.unreached is not None:
                held.append(event.reply)
            if asking.reached:
                yield from held
                held = []
            if event.reply is not None and event.unreached is None:
                yield event.reply
            if len(held) == UNREACHED:
                break
        if held:
            raise ModelError(
                f"models.{self.name}: endpoint {self._address} cannot be reached ({held[0].finish_reason}): "
                f"start it or set models.{self.name}.base_url"
            )


class _Event(NamedTuple):
    """What an asker tells the caller: a reply, the end of a dialogue (no reply), or what stops everything."""

    reply: Reply | None = None
    unreached: str | None = None
    raised: BaseException | None = None


class _Failure(NamedTuple):
    """An attempt that gave no completion. again: whether another one may. pause_s: that the service asks for."""

    reason: str
    status: str = "error"
    again: bool = True
    pause_s: float | None = None
    unreached: str | None = None


class _Asking:
    """The askers of one call of `replies`: all that they share."""

    def __init__(
        self, model: OpenAIChat, client: "openai.AsyncOpenAI", keys: "_Keys", events: "queue.SimpleQueue[_Event]"
    ) -> None:
        self.events = events
        self.reached = False
        self._model, self._client, self._keys = model, client, keys
        self._slots = asyncio.Semaphore(model._concurrency)
        self._stopped = False
        self._limit = "max_tokens"
        self._by_key: dict[str, Any] = {}

    async def converse(self, dialogue: Dialogue, shown: dict[str, str]) -> None:
        """Ask what the dialogue still lacks, one after another; `shown`: its pictures as URLs."""
        try:
            async with self._slots:
                while len(dialogue.said) < len(dialogue.asks):
                    event = await self._asked(dialogue, shown)
                    self.events.put(event)
                    if event.reply is None or event.reply.status not in FINAL:
                        break
                    dialogue = dialogue.replied(event.reply.parts)
                    shown |= {
                        drawn.image_id or "": openai_message.url_of(drawn.png or b"") for drawn in event.reply.drawn
                    }
            self.events.put(_Event())
        except Exception as error:
            self._stopped = True
            self.events.put(_Event(raised=error))

    async def _asked(self, dialogue: Dialogue, shown: Mapping[str, str]) -> _Event:
        place = len(dialogue.said)
        messages = [openai_message.message(turn, shown) for turn in dialogue.conversation()]
        attempt = 0
        while True:
            found = await self._attempt(messages)
            if isinstance(found, Completion):
                return _Event(openai_message.reply(dialogue.id, place, found))
            retries = self._model._retries
            if found.unreached is not None and not self.reached:
                retries = min(retries, UNREACHED_RETRIES)
            if not found.again or attempt >= retries:
                reply = Reply(dialogue.id, place, (), found.status, found.reason)
                return _Event(reply, found.unreached)
            await asyncio.sleep(self._pause(attempt, found.pause_s))
            attempt += 1

    async def _attempt(self, messages: list[dict[str, Any]]) -> Completion | _Failure:
        """One request, or more where a key is taken out or a parameter has another name there."""
        import openai

        while True:
            if self._stopped:
                raise asyncio.CancelledError
            key, limit = self._keys.next(), self._limit
            try:
                async with asyncio.timeout(self._model._timeout_s):
                    answer = await self._completions(key).create(**self._body(messages, limit))
                self.reached = True
                return chat_completion.read(answer.content)
            except NoCompletion as error:
                told = f": {self._keys.hide(error.told)}" if error.told else ""
                return _Failure(f"{error}{told}", again=error.passes)
            except TimeoutError:
                self.reached = True
                return _Failure("timeout")
            except openai.APIConnectionError as error:
                unreached = chat_completion.unreached(error)
                self.reached |= unreached is None
                late = isinstance(error, openai.APITimeoutError)
                return _Failure(unreached or ("timeout" if late else "connection broke"), unreached=unreached)
            except openai.APIStatusError as error:
                self.reached = True
                failure = self._refused(error, key, limit)
                if failure is not None:
                    return failure

    def _completions(self, key: str) -> Any:
        if key not in self._by_key:
            self._by_key[key] = self._client.with_options(api_key=key).chat.completions.with_raw_response
        return self._by_key[key]

    def _refused(self, error: "openai.APIStatusError", key: str, limit: str) -> _Failure | None:
        """What an HTTP error means; None: to be asked at once again, with another key or name of the limit.

        Raises:
            ModelError: nothing can be asked.
        """
        status, told = error.status_code, self._keys.hide(chat_completion.told(error.body))
        reason = f"http {status}: {told}" if told else f"http {status}"
        if chat_completion.filtered(error):
            return _Failure(reason, "filtered", again=False)
        if status == 401 or chat_completion.spent(error):
            self._keys.take_out(key, f"refused, HTTP {status}" if status == 401 else f"out of quota, HTTP {status}")
            return None
        if status in (403, 404):
            wrong = "forbids what is asked" if status == 403 else "has no such model or path"
            out = f"set models.{self._model.name}.model and base_url right and run again, what was answered is kept"
            because = f"HTTP {status}: {told}" if told else f"HTTP {status}"
            raise ModelError(
                f"models.{self._model.name}: endpoint {self._model._place} {wrong} ({because}): {out}"
            ) from None
        if status == 400 and limit == "max_tokens" and error.param == limit and error.code == "unsupported_parameter":
            self._limit = "max_completion_tokens"
            return None
        if not chat_completion.passes(status):
            return _Failure(reason, again=False)
        pause_s = chat_completion.retry_after(error.response.headers)
        return _Failure(reason, again=pause_s is None or pause_s <= LONGEST_PAUSE_S, pause_s=pause_s)

    def _body(self, messages: list[dict[str, Any]], limit: str) -> dict[str, Any]:
        sampling = {limit if name == "max_tokens" else name: value for name, value in self._model._sampling.items()}
        drawing = {"modalities": ["text", "image"]} if self._model._draws else {}
        given = {name: value for name, value in sampling.items() if value is not None}
        return {"model": self._model._model, "messages": messages, **given, **drawing}

    def _pause(self, attempt: int, asked_s: float | None) -> float:
        """Seconds: what the service asks for and a little more, or ever more; never the same for all askers."""
        if asked_s:
            return asked_s * (1 + random.random() / 10)
        longer: int = min(2**attempt, LONGEST_BACKOFF)
        return self._model._first_pause_s * longer * (1 - random.random() / 4)


class _Keys:
    """The keys of an endpoint in turn, without those that were taken out."""

    def __init__(self, model: str, place: str, variables: Sequence[str]) -> None:
        self._model, self._place = model, place
        self._out: list[str] = []
        try:
            self._left = {chat_completion.key(variable): variable for variable in variables}
        except EndpointFault as fault:
            way = f"models.{model}.key_variables names it, and may be empty for an endpoint that wants no key"
            raise ModelError(f"models.{model}: {fault} ({way})") from None
        self._secrets = tuple(self._left)
        if not variables:
            self._left = {chat_completion.WITHOUT_KEY: "none at all"}

    def next(self) -> str:
        """A key that was not taken out.

        Raises:
            ModelError: none is left.
        """
        if not self._left:
            raise ModelError(
                f"models.{self._model}: endpoint {self._place} takes no key that is there ({'; '.join(self._out)}): "
                f"set models.{self._model}.key_variables to variables with keys that are good and run again, "
                "what was answered is kept"
            )
        key = next(iter(self._left))
        self._left[key] = self._left.pop(key)
        return key

    def take_out(self, key: str, why: str) -> None:
        """Give out this key no more."""
        variable = self._left.pop(key, None)
        if variable is not None:
            self._out.append(f"{variable}: {why}")

    def hide(self, text: str) -> str:
        """The text, cut, without keys."""
        return chat_completion.hidden(text, self._secrets)


class _Loop:
    """An event loop in a thread of its own; at the end of `with`, what still runs there is cancelled and it ends."""

    def __init__(self, last: Any) -> None:
        """`last`: gives a coroutine that is run at the end."""
        self._last = last
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="openai", daemon=True)

    def start(self, asker: Coroutine[Any, Any, None]) -> None:
        """Run it there."""
        asyncio.run_coroutine_threadsafe(asker, self._loop)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        # As the interpreter ends, a generator that was left behind is closed after this thread has stopped for good.
        if sys.is_finalizing():
            return
        asyncio.run_coroutine_threadsafe(self._end(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _end(self) -> None:
        askers = asyncio.all_tasks() - {asyncio.current_task()}
        for asker in askers:
            asker.cancel()
        await asyncio.gather(*askers, return_exceptions=True)
        await self._last()
        await self._loop.shutdown_asyncgens()
        await self._loop.shutdown_default_executor()


def _before(events: "queue.SimpleQueue[_Event]") -> Iterator[Reply]:
    """The replies that are there already."""
    while True:
        try:
            event = events.get_nowait()
        except queue.Empty:
            return
        if event.reply is not None and event.unreached is None:
            yield event.reply
