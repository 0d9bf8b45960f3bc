# The server in a container: docker build -t anteroom . (docs/deploy.md says how it is run).
# The first stage compiles with the packages and scripts that everybody uses; the second one has the program and the
# libraries that it is linked with, and nothing that compiles.

FROM debian:bookworm-slim AS build
SHELL ["/bin/bash", "-euo", "pipefail", "-c"]
WORKDIR /src
# Before the sources: these layers stay as long as the list of packages does.
COPY scripts/install-packages scripts/packages.txt scripts/
RUN scripts/install-packages run
COPY . .
RUN scripts/build release anteroom && mkdir /out && strip --strip-unneeded -o /out/anteroom build/release/anteroom
# The Debian packages of the libraries that the program is linked with: what the second stage installs.
RUN ldd /out/anteroom | awk '$2 == "=>" { print $3 }' | xargs readlink -f | sed 's|.*/|*/|' | xargs dpkg -S \
    | cut -d: -f1 | sort -u >/out/packages

FROM debian:bookworm-slim
LABEL org.opencontainers.image.title="Anteroom" \
      org.opencontainers.image.description="A virtual waiting room" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=build /out/packages /usr/local/share/anteroom/packages
# ca-certificates: for rediss:// and https origins. The drivers of SOCI are loaded when history.url names a database.
RUN apt-get update \
    && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends \
       $(cat /usr/local/share/anteroom/packages) ca-certificates libsoci-mysql4.0 libsoci-postgresql4.0 \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt /var/log/*
# The number is fixed: volumes outlive images, and Kubernetes' runAsNonRoot wants a number.
RUN useradd --system --uid 10001 --user-group --home-dir /var/lib/anteroom --shell /usr/sbin/nologin anteroom \
    && install -d -o anteroom -g anteroom -m 0700 /var/lib/anteroom
COPY --from=build /out/anteroom /usr/local/bin/anteroom

# store.url and keys.folder are ./data by default, so both are in the volume; a file or the environment may say otherwise.
# server.listen is loopback by default, where nobody outside the container reaches it.
ENV ANTEROOM_SERVER_LISTEN=0.0.0.0:8080
WORKDIR /var/lib/anteroom
USER 10001:10001
VOLUME /var/lib/anteroom
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=10s --start-period=60s --retries=3 CMD ["anteroom", "health"]
# The server waits for SIGTERM itself and starts no processes: it needs no init before it.
ENTRYPOINT ["anteroom"]
CMD ["serve"]
