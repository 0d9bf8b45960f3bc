"""The Dockerfile: built for real, then run as locked up as the documentation says."""

import json
import os
import subprocess

from commands import environment, program
from commands import run as call
from docker_daemon import daemon_of
from python_tools import tools
from rendered import Chart, configuration, pod
from report import Skipped, equal, expect

IMAGE = "anteroom"
BUILD_SECONDS = 3600  # A slow machine is no failure.
LOCKED = ["--network=none", "--read-only", "--cap-drop=ALL", "--security-opt", "no-new-privileges", "--tmpfs", "/tmp",
          "--health-interval=1s"]  # fmt: skip
USER = 10001


def run(report, options):
    daemon = daemon_of(options)
    with report.case("image: is built from the tree"):
        log = options.root / "build/peers/image.log"
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("w") as file:
            done = subprocess.run([daemon.docker, "build", "--network=host", "-t", IMAGE, options.root], stdout=file,
                                  stderr=file, env=daemon.environment(), timeout=BUILD_SECONDS)
        lines = log.read_text(errors="replace").splitlines()
        expect(done.returncode == 0, f"{' / '.join(lines[-3:])} (log: {log})")
        options.has_image = True
    if not options.has_image:
        raise Skipped("there is no image to run")
    for name, case in CASES.items():
        with report.case(f"image: {name}"):
            case(daemon, options)


def has_what_it_promises(daemon, _options):
    config = json.loads(daemon("image", "inspect", "--format", "{{json .Config}}", IMAGE))
    equal(config["User"], f"{USER}:{USER}", "the user")
    equal(list(config["Volumes"]), ["/var/lib/anteroom"], "volumes")
    equal(list(config["ExposedPorts"]), ["8080/tcp"], "ports")
    equal(config["Healthcheck"]["Test"], ["CMD", "anteroom", "health"], "the health check")
    look = """for tool in g++ cmake curl wget python3; do ! command -v $tool || exit 1; done
        ldd /usr/local/bin/anteroom /usr/lib/*/libsoci_postgresql.so.* /usr/lib/*/libsoci_mysql.so.* | grep 'not found' || true"""
    missing = daemon("run", "--rm", "--network=none", "--entrypoint", "sh", IMAGE, "-ec", look)
    equal(missing, "", "libraries that are not there")


def start(daemon, volume, *more, command=()):
    container = daemon("run", "--detach", *LOCKED, "--volume", f"{volume}:/var/lib/anteroom", *more, IMAGE, *command).strip()
    daemon.wait_healthy(container)
    return container


def ask(daemon, container, *words):
    """curl in the network of the container, which has no way out or in."""
    process = daemon.inspect(container, "{{.State.Pid}}")
    return json.loads(call(program("nsenter", "util-linux"), "--target", process, "--net",
                           program("curl", "curl"), "--silent", "--show-error", "--fail", *words))


def stop(daemon, container):
    """As Docker and Kubernetes do: SIGTERM to process 1."""
    daemon("stop", "--time", "60", container)
    equal(daemon.inspect(container, "{{.State.ExitCode}}"), "0", "exit code after SIGTERM")


def keeps_places(daemon, _options):
    container = start(daemon, "places")
    equal(daemon("exec", container, "id", "-u").strip(), str(USER), "the user")
    equal(daemon("exec", container, "cat", "/proc/1/comm").strip(), "anteroom", "process 1")
    expect(daemon("exec", container, "anteroom", "health").startswith("ready: "), "anteroom health")
    daemon("exec", container, "anteroom", "health", "http://127.0.0.1:1", code=1)
    url = "http://127.0.0.1:8080/v1/rooms/hall"
    joined = ask(daemon, container, "-X", "POST", f"{url}/tickets", "-d", '{"visitor":"ann"}')
    stop(daemon, container)
    equal(daemon("diff", container), "", "files that were written beside the volume")
    log = daemon("logs", container, merged=True)
    expect("listening http://0.0.0.0:8080" in log and '"message":"stopped"' in log, f"the log lacks its end: {log}")
    daemon("rm", container)

    again = start(daemon, "places")
    ticket = ask(daemon, again, "-H", f"Authorization: Bearer {joined['ticket']}", f"{url}/ticket")
    equal(ticket["number"], joined["number"], "the place after a restart")
    stop(daemon, again)


def says_what_is_wrong(daemon, options):
    said = daemon("run", "--rm", *LOCKED, "--env", "ANTEROOM_SERVER_THREADS=many", IMAGE, code=2, merged=True)
    equal(said.splitlines(), ["anteroom: ANTEROOM_SERVER_THREADS must be a whole number"], "a wrong setting")
    foreign = options.folder / "of-root"
    foreign.mkdir(mode=0o700)
    said = daemon("run", "--rm", *LOCKED, "--volume", f"{foreign}:/var/lib/anteroom", IMAGE, code=2, merged=True)
    expect(len(said.splitlines()) == 1 and "Permission denied" in said, f"a volume of another user: {said}")


def runs_as_the_chart_says(daemon, options):
    """The pod of the chart with Redis, as far as it goes without one: init container, mounts, arguments."""
    keys = options.folder / "new-keys"
    call(options.anteroom, "keys", env=environment(ANTEROOM_STORE_URL=f"embedded:{keys}"))
    values = {
        "store": {"kind": "redis", "redis": {"url": "redis://127.0.0.1:1", "replicas": 0}},
        "secrets": {"keysJson": (keys / "keys.json").read_text(), "adminToken": "an-admin-token-for-a-test"},
    }
    _, objects = Chart(options.root, tools(options.root), options.folder).render(values)
    spec = pod(objects)
    secret, config = options.folder / "secret", options.folder / "config"
    secret.mkdir()
    config.mkdir()
    config.chmod(0o755)
    (secret / "keys.json").write_text((keys / "keys.json").read_text())
    os.chown(secret / "keys.json", 0, USER)  # As the kubelet does for fsGroup and defaultMode.
    (secret / "keys.json").chmod(0o440)
    secret.chmod(0o755)
    (config / "anteroom.toml").write_text(configuration(objects))
    options.folder.chmod(0o755)
    mounts = ["--volume", "pod:/var/lib/anteroom", "--volume", f"{secret}:/etc/anteroom-keys:ro",
              "--volume", f"{config}:/etc/anteroom:ro"]  # fmt: skip
    init = spec["initContainers"][0]["command"]
    daemon("run", "--rm", *LOCKED, *mounts, "--entrypoint", init[0], IMAGE, *init[1:])
    daemon("run", "--rm", *LOCKED, *mounts, "--entrypoint", init[0], IMAGE, *init[1:])  # Also after a restart.
    shown = daemon("run", "--rm", *LOCKED, *mounts, IMAGE, "keys", "--config", "/etc/anteroom/anteroom.toml")
    equal(shown, call(options.anteroom, "keys", env=environment(ANTEROOM_STORE_URL=f"embedded:{keys}")), "the keys")


def runs_with_the_charts_volume(daemon, options):
    """The embedded store on a volume whose files got group rights, as fsGroup gives them."""
    _, objects = Chart(options.root, tools(options.root), options.folder).render({})
    init = pod(objects)["initContainers"][0]["command"]
    config = options.folder / "one-config"
    config.mkdir()
    config.chmod(0o755)
    (config / "anteroom.toml").write_text(configuration(objects))
    mounts = ["--volume", f"{config}:/etc/anteroom:ro"]
    arguments = pod(objects)["containers"][0]["args"]

    def prepare():
        daemon("run", "--rm", *LOCKED, "--volume", "one:/var/lib/anteroom", "--entrypoint", init[0], IMAGE, *init[1:])

    prepare()
    stop(daemon, start(daemon, "one", *mounts, command=arguments))
    daemon("run", "--rm", "--volume", "one:/v", "--network=none", "--entrypoint", "chmod", IMAGE, "660", "/v/data/keys.json")
    said = daemon("run", "--rm", *LOCKED, "--volume", "one:/var/lib/anteroom", *mounts, IMAGE, *arguments, code=2, merged=True)
    expect("may be read by others" in said, f"without the init container: {said}")
    prepare()
    stop(daemon, start(daemon, "one", *mounts, command=arguments))


CASES = {
    "has what it promises and no compiler": has_what_it_promises,
    "runs locked up, ends on SIGTERM, keeps its places": keeps_places,
    "says what is wrong in one line": says_what_is_wrong,
    "takes its keys as the chart gives them": runs_as_the_chart_says,
    "mends the rights of its keys as the chart says": runs_with_the_charts_volume,
}
