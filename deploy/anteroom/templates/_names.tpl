{{- define "anteroom.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- define "anteroom.fullname" -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- $both := ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) -}}
{{- /* Short enough for what a StatefulSet adds to the names of its pods. */ -}}
{{- default $both .Values.fullnameOverride | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- define "anteroom.selectorLabels" -}}
app.kubernetes.io/name: {{ include "anteroom.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "anteroom.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{ include "anteroom.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{- define "anteroom.isRedis" -}}
{{- if eq .Values.store.kind "redis" }}true{{ end -}}
{{- end -}}

{{- define "anteroom.hasSecret" -}}
{{- with .Values.secrets }}{{ if or .existingSecret .keysJson .adminToken .jwtSecret .redisPassword }}true{{ end }}{{ end -}}
{{- end -}}

{{- define "anteroom.secretName" -}}
{{- default (include "anteroom.fullname" .) .Values.secrets.existingSecret -}}
{{- end -}}
