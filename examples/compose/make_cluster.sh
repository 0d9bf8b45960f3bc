#!/bin/sh
# make_cluster.sh ADDRESS…: makes a Redis Cluster of these nodes with one replica for each primary, unless it is there, and
# ends when every node works and every replica has its primary's data. REDISCLI_AUTH is the password.
set -eu

is_whole() {
    replicas=0
    for node in "$@"; do
        redis-cli -h "$node" cluster info | grep -q 'cluster_state:ok' || return 1
        ! redis-cli -h "$node" info replication | grep -q 'master_link_status:up' || replicas=$((replicas + 1))
    done
    [ "$replicas" -eq $(($# / 2)) ]
}

if redis-cli -h "$1" cluster info | grep -q 'cluster_known_nodes:1[^0-9]*$'; then
    nodes=
    for node in "$@"; do nodes="$nodes $node:6379"; done
    # shellcheck disable=SC2086 # One word for each node.
    redis-cli --cluster create $nodes --cluster-replicas 1 --cluster-yes
fi
tries=120
until is_whole "$@"; do
    tries=$((tries - 1))
    [ "$tries" -gt 0 ] || { echo "make_cluster.sh: the Cluster is not whole after two minutes" >&2; exit 1; }
    sleep 1
done
echo "the Cluster is whole"
