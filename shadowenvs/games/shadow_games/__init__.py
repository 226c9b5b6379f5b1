"""Shadow Games: bluff and challenge. The built-in deck is a stand-in, not the published cards."""

from shadowenvs.game import Game, Rate
from shadowenvs.games.shadow_games import notation, render, spec
from shadowenvs.games.shadow_games.belief import determinise
from shadowenvs.games.shadow_games.heuristic import heuristic
from shadowenvs.games.shadow_games.observation import observe
from shadowenvs.games.shadow_games.rules import deal, legal, step

GAME = Game(
    name="shadow_games",
    title="Shadow Games",
    version=0,
    summary="bluff and challenge; the default deck is a stand-in",
    seats=range(spec.MIN_SEATS, spec.MAX_SEATS + 1),
    simultaneous=False,
    points_sign=1,
    options=spec.ShadowGamesOptions,
    state=spec.STATE,
    observation=spec.OBSERVATION,
    actions=spec.ACTIONS,
    max_steps=spec.max_steps,
    tables=spec.tables,
    deal=deal,
    legal=legal,
    step=step,
    observe=observe,
    determinise=determinise,
    heuristic=heuristic,
    format_action=notation.format_action,
    parse_action=notation.parse_action,
    format_position=notation.format_position,
    parse_position=notation.parse_position,
    render=render.text,
    render_svg=render.svg,
    rates=(
        Rate("bluff rate", "bluffs", "plays", "plays whose card was not the declared one"),
        Rate("challenge rate", "challenges", "polls", "polls in which the seat called the lie"),
        Rate("challenge precision", "challenges_won", "challenges", "challenges that exposed a bluff"),
    ),
)
