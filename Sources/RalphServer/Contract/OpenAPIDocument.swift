// swift-format-ignore-file
// Made by scripts/embed-openapi from docs/openapi.yaml, to be changed there.

/// The description of the interface that the program serves.
enum OpenAPIDocument {
    /// The text of `docs/openapi.yaml`, byte for byte.
    static let yaml = #"""
openapi: 3.1.0
info:
  title: Ralph Mobile Server
  version: '1'
  description: |-
    Watch Ralph loops from a phone, a browser or curl, and control them.

    Words and rules that hold everywhere are in docs/http-api.md.
paths:
  /api/host/metrics:
    get:
      operationId: getHostMetrics
      summary: Processor, memory, disk and network of the server's machine
      description: >-
        While somebody asks, the figures are at most two seconds old. The first request after a pause waits for two looks, about 200 ms.
      tags: [host]
      responses:
        '200':
          description: The figures of the last look.
          content:
            application/json:
              schema: {$ref: '#/components/schemas/HostMetrics'}
        '500':
          description: Nothing of the machine can be read; `metrics_unavailable`.
          content:
            application/json:
              schema: {$ref: '#/components/schemas/HostError'}
        '503':
          description: Too many requests wait for the first look; `busy`.
          headers:
            Retry-After: {schema: {type: string}}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/HostError'}
  /api/host/processes:
    get:
      operationId: getHostProcesses
      summary: The busiest processes of the server's machine
      description: >-
        The ten processes that use most processor time, those of sessions marked.
      tags: [host]
      responses:
        '200':
          description: At most ten processes.
          content:
            application/json:
              schema: {$ref: '#/components/schemas/HostProcesses'}
        '500':
          description: Nothing of the machine can be read; `metrics_unavailable`.
          content:
            application/json:
              schema: {$ref: '#/components/schemas/HostError'}
        '503':
          description: Too many requests wait for the first look; `busy`.
          headers:
            Retry-After: {schema: {type: string}}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/HostError'}
  /api/metrics/host:
    get:
      operationId: getHostMetricsAlias
      summary: The same as /api/host/metrics
      tags: [host]
      responses:
        '200':
          description: The figures of the last look.
          content:
            application/json:
              schema: {$ref: '#/components/schemas/HostMetrics'}
        '500':
          description: Nothing of the machine can be read; `metrics_unavailable`.
          content:
            application/json:
              schema: {$ref: '#/components/schemas/HostError'}
        '503':
          description: Too many requests wait for the first look; `busy`.
          headers:
            Retry-After: {schema: {type: string}}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/HostError'}
  /api/metrics/processes:
    get:
      operationId: getHostProcessesAlias
      summary: The same as /api/host/processes
      tags: [host]
      responses:
        '200':
          description: At most ten processes.
          content:
            application/json:
              schema: {$ref: '#/components/schemas/HostProcesses'}
        '500':
          description: Nothing of the machine can be read; `metrics_unavailable`.
          content:
            application/json:
              schema: {$ref: '#/components/schemas/HostError'}
        '503':
          description: Too many requests wait for the first look; `busy`.
          headers:
            Retry-After: {schema: {type: string}}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/HostError'}
  /livez:
    get:
      operationId: getLivez
      summary: Whether the server answers at all
      tags: [probes]
      responses:
        '200':
          description: It does.
          content:
            text/plain:
              schema: {type: string, const: OK}
      security: []
  /readyz:
    get:
      operationId: getReadyz
      summary: Whether the server is ready
      tags: [probes]
      responses:
        '200':
          description: It is.
          content:
            application/json:
              schema: {$ref: '#/components/schemas/Readiness'}
        '503':
          description: It is not, and why; `not_ready`.
          content:
            application/json:
              schema: {$ref: '#/components/schemas/Readiness'}
      security: []
  /.well-known/ralph-mobile:
    get:
      operationId: getServerCard
      summary: What the server is and where its parts are
      tags: [probes]
      responses:
        '200':
          description: The card.
          content:
            application/json:
              schema: {$ref: '#/components/schemas/ServerCard'}
      security: []
  /metrics:
    get:
      operationId: getMetrics
      summary: The server's own figures for Prometheus
      tags: [probes]
      responses:
        '200':
          description: Text exposition format, version 0.0.4.
          content:
            text/plain:
              schema: {type: string}
  /openapi.json:
    get:
      operationId: getOpenAPI
      summary: This description as JSON
      tags: [contract]
      responses:
        '200':
          description: An OpenAPI document, version 3.1.
          content:
            application/json:
              schema:
                type: object
                required: [openapi, info, paths]
                properties:
                  openapi: {type: string, pattern: '^3\.1\.'}
                  info: {type: object}
                  paths: {type: object}
  /docs:
    get:
      operationId: getDocs
      summary: This description as a page for people
      tags: [contract]
      responses:
        '200':
          description: One HTML document without scripts.
          content:
            text/html:
              schema: {type: string}
components:
  schemas:
    HostMetrics:
      type: object
      required: [cpu, memory, disk, network, cpu_percent, memory_percent, disk_percent, load_avg, timestamp]
      properties:
        cpu:
          type: object
          required: [usage_percent, cores]
          properties:
            usage_percent: {type: number, minimum: 0, maximum: 100, description: Of all cores together.}
            cores: {type: integer, minimum: 1}
        memory: {$ref: '#/components/schemas/HostSpace'}
        disk: {$ref: '#/components/schemas/HostSpace'}
        network:
          type: object
          required: [download_mbps, upload_mbps, download_bytes_per_sec, upload_bytes_per_sec]
          properties:
            download_mbps: {type: number, minimum: 0, description: 'Megabytes (10^6) a second.'}
            upload_mbps: {type: number, minimum: 0, description: 'Megabytes (10^6) a second.'}
            download_bytes_per_sec: {type: integer, minimum: 0}
            upload_bytes_per_sec: {type: integer, minimum: 0}
        cpu_percent: {type: number, minimum: 0, maximum: 100}
        memory_percent: {type: number, minimum: 0, maximum: 100}
        disk_percent: {type: number, minimum: 0, maximum: 100}
        load_avg: {type: array, minItems: 3, maxItems: 3, items: {type: number, minimum: 0}}
        timestamp: {type: string, format: date-time}
    HostSpace:
      type: object
      required: [usage_percent, used_gb, total_gb]
      properties:
        usage_percent: {type: number, minimum: 0, maximum: 100}
        used_gb: {type: number, minimum: 0, description: Of 2^30 bytes.}
        total_gb: {type: number, minimum: 0, description: Of 2^30 bytes.}
    HostProcesses:
      type: object
      required: [processes, timestamp]
      properties:
        processes:
          type: array
          maxItems: 10
          items: {$ref: '#/components/schemas/HostProcess'}
        timestamp: {type: string, format: date-time}
    HostProcess:
      type: object
      required: [name, cpu_percent, memory_mb, pid]
      properties:
        name: {type: string}
        cpu_percent: {type: number, minimum: 0, description: 100 is one core.}
        memory_mb: {type: number, minimum: 0, description: Of 2^20 bytes.}
        pid: {type: integer, minimum: 0}
        session_id: {type: string, pattern: '^[0-9a-f]{16}$', description: The session that it works for.}
        ralph: {type: boolean, const: true, description: There for processes of sessions only.}
    HostError:
      type: object
      required: [error, code]
      properties:
        error: {type: string}
        code: {type: string, enum: [INTERNAL_ERROR, UNAVAILABLE]}
        details: {type: string}
    Readiness:
      type: object
      required: [status, reasons]
      properties:
        status: {type: string, enum: [ready, unready]}
        reasons: {type: array, items: {type: string, enum: [scanning, store]}}
        error: {type: string, const: not_ready}
        code: {type: string, const: UNAVAILABLE}
        details: {type: string}
    ServerCard:
      type: object
      required: [name, version, api_version, auth, tls_fingerprint, features, links]
      properties:
        name: {type: string, const: ralph-mobile-server}
        version: {type: string}
        api_version: {type: string}
        auth:
          type: object
          required: [required, schemes]
          properties:
            required: {type: boolean}
            schemes: {type: array, items: {type: string}}
        tls_fingerprint: {type: [string, 'null']}
        features: {type: array, items: {type: string}}
        links: {type: object, additionalProperties: {type: string}}

"""#
}
