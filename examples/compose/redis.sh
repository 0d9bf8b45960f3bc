#!/bin/sh
# One node of the Cluster. The password goes through a file: everybody on the machine may read command lines.
set -eu
umask 077
printf 'requirepass %s\nmasterauth %s\n' "$REDISCLI_AUTH" "$REDISCLI_AUTH" >/tmp/redis.conf
# A primary without a replica refuses to write: what is acknowledged survives a failover (docs/redis.md).
exec redis-server /tmp/redis.conf --dir /data --bind 0.0.0.0 --cluster-enabled yes --cluster-node-timeout 5000 \
    --appendonly yes --save '' --min-replicas-to-write 1
