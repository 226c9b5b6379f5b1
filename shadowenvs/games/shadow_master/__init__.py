"""Shadow Master: a race of perception, played by all seats at the same time."""

from shadowenvs.game import Game
from shadowenvs.games.shadow_master import notation, render, spec
from shadowenvs.games.shadow_master.belief import determinise
from shadowenvs.games.shadow_master.heuristic import heuristic
from shadowenvs.games.shadow_master.observation import observe
from shadowenvs.games.shadow_master.pictures import picture_shapes, pictures
from shadowenvs.games.shadow_master.rules import deal, legal, step
from shadowenvs.games.shadow_master.scoring import rank_key

GAME = Game(
    name="shadow_master",
    title="Shadow Master",
    version=0,
    summary="simultaneous race of perception for shadow coins",
    seats=range(spec.MIN_SEATS, spec.MAX_SEATS + 1),
    simultaneous=True,
    points_sign=1,
    options=spec.ShadowMasterOptions,
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
    idle_action=spec.WAIT,
    rank_key=rank_key,
    picture_shapes=picture_shapes,
    pictures=pictures,
    draw_sheet=render.sheet,
    alike=spec.ALIKE,
)
