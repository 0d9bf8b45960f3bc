{{- define "anteroom.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{- define "anteroom.image" -}}
image: {{ printf "%s:%s" .Values.image.repository (default .Chart.AppVersion .Values.image.tag) | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
{{- end -}}

{{- /* The server wants keys.json with mode 0600, its own: a mounted Secret is root's, and a volume whose owner is changed
by fsGroup gets group rights. */ -}}
{{- define "anteroom.keys" -}}
name: keys
{{ include "anteroom.image" . }}
securityContext: {{- include "anteroom.containerSecurity" . | nindent 2 }}
resources:
  requests: { cpu: 10m, memory: 16Mi }
  limits: { memory: 64Mi }
{{- if include "anteroom.isRedis" . }}
command: [/bin/sh, -ec, "install -d -m 0700 /var/lib/anteroom/keys; install -m 0600 /etc/anteroom-keys/keys.json /var/lib/anteroom/keys/keys.json"]
volumeMounts:
  - { name: data, mountPath: /var/lib/anteroom }
  - { name: keys, mountPath: /etc/anteroom-keys, readOnly: true }
{{- else }}
command: [/bin/sh, -ec, "[ ! -e /var/lib/anteroom/data/keys.json ] || chmod 0600 /var/lib/anteroom/data/keys.json"]
volumeMounts:
  - { name: data, mountPath: /var/lib/anteroom }
{{- end }}
{{- end -}}

{{- define "anteroom.server" -}}
name: anteroom
{{ include "anteroom.image" . }}
args: [serve, --config, /etc/anteroom/anteroom.toml]
securityContext: {{- include "anteroom.containerSecurity" . | nindent 2 }}
{{- if include "anteroom.hasSecret" . }}
env:
  {{- $secret := include "anteroom.secretName" . }}
  {{- $redis := include "anteroom.isRedis" . }}
  {{- range $variable, $key := dict "ANTEROOM_AUTH_ADMIN_TOKEN" "admin-token" "ANTEROOM_AUTH_JWT_SECRET" "jwt-secret" "ANTEROOM_STORE_PASSWORD" "redis-password" }}
  {{- if or $redis (ne $key "redis-password") }}
  - name: {{ $variable }}
    valueFrom:
      secretKeyRef: { name: {{ $secret }}, key: {{ $key }}, optional: {{ not (and $redis (eq $key "admin-token")) }} }
  {{- end }}
  {{- end }}
{{- end }}
ports:
  - { name: http, containerPort: 8080 }
# A room of ten million is read in seconds, but a slow disk may take minutes: up to five before the start counts as failed.
startupProbe:
  httpGet: { path: /healthz, port: http }
  periodSeconds: 2
  timeoutSeconds: 2
  failureThreshold: 150
livenessProbe:
  httpGet: { path: /healthz, port: http }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
readinessProbe:
  httpGet: { path: /readyz, port: http }
  periodSeconds: 3
  timeoutSeconds: 2
  failureThreshold: 2
# Proxies hear of the end a moment later than the server: until then it answers.
lifecycle:
  preStop:
    exec: { command: [/bin/sleep, "5"] }
resources: {{- toYaml .Values.resources | nindent 2 }}
volumeMounts:
  - { name: config, mountPath: /etc/anteroom, readOnly: true }
  - { name: data, mountPath: /var/lib/anteroom }
  - { name: tmp, mountPath: /tmp }
  {{- if and (include "anteroom.isRedis" .) .Values.store.redis.authoritiesSecret }}
  - { name: authorities, mountPath: /etc/anteroom-redis, readOnly: true }
  {{- end }}
{{- end -}}

{{- define "anteroom.pod" -}}
metadata:
  labels:
    {{- include "anteroom.selectorLabels" . | nindent 4 }}
    {{- with .Values.podLabels }}{{ toYaml . | nindent 4 }}{{ end }}
  annotations:
    # Other settings or secrets are other pods.
    checksum/config: {{ include "anteroom.config" . | sha256sum }}
    checksum/secret: {{ toJson .Values.secrets | sha256sum }}
    {{- with .Values.podAnnotations }}{{ toYaml . | nindent 4 }}{{ end }}
spec:
  serviceAccountName: {{ include "anteroom.fullname" . }}
  automountServiceAccountToken: false
  enableServiceLinks: false
  terminationGracePeriodSeconds: {{ .Values.terminationGracePeriodSeconds }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 10001
    runAsGroup: 10001
    fsGroup: 10001
    fsGroupChangePolicy: OnRootMismatch
    seccompProfile: { type: RuntimeDefault }
  {{- with .Values.imagePullSecrets }}
  imagePullSecrets: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  {{- with .Values.nodeSelector }}
  nodeSelector: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.affinity }}
  affinity: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- if include "anteroom.isRedis" . }}
  topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels: {{- include "anteroom.selectorLabels" . | nindent 10 }}
    - maxSkew: 1
      topologyKey: topology.kubernetes.io/zone
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels: {{- include "anteroom.selectorLabels" . | nindent 10 }}
  {{- end }}
  initContainers:
    - {{- include "anteroom.keys" . | nindent 6 }}
  containers:
    - {{- include "anteroom.server" . | nindent 6 }}
  volumes:
    - name: config
      configMap: { name: {{ include "anteroom.fullname" . }} }
    - name: tmp
      emptyDir: { sizeLimit: 1Gi }
    {{- if include "anteroom.isRedis" . }}
    - name: data
      emptyDir: { medium: Memory, sizeLimit: 1Mi }
    - name: keys
      secret:
        secretName: {{ include "anteroom.secretName" . }}
        defaultMode: 0440
        items: [{ key: keys.json, path: keys.json }]
    {{- with .Values.store.redis.authoritiesSecret }}
    - name: authorities
      secret:
        secretName: {{ . }}
        items: [{ key: ca.crt, path: ca.crt }]
    {{- end }}
    {{- end }}
{{- end -}}
