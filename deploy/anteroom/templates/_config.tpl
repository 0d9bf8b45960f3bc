{{- /* A value as TOML. Helm reads every number as a float; the server wants whole ones without a point. */ -}}
{{- define "anteroom.toml" -}}
{{- if kindIs "float64" . -}}
{{- if eq (floor .) . }}{{ int64 . }}{{ else }}{{ . }}{{ end -}}
{{- else -}}
{{- toJson . -}}
{{- end -}}
{{- end -}}

{{- define "anteroom.config" -}}
[server]
listen = "0.0.0.0:8080"
{{- range $key, $value := .Values.config.server }}
{{ $key }} = {{ include "anteroom.toml" $value }}
{{- end }}

[store]
{{- if include "anteroom.isRedis" . }}
{{- with .Values.store.redis }}
url = {{ .url | toJson }}
replicas = {{ .replicas }}
{{- with .serverName }}
server_name = {{ . | toJson }}
{{- end }}
{{- if .authoritiesSecret }}
authorities = "/etc/anteroom-redis/ca.crt"
{{- end }}
{{- end }}

[keys]
folder = "/var/lib/anteroom/keys"
{{- else }}
url = "embedded:/var/lib/anteroom/data"
{{- end }}
{{- range $section, $keys := omit .Values.config "server" }}

[{{ $section }}]
{{- range $key, $value := $keys }}
{{ $key }} = {{ include "anteroom.toml" $value }}
{{- end }}
{{- end }}
{{ end -}}
