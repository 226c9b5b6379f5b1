"""The race: what is timed, the ratios, and the page that is written of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.race import COMPARED, FLOOR, FORMS, PEERS, Args, cores, main, page, ratios
from shadowenvs import GAMES

GAME = next(iter(GAMES))


def test_ratios_are_taken_round_by_round() -> None:
    figures = {"a, batch": [10.0, 30.0, 20.0], "OpenSpiel hearts, C++ loop": [1.0, 2.0, 4.0]}
    found = ratios(figures, ["a"])
    assert found == {"a, batch : OpenSpiel hearts, C++ loop": {"median": 10.0, "low": 5.0, "high": 15.0}}


def test_what_is_compared_is_timed() -> None:
    assert {form for form, _ in COMPARED} <= set(FORMS)
    assert {peer for _, peer in COMPARED} <= {*PEERS, FLOOR}


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = cores()
    words = ["--games", GAME, "--rounds", "1", "--seconds", "0.01", "--tables", "8", "--no-peers", "--no-growth"]
    assert main([*words, "--out", str(tmp_path)]) == 0
    assert cores() == before  # the process is free to use all of them again
    result = json.loads((tmp_path / "throughput.json").read_text())
    assert all(result["figures"][f"{GAME}, {form}"]["median"] > 0 for form in FORMS)
    assert result["ratios"][f"{GAME}, AEC : {FLOOR}"]["median"] > 0
    text = (tmp_path / "throughput.md").read_text()
    assert text == page(result) and all(form in text for form in FORMS) and "OpenSpiel hearts, C++ loop |" not in text
    with pytest.raises(SystemExit):
        main(["--games", "no_game"])
    assert "unknown game 'no_game'" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["--out", str(tmp_path / "no")])
    assert "there is no such folder" in capsys.readouterr().err


def test_wrong_numbers_are_refused() -> None:
    with pytest.raises(ValueError, match="must be positive"):
        Args(rounds=0)
