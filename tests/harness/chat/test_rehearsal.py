"""The rehearsal follows its script to the letter and says what it is."""

import pytest

from harness.chat.rehearsal import Rehearsal
from harness.chat.script import load_script
from harness.context import opening_message
from harness.errors import ModelUnavailable
from harness.models import Delta, Message, ModelRequest, ToolCall
from tests.harness.support import asked, rehearse

CALL = ToolCall(id="a", name="look", arguments="{}")


def request(*messages: Message) -> ModelRequest:
    return ModelRequest(model="rehearsal", system="", messages=messages)


def ask(text: str) -> ModelRequest:
    return request(opening_message(asked(text)))


async def play(model: Rehearsal, request: ModelRequest) -> list[Delta]:
    return [delta async for delta in model.complete(request)]


async def reply(model: Rehearsal, request: ModelRequest) -> str:
    return "".join(delta.text for delta in await play(model, request))


async def test_the_first_rule_that_matches_plays() -> None:
    """Order decides; groups and the words themselves can be used."""
    model = rehearse("""
    - {when: 'write (\\S+)', steps: [{reply: "{1} {2} of {text}"}]}
    - {when: .*, steps: [{reply: other}]}
    """)
    assert await reply(model, ask("write a.py")) == "a.py {2} of write a.py"
    assert await reply(model, ask("hi")) == "other"


async def test_the_step_is_the_number_of_answers_since_the_person_spoke() -> None:
    """Earlier turns do not count, and the last step stays."""
    model = rehearse("- {when: go, steps: [{reply: one}, {reply: two}]}")
    before = (Message(role="user", content="go"), Message(role="assistant", content="x"))
    now = opening_message(asked("go"))
    called = Message(role="assistant", tool_calls=(CALL,))
    assert await reply(model, request(*before, now)) == "one"
    assert await reply(model, request(*before, now, called)) == "two"
    assert await reply(model, request(*before, now, called, called, called)) == "two"


@pytest.mark.parametrize(
    ("content", "shown"),
    [
        ('{"status":"ok","output":{"path":"a","text":"print(1)"}}', "print(1)"),
        ('{"status":"ok","output":"plain"}', "plain"),
        ('{"status":"ok","output":["a"]}', '["a"]'),
        ('{"status":"error","message":"It is gone."}', "It is gone."),
        ("not json", "not json"),
        ("[1]", "[1]"),
    ],
)
async def test_the_latest_result_can_be_shown(content: str, shown: str) -> None:
    """{result} is what the tool said, without the JSON around it."""
    model = rehearse("- {when: go, steps: [{}, {reply: '{result}'}]}")
    done = (
        Message(role="assistant", tool_calls=(CALL,)),
        Message(role="tool", tool_call_id="a", content=content),
    )
    assert await reply(model, request(opening_message(asked("go")), *done)) == shown


async def test_templates_fill_arguments_at_any_depth() -> None:
    """Also inside lists and objects."""
    model = rehearse("""
    - {when: '(a+)', steps: [{calls: [{tool: t, arguments: {x: ["{1}", {y: "{1}!"}], n: 1}}]}]}
    """)
    calls = [delta.tool_call for delta in await play(model, ask("aa")) if delta.tool_call]
    assert calls[0].arguments == '{"x": ["aa", {"y": "aa!"}], "n": 1}'


async def test_an_answer_can_break_off() -> None:
    """A cut has text but no finish; after `times` calls it is whole."""
    model = rehearse("- {when: go, steps: [{reply: one two, cut: true, times: 1}]}")
    assert [(d.text, d.finish) for d in await play(model, ask("go"))] == [("one ", "")]
    assert (await play(model, ask("go")))[-1].finish == "stop"


async def test_a_failure_can_pass() -> None:
    """`times` counts calls, so a script can be down once and then up."""
    model = rehearse("- {when: go, steps: [{reply: up, fail: {status: 500}, times: 2}]}")
    for _ in range(2):
        with pytest.raises(ModelUnavailable):
            await play(model, ask("go"))
    assert await reply(model, ask("go")) == "up"


async def test_the_same_request_gets_the_same_answer() -> None:
    """Deterministic to the fragment."""
    first, second = Rehearsal(), Rehearsal()
    question = ask("thanks")
    assert await play(first, question) == await play(second, question)


@pytest.mark.parametrize(
    "text", ["what are you?", "who are you", "are you a bot?", "你是谁", "zzz", ""]
)
def test_it_says_what_it_is(text: str) -> None:
    """When asked, and when its script has nothing."""
    said = Rehearsal().cue(ask(text)).step.reply
    assert said.startswith("I am the rehearsal model: I follow a script, I do not think")


@pytest.mark.parametrize(
    ("script", "problem"),
    [
        ("- {when: '(', steps: [{reply: x}]}", "pattern"),
        ("- {when: a, steps: []}", "steps"),
        ("- {when: a, steps: [{say: x}]}", "say"),
        ("when: a", "tuple"),
    ],
)
def test_a_wrong_script_is_refused(script: str, problem: str) -> None:
    """The error names the place."""
    with pytest.raises(ValueError, match=problem):
        load_script(script)
