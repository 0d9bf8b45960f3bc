"""The figures of all systems, side by side, and as JSON."""

import json
import re

SILENT = re.compile(r"silent_(\d+)_(\d+)_(poll_called_s|poll_told_s|stream_told_s)")
SILENT_COLUMNS = {"poll_called_s": "polling: called", "poll_told_s": "told", "stream_told_s": "stream: told"}


class Figures:
    """By name and system; None: it did not happen within the time that was given."""

    def __init__(self):
        self.rows = {}
        self.systems = []

    def add(self, system, name, value, unit, at_most=None):
        if system not in self.systems:
            self.systems.append(system)
        self.rows.setdefault(name, {"unit": unit, "at_most": at_most, "values": {}})["values"][system] = value

    def table(self):
        lines = [f"{'name':<32}" + "".join(f" {system:>18}" for system in self.systems) + "  unit"]
        for name, row in self.rows.items():
            cells = "".join(f" {self._cell(row, system):>18}" for system in self.systems)
            lines.append(f"{name:<32}{cells}  {row['unit']}")
        return "\n".join(lines)

    @staticmethod
    def _cell(row, system):
        if system not in row["values"]:
            return "-"
        value, at_most = row["values"][system], row["at_most"]
        said = "never" if value is None else short(value)
        is_over = at_most is not None and (value is None or value > at_most)
        return f"{said} over" if is_over else said

    def silent_table(self):
        """Silent visitors by capacity and system, as results.md has it; empty when that was not measured."""
        cells = {}
        for name, row in self.rows.items():
            if found := SILENT.fullmatch(name):
                capacity, silent, kind = found.groups()
                for system in row["values"]:
                    cells.setdefault((int(silent), int(capacity), system), {})[kind] = self._cell(row, system)
        if not cells:
            return ""
        lines = ["| silent | capacity | system | " + " | ".join(f"{column}, s" for column in SILENT_COLUMNS.values()) + " |",
                 "|---" * (3 + len(SILENT_COLUMNS)) + "|"]  # fmt: skip
        for (silent, capacity, system), kinds in sorted(cells.items()):
            lines.append(f"| {silent:,} | {capacity} | {system} | " + " | ".join(kinds.get(kind, "-") for kind in SILENT_COLUMNS) + " |")
        return "\n".join(lines)

    def write(self, path, about):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({**about, "figures": self.rows}, indent=2) + "\n")


def short(value):
    return f"{value:,.0f}" if value >= 1000 or value == int(value) else f"{value:.2f}" if value < 10 else f"{value:.1f}"
