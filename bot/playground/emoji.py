"""The emoji this workspace knows by name; anything else is `invalid_name`, as in Slack."""

import re

from bot.playground.errors import SlackError

_TONE = re.compile(r"::skin-tone-[2-6]$")

ALIASES = {
    "thumbsup": "+1",
    "thumbsdown": "-1",
    "raised_hand": "hand",
    "hooray": "tada",
    "poop": "hankey",
    "pencil": "memo",
    "satisfied": "laughing",
    "telephone": "phone",
    "red_car": "car",
}

_TONED_NAMES = """
    +1 -1 clap wave pray muscle ok_hand point_up point_up_2 point_down point_left point_right
    raised_hands hand v fist facepunch crossed_fingers handshake call_me_hand writing_hand
    man-shrugging woman-shrugging shrug
"""

_NAMES = """
    100 1234 abc airplane alarm_clock alien ambulance anchor angry arrow_down arrow_forward
    arrow_left arrow_right arrow_up arrows_counterclockwise art baby back ballot_box_with_check
    bangbang bar_chart battery beer beers bell bike birthday blush bomb book bookmark books boom
    broken_heart broom bug bulb bust_in_silhouette cake calendar camera car card_index
    chart_with_downwards_trend chart_with_upwards_trend checkered_flag cherry_blossom cinema clap
    clipboard clock1 closed_lock_with_key cloud coffee cold_sweat computer confetti_ball confused
    construction cookie cop credit_card crown cry crystal_ball dart date desktop_computer dog
    door dizzy eight exclamation eyes face_with_monocle facepalm fast_forward file_folder fire
    fireworks first_place_medal five floppy_disk four frog frowning full_moon gear gem ghost gift
    globe_with_meridians green_heart grey_exclamation grey_question grimacing grin grinning
    hammer hammer_and_wrench hankey heart heart_eyes heavy_check_mark heavy_exclamation_mark
    heavy_minus_sign heavy_multiplication_x heavy_plus_sign hourglass
    hourglass_flowing_sand hot_pepper house hugging_face inbox_tray incoming_envelope
    information_source innocent joy key keyboard label laughing leaves link lock
    lock_with_ink_pen loud_sound loudspeaker mag mag_right mailbox mega memo moneybag moon
    mountain mute nail_care nerd_face newspaper nine no_bell no_entry no_entry_sign
    octagonal_sign office ok one open_file_folder orange_heart outbox_tray package palm_tree
    paperclip partying_face party-popper pause_button pencil2 penguin phone pizza point_up
    postbox pushpin question rabbit radio_button rainbow recycle red_circle relaxed relieved
    repeat robot_face rocket rotating_light round_pushpin rolling_on_the_floor_laughing runner
    sad santa satellite school scissors scream scroll seedling seven shield ship shipit six
    skull sleeping slightly_smiling_face slightly_frowning_face smile smiley smirk snail
    snowflake sob sparkles speech_balloon speaking_head_in_silhouette spiral_note_pad squirrel
    star star2 stop_button stopwatch sun_with_face sunglasses sunny sweat sweat_smile tada
    tangerine tea telescope test_tube thinking_face thought_balloon three ticket timer_clock
    tomato tools trophy turtle two umbrella unicorn_face unlock upside_down_face
    vertical_traffic_light warning wastebasket watch white_check_mark white_circle white_heart
    wink wrench x
    yellow_heart yum zap zero zipper_mouth_face zzz
    large_blue_circle large_green_circle large_yellow_circle large_orange_circle
    large_red_square ballot_box_with_ballot heavy_dollar_sign
"""

_TONED = frozenset(_TONED_NAMES.split())
KNOWN = _TONED | frozenset(_NAMES.split())


def is_emoji(name: str) -> bool:
    """Say whether Slack takes this as a reaction's name: no colons, no Unicode."""
    root = _TONE.sub("", name)
    plain = ALIASES.get(root, root)
    return plain in KNOWN and (root == name or plain in _TONED)


def checked_name(name: str) -> str:
    """Give the name back if Slack knows it; raises `invalid_name`."""
    if not is_emoji(name):
        raise SlackError("invalid_name")
    return name
