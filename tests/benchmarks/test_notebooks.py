"""The notebooks: they run, show what they promise, and hold no logic of their own."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import nbformat
import pytest
from IPython.core.inputtransformer2 import TransformerManager
from nbclient import NotebookClient

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "benchmarks" / "notebooks"

# What stands in the place of the cell of parameters. The person of the first notebook always takes the first move.
SMALL = {
    "1_play_and_look": """
GAME, SEED, MOVES = "shadow_cards", 3, 4
read = lambda prompt: "1"
""",
    "2_train_an_agent": """
GAME, STEPS, RUN, RESUME, DEALS = "shadow_cards", 512, "runs/mine", False, 2
SETTINGS = {"num_envs": 16, "rollout": 16, "minibatch": 128, "epochs": 1, "hidden": (16, 16)}
SETTINGS |= {"eval_every": 256, "eval_deals": 2, "final_deals": 2}
""",
    "3_evaluate_policies": """
GAME, MORE, DEALS, UNTIL, BUDGET = "shadow_cards", ["tests.benchmarks.players:first"], 2, 0.5, 128
""",
    "4_what_agents_believe": """
NUM_GAMES = 12
MORE = {"shadow_cards": ["tests.benchmarks.players:first"], "shadow_games": [], "shadow_master": []}
""",
}


def read(name: str) -> Any:
    return nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)


def code(notebook: Any) -> list[Any]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def parsed(source: str) -> ast.Module:
    return ast.parse(TransformerManager().transform_cell(source))


def assigned(source: str) -> set[str]:
    return {node.id for node in ast.walk(parsed(source)) if isinstance(node, ast.Name) and type(node.ctx) is ast.Store}


def run(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Returns the outputs of a notebook that runs in a folder with small parameters."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    for place in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR"):  # nothing of whoever runs the tests
        monkeypatch.setenv(place, str(folder / "home"))
    notebook = read(name)
    code(notebook)[0].source = SMALL[name]
    NotebookClient(
        notebook, timeout=600, kernel_name="python3", resources={"metadata": {"path": str(folder)}}
    ).execute()
    outputs = [output for cell in code(notebook) for output in cell.outputs]
    assert all(output.output_type != "error" for output in outputs)
    assert "Warning" not in stream(outputs, "stderr")
    return outputs


def shown(outputs: list[Any], kind: str) -> list[str]:
    """Returns all that was shown in a format."""
    return [output.data[kind] for output in outputs if kind in output.get("data", {})]


def stream(outputs: list[Any], name: str) -> str:
    return "".join(output.text for output in outputs if output.output_type == "stream" and output.name == name)


def test_all_notebooks_are_tested() -> None:
    assert sorted(path.stem for path in FOLDER.glob("*.ipynb")) == list(SMALL)


@pytest.mark.parametrize("name", SMALL)
def test_form(name: str) -> None:
    """Valid, without outputs, parameters first, short texts, and nothing but calls."""
    notebook = read(name)
    nbformat.validate(notebook)
    cells = code(notebook)
    assert cells[0].metadata.tags == ["parameters"]
    assert assigned(cells[0].source) == assigned(SMALL[name])
    assert not any(cell.outputs or cell.execution_count for cell in cells)
    logic = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda, ast.For, ast.While, ast.If, ast.Try)
    for cell in cells:
        assert not [node for node in ast.walk(parsed(cell.source)) if isinstance(node, logic)], cell.source
    assert all(len(cell.source) < 800 for cell in notebook.cells)


def test_play_and_look(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    outputs = run("1_play_and_look", tmp_path, monkeypatch)
    assert len(shown(outputs, "image/svg+xml")) == 2
    films = shown(outputs, "text/html")
    assert [film.count("<img") for film in films] == [5, 5, 2]
    assert films[0].count(": predict ") == 4 > films[1].count(": predict ")
    assert [": moves" in film for film in films[:2]] == [False, True]
    assert "| option" in shown(outputs, "text/markdown")[0]
    assert "Winner: " in stream(outputs, "stdout")


def test_train_an_agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    outputs = run("2_train_an_agent", tmp_path, monkeypatch)
    assert "512/512" in stream(outputs, "stderr")
    assert len(shown(outputs, "image/png")) == 1
    tournament, film = shown(outputs, "text/html")
    assert "<td>runs/mine/policy</td>" in tournament
    assert film.count("<img") == 41
    assert (tmp_path / "runs" / "mine" / "policy").is_dir()


def test_evaluate_policies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    outputs = run("3_evaluate_policies", tmp_path, monkeypatch)
    fixed, sequential = shown(outputs, "text/html")
    for page in (fixed, sequential):
        assert page.count("<svg") >= 3
        assert "<h2>Ratings" in page
    assert "is a 95 % t-interval over 2 deals" in fixed
    assert "confidence sequence, good whenever one stops, over 128 deals" in sequential
    assert "only heuristic" in fixed  # who the luck of the deal is about
    assert "game/s" in stream(outputs, "stderr")


def test_what_agents_believe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    outputs = run("4_what_agents_believe", tmp_path, monkeypatch)
    assert len(shown(outputs, "image/png")) == 6
    tables = shown(outputs, "text/html")
    assert [table.count("<table>") for table in tables] == [1, 1, 1]
    assert all("<td>heuristic</td>" in table for table in tables)
    assert "<td>tests.benchmarks.players:first</td>" in tables[0]
    for title in ("Shadow Cards", "Shadow Games", "Shadow Master"):
        assert f"{title}: 100%" in stream(outputs, "stderr")
