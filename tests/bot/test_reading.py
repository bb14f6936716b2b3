"""What people wrote, as a model reads it."""

from bot.reading import files_of, mentioned_users, message_text, readable

NAMES = {"U1": "Ann"}


def test_references_become_names_and_addresses():
    """Mentions, channels, links, groups, broadcasts and entities are decoded."""
    text = (
        "<@U1> and <@U2|ben> in <#C1|api> see <https://x.org/a|the page> <https://y.org> "
        "<!here> <!subteam^S1|@ops> &lt;b&gt; &amp;"
    )
    assert readable(text, NAMES.get) == (
        "@Ann and @ben in #api see the page (https://x.org/a) https://y.org @here @ops <b> &"
    )


def test_an_unknown_person_keeps_the_id():
    """Nobody is renamed by accident."""
    assert readable("<@U7>", NAMES.get) == "@U7"
    assert mentioned_users("<@U7> <@U1> <@U7>") == ("U7", "U1")


def test_a_message_of_blocks_alone_is_read_from_them():
    """Some clients send an empty text; the words stand in rich_text."""
    event = {
        "text": "",
        "blocks": [
            {
                "type": "rich_text",
                "elements": [
                    {
                        "type": "rich_text_section",
                        "elements": [
                            {"type": "user", "user_id": "U0BOT"},
                            {"type": "text", "text": " look at "},
                            {"type": "link", "url": "https://x.org", "text": "this"},
                            {"type": "emoji", "name": "eyes"},
                        ],
                    },
                    {
                        "type": "rich_text_list",
                        "elements": [
                            {
                                "type": "rich_text_section",
                                "elements": [{"type": "text", "text": "one"}],
                            }
                        ],
                    },
                ],
            },
            {"type": "section", "text": {"type": "mrkdwn", "text": "and this"}},
            {"type": "divider"},
        ],
    }
    assert message_text(event) == ("<@U0BOT> look at <https://x.org|this>:eyes:- one\n\nand this")


def test_files_are_kept_by_reference():
    """Id, name, type and size; a file without id is none."""
    found = files_of({"files": [{"id": "F1", "name": "a.csv", "size": 3}, {"mode": "tombstone"}]})
    assert [(f.id, f.name, f.size) for f in found] == [("F1", "a.csv", 3)]
