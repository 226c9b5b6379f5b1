"""Chasing Shadows: tricks made of the cards of the trick before; whoever stays in the dark wins."""

from shadowenvs.game import Game
from shadowenvs.games.chasing_shadows import notation, render, spec
from shadowenvs.games.chasing_shadows.belief import determinise
from shadowenvs.games.chasing_shadows.heuristic import heuristic
from shadowenvs.games.chasing_shadows.observation import observe
from shadowenvs.games.chasing_shadows.rules import deal, legal, step

GAME = Game(
    name="chasing_shadows",
    title="Chasing Shadows",
    version=0,
    summary="trick-taking where each trick is made of the last one's cards",
    seats=range(spec.MIN_SEATS, spec.MAX_SEATS + 1),
    simultaneous=False,
    points_sign=-1,
    options=spec.ChasingShadowsOptions,
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
    alike=spec.ALIKE,
)
