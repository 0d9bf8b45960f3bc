"""Helm's rendering of the chart, as objects."""

import json
import subprocess

from commands import environment, run

RELEASE = "sale"
# The first line is what the chart looks at; a server gets real ones (image.py).
KEYS_FILE = "anteroom-keys 1\nfor a test of the chart\n"
OPERATOR = ["--api-versions", "monitoring.coreos.com/v1"]
TO_JSON = "import json, sys, yaml; print(json.dumps([one for one in yaml.safe_load_all(sys.stdin) if one]))"


class Chart:
    def __init__(self, root, tools, folder):
        self.path = root / "deploy/anteroom"
        self.tools = tools
        self.folder = folder

    def helm(self, *words, values, **options):
        file = self.folder / "values.json"
        file.write_text(json.dumps(values))
        home = {f"HELM_{name}_HOME": str(self.folder / "helm") for name in ("CACHE", "CONFIG", "DATA")}
        return run(self.tools / "helm", *words, "--values", file, env=environment(**home), **options)

    def render(self, values, more=()):
        """The text, and the objects in it by their kind."""
        text = self.helm("template", RELEASE, self.path, *more, values=values)
        parsed = subprocess.run([self.tools / "python", "-c", TO_JSON], input=text, text=True, capture_output=True,
                                check=True).stdout
        return text, {one["kind"]: one for one in json.loads(parsed)}


def workload(objects):
    """The Deployment or the StatefulSet."""
    return objects.get("Deployment") or objects["StatefulSet"]


def pod(objects):
    return workload(objects)["spec"]["template"]["spec"]


def configuration(objects):
    return objects["ConfigMap"]["data"]["anteroom.toml"]
