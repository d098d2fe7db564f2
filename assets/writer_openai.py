"""Replies of a model behind any OpenAI-compatible chat endpoint, several at a time, in the order asked."""

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from typing import TYPE_CHECKING, Any

from assets import chat_completion
from assets.chat_completion import RETRIES, WITHOUT_KEY
from assets.writer import Reply, Request, WriterError

if TYPE_CHECKING:
    import openai


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
        self._base_url = base_url or None
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
        try:
            key = WITHOUT_KEY if self._key_variable is None else chat_completion.key(self._key_variable)
            address = chat_completion.address(self._base_url)
        except chat_completion.EndpointFault as fault:
            raise WriterError(f"writer {self.model}: {fault}") from None
        return chat_completion.client(key, address, self._timeout_s, self._retries)

    def _ask(self, client: "openai.OpenAI", request: Request) -> Reply:
        import openai

        seed = self.sampling["seed"]
        try:
            answer = client.chat.completions.with_raw_response.create(
                model=self.model,
                messages=[{"role": "user", "content": request.prompt}],
                temperature=self.sampling["temperature"],
                max_tokens=self.sampling["max_tokens"],
                **({} if seed is None else {"seed": seed}),
            )
            found = chat_completion.read(answer.content)
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
            status = "filtered" if chat_completion.filtered(error) else "error"
            return Reply(request.id, status, "", f"http {error.status_code}")
        except chat_completion.NoCompletion as error:
            return Reply(request.id, "error", "", str(error))
        return Reply(request.id, found.status, found.text, found.reason, found.tokens_in, found.tokens_out)
