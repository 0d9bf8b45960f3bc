"""Values for the Helm chart: sets that must work, and sets that must be refused with a sentence."""

from rendered import KEYS_FILE

REDIS = {
    "store": {"kind": "redis", "redis": {"url": "redis+cluster://redis-0.redis:6379,redis-1.redis:6379"}},
    "secrets": {"existingSecret": "anteroom-secrets"},
}
ANYWHERE = [{"ports": [{"port": 443, "protocol": "TCP"}]}]

GOOD = {
    "the defaults": {},
    "embedded, with everything": {
        "image": {"repository": "registry.example/anteroom", "tag": "1.2.3"},
        "imagePullSecrets": [{"name": "registry"}],
        "store": {"embedded": {"size": "20Gi", "storageClass": "fast"}},
        "secrets": {"adminToken": "an-admin-token-for-a-test", "jwtSecret": "0123456789abcdef0123456789abcdef"},
        "config": {
            "server": {"trusted_proxies": ["10.0.0.0/8", "fd00::/8"], "threads": 4},
            "defaults": {"capacity": 250000, "admit_interval": "500ms"},
            "rooms": {"joins_per_second": 2.5, "create": "admin"},
            "urr": {"unknown_is_404": True},
            "log": {"level": "debug"},
        },
        "ingress": {"enabled": True, "className": "nginx", "host": "queue.example", "tlsSecret": "queue-tls",
                    "annotations": {"nginx.ingress.kubernetes.io/proxy-buffering": "off"}},
        "podLabels": {"team": "sale"}, "podAnnotations": {"note": "x"}, "priorityClassName": "high",
        "nodeSelector": {"disk": "ssd"}, "tolerations": [{"key": "sale", "operator": "Exists"}],
        "affinity": {"nodeAffinity": {}}, "service": {"type": "LoadBalancer", "port": 8080},
    },
    "Redis, with a Secret of its own": REDIS,
    "Redis, with secrets from values": {
        "replicas": 5,
        "store": {"kind": "redis", "redis": {"url": "rediss://app@redis.example:6380/0", "replicas": 2,
                                             "serverName": "redis.internal", "authoritiesSecret": "redis-ca"}},
        "secrets": {"keysJson": KEYS_FILE, "adminToken": "an-admin-token-for-a-test", "redisPassword": "a&<b>'\"c"},
        "networkPolicy": {"from": [{"namespaceSelector": {"matchLabels": {"name": "ingress"}}}],
                          "redisTo": [{"ipBlock": {"cidr": "10.1.0.0/16"}}], "redisPorts": [6380, 6381]},
        "podDisruptionBudget": {"maxUnavailable": "20%"},
    },
    "Redis, one server, nothing around it": {
        **REDIS, "replicas": 1, "podDisruptionBudget": {"enabled": False}, "networkPolicy": {"enabled": False}},
    "with the Prometheus operator": {**REDIS, "serviceMonitor": {"enabled": True, "labels": {"release": "p"}}},
    "a gate before a site": {
        "config": {"gate": {"origin": ["http://site:8081"], "limits": "never"}},
        "networkPolicy": {"extraEgress": ANYWHERE}},
}

# Name: the values, and what the refusal says.
BAD = {
    "several servers on one embedded store": ({"replicas": 2}, "the embedded store belongs to one server"),
    "an unknown store": ({"store": {"kind": "sqlite"}}, "kind"),
    "a value that there is not": ({"colour": "red"}, "colour"),
    "no replicas": ({"replicas": 0}, "replicas"),
    "a size that is none": ({"store": {"embedded": {"size": "big"}}}, "size"),
    "Redis without a URL": ({**REDIS, "store": {"kind": "redis"}}, "store.redis.url"),
    "a URL of something else": ({**REDIS, "store": {"kind": "redis", "redis": {"url": "http://redis"}}}, "url"),
    "a password in a ConfigMap": (
        {**REDIS, "store": {"kind": "redis", "redis": {"url": "redis://u:p@redis:6379"}}}, "secrets.redisPassword"),
    "Redis without keys": ({**REDIS, "secrets": {}}, "need the same keys"),
    "Redis with keys and no admin token": ({**REDIS, "secrets": {"keysJson": KEYS_FILE}}, "need the same keys"),
    "a key file that is none": (
        {**REDIS, "secrets": {"keysJson": "{}", "adminToken": "long-enough"}}, "secrets.keysJson is no key file"),
    "keys for the embedded store": ({"secrets": {"keysJson": KEYS_FILE}}, "for store.kind redis"),
    "a short admin token": ({"secrets": {"adminToken": "short"}}, "adminToken"),
    "a setting that the chart makes": ({"config": {"server": {"listen": "0.0.0.0:9"}}}, "config.server.listen is made by"),
    "the store by another way": ({"config": {"store": {"url": "memory:x"}}}, "config.store.url is made by"),
    "a secret in a ConfigMap": ({"config": {"auth": {"jwt_secret": "x" * 32}}}, "config.auth.jwt_secret is a secret"),
    "a setting with a list in a list": ({"config": {"server": {"cors_origins": [["a"]]}}}, "cors_origins"),
    "a policy that forbids the site": (
        {"config": {"gate": {"origin": ["http://site:8081"]}}}, "would cut the server off from config.gate.origin"),
    "an Ingress without a host": ({"ingress": {"enabled": True}}, "ingress.host"),
    "an Ingress that nobody trusts": ({"ingress": {"enabled": True, "host": "a.example"}}, "server.trusted_proxies"),
    "a ServiceMonitor without a token": ({"serviceMonitor": {"enabled": True}}, "asks for the admin token"),
}
