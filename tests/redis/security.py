"""Passwords, users, certificates and keys: with the right ones it starts, with wrong ones it says why it does not."""

import concurrent.futures
import contextlib
import os
import subprocess

from cases import Cases, Failed, expect
from process import DEADLINE_SECONDS, EXIT_CONFIG, EXIT_DATA, Refused, wait_until
from redis_servers import RedisServer, free_port
from town import config, start_server, with_talk

PASSWORD = "correct-horse-battery-staple"
USER_PASSWORD = "only-for-the-user-anteroom"
WRONG = "not-the-password-at-all"
SECRETS = (PASSWORD, USER_PASSWORD, WRONG)
NAME = "redis.internal"
# What the program needs, and no more: no CONFIG, no FLUSHALL, no KEYS.
USER = ("~*", "&*", "+@read", "+@write", "+@connection", "+@scripting", "+@pubsub", "-@dangerous", "+role", "+time")


class Case:
    """`code` 0: it starts. Else it ends with that code and a line that says why; `line` is in what it said."""

    def __init__(self, name, url, more="", code=0, line="", environment=None, keys="keys"):
        self.name, self.url, self.more, self.code, self.line = name, url, more, code, line
        self.environment, self.keys = environment, keys


def run(options):
    with contextlib.ExitStack() as stack:
        redis, tls_port = secure_redis(stack, options.folder)
        all_cases = list(cases_for(redis, tls_port, options.folder))
        cases = Cases("")
        # The first makes the keys, and their mark in Redis. The others mostly wait, until there is no hope for them.
        check(options, all_cases[0], 0)
        with concurrent.futures.ThreadPoolExecutor(len(all_cases)) as pool:
            futures = [(case, pool.submit(check, options, case, i)) for i, case in enumerate(all_cases) if i > 0]
            for case, future in futures:
                with cases.case(case.name):
                    try:
                        future.result()
                    except Refused as refused:
                        raise Failed(f"it does not start: {refused}") from None
        cases.finish()
    right = sum(case.code == 0 for case in all_cases)
    return f"{right} ways that work, {len(all_cases) - right} that are refused with a line, no password in any output"


def make_certificate(folder, name, names):
    certificate, key = folder / f"{name}.pem", folder / f"{name}-key.pem"
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
               "-days", "2", "-subj", f"/CN={name}", "-addext", f"subjectAltName={names}",
               "-keyout", key, "-out", certificate]  # fmt: skip
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    expect(done.returncode == 0, f"no certificate: {done.stderr}")
    return certificate, key


def secure_redis(stack, folder):
    certificate, key = make_certificate(folder, "redis", f"DNS:{NAME}")
    make_certificate(folder, "stranger", f"DNS:{NAME}")
    tls_port = free_port()
    settings = {
        "requirepass": PASSWORD, "tls-port": tls_port, "tls-cert-file": certificate, "tls-key-file": key,
        "tls-ca-cert-file": certificate, "tls-auth-clients": "no",
    }  # fmt: skip
    redis = RedisServer(folder / "redis", settings)
    stack.callback(redis.close)
    redis.call("ACL", "SETUSER", "anteroom", "on", f">{USER_PASSWORD}", *USER)
    redis.call("ACL", "SETUSER", "reader", "on", f">{USER_PASSWORD}", "~*", "&*", "+@read", "+@connection", "+role")
    return redis, tls_port


def cases_for(redis, tls_port, folder):
    here = f"127.0.0.1:{redis.port}"
    password_file = folder / "password"
    password_file.write_text(f"{PASSWORD}\n")
    empty_file = folder / "empty"
    empty_file.write_text("\n")
    file_line = f'password_file = "{password_file}"\n'
    yield Case("a password in the URL", f"redis://:{PASSWORD}@{here}")
    yield Case("a password of its own", f"redis://{here}", f'password = "{PASSWORD}"\n')
    yield Case("a password in a file", f"redis://{here}", file_line)
    yield Case("a password in the environment", f"redis://{here}", environment={"ANTEROOM_STORE_PASSWORD": PASSWORD})
    yield Case("a user", f"redis://anteroom:{USER_PASSWORD}@{here}")
    yield Case("a user, its password in the environment", f"redis://anteroom@{here}",
               environment={"ANTEROOM_STORE_PASSWORD": USER_PASSWORD})  # fmt: skip
    yield Case("a wrong password", f"redis://:{WRONG}@{here}", code=EXIT_DATA, line="password")
    yield Case("a wrong password in the environment", f"redis://{here}", code=EXIT_DATA, line="password",
               environment={"ANTEROOM_STORE_PASSWORD": WRONG})  # fmt: skip
    yield Case("a wrong password of a user", f"redis://anteroom:{WRONG}@{here}", code=EXIT_DATA, line="password")
    yield Case("no password", f"redis://{here}", code=EXIT_DATA, line="Authentication required")
    yield Case("a user who may only read", f"redis://reader:{USER_PASSWORD}@{here}", code=EXIT_DATA, line="permission")
    yield Case("two passwords", f"redis://{here}", f'password = "{PASSWORD}"\n{file_line}', EXIT_CONFIG, "exclude")
    yield Case("a file without a password", f"redis://{here}", f'password_file = "{empty_file}"\n', EXIT_CONFIG,
               "holds no password")  # fmt: skip
    yield Case("a file that is not there", f"redis://{here}", f'password_file = "{folder}/none"\n', EXIT_CONFIG,
               "cannot be read")  # fmt: skip
    secure = f"rediss://:{PASSWORD}@127.0.0.1:{tls_port}"
    right, named = f'authorities = "{folder}/redis.pem"\n', f'server_name = "{NAME}"\n'
    yield Case("TLS", secure, right + named)
    yield Case("TLS, another authority", secure, f'authorities = "{folder}/stranger.pem"\n{named}', EXIT_DATA,
               "not trusted")  # fmt: skip
    yield Case("TLS, the system's authorities", secure, named, EXIT_DATA, "not trusted")
    yield Case("TLS, another name", secure, f'{right}server_name = "other.internal"\n', EXIT_DATA, "another name")
    yield Case("TLS, the host is not in the certificate", secure, right, EXIT_DATA, "another name")
    yield Case("TLS, no such file", secure, f'authorities = "{folder}/none.pem"\n', EXIT_CONFIG, "authorities")
    yield Case("TLS to a port without", f"rediss://:{PASSWORD}@{here}", right + named, EXIT_DATA, "cannot be reached")
    yield Case("no TLS to a port with it", f"redis://:{PASSWORD}@127.0.0.1:{tls_port}", code=EXIT_DATA,
               line="cannot be reached")  # fmt: skip
    yield Case("other keys", f"redis://:{PASSWORD}@{here}", code=EXIT_DATA, line="keys", keys="other-keys")
    yield Case("nobody there", "redis://127.0.0.1:1", code=EXIT_DATA, line="cannot be reached")
    yield Case("not a URL", "redis://", code=EXIT_CONFIG, line="store.url")


def check(options, case, number):
    folder = options.folder / f"case-{number}"
    text = config(case.url, options.folder / case.keys, replicas=0, more=case.more)
    if case.code == 0:
        output = start(options, folder, text, case)
    else:
        output = refuse(options, folder, text, case)
    output += print_config(options, folder / "anteroom.toml", case)
    for secret in SECRETS:
        expect(secret not in output, f"the password is in the output: {output}")


def start(options, folder, text, case):
    with start_server(options.anteroom, folder, text, environment=case.environment) as server:
        # The one that writes the room may just have stopped: then another one does in a moment.
        join = lambda talk: talk.join("hall", "ann").status in (200, 201)  # noqa: E731
        wait_until(lambda: with_talk(server, join), "a place")
        server.stop()
        return server.log() + server.process.stdout.read().decode()


def run_program(options, words, case):
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("ANTEROOM_")}
    return subprocess.run([str(options.anteroom), *words], capture_output=True, text=True, timeout=DEADLINE_SECONDS,
                          env={**inherited, **(case.environment or {})})  # fmt: skip


def refuse(options, folder, text, case):
    folder.mkdir()
    path = folder / "anteroom.toml"
    path.write_text(text)
    done = wait_until(lambda: hear_why(options, path, case), "a refusal by a Redis that is awake")
    output = done.stdout + done.stderr
    (folder / "output").write_text(output)
    expect("listening" not in done.stdout, "it started")
    expect(done.returncode == case.code, f"exit code {done.returncode} instead of {case.code}: {output}")
    line = next((line for line in done.stderr.splitlines() if line.startswith("anteroom: ")), "")
    expect(line, f"it does not say why it ends: {output}")
    # On a slow machine the last try may have failed in another way than the first.
    expect(case.line in output, f"it does not say {case.line!r}: {output}")
    return output


def hear_why(options, path, case):
    """None: Redis slept until the server gave up, and that is all it says."""
    done = run_program(options, ["serve", "--config", str(path)], case)
    output = done.stdout + done.stderr
    return done if case.line in output or "cannot be reached" not in output else None


def print_config(options, path, case):
    done = run_program(options, ["config", "--print", "--config", str(path)], case)
    return done.stdout + done.stderr
