"""The table on the terminal and the JSON file, as anteroom-bench makes them."""

import json
import pathlib


class Figures:
    def __init__(self):
        self.rows = []

    def add(self, key, value, unit, at_most=None, at_least=None):
        self.rows.append((key, value, unit, at_most, at_least))

    def print(self):
        print(f"{'name':<32} {'value':>12}  {'unit':<10} {'budget':>10}")
        for key, value, unit, at_most, at_least in self.rows:
            budget, verdict = "", ""
            if at_most is not None:
                budget, verdict = f"<= {short(at_most)}", "ok" if value <= at_most else "over"
            if at_least is not None:
                budget, verdict = f">= {short(at_least)}", "ok" if value >= at_least else "over"
            print(f"{key:<32} {short(value):>12}  {unit:<10} {budget:>10}  {verdict}".rstrip())

    def merge_into(self, path):
        """Adds the figures to those that the file holds already; what describes the machine stays last."""
        path = pathlib.Path(path)
        figures = json.loads(path.read_text()) if path.exists() else {}
        machine = figures.pop("machine", None)
        figures.update({key: float(f"{value:.6g}") for key, value, *_ in self.rows})
        lines = [f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in figures.items()]
        if machine:
            lines.append(f'  "machine": {json.dumps(machine)}')
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{\n" + ",\n".join(lines) + "\n}\n")


def short(value):
    return f"{value:.0f}" if value >= 1000 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"
