"""The Helm chart: Helm lints and renders it, the schemas of Kubernetes accept it, the server reads its configuration."""

import base64
import json
import re

from chart_values import BAD, GOOD
from commands import environment, program
from commands import run as call
from python_tools import tools
from rendered import KEYS_FILE, OPERATOR, Chart, configuration, pod, workload
from report import equal, expect

# The oldest that Chart.yaml allows, and the newest that the schemas have.
KUBERNETES = ["1.25.0", "1.37.0"]
SECRET_TEXTS = ["an-admin-token-for-a-test", "0123456789abcdef0123456789abcdef", "a&<b>"]


def run_suite(report, options, chart):
    files = []
    for name, values in GOOD.items():
        with report.case(f"chart: {name}"):
            files.append(check_set(chart, options, name, values))
    for version in KUBERNETES:
        with report.case(f"chart: every object is one of Kubernetes {version}"):
            equal(len(files), len(GOOD), "sets that were rendered")
            call(chart.tools / "kubernetes-validate", "--strict", "--quiet", "-k", version, *files)
    with report.case("chart: what each set must have"):
        check_details(chart)
    for name, (values, sentence) in BAD.items():
        with report.case(f"chart: refuses {name}"):
            said = chart.helm("template", "sale", chart.path, *OPERATOR, values=values, code=1, merged=True)
            expect(sentence in said, f"says {said.strip()!r}, not {sentence!r}")
    with report.case("chart: refuses a ServiceMonitor where there is no operator"):
        values = GOOD["with the Prometheus operator"]
        said = chart.helm("template", "sale", chart.path, values=values, code=1, merged=True)
        expect("no monitoring.coreos.com/v1" in said, said)
    with report.case("chart: is of the version of the server"):
        version = call(options.anteroom, "--version").strip()
        expect(f'appVersion: "{version}"' in (chart.path / "Chart.yaml").read_text(), f"the server is {version}")


def run(report, options):
    run_suite(report, options, Chart(options.root, tools(options.root), options.folder))


def check_set(chart, options, name, values):
    chart.helm("lint", "--strict", chart.path, *lint_options(values), values=values)
    text, objects = chart.render(values, OPERATOR)
    # Schemas of custom resources are their operator's.
    known = "\n---\n".join(part for part in re.split(r"^---$", text, flags=re.M) if "kind: ServiceMonitor" not in part)
    file = options.folder / f"{name.replace(' ', '-')}.yaml"
    file.write_text(known)
    check_pod(objects)
    check_wiring(objects)
    check_configuration(options, objects, values)
    for secret in SECRET_TEXTS:
        expect(secret not in json.dumps({k: v for k, v in objects.items() if k != "Secret"}), f"{name}: a secret is shown")
    return file


def lint_options(values):
    """`helm lint` knows no --api-versions: what it may not see is checked by rendering."""
    return ["--set", "serviceMonitor.enabled=false"] if values.get("serviceMonitor") else []


def check_pod(objects):
    spec = pod(objects)
    equal(spec["automountServiceAccountToken"], False, "automountServiceAccountToken")
    equal(spec["securityContext"]["runAsNonRoot"], True, "runAsNonRoot")
    equal(spec["securityContext"]["seccompProfile"], {"type": "RuntimeDefault"}, "seccompProfile")
    for container in spec["initContainers"] + spec["containers"]:
        wanted = {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]}}
        equal(container["securityContext"], wanted, f"securityContext of {container['name']}")
        expect("memory" in container["resources"]["limits"], f"{container['name']} has no limit of memory")
    server = spec["containers"][0]
    probes = [server[probe]["httpGet"]["path"] for probe in ("startupProbe", "livenessProbe", "readinessProbe")]
    equal(probes, ["/healthz", "/healthz", "/readyz"], "probes")


def check_wiring(objects):
    """What refers to another object refers to one that is there."""
    owner, spec = workload(objects), pod(objects)
    labels = owner["spec"]["template"]["metadata"]["labels"].items()
    selectors = [owner["spec"]["selector"]["matchLabels"], objects["Service"]["spec"]["selector"]]
    for kind, field in (("PodDisruptionBudget", "selector"), ("NetworkPolicy", "podSelector")):
        if kind in objects:
            selectors.append(objects[kind]["spec"][field]["matchLabels"])
    for selector in selectors:
        expect(selector.items() <= labels, f"{selector} selects other pods")
    volumes = {volume["name"] for volume in spec["volumes"]}
    volumes |= {claim["metadata"]["name"] for claim in owner["spec"].get("volumeClaimTemplates", [])}
    mounted = {mount["name"] for c in spec["initContainers"] + spec["containers"] for mount in c["volumeMounts"]}
    equal(mounted, volumes, "volumes")
    ports = {port["name"] for port in spec["containers"][0]["ports"]}
    expect(objects["Service"]["spec"]["ports"][0]["targetPort"] in ports, "the Service's port is none of the pod's")
    equal(spec["serviceAccountName"], objects["ServiceAccount"]["metadata"]["name"], "the account")
    if "Ingress" in objects:
        backend = objects["Ingress"]["spec"]["rules"][0]["http"]["paths"][0]["backend"]["service"]
        equal(backend["name"], objects["Service"]["metadata"]["name"], "where the Ingress goes")


def check_configuration(options, objects, values):
    """The server that we built accepts the file and has the values."""
    text = configuration(objects)
    if "/etc/anteroom-redis/ca.crt" in text:
        text = text.replace("/etc/anteroom-redis/ca.crt", str(certificate(options.folder)))
    file = options.folder / "anteroom.toml"
    file.write_text(text)
    secrets = {"ANTEROOM_STORE_PASSWORD": "a-password"} if "Deployment" in objects else {}
    printed = call(options.anteroom, "config", "--print", "--config", file, env=environment(**secrets))
    for section, keys in values.get("config", {}).items():
        for key, value in keys.items():
            expect(f"\n{key} = {json.dumps(value)}" in printed, f"{section}.{key} is not {value!r}")


def certificate(folder):
    file = folder / "ca.crt"
    if not file.exists():
        call(program("openssl", "openssl"), "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
             "-subj", "/CN=a test", "-keyout", folder / "ca.key", "-out", file)
    return file


def check_details(chart):
    def kinds(name):
        return chart.render(GOOD[name], OPERATOR)[1]

    one = kinds("the defaults")
    expect(not {"Deployment", "Secret", "PodDisruptionBudget", "Ingress"} & set(one), f"too much: {set(one)}")
    equal(one["StatefulSet"]["spec"]["replicas"], 1, "replicas of the embedded store")
    equal(one["StatefulSet"]["spec"]["volumeClaimTemplates"][0]["spec"]["resources"]["requests"]["storage"], "10Gi", "size")
    equal(len(one["NetworkPolicy"]["spec"]["egress"]), 1, "the embedded store needs names only; rules of egress")

    several = kinds("Redis, with a Secret of its own")
    expect("StatefulSet" not in several and "Secret" not in several, f"too much: {set(several)}")
    equal(several["Deployment"]["spec"]["replicas"], 3, "replicas with Redis")
    equal(several["PodDisruptionBudget"]["spec"]["maxUnavailable"], 1, "the budget")
    equal(len(pod(several)["topologySpreadConstraints"]), 2, "topologySpreadConstraints")
    keys = next(volume for volume in pod(several)["volumes"] if volume["name"] == "keys")
    equal(keys["secret"]["secretName"], "anteroom-secrets", "where the keys are")
    token = next(one for one in pod(several)["containers"][0]["env"] if one["name"] == "ANTEROOM_AUTH_ADMIN_TOKEN")
    equal(token["valueFrom"]["secretKeyRef"]["optional"], False, "a server without the others' token may start")

    full = kinds("Redis, with secrets from values")
    data = {key: base64.b64decode(value).decode() for key, value in full["Secret"]["data"].items()}
    wanted = {"keys.json": KEYS_FILE, "admin-token": "an-admin-token-for-a-test", "redis-password": "a&<b>'\"c"}
    equal(data, wanted, "the Secret")
    redis = full["NetworkPolicy"]["spec"]["egress"][1]
    equal([port["port"] for port in redis["ports"]], [6380, 6381], "ports of Redis")
    equal(redis["to"], [{"ipBlock": {"cidr": "10.1.0.0/16"}}], "where Redis is")

    bare = kinds("Redis, one server, nothing around it")
    expect(not {"PodDisruptionBudget", "NetworkPolicy"} & set(bare), f"too much: {set(bare)}")
    monitor = kinds("with the Prometheus operator")["ServiceMonitor"]["spec"]["endpoints"][0]
    equal(monitor["authorization"]["credentials"], {"name": "anteroom-secrets", "key": "admin-token"}, "the token of the monitor")
