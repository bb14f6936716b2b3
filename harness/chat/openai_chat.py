"""A model behind any OpenAI-compatible endpoint: Chat Completions, streamed.

The SDK (0.5 s, 49 MB) is imported when the first turn needs it. It repeats failed calls twice;
there is no second layer of retries here. Neighbours: `wire` (the JSON), `failures` (the words for
people), `accumulate` (what becomes of the fragments).
"""

import asyncio
from collections.abc import AsyncGenerator, Iterable
from contextlib import aclosing
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

from harness.chat.failures import refusal
from harness.chat.wire import request_body
from harness.errors import ModelUnavailable
from harness.models import Delta, ModelRequest, ToolCallDelta, Usage
from harness.plain import mended

if TYPE_CHECKING:
    from openai import APIError, APIStatusError, AsyncOpenAI, AsyncStream
    from openai.types.chat import ChatCompletionChunk
    from openai.types.chat.chat_completion_chunk import ChoiceDeltaToolCall
    from openai.types.completion_usage import CompletionUsage

_OPENAI = "https://api.openai.com/v1"
_USAGE_OPTION = "stream_options"


class OpenAIChat:
    """A `ChatModel` over HTTP. Time-outs in seconds: to connect, and between two fragments."""

    def __init__(
        self,
        api_key: str,
        base_url: str | None = None,
        *,
        connect_seconds: float = 10.0,
        idle_seconds: float = 120.0,
        retries: int = 2,
    ) -> None:
        self._api_key = api_key
        self._base_url = base_url or _OPENAI
        self._connect_seconds = connect_seconds
        self._idle_seconds = idle_seconds
        self._retries = retries
        self._client: AsyncOpenAI | None = None
        self._preparing = asyncio.Lock()
        self._counts_usage = True

    async def prepare(self) -> None:
        """Import the SDK and build the client ahead of the first turn, off the event loop."""
        await self._ready()

    async def close(self) -> None:
        if self._client is not None:
            await self._client.close()

    async def complete(self, request: ModelRequest) -> AsyncGenerator[Delta]:
        """Stream an answer; an answer that breaks off ends without a `finish`.

        Raises `ModelUnavailable` if there is none at all. What the endpoint wrote in an error
        may hold keys and addresses, so it goes nowhere, not even into a traceback.
        """
        client = await self._ready()
        from openai import APIConnectionError, APIError, APITimeoutError  # noqa: PLC0415 - slow

        stream = await self._open(client, request)
        try:
            async with aclosing(_deltas(stream)) as deltas:
                async for delta in deltas:
                    yield delta
        except APITimeoutError:
            raise ModelUnavailable("timeout") from None
        except APIConnectionError:
            return
        except APIError as error:
            raise _explain(error, request.model) from None
        except (ValueError, TypeError, AttributeError):
            return  # a fragment that is no JSON, or none of this protocol
        finally:
            await stream.close()

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

    async def _open(
        self, client: "AsyncOpenAI", request: ModelRequest
    ) -> "AsyncStream[ChatCompletionChunk]":
        """Send the request and wait for the head of the answer, retries included."""
        from openai import APIError, BadRequestError  # noqa: PLC0415 - slow

        try:
            async with asyncio.timeout(self._idle_seconds):
                return await self._send(client, request)
        except TimeoutError:
            raise ModelUnavailable("timeout") from None
        except BadRequestError as error:
            if not self._counts_usage or _USAGE_OPTION not in str(error.body):
                raise _explain(error, request.model) from None
        except APIError as error:
            raise _explain(error, request.model) from None
        # This endpoint does not know the option that has it count tokens: do without from now on.
        self._counts_usage = False
        return await self._open(client, request)

    async def _send(
        self, client: "AsyncOpenAI", request: ModelRequest
    ) -> "AsyncStream[ChatCompletionChunk]":
        body = request_body(request)
        if self._counts_usage:
            body[_USAGE_OPTION] = {"include_usage": True}
        stream: AsyncStream[ChatCompletionChunk] = await client.chat.completions.create(
            stream=True, **body
        )
        return stream


async def _deltas(stream: "AsyncStream[ChatCompletionChunk]") -> AsyncGenerator[Delta]:
    """Translate fragments; half of a character waits for its other half."""
    held = ""
    async for chunk in stream:
        if chunk.usage:
            yield Delta(usage=_usage(chunk.usage))
        for choice in (chunk.choices or ())[:1]:
            text = held + _text(choice.delta.content)
            held = text[-1] if text and "\ud800" <= text[-1] <= "\udbff" else ""
            text = mended(text[: len(text) - len(held)])
            if text:
                yield Delta(text=text)
            for call in _calls(choice.delta.tool_calls or ()):
                yield Delta(tool_call=call)
            if choice.finish_reason:
                yield Delta(finish=choice.finish_reason)


def _text(content: Any) -> str:  # noqa: ANN401 - some endpoints send a list of parts
    if isinstance(content, str):
        return content
    return "".join(part.get("text", "") for part in content or ())


def _calls(calls: "Iterable[ChoiceDeltaToolCall]") -> Iterable[ToolCallDelta]:
    for call in calls:
        function = call.function
        yield ToolCallDelta(
            index=call.index or 0,
            id=call.id or "",
            name=(function and function.name) or "",
            arguments=(function and function.arguments) or "",
        )


def _usage(usage: "CompletionUsage") -> Usage:
    details = usage.prompt_tokens_details
    return Usage(
        input_tokens=usage.prompt_tokens or 0,
        output_tokens=usage.completion_tokens or 0,
        cached_tokens=(details and details.cached_tokens) or 0,
        model_calls=1,
    )


def _explain(error: "APIError", model: str) -> ModelUnavailable:
    from openai import APIConnectionError, APIStatusError, APITimeoutError  # noqa: PLC0415 - slow

    if isinstance(error, APIStatusError):
        return refusal(error.status_code, model, _retry_after(error))
    if isinstance(error, APITimeoutError):
        return ModelUnavailable("timeout")
    if isinstance(error, APIConnectionError):
        return ModelUnavailable("cannot connect")
    # An error inside the stream: some gateways put an HTTP status into its code.
    code = int(error.code) if error.code and error.code.isdigit() else 0
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
