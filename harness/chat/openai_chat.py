"""A model behind any OpenAI-compatible endpoint: Chat Completions, streamed.

The SDK (0.5 s, 49 MB) is imported when the first turn needs it. It repeats failed calls twice;
there is no second layer of retries here. A refusal that tells how the endpoint differs is learned
from, once. Neighbours: `wire` (requests as JSON), `fragments` (answers), `quirks` (differences),
`failures` (the words for people).
"""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

from harness.chat.failures import is_too_long, refusal
from harness.chat.fragments import streamed, whole
from harness.chat.quirks import Quirks, known, learned
from harness.chat.wire import request_body
from harness.errors import ModelUnavailable
from harness.models import Delta, ModelRequest
from harness.tokens import text_weight

if TYPE_CHECKING:
    from openai import APIError, APIStatusError, AsyncOpenAI, AsyncStream
    from openai.types.chat import ChatCompletion, ChatCompletionChunk

    Sent = AsyncStream[ChatCompletionChunk] | ChatCompletion

_PATH = "/chat/completions"
_OPENAI = "https://api.openai.com/v1"
_MOST_LESSONS = 6
_BAD_REQUEST = 400


class OpenAIChat:
    """A `ChatModel` over HTTP. Time-outs in seconds: to connect, and between two fragments.

    `quirks` are flags by the model's name, for models of which more is known than `quirks.known`.
    """

    def __init__(
        self,
        api_key: str,
        base_url: str | None = None,
        *,
        connect_seconds: float = 10.0,
        idle_seconds: float = 120.0,
        retries: int = 2,
        quirks: Mapping[str, Quirks] | None = None,
    ) -> None:
        self._api_key = api_key
        self._base_url = base_url or _OPENAI
        self._connect_seconds = connect_seconds
        self._idle_seconds = idle_seconds
        self._retries = retries
        self._quirks = dict(quirks or {})
        self._client: AsyncOpenAI | None = None
        self._preparing = asyncio.Lock()

    async def prepare(self) -> None:
        """Import the SDK and build the client ahead of the first turn, off the event loop."""
        await self._ready()

    async def close(self) -> None:
        if self._client is not None:
            await self._client.close()

    def quirks(self, model: str) -> Quirks:
        """Say how a model is spoken to here: what was set or known, and what was learned since."""
        return self._quirks.get(model) or known(self._base_url, model)

    async def complete(self, request: ModelRequest) -> AsyncGenerator[Delta]:
        """Stream an answer; an answer that breaks off ends without a `finish`.

        Raises `ModelUnavailable` if there is none at all. What the endpoint wrote in an error
        may hold keys and addresses, so it goes nowhere, not even into a traceback.
        """
        client = await self._ready()
        sent = await self._open(client, request)
        quirks = self.quirks(request.model)
        shown, has_calls = 0.0, False
        async with aclosing(self._received(sent, request.model)) as deltas:
            async for delta in deltas:
                has_calls = has_calls or delta.tool_call is not None
                if delta.finish == "tool_calls" and request.tools and not has_calls:
                    # They got lost in the stream: from now on such answers come in one piece.
                    self._quirks[request.model] = quirks.model_copy(update={"stream_tools": False})
                if delta.reasoning and not quirks.echo_reasoning:
                    continue
                yield delta
                shown += text_weight(delta.text)
                if _is_over(shown, request, quirks):
                    yield Delta(finish="length")
                    return

    async def _received(self, sent: "Sent", model: str) -> AsyncGenerator[Delta]:
        from openai import APIConnectionError, APIError, APITimeoutError, AsyncStream  # noqa: PLC0415 - slow

        try:
            translated = streamed(sent) if isinstance(sent, AsyncStream) else whole(sent)
            async with aclosing(translated) as deltas:
                async for delta in deltas:
                    yield delta
        except APITimeoutError:
            raise ModelUnavailable("timeout") from None
        except APIConnectionError:
            return
        except APIError as error:
            raise _explain(error, model) from None
        except (ValueError, TypeError, AttributeError):
            return  # a fragment that is no JSON, or none of this protocol
        finally:
            if isinstance(sent, AsyncStream):
                await sent.close()

    async def _ready(self) -> "AsyncOpenAI":
        async with self._preparing:
            if self._client is None:
                self._client = await asyncio.to_thread(self._build)
        return self._client

    def _build(self) -> "AsyncOpenAI":
        from openai import AsyncOpenAI, Timeout  # noqa: PLC0415 - slow

        return AsyncOpenAI(
            api_key=self._api_key or "none",
            base_url=self._base_url,
            timeout=Timeout(self._idle_seconds, connect=self._connect_seconds),
            max_retries=self._retries,
        )

    async def _open(self, client: "AsyncOpenAI", request: ModelRequest) -> "Sent":
        """Send the request and wait for the head of the answer, retries and lessons included."""
        from openai import APIError  # noqa: PLC0415 - slow

        for lessons in range(_MOST_LESSONS + 1):
            try:
                async with asyncio.timeout(self._idle_seconds):
                    return await self._send(client, request)
            except TimeoutError:
                raise ModelUnavailable("timeout") from None
            except APIError as error:
                if lessons == _MOST_LESSONS or not self._learn(error, request.model):
                    raise _explain(error, request.model) from None
            except ValueError:
                break  # the whole answer is no JSON
        raise ModelUnavailable("it sent nothing usable")

    async def _send(self, client: "AsyncOpenAI", request: ModelRequest) -> "Sent":
        # Posted as it is: the SDK's typed method walks through every message and tool of the
        # request to rename keys that are right already, 40 ms and more of each step.
        from openai import AsyncStream  # noqa: PLC0415 - slow
        from openai.types.chat import ChatCompletion, ChatCompletionChunk  # noqa: PLC0415 - slow

        quirks = self.quirks(request.model)
        body = request_body(request, quirks)
        if request.tools and not quirks.stream_tools:
            return await client.post(_PATH, cast_to=ChatCompletion, body=body | {"stream": False})
        body["stream"] = True
        if quirks.asks_usage:
            body["stream_options"] = {"include_usage": True}
        kind = AsyncStream[ChatCompletionChunk]
        return await client.post(
            _PATH, cast_to=ChatCompletionChunk, body=body, stream=True, stream_cls=kind
        )

    def _learn(self, error: "APIError", model: str) -> bool:
        """Take a lesson from a refusal; False if there is none."""
        from openai import APIStatusError  # noqa: PLC0415 - slow

        if not isinstance(error, APIStatusError) or is_too_long(error.status_code, str(error)):
            return False
        lesson = learned(self.quirks(model), error.status_code, f"{error} {error.body}")
        if lesson is None:
            return False
        self._quirks[model] = lesson
        return True


def _is_over(shown: float, request: ModelRequest, quirks: Quirks) -> bool:
    """Say whether the visible text is at its bound, where the endpoint does not see to that."""
    is_bounded = request.max_tokens is not None and quirks.max_tokens != "max_tokens"
    return is_bounded and shown >= (request.max_tokens or 0)


def _explain(error: "APIError", model: str) -> ModelUnavailable:
    from openai import APIConnectionError, APIStatusError, APITimeoutError  # noqa: PLC0415 - slow

    if isinstance(error, APIStatusError):
        return refusal(error.status_code, model, _retry_after(error), str(error))
    if isinstance(error, APITimeoutError):
        return ModelUnavailable("timeout")
    if isinstance(error, APIConnectionError):
        return ModelUnavailable("cannot connect")
    # An error inside the stream: some gateways put an HTTP status into its code.
    code = int(error.code) if error.code and str(error.code).isdigit() else 0
    if is_too_long(code, str(error)):
        return refusal(code or _BAD_REQUEST, model, body=str(error))
    is_status = 400 <= code <= 599  # noqa: PLR2004 - HTTP errors
    return refusal(code, model) if is_status else ModelUnavailable("it reports an error")


def _retry_after(error: "APIStatusError") -> float | None:
    """Read how long the endpoint wants us to wait: seconds, or a date."""
    asked = error.response.headers.get("retry-after", "")
    try:
        return max(0.0, float(asked))
    except ValueError:
        pass
    try:
        now = parsedate_to_datetime(error.response.headers.get("date", ""))
        return max(0.0, (parsedate_to_datetime(asked) - now).total_seconds())
    except (ValueError, TypeError):
        return None
