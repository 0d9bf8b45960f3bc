"""How this machine reaches its packages, for scripts/fresh-machine: mirror, keys, proxy, certificates.

Only Debian's own suites are taken over; what else a machine has in its sources is no part of a fresh Debian.
"""

import dataclasses
import os
import pathlib
import re
import shutil
import subprocess

SUITE = "bookworm"
SUITES = (SUITE, f"{SUITE}-updates", f"{SUITE}-security")
COMPONENT = "main"
DEBIAN_KEYRING = pathlib.Path("/usr/share/keyrings/debian-archive-keyring.gpg")
CERTIFICATE = re.compile(r"-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----\n", re.DOTALL)
PROXY = re.compile(r'^(Acquire::https?::Proxy(?:::\S+)?) "([^"]+)";$', re.MULTILINE)


class SettingsError(Exception):
    """One line for whoever called."""


@dataclasses.dataclass(frozen=True)
class Source:
    uri: str
    suites: tuple
    signed_by: str  # A file, a key block, or nothing: then apt's own trusted keys.
    is_trusted: bool  # Without any signature.


def one_line_sources(text):
    """`deb [signed-by=FILE] URI SUITE COMPONENT…`, sources.list(5)."""
    for line in text.splitlines():
        found = re.match(r"deb\s+(?:\[([^\]]*)\]\s+)?(\S+)\s+(\S+)\s+(.*)", line.split("#")[0].strip())
        if found and COMPONENT in found[4].split():
            options = dict(option.split("=", 1) for option in (found[1] or "").split() if "=" in option)
            yield Source(found[2], (found[3],), options.get("signed-by", ""), options.get("trusted") == "yes")


def deb822_sources(text):
    """Paragraphs of `Name: value`, a value going on in lines that begin with a blank."""
    for paragraph in re.split(r"\n\s*\n", text):
        lines = "\n".join(line for line in paragraph.splitlines() if not line.startswith("#"))
        fields = {name.lower(): value.strip() for name, value in re.findall(r"^([\w-]+):((?:.*)(?:\n[ \t].*)*)", lines, re.M)}
        if "deb" not in fields.get("types", "").split() or fields.get("enabled", "yes") in ("no", "false"):
            continue
        if COMPONENT not in fields.get("components", "").split():
            continue
        for uri in fields.get("uris", "").split():
            yield Source(uri, tuple(fields.get("suites", "").split()), fields.get("signed-by", ""),
                         fields.get("trusted") == "yes")  # fmt: skip


def reachable(uri):
    """`mirror+file:PATH` is a list of mirrors; the first one does."""
    if uri.startswith("mirror+file:"):
        listed = pathlib.Path(re.sub("^mirror\\+file:/*", "/", uri)).read_text().split("\n")
        uri = next((line.split()[0] for line in listed if line.strip() and not line.startswith("#")), uri)
    return uri


class AptSettings:
    def __init__(self, sources, proxies):
        wanted = []
        for source in sources:
            suites = tuple(suite for suite in source.suites if suite.rstrip("/") in SUITES)
            uri = reachable(source.uri)
            if suites and uri.startswith(("http://", "https://")):
                wanted.append(dataclasses.replace(source, uri=uri, suites=suites))
        self.sources = wanted
        self.proxies = proxies
        self.first = next((source for source in wanted if SUITE in source.suites), None)
        if not self.first:
            raise SettingsError(f"the apt sources of this machine have no Debian 12 ({SUITE}) by http or https")

    @classmethod
    def of_this_machine(cls, folder=pathlib.Path("/etc/apt")):
        sources = []
        for file in [folder / "sources.list", *sorted(folder.glob("sources.list.d/*"))]:
            if file.is_file() and file.suffix in (".list", ".sources"):
                read = deb822_sources if file.suffix == ".sources" else one_line_sources
                sources += read(file.read_text(errors="replace"))
        dump = subprocess.run(["apt-config", "dump"], capture_output=True, text=True, check=True).stdout
        return cls(sources, {**environment_proxies(), **dict(PROXY.findall(dump))})

    def mirror(self):
        return self.first.uri

    def needs_certificates(self):
        return any(source.uri.startswith("https:") for source in self.sources)

    def debootstrap_options(self):
        if self.first.is_trusted:
            return ["--no-check-gpg"]
        keyring = pathlib.Path(self.first.signed_by or DEBIAN_KEYRING)
        return [f"--keyring={keyring}"] if keyring.is_absolute() and keyring.is_file() else []

    def proxy_environment(self):
        """debootstrap fetches with wget, which reads the environment."""
        names = {"Acquire::http::Proxy": "http_proxy", "Acquire::https::Proxy": "https_proxy"}
        return {names[name]: value for name, value in self.proxies.items() if name in names and value != "DIRECT"}

    def write_into(self, tree):
        """Gives a tree the same sources, keys and proxies."""
        paragraphs = []
        for source in self.sources:
            lines = ["Types: deb", f"URIs: {source.uri}", f"Suites: {' '.join(source.suites)}", f"Components: {COMPONENT}"]
            if source.signed_by:
                lines.append(f"Signed-By: {source.signed_by}")
                copy_key(source.signed_by, tree)
            if source.is_trusted:
                lines.append("Trusted: yes")
            paragraphs.append("\n".join(lines) + "\n")
        (tree / "etc/apt/sources.list").unlink(missing_ok=True)
        (tree / "etc/apt/sources.list.d/debian.sources").write_text("\n".join(paragraphs))
        if self.proxies:
            text = "".join(f'{name} "{value}";\n' for name, value in self.proxies.items())
            (tree / "etc/apt/apt.conf.d/50proxy").write_text(text)


def own_certificates(bundle=pathlib.Path("/etc/ssl/certs/ca-certificates.crt"),
                     debian=pathlib.Path("/usr/share/ca-certificates")):  # fmt: skip
    """The authorities that this machine trusts beside Debian's: a network that opens TLS has one, and npm meets it."""
    if not bundle.is_file():
        return []
    known = {found for file in debian.rglob("*.crt") for found in CERTIFICATE.findall(file.read_text(errors="replace"))}
    return [found for found in CERTIFICATE.findall(bundle.read_text(errors="replace")) if found not in known]


def write_certificates(tree):
    """The package ca-certificates takes them from there when it is installed."""
    folder = tree / "usr/local/share/ca-certificates"
    folder.mkdir(parents=True, exist_ok=True)
    for number, certificate in enumerate(own_certificates(), 1):
        (folder / f"machine-{number}.crt").write_text(certificate)


def copy_key(signed_by, tree):
    for word in signed_by.split():
        if word.startswith("/") and not (tree / word.lstrip("/")).exists():
            target = tree / word.lstrip("/")
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(word, target)


def environment_proxies():
    names = {"http_proxy": "Acquire::http::Proxy", "https_proxy": "Acquire::https::Proxy"}
    return {names[name]: os.environ[name] for name in names if os.environ.get(name)}
