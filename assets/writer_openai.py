"""Replies of a model behind any OpenAI-compatible chat endpoint, several at a time, in the order asked."""

import os
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from typing import TYPE_CHECKING, Any

from assets.writer import Reply, Request, WriterError

if TYPE_CHECKING:
    import openai

RETRIES = 4
"""Times that 408, 409, 429 and 5xx are asked again, with the pauses of the SDK: Retry-After, or with jitter."""

HOSTED = "https://api.openai.com/v1"
"""The endpoint where none is set."""

WITHOUT_KEY = "none"
"""What goes out in place of a key to an endpoint that wants none."""


class OpenAI:
    """A writer that asks a chat endpoint; statuses tell what came of each request, and none is lost to another."""

    def __init__(
        self,
        model: str,
        base_url: str | None = None,
        temperature: float = 0.0,
        seed: int | None = None,
        max_tokens: int = 1024,
        timeout_s: float = 120.0,
        concurrency: int = 8,
        key_variable: str | None = "OPENAI_API_KEY",
        retries: int = RETRIES,
    ) -> None:
        """`key_variable`: the name of the environment variable with the key; None for an endpoint without.

        The key itself is read when `write` begins, and is neither kept nor shown.
        """
        self.name = model
        self.model = model
        self.sampling: dict[str, Any] = {"max_tokens": max_tokens, "seed": seed, "temperature": temperature}
        self._base_url = base_url or HOSTED
        self._timeout_s = timeout_s
        self._concurrency = max(1, concurrency)
        self._key_variable = key_variable
        self._retries = retries

    def write(self, requests: Iterable[Request]) -> Iterator[Reply]:
        """One reply a request; at most twice `concurrency` requests are ahead of the reply that is due.

        Raises:
            WriterError: the key's variable is not set, or the endpoint refuses the key or has no such model.
        """
        stream = iter(requests)
        first = list(islice(stream, 1))
        if not first:
            return
        with self._client() as client, ThreadPoolExecutor(self._concurrency, "writer") as pool:
            waiting: deque[Future[Reply]] = deque()

            def ask(some: Iterable[Request]) -> None:
                waiting.extend(pool.submit(self._ask, client, request) for request in some)

            try:
                ask(first)
                ask(islice(stream, 2 * self._concurrency - 1))
                while waiting:
                    reply = waiting.popleft().result()
                    ask(islice(stream, 1))
                    yield reply
            finally:
                for future in waiting:
                    future.cancel()

    def _client(self) -> "openai.OpenAI":
        import openai

        key = WITHOUT_KEY
        if self._key_variable is not None:
            key = os.environ.get(self._key_variable, "").strip()
            if not key:
                raise WriterError(
                    f"writer {self.model}: the environment variable {self._key_variable} is not set: "
                    "put the key of the endpoint there"
                )
        return openai.OpenAI(api_key=key, base_url=self._base_url, timeout=self._timeout_s, max_retries=self._retries)

    def _ask(self, client: "openai.OpenAI", request: Request) -> Reply:
        import openai

        seed = self.sampling["seed"]
        try:
            completion: Any = client.chat.completions.create(
                model=self.model,
                messages=[{"role": "user", "content": request.prompt}],
                temperature=self.sampling["temperature"],
                max_tokens=self.sampling["max_tokens"],
                **({} if seed is None else {"seed": seed}),
            )
        except (openai.AuthenticationError, openai.NotFoundError) as error:
            refused = error.status_code == openai.AuthenticationError.status_code
            wrong = f"refuses the key of {self._key_variable}" if refused else "has no such model or path"
            raise WriterError(
                f"writer {self.model}: the endpoint {wrong} (HTTP {error.status_code}): set it right and run again, "
                "what was answered before is kept"
            ) from None
        except openai.APITimeoutError:
            return Reply(request.id, "error", "", "timeout")
        except openai.APIConnectionError:
            return Reply(request.id, "error", "", "no connection")
        except openai.APIStatusError as error:
            status = "filtered" if error.code == "content_filter" else "error"
            return Reply(request.id, status, "", f"http {error.status_code}")
        except (openai.APIError, ValueError):
            return Reply(request.id, "error", "", "no completion")
        return _reply(request.id, completion)


def _reply(identifier: str, completion: Any) -> Reply:
    """The reply that a completion holds; endpoints leave out or null nearly every part of one."""
    usage = getattr(completion, "usage", None)
    tokens = (_count(usage, "prompt_tokens"), _count(usage, "completion_tokens"))
    choices = getattr(completion, "choices", None)
    if not isinstance(choices, list):
        return Reply(identifier, "error", "", "no completion", *tokens)
    if not choices:
        return Reply(identifier, "filtered", "", "no choices", *tokens)
    reason = getattr(choices[0], "finish_reason", None)
    message = getattr(choices[0], "message", None)
    if message is None:
        return Reply(identifier, "filtered", "", reason or "no message", *tokens)
    text = _text(getattr(message, "content", None))
    refusal = _text(getattr(message, "refusal", None))
    if reason == "content_filter":
        status = "filtered"
    elif refusal.strip():
        status, text = "refusal", refusal
    elif reason == "length":
        status = "truncated"
    else:
        status = "ok" if text.strip() else "empty"
    return Reply(identifier, status, text, reason, *tokens)


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = [part.get("text") for part in parts if isinstance(part, dict)]
    return "".join(text for text in texts if isinstance(text, str))


def _count(usage: Any, name: str) -> int | None:
    value = getattr(usage, name, None)
    return value if isinstance(value, int) else None
