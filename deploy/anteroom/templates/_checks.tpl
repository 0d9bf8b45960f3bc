{{- /* What values.schema.json cannot say. Each refusal is one sentence that names the value. */ -}}
{{- define "anteroom.checks" -}}
{{- $redis := include "anteroom.isRedis" . -}}
{{- if and (not $redis) (gt (int (default 1 .Values.replicas)) 1) -}}
{{- fail (printf "replicas is %d, but the embedded store belongs to one server: leave replicas out, or set store.kind to redis" (int .Values.replicas)) -}}
{{- end -}}
{{- if and $redis (not .Values.store.redis.url) -}}
{{- fail "store.kind is redis: say in store.redis.url where it is" -}}
{{- end -}}
{{- if regexMatch "://[^/@]*:[^/@]*@" .Values.store.redis.url -}}
{{- fail "store.redis.url has a password, which everybody who may read ConfigMaps would see: put it into secrets.redisPassword" -}}
{{- end -}}
{{- if and $redis (not .Values.secrets.existingSecret) (not (and .Values.secrets.keysJson .Values.secrets.adminToken)) -}}
{{- fail "servers that share rooms in Redis need the same keys: give secrets.existingSecret, or secrets.keysJson and secrets.adminToken (docs/deploy.md)" -}}
{{- end -}}
{{- if and .Values.secrets.keysJson (not (hasPrefix "anteroom-keys " .Values.secrets.keysJson)) -}}
{{- fail "secrets.keysJson is no key file: take the keys.json that `anteroom keys` makes (--set-file secrets.keysJson=keys.json)" -}}
{{- end -}}
{{- if and (not $redis) .Values.secrets.keysJson -}}
{{- fail "secrets.keysJson is for store.kind redis: the embedded store makes its own keys and keeps them on its volume" -}}
{{- end -}}
{{- range $section, $keys := .Values.config -}}
{{- range $key, $value := $keys -}}
{{- $name := printf "%s.%s" $section $key -}}
{{- if or (has $section (list "store" "keys")) (eq $name "server.listen") -}}
{{- fail (printf "config.%s is made by the chart from store and secrets: leave it out of config" $name) -}}
{{- end -}}
{{- if has $name (list "auth.admin_token" "auth.jwt_secret" "urr.catalogue_token" "tacos.test_token" "gate.edge_key") -}}
{{- fail (printf "config.%s is a secret, and a ConfigMap is none: use the Secret (secrets.existingSecret)" $name) -}}
{{- end -}}
{{- if and (has $name (list "gate.origin" "history.url" "urr.catalogue_url")) $value $.Values.networkPolicy.enabled (not $.Values.networkPolicy.extraEgress) -}}
{{- fail (printf "the NetworkPolicy would cut the server off from config.%s: allow it in networkPolicy.extraEgress" $name) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if .Values.ingress.enabled -}}
{{- if not .Values.ingress.host -}}
{{- fail "ingress.enabled needs ingress.host" -}}
{{- end -}}
{{- if not (dig "server" "trusted_proxies" (list) .Values.config) -}}
{{- fail "ingress.enabled without config.server.trusted_proxies: all visitors would count as one address, that of the Ingress controller, and share its limits" -}}
{{- end -}}
{{- end -}}
{{- if .Values.serviceMonitor.enabled -}}
{{- if not (.Capabilities.APIVersions.Has "monitoring.coreos.com/v1") -}}
{{- fail "serviceMonitor.enabled: this cluster has no monitoring.coreos.com/v1; install the Prometheus operator first" -}}
{{- end -}}
{{- if not (or .Values.secrets.existingSecret .Values.secrets.adminToken) -}}
{{- fail "serviceMonitor.enabled: /metrics asks for the admin token, so it must be in the Secret (secrets.adminToken or secrets.existingSecret)" -}}
{{- end -}}
{{- end -}}
{{- end -}}
