"""Shadow Cards: trick-taking with secret predictions."""

from shadowenvs.game import Game
from shadowenvs.games.shadow_cards import notation, render, spec
from shadowenvs.games.shadow_cards.belief import determinise
from shadowenvs.games.shadow_cards.heuristic import heuristic
from shadowenvs.games.shadow_cards.observation import observe
from shadowenvs.games.shadow_cards.rules import deal, legal, step

GAME = Game(
    name="shadow_cards",
    title="Shadow Cards",
    version=0,
    summary="trick-taking with secret predictions",
    seats=range(spec.MIN_SEATS, spec.MAX_SEATS + 1),
    simultaneous=False,
    points_sign=1,
    options=spec.ShadowCardsOptions,
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
)
