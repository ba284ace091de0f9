"""The examples of the guide run, and so does the notebook."""

import json

from conftest import EXAMPLES, REPOSITORY


def test_the_examples_of_the_guide_run(folder, monkeypatch):
    monkeypatch.chdir(folder)
    guide = (REPOSITORY / "trainer/python/README.md").read_text()
    blocks = [block.split("```")[0] for block in guide.split("```python\n")[1:]]
    assert len(blocks) >= 5
    names = {}
    for block in blocks:
        exec(compile(block, "README.md", "exec"), names)
    assert names["damped"].provenance.count("less of everything") == 1


def test_the_first_example_has_five_lines():
    guide = (REPOSITORY / "trainer/python/README.md").read_text()
    first = guide.split("```python\n")[1].split("```")[0]
    assert len(first.splitlines()) == 5


def test_the_notebook_runs(capsys):
    notebook = json.loads((EXAMPLES / "look.ipynb").read_text())
    names = {}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), names)
    printed = capsys.readouterr().out
    assert "edge with X" in printed and "phase 50" in printed
