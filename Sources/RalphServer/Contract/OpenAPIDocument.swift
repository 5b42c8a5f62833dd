// swift-format-ignore-file
// Made by scripts/embed-openapi from docs/openapi.yaml, to be changed there.

/// The description of the interface that the program serves.
enum OpenAPIDocument {
    /// The text of `docs/openapi.yaml`, byte for byte.
    static let yaml = #"""
openapi: 3.1.0
info:
  title: Ralph Mobile Server
  version: 0.1.0
  summary: Watch and control Ralph loops.
  description: 'Every route, parameter, answer and error. HEAD answers wherever GET does and OPTIONS tells a path''s methods;
    neither is listed. Objects may gain members: ignore those that you do not know. What needs more words is in the project''s
    document on its HTTP interface.'
  license: {name: MIT, identifier: MIT}
servers:
  - {url: 'http://127.0.0.1:8080', description: A server as it starts without flags.}
security:
  - {}
  - apiKey: []
  - bearer: []
tags:
  - {name: server, description: Whether it is well and what it is.}
  - {name: sessions, description: What is known of sessions.}
  - {name: control, description: Commands to sessions. Each is on record; each answer says what is true when it is sent.}
  - {name: questions, description: Questions of runs to people.}
  - {name: loops, description: Parallel loops and the merge queue.}
  - {name: streams, description: 'Events as they come. A stream is a position in a numbered record, not a queue.'}
  - {name: search}
  - {name: host}
  - {name: probes}
  - {name: contract}
  - {name: figures}
  - {name: library}
  - {name: workspace}
  - {name: access}
paths:
  /:
    get:
      operationId: getIndex
      summary: Name, version and the list of endpoints
      tags: [server]
      responses:
        '200':
          description: What this is.
          content:
            application/json:
              schema: {$ref: '#/components/schemas/ServerIndex'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '408': {$ref: '#/components/responses/Timeout'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '503': {$ref: '#/components/responses/Unavailable'}
  /health:
    get:
      operationId: getHealth
      summary: OK as text, at once, whatever else is busy
      description: Needs no key, but a wrong one is refused. It is the report to those who may watch and whose `Accept` names JSON and likes text no better, or likes JSON better.
      tags: [server]
      security:
        - {}
        - apiKey: []
        - bearer: []
      responses:
        '200':
          description: The server answers.
          content:
            text/plain:
              schema: {type: string, const: OK}
            application/json:
              schema: {$ref: '#/components/schemas/HealthReport'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '408': {$ref: '#/components/responses/Timeout'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '503': {$ref: '#/components/responses/Unavailable'}
  /api/health:
    get:
      operationId: getHealthReport
      summary: Version, uptime, sessions, how each is watched, what could not be read
      tags: [server]
      responses:
        '200':
          description: The report; `OK` to those whose `Accept` names plain text and likes JSON less.
          content:
            application/json:
              schema: {$ref: '#/components/schemas/HealthReport'}
            text/plain:
              schema: {type: string, const: OK}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '408': {$ref: '#/components/responses/Timeout'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '503': {$ref: '#/components/responses/Unavailable'}
  /api/sessions:
    get:
      operationId: listSessions
      summary: 'All sessions: running, paused, then by last activity'
      tags: [sessions]
      responses:
        '200':
          description: A bare array, empty when there are none.
          content:
            application/json:
              schema:
                type: array
                items: {$ref: '#/components/schemas/Session'}
          links:
            status:
              operationId: getSessionStatus
              parameters: {id: $response.body#/0/id}
            session:
              operationId: getSession
              parameters: {id: $response.body#/0/id}
            history:
              operationId: getSessionHistory
              parameters: {id: $response.body#/0/id}
            iterations:
              operationId: getSessionIterations
              parameters: {id: $response.body#/0/id}
            scratchpad:
              operationId: getSessionScratchpad
              parameters: {id: $response.body#/0/id}
            commands:
              operationId: listSessionCommands
              parameters: {id: $response.body#/0/id}
            events:
              operationId: streamSessionEvents
              parameters: {id: $response.body#/0/id}
            lines:
              operationId: streamSessionLines
              parameters: {id: $response.body#/0/id}
            pause:
              operationId: pauseSession
              parameters: {id: $response.body#/0/id}
            resume:
              operationId: resumeSession
              parameters: {id: $response.body#/0/id}
            steer:
              operationId: steerSession
              parameters: {id: $response.body#/0/id}
            emit:
              operationId: emitToSession
              parameters: {id: $response.body#/0/id}
            stop:
              operationId: stopSession
              parameters: {id: $response.body#/0/id}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '408': {$ref: '#/components/responses/Timeout'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '503': {$ref: '#/components/responses/Unavailable'}
    post:
      operationId: startSession
      summary: Starts a run
      description: 'Checked in this order: directory, configuration, prompt. A path, links resolved, must lie inside a root
        or a place of the library. One of `prompt` and `prompt_path` is needed, and the latter wins.'
      tags: [control]
      parameters:
        - {$ref: '#/components/parameters/IdempotencyKey'}
      requestBody: {$ref: '#/components/requestBodies/Start'}
      responses:
        '201': {$ref: '#/components/responses/Started'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/Timeout'}
        '409': {$ref: '#/components/responses/Conflict'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/Unavailable'}
  /api/sessions/{id}:
    parameters:
      - {$ref: '#/components/parameters/SessionID'}
    get:
      operationId: getSession
      summary: The session, with its messages
      tags: [sessions]
      responses:
        '200':
          description: The status, and what the agent and people said.
          content:
            application/json:
              schema: {$ref: '#/components/schemas/SessionDetail'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/Timeout'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/Unavailable'}
    delete:
      operationId: stopSession
      summary: Stops the run and all that it left
      description: The session stays listed with its record; the answer comes when nothing of the run is alive.
      tags: [control]
      parameters:
        - {$ref: '#/components/parameters/Force'}
        - {$ref: '#/components/parameters/Purge'}
        - {$ref: '#/components/parameters/IdempotencyKey'}
      responses:
        '200': {$ref: '#/components/responses/Stopped'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/Timeout'}
        '409': {$ref: '#/components/responses/Conflict'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/Unavailable'}
  /api/sessions/{id}/status:
    parameters:
      - {$ref: '#/components/parameters/SessionID'}
    get:
      operationId: getSessionStatus
      summary: The session and what a client needs after it was away
      tags: [sessions]
      parameters:
        - {$ref: '#/components/parameters/AfterSeq'}
        - {$ref: '#/components/parameters/Epoch'}
        - {$ref: '#/components/parameters/Since'}
        - {$ref: '#/components/parameters/PageLimit'}
      responses:
        '200':
          description: '`events`, `has_more`, `after_seq` and `gaps` are there if `after_seq` or `since` was sent.'
          content:
            application/json:
              schema: {$ref: '#/components/schemas/SessionStatus'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/Timeout'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/Unavailable'}
  /api/sessions/{id}/events:
    parameters:
      - {$ref: '#/components/parameters/SessionID'}
    get:
      operationId: streamSessionEvents
      summary: Its events as server-sent events
      description: With `Accept` of JSON, and not of event streams, it is a page of history with the parameters of `history`, for which a ticket does not count.
      tags: [streams]
      parameters:
        - {$ref: '#/components/parameters/LastEventIDHeader'}
        - {$ref: '#/components/parameters/StreamTicket'}
        - {$ref: '#/components/parameters/LastEventID'}
        - {$ref: '#/components/parameters/AfterCursor'}
        - {$ref: '#/components/parameters/StreamSince'}
        - {$ref: '#/components/parameters/Tail'}
        - {$ref: '#/components/parameters/Replay'}
        - {$ref: '#/components/parameters/Epoch'}
        - {$ref: '#/components/parameters/Follow'}
        - {$ref: '#/components/parameters/Poll'}
        - {$ref: '#/components/parameters/Topics'}
        - {$ref: '#/components/parameters/EventName'}
        - {$ref: '#/components/parameters/Payload'}
        - {$ref: '#/components/parameters/Control'}
      responses:
        '200': {$ref: '#/components/responses/EventStream'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/Timeout'}
        '410': {$ref: '#/components/responses/Gone'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/Unavailable'}
  /api/sessions/{id}/events.ndjson:
    parameters:
      - {$ref: '#/components/parameters/SessionID'}
    get:
      operationId: streamSessionLines
      summary: Its events, one JSON object on each line
      tags: [streams]
      parameters:
        - {$ref: '#/components/parameters/LastEventIDHeader'}
        - {$ref: '#/components/parameters/StreamTicket'}
        - {$ref: '#/components/parameters/LastEventID'}
        - {$ref: '#/components/parameters/AfterCursor'}
        - {$ref: '#/components/parameters/StreamSince'}
        - {$ref: '#/components/parameters/Tail'}
        - {$ref: '#/components/parameters/Replay'}
        - {$ref: '#/components/parameters/Epoch'}
        - {$ref: '#/components/parameters/Follow'}
        - {$ref: '#/components/parameters/Poll'}
        - {$ref: '#/components/parameters/Topics'}
        - {$ref: '#/components/parameters/EventName'}
        - {$ref: '#/components/parameters/Payload'}
        - {$ref: '#/components/parameters/Control'}
      responses:
        '200': {$ref: '#/components/responses/EventLines'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/Timeout'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '503': {$ref: '#/components/responses/Unavailable'}
  /api/sessions/{id}/history:
    parameters:
      - {$ref: '#/components/parameters/SessionID'}
    get:
      operationId: getSessionHistory
      summary: Its events in pages, back to the first line of its first file
      tags: [sessions]
      parameters:
        - {$ref: '#/components/parameters/AfterSeq'}
        - {$ref: '#/components/parameters/Epoch'}
        - {$ref: '#/components/parameters/Since'}
        - {$ref: '#/components/parameters/BeforeSeq'}
        - {$ref: '#/components/parameters/Before'}
        - {$ref: '#/components/parameters/PageLimit'}
        - {$ref: '#/components/parameters/Topics'}
      responses:
        '200':
          description: A page, oldest event first.
          content:
            application/json:
              schema: {$ref: '#/components/schemas/HistoryPage'}
          links:
            older:
              operationId: getSessionHistory
              parameters: {id: $request.path.id, before_seq: $response.body#/before_seq}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/Timeout'}
        '410': {$ref: '#/components/responses/Gone'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/Unavailable'}
  /api/sessions/{id}/logs:
    parameters:
      - {$ref: '#/components/parameters/SessionID'}
    get:
      operationId: getSessionLogs
      summary: The same as its history
      tags: [sessions]
      parameters:
        - {$ref: '#/components/parameters/AfterSeq'}
        - {$ref: '#/components/parameters/Epoch'}
        - {$ref: '#/components/parameters/Since'}
        - {$ref: '#/components/parameters/BeforeSeq'}
        - {$ref: '#/components/parameters/Before'}
        - {$ref: '#/components/parameters/PageLimit'}
        - {$ref: '#/components/parameters/Topics'}
      responses:
        '200':
          description: A page, oldest event first.
          content:
            application/json:
              schema: {$ref: '#/components/schemas/HistoryPage'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/Timeout'}
        '410': {$ref: '#/components/responses/Gone'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/Unavailable'}
  /api/sessions/{id}/iterations:
    parameters:
      - {$ref: '#/components/parameters/SessionID'}
    get:
      operationId: getSessionIterations
      summary: The iterations of its last run
      tags: [sessions]
      responses:
        '200':
          description: Ascending.
          content:
            application/json:
              schema: {$ref: '#/components/schemas/IterationList'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/Timeout'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '503': {$ref: '#/components/responses/Unavailable'}
  /api/sessions/{id}/scratchpad:
    parameters:
      - {$ref: '#/components/parameters/SessionID'}
    get:
      operationId: getSessionScratchpad
      summary: The scratchpad's text and time of change
      tags: [sessions]
      responses:
        '200':
          description: Empty where there is none.
          content:
            application/json:
              schema: {$ref: '#/components/schemas/Scratchpad'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/Timeout'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/Unavailable'}
  /api/sessions/{id}/summary:
    parameters:
      - {$ref: '#/components/parameters/SessionID'}
    get:
      operationId: getSessionSummary
      summary: The summary that a finished run left
      tags: [sessions]
      responses:
        '200':
          description: The document; empty where there is none.
          content:
            application/json:
              schema: {$ref: '#/components/schemas/SessionDocument'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/Timeout'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/Unavailable'}
  /api/sessions/{id}/handoff:
    parameters:
      - {$ref: '#/components/parameters/SessionID'}
    get:
      operationId: getSessionHandoff
      summary: The handoff that a finished run left
      tags: [sessions]
      responses:
        '200':
          description: The document; empty where there is none.
          content:
            application/json:
              schema: {$ref: '#/components/schemas/SessionDocument'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/Timeout'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/Unavailable'}
  /api/sessions/{id}/diff:
    parameters:
      - {$ref: '#/components/parameters/SessionID'}
    get:
      operationId: getSessionDiff
      summary: The files that differ from the state before the run
      tags: [sessions]
      parameters:
        - name: patch
          in: query
          description: Whether the unified diff comes too, at most 512 KiB of it. The empty value means true.
          schema:
            type: string
            enum: ['true', 'false', '1', '0', 'yes', 'no', '']
        - name: path
          in: query
          description: One file or directory, relative to the workspace and inside it; no segment may be `..`, the first
            not `.git`.
          schema: {type: string, minLength: 1, pattern: '^(?!\.git(/|$))(?!(.*/)?\.\.(/|$))[^/\x00][^\x00]*$'}
          example: src/main.swift
      responses:
        '200':
          description: What git says.
          content:
            application/json:
              schema: {$ref: '#/components/schemas/SessionDiff'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/Timeout'}
        '409': {$ref: '#/components/responses/Conflict'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/Unavailable'}
  /api/sessions/{id}/export:
    parameters:
      - {$ref: '#/components/parameters/SessionID'}
    get:
      operationId: exportSession
      summary: The numbered events as one file with a hash chain, in pages
      tags: [sessions]
      parameters:
        - name: after_seq
          in: query
          description: The number before the first event of the page.
          schema: {type: integer, format: int64, minimum: 0, maximum: 4611686018427387903}
        - name: limit
          in: query
          description: Events in the page.
          schema: {type: integer, minimum: 1, maximum: 20000}
        - name: chain
          in: query
          description: The last hash of the page before.
          schema: {type: string, pattern: '^[0-9a-f]{64}$'}
          example: '0000000000000000000000000000000000000000000000000000000000000000'
        - name: epoch
          in: query
          description: The store that the numbers belong to; another one than the present is a 409.
          schema: {type: string}
      responses:
        '200':
          description: 'One JSON object on each line: an ExportHeader, any number of ExportEvent and ExportGap, an ExportEnd.'
          headers:
            Content-Disposition:
              required: true
              schema: {type: string, pattern: '^attachment; filename="session-[0-9a-f]{16}-[0-9]{8}T[0-9]{6}Z\.ndjson"$'}
          content:
            application/x-ndjson:
              schema: {type: string}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/Timeout'}
        '409': {$ref: '#/components/responses/Conflict'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '503': {$ref: '#/components/responses/Unavailable'}
  /api/sessions/{id}/stop:
    parameters:
      - {$ref: '#/components/parameters/SessionID'}
    post:
      operationId: stopSessionByPost
      summary: The same as DELETE of the session
      tags: [control]
      parameters:
        - {$ref: '#/components/parameters/Force'}
        - {$ref: '#/components/parameters/Purge'}
        - {$ref: '#/components/parameters/IdempotencyKey'}
      responses:
        '200': {$ref: '#/components/responses/Stopped'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/Timeout'}
        '409': {$ref: '#/components/responses/Conflict'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/Unavailable'}
  /api/sessions/{id}/pause:
    parameters:
      - {$ref: '#/components/parameters/SessionID'}
    post:
      operationId: pauseSession
      summary: No further iteration begins; queued until the iteration in progress ends
      tags: [control]
      parameters:
        - {$ref: '#/components/parameters/Now'}
        - {$ref: '#/components/parameters/Strict'}
        - {$ref: '#/components/parameters/IdempotencyKey'}
      responses:
        '200':
          description: The session is paused, or will be when its iteration ends.
          content:
            application/json:
              schema: {$ref: '#/components/schemas/PauseAnswer'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/Timeout'}
        '409': {$ref: '#/components/responses/Conflict'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/Unavailable'}
  /api/sessions/{id}/resume:
    parameters:
      - {$ref: '#/components/parameters/SessionID'}
    post:
      operationId: resumeSession
      summary: A paused run goes on
      tags: [control]
      parameters:
        - {$ref: '#/components/parameters/Strict'}
        - {$ref: '#/components/parameters/IdempotencyKey'}
      responses:
        '200':
          description: It goes on, or is about to.
          content:
            application/json:
              schema: {$ref: '#/components/schemas/ResumeAnswer'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/Timeout'}
        '409': {$ref: '#/components/responses/Conflict'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/Unavailable'}
  /api/sessions/{id}/steer:
    parameters:
      - {$ref: '#/components/parameters/SessionID'}
    post:
      operationId: steerSession
      summary: A text for the agent, in the prompt of its next iteration
      tags: [control]
      parameters:
        - {$ref: '#/components/parameters/IdempotencyKey'}
      requestBody:
        required: true
        content:
          application/json:
            schema: {$ref: '#/components/schemas/SteerRequest'}
      responses:
        '200':
          description: It is in the events file.
          content:
            application/json:
              schema: {$ref: '#/components/schemas/SteerAnswer'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/Timeout'}
        '409': {$ref: '#/components/responses/Conflict'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/Unavailable'}
  /api/sessions/{id}/emit:
    parameters:
      - {$ref: '#/components/parameters/SessionID'}
    post:
      operationId: emitToSession
      summary: An event of your own in the run's events file
      description: Topics that would end or corrupt the run are refused with 400 unless `force`. `user.pause` and `user.abort`
        are stored and carried out; a stop needs the scope `start` here too.
      tags: [control]
      parameters:
        - {$ref: '#/components/parameters/Force'}
        - {$ref: '#/components/parameters/IdempotencyKey'}
      requestBody:
        required: true
        content:
          application/json:
            schema: {$ref: '#/components/schemas/EmitRequest'}
      responses:
        '200':
          description: It is in the events file; Ralph reads it when the iteration ends.
          content:
            application/json:
              schema: {$ref: '#/components/schemas/EmitAnswer'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/Timeout'}
        '409': {$ref: '#/components/responses/Conflict'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/Unavailable'}
  /api/sessions/{id}/commands:
    parameters:
      - {$ref: '#/components/parameters/SessionID'}
    get:
      operationId: listSessionCommands
      summary: Who asked for what, when, and what came of it
      tags: [sessions]
      parameters:
        - name: limit
          in: query
          description: At most so many commands.
          schema: {type: integer, minimum: 1, maximum: 1000, default: 100}
        - name: before
          in: query
          description: What the last page named so.
          schema: {type: integer, minimum: 1, maximum: 9223372036854775807}
      responses:
        '200':
          description: Newest first.
          content:
            application/json:
              schema: {$ref: '#/components/schemas/CommandList'}
          links:
            older:
              operationId: listSessionCommands
              parameters: {id: $request.path.id, before: $response.body#/before}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/Timeout'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '503': {$ref: '#/components/responses/Unavailable'}
  /api/runner/start:
    post:
      operationId: startRun
      summary: The same as POST /api/sessions
      tags: [control]
      parameters:
        - {$ref: '#/components/parameters/IdempotencyKey'}
      requestBody: {$ref: '#/components/requestBodies/Start'}
      responses:
        '201': {$ref: '#/components/responses/Started'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/Timeout'}
        '409': {$ref: '#/components/responses/Conflict'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/Unavailable'}
  /api/runner/stop:
    post:
      operationId: stopRun
      summary: The same as DELETE of a session, which is named in the body
      tags: [control]
      parameters:
        - {$ref: '#/components/parameters/Force'}
        - {$ref: '#/components/parameters/Purge'}
        - {$ref: '#/components/parameters/IdempotencyKey'}
      requestBody:
        required: true
        content:
          application/json:
            schema: {$ref: '#/components/schemas/RunnerStopRequest'}
      responses:
        '200': {$ref: '#/components/responses/Stopped'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/Timeout'}
        '409': {$ref: '#/components/responses/Conflict'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/Unavailable'}
  /api/robot/questions:
    get:
      operationId: listQuestions
      summary: The questions that runs ask people and that can still be answered
      tags: [questions]
      responses:
        '200':
          description: Oldest first.
          content:
            application/json:
              schema: {$ref: '#/components/schemas/QuestionList'}
          links:
            answer:
              operationId: answerQuestion
              requestBody: {question_id: $response.body#/questions/0/id, response_text: 'yes, go on'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '408': {$ref: '#/components/responses/Timeout'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '503': {$ref: '#/components/responses/Unavailable'}
  /api/robot/response:
    post:
      operationId: answerQuestion
      summary: Answers a question; the first answer counts
      description: A text with the words `restart ralph` or `restart yourself` is refused with 400.
      tags: [questions]
      parameters:
        - {$ref: '#/components/parameters/IdempotencyKey'}
      requestBody:
        required: true
        content:
          application/json:
            schema: {$ref: '#/components/schemas/QuestionResponse'}
      responses:
        '200':
          description: It is stored, and delivered unless `pending`.
          content:
            application/json:
              schema: {$ref: '#/components/schemas/QuestionAnswer'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/Timeout'}
        '409': {$ref: '#/components/responses/Conflict'}
        '410': {$ref: '#/components/responses/Gone'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/Unavailable'}
  /api/robot/guidance:
    post:
      operationId: guideSession
      summary: Steers a session
      tags: [questions]
      parameters:
        - {$ref: '#/components/parameters/IdempotencyKey'}
      requestBody:
        required: true
        content:
          application/json:
            schema: {$ref: '#/components/schemas/GuidanceRequest'}
      responses:
        '200':
          description: It is in the events file.
          content:
            application/json:
              schema: {$ref: '#/components/schemas/GuidanceAnswer'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/Timeout'}
        '409': {$ref: '#/components/responses/Conflict'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/Unavailable'}
  /api/loops:
    get:
      operationId: listLoops
      summary: The loops of all workspaces, or of one
      tags: [loops]
      parameters:
        - {$ref: '#/components/parameters/Workspace'}
      responses:
        '200':
          description: Of each workspace the primary first, the others by their start.
          content:
            application/json:
              schema: {$ref: '#/components/schemas/LoopList'}
          links:
            loop:
              operationId: getLoop
              parameters: {id: $response.body#/loops/0/id}
            merge:
              operationId: mergeLoop
              parameters: {id: $response.body#/loops/0/id}
            discard:
              operationId: discardLoop
              parameters: {id: $response.body#/loops/0/id}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/Timeout'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '503': {$ref: '#/components/responses/Unavailable'}
    post:
      operationId: startLoop
      summary: Starts a loop, beside the one that runs if there is one
      tags: [loops]
      parameters:
        - {$ref: '#/components/parameters/IdempotencyKey'}
      requestBody:
        required: true
        content:
          application/json:
            schema: {$ref: '#/components/schemas/LoopRequest'}
      responses:
        '201':
          description: The loop has registered itself.
          headers:
            Location: {$ref: '#/components/headers/Location'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/LoopStarted'}
          links:
            session:
              operationId: getSessionStatus
              parameters: {id: $response.body#/session_id}
            stop:
              operationId: stopSession
              parameters: {id: $response.body#/session_id}
            loop:
              operationId: getLoop
              parameters: {id: $response.body#/id}
            merge:
              operationId: mergeLoop
              parameters: {id: $response.body#/id}
            discard:
              operationId: discardLoop
              parameters: {id: $response.body#/id}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/Timeout'}
        '409': {$ref: '#/components/responses/Conflict'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/Unavailable'}
  /api/loops/{id}:
    parameters:
      - {$ref: '#/components/parameters/LoopID'}
    get:
      operationId: getLoop
      summary: One loop
      tags: [loops]
      parameters:
        - {$ref: '#/components/parameters/Workspace'}
      responses:
        '200':
          description: The loop.
          content:
            application/json:
              schema: {$ref: '#/components/schemas/Loop'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/Timeout'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '503': {$ref: '#/components/responses/Unavailable'}
  /api/loops/{id}/merge:
    parameters:
      - {$ref: '#/components/parameters/LoopID'}
    post:
      operationId: mergeLoop
      summary: Merges a worktree loop that has ended
      tags: [loops]
      parameters:
        - {$ref: '#/components/parameters/Workspace'}
        - {$ref: '#/components/parameters/IdempotencyKey'}
      responses:
        '200': {$ref: '#/components/responses/LoopJob'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/Timeout'}
        '409': {$ref: '#/components/responses/Conflict'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/Unavailable'}
  /api/loops/{id}/discard:
    parameters:
      - {$ref: '#/components/parameters/LoopID'}
    post:
      operationId: discardLoop
      summary: Removes a worktree loop that has ended, its worktree and branch
      tags: [loops]
      parameters:
        - {$ref: '#/components/parameters/Workspace'}
        - {$ref: '#/components/parameters/IdempotencyKey'}
      responses:
        '200': {$ref: '#/components/responses/LoopJob'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/Timeout'}
        '409': {$ref: '#/components/responses/Conflict'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/Unavailable'}
  /api/merge-queue:
    get:
      operationId: getMergeQueue
      summary: What waits to be merged, and what became of the rest
      tags: [loops]
      parameters:
        - {$ref: '#/components/parameters/Workspace'}
      responses:
        '200':
          description: Pending newest first by `queued_at`, the rest newest end first.
          content:
            application/json:
              schema: {$ref: '#/components/schemas/MergeQueue'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/Timeout'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/Unavailable'}
  /api/search:
    get:
      operationId: searchEvents
      summary: The kept events with these words, newest first
      tags: [search]
      parameters:
        - name: q
          in: query
          required: true
          description: Words that must all be there; "a phrase"; -excluded; begin*. Everything else is literal. At most
            1024 bytes of UTF-8 and 32 words and phrases, of which one must not be excluded and have a letter, a digit or
            a symbol.
          schema: {type: string, minLength: 1, maxLength: 1024}
          examples:
            words: {value: build done}
            phrase: {value: '"all tests" -flaky'}
            prefix: {value: comp*}
        - name: session
          in: query
          description: The id of a session, or its first 8 or more digits.
          schema: {type: string, pattern: '^[0-9a-f]{8,16}$'}
        - name: topic
          in: query
          description: Globs over topics, comma-separated or repeated; at most 32 of at most 200 bytes.
          schema: {type: string, maxLength: 1000}
          examples:
            all: {value: '*'}
            some: {value: 'build.*,human.*'}
        - name: hat
          in: query
          description: The exact name of a hat, 1 to 200 bytes.
          schema: {type: string, minLength: 1, maxLength: 200}
          examples:
            builder: {value: builder}
        - name: since
          in: query
          description: Later than this.
          schema: {$ref: '#/components/schemas/SearchTime'}
        - name: until
          in: query
          description: Not later than this.
          schema: {$ref: '#/components/schemas/SearchTime'}
        - name: limit
          in: query
          description: Hits in one page.
          schema: {type: integer, minimum: 1, maximum: 200, default: 50}
        - name: before
          in: query
          description: The `next` of the page before.
          schema: {type: string, pattern: '^[0-9a-f]{8}-[0-9]{1,18}$'}
      responses:
        '200':
          description: One page of hits.
          content:
            application/json:
              schema: {$ref: '#/components/schemas/SearchPage'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/Timeout'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '503': {$ref: '#/components/responses/Unavailable'}
  /api/host/metrics:
    get:
      operationId: getHostMetrics
      summary: Processor, memory, disk and network of the server's machine
      description: While somebody asks, the figures are at most two seconds old. The first request after a pause waits for
        two looks, about 200 ms.
      tags: [host]
      responses:
        '200':
          description: The figures of the last look.
          content:
            application/json:
              schema: {$ref: '#/components/schemas/HostMetrics'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '408': {$ref: '#/components/responses/Timeout'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/Unavailable'}
  /api/host/processes:
    get:
      operationId: getHostProcesses
      summary: The busiest processes of the server's machine
      description: The ten processes that use most processor time, those of sessions marked.
      tags: [host]
      responses:
        '200':
          description: At most ten processes.
          content:
            application/json:
              schema: {$ref: '#/components/schemas/HostProcesses'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '408': {$ref: '#/components/responses/Timeout'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/Unavailable'}
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
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '408': {$ref: '#/components/responses/Timeout'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/Unavailable'}
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
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '408': {$ref: '#/components/responses/Timeout'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/Unavailable'}
  /livez:
    get:
      operationId: getLivez
      summary: Whether the server answers at all
      tags: [probes]
      security: []
      responses:
        '200':
          description: It does.
          content:
            text/plain:
              schema: {type: string, const: OK}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '408': {$ref: '#/components/responses/Timeout'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '503': {$ref: '#/components/responses/Unavailable'}
  /readyz:
    get:
      operationId: getReadyz
      summary: Whether the server is ready
      tags: [probes]
      security: []
      responses:
        '200':
          description: It is.
          content:
            application/json:
              schema: {$ref: '#/components/schemas/Readiness'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '408': {$ref: '#/components/responses/Timeout'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '503':
          description: It is not, and why; `not_ready`.
          content:
            application/json:
              schema: {$ref: '#/components/schemas/Readiness'}
  /.well-known/ralph-mobile:
    get:
      operationId: getServerCard
      summary: What the server is and where its parts are
      tags: [probes]
      security: []
      responses:
        '200':
          description: The card.
          content:
            application/json:
              schema: {$ref: '#/components/schemas/ServerCard'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '408': {$ref: '#/components/responses/Timeout'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '503': {$ref: '#/components/responses/Unavailable'}
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
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '408': {$ref: '#/components/responses/Timeout'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '503': {$ref: '#/components/responses/Unavailable'}
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
                  openapi: {type: string, pattern: ^3\.1\.}
                  info: {type: object}
                  paths: {type: object}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '408': {$ref: '#/components/responses/Timeout'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '503': {$ref: '#/components/responses/Unavailable'}
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
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '408': {$ref: '#/components/responses/Timeout'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '503': {$ref: '#/components/responses/Unavailable'}
  /api/sessions/{id}/metrics:
    parameters:
      - {$ref: '#/components/parameters/SessionID'}
    get:
      operationId: getSessionMetrics
      summary: What the session did and used, in all and by day.
      tags: [figures]
      responses:
        '200':
          description: The figures of the last run, of all days, and of each day.
          content:
            application/json:
              schema: {$ref: '#/components/schemas/SessionMetrics'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/Timeout'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '503': {$ref: '#/components/responses/Unavailable'}
  /api/sessions/{id}/tokens:
    parameters:
      - {$ref: '#/components/parameters/SessionID'}
    get:
      operationId: getSessionTokens
      summary: The same as metrics.
      tags: [figures]
      responses:
        '200':
          description: The figures of the last run, of all days, and of each day.
          content:
            application/json:
              schema: {$ref: '#/components/schemas/SessionMetrics'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/Timeout'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '503': {$ref: '#/components/responses/Unavailable'}
  /api/sessions/{id}/costs:
    parameters:
      - {$ref: '#/components/parameters/SessionID'}
    get:
      operationId: getSessionCosts
      summary: The same as metrics.
      tags: [figures]
      responses:
        '200':
          description: The figures of the last run, of all days, and of each day.
          content:
            application/json:
              schema: {$ref: '#/components/schemas/SessionMetrics'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/Timeout'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '503': {$ref: '#/components/responses/Unavailable'}
  /api/stats:
    get:
      operationId: getStats
      summary: Figures of all sessions in a window of days, by day and by session.
      tags: [figures]
      parameters:
        - name: window
          in: query
          description: Today and the days before it, `1d` to `366d`; or the whole days that so many hours touch, `1h` to
            `8784h`. Days are those of UTC.
          schema: {type: string, pattern: '^([1-9][0-9]?d|[12][0-9]{2}d|3[0-5][0-9]d|36[0-6]d|[1-9][0-9]{0,2}h|[1-7][0-9]{3}h|8[0-6][0-9]{2}h|87[0-7][0-9]h|878[0-4]h)$',
            default: 7d}
          example: 24h
        - name: session
          in: query
          description: The id of one session, or its first 8 or more digits.
          schema: {type: string, pattern: '^[0-9a-f]{8,16}$'}
      responses:
        '200':
          description: The figures of the window.
          content:
            application/json:
              schema: {$ref: '#/components/schemas/Stats'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/Timeout'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '503': {$ref: '#/components/responses/Unavailable'}
  /api/configs:
    get:
      operationId: listConfigs
      summary: Configurations and presets of the workspaces, of the user, and of those that came with the server
      tags: [library]
      parameters:
        - name: workspace
          in: query
          required: false
          description: One workspace, absolute or below the first root; a session goes before it.
          schema: {type: string, pattern: '^[^\u0000]*$'}
        - name: session
          in: query
          required: false
          description: The session in whose workspace to look, by its id or a unique prefix of 8 or more digits.
          schema: {type: string, pattern: '^[0-9a-f]{8,16}$'}
      responses:
        '200':
          description: By name, then path.
          content:
            application/json:
              schema: {$ref: '#/components/schemas/LibraryConfigList'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/Timeout'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '503': {$ref: '#/components/responses/Unavailable'}
  /api/configs/{path}:
    get:
      operationId: getConfig
      summary: A configuration or preset as text
      tags: [library]
      parameters:
        - name: path
          in: path
          required: true
          description: A path of the list; slashes may be sent as they are.
          schema: {type: string, minLength: 1, pattern: '^(?!(.*/)?\.\.(/|$))[^/\\\x00][^\\\x00]*$'}
          example: configs/solo.yml
        - name: workspace
          in: query
          required: false
          description: One workspace, absolute or below the first root; a session goes before it.
          schema: {type: string, pattern: '^[^\u0000]*$'}
        - name: session
          in: query
          required: false
          description: The session in whose workspace to look, by its id or a unique prefix of 8 or more digits.
          schema: {type: string, pattern: '^[0-9a-f]{8,16}$'}
      responses:
        '200':
          description: The text.
          content:
            application/json:
              schema: {$ref: '#/components/schemas/LibraryContent'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/Timeout'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '503': {$ref: '#/components/responses/Unavailable'}
  /api/prompts:
    get:
      operationId: listPrompts
      summary: Prompts, with their first words
      tags: [library]
      parameters:
        - name: workspace
          in: query
          required: false
          description: One workspace, absolute or below the first root; a session goes before it.
          schema: {type: string, pattern: '^[^\u0000]*$'}
        - name: session
          in: query
          required: false
          description: The session in whose workspace to look, by its id or a unique prefix of 8 or more digits.
          schema: {type: string, pattern: '^[0-9a-f]{8,16}$'}
      responses:
        '200':
          description: By path.
          content:
            application/json:
              schema: {$ref: '#/components/schemas/LibraryPromptList'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/Timeout'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '503': {$ref: '#/components/responses/Unavailable'}
  /api/prompts/{path}:
    get:
      operationId: getPrompt
      summary: A prompt as text
      tags: [library]
      parameters:
        - name: path
          in: path
          required: true
          description: A path of the list; slashes may be sent as they are.
          schema: {type: string, minLength: 1, pattern: '^(?!(.*/)?\.\.(/|$))[^/\\\x00][^\\\x00]*$'}
          example: prompts/fix-failing-test.md
        - name: workspace
          in: query
          required: false
          description: One workspace, absolute or below the first root; a session goes before it.
          schema: {type: string, pattern: '^[^\u0000]*$'}
        - name: session
          in: query
          required: false
          description: The session in whose workspace to look, by its id or a unique prefix of 8 or more digits.
          schema: {type: string, pattern: '^[0-9a-f]{8,16}$'}
      responses:
        '200':
          description: The text.
          content:
            application/json:
              schema: {$ref: '#/components/schemas/LibraryContent'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/Timeout'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '503': {$ref: '#/components/responses/Unavailable'}
  /api/presets:
    get:
      operationId: listPresets
      summary: The same files as /api/configs
      tags: [library]
      parameters:
        - name: workspace
          in: query
          required: false
          description: One workspace, absolute or below the first root; a session goes before it.
          schema: {type: string, pattern: '^[^\u0000]*$'}
        - name: session
          in: query
          required: false
          description: The session in whose workspace to look, by its id or a unique prefix of 8 or more digits.
          schema: {type: string, pattern: '^[0-9a-f]{8,16}$'}
      responses:
        '200':
          description: By name, then path.
          content:
            application/json:
              schema: {$ref: '#/components/schemas/LibraryPresetList'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/Timeout'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '503': {$ref: '#/components/responses/Unavailable'}
  /api/hats:
    get:
      operationId: listHats
      summary: The hats of all presets and of files of hats, each name once
      tags: [library]
      parameters:
        - name: workspace
          in: query
          required: false
          description: One workspace, absolute or below the first root; a session goes before it.
          schema: {type: string, pattern: '^[^\u0000]*$'}
        - name: session
          in: query
          required: false
          description: The session in whose workspace to look, by its id or a unique prefix of 8 or more digits.
          schema: {type: string, pattern: '^[0-9a-f]{8,16}$'}
      responses:
        '200':
          description: By name.
          content:
            application/json:
              schema: {$ref: '#/components/schemas/LibraryHatList'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/Timeout'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '503': {$ref: '#/components/responses/Unavailable'}
  /api/skills:
    get:
      operationId: listSkills
      summary: Skills of the configurations, of the user, of the server and of Ralph itself, each name once
      tags: [library]
      parameters:
        - name: workspace
          in: query
          required: false
          description: One workspace, absolute or below the first root; a session goes before it.
          schema: {type: string, pattern: '^[^\u0000]*$'}
        - name: session
          in: query
          required: false
          description: The session in whose workspace to look, by its id or a unique prefix of 8 or more digits.
          schema: {type: string, pattern: '^[0-9a-f]{8,16}$'}
      responses:
        '200':
          description: By name.
          content:
            application/json:
              schema: {$ref: '#/components/schemas/LibrarySkillList'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/Timeout'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '503': {$ref: '#/components/responses/Unavailable'}
  /api/skills/{name}:
    get:
      operationId: getSkill
      summary: One skill
      tags: [library]
      parameters:
        - name: name
          in: path
          required: true
          schema: {type: string, minLength: 1}
          example: ralph-tools
        - name: workspace
          in: query
          required: false
          description: One workspace, absolute or below the first root; a session goes before it.
          schema: {type: string, pattern: '^[^\u0000]*$'}
        - name: session
          in: query
          required: false
          description: The session in whose workspace to look, by its id or a unique prefix of 8 or more digits.
          schema: {type: string, pattern: '^[0-9a-f]{8,16}$'}
      responses:
        '200':
          description: The skill as in the list.
          content:
            application/json:
              schema: {$ref: '#/components/schemas/LibrarySkill'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/Timeout'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '503': {$ref: '#/components/responses/Unavailable'}
  /api/skills/{name}/load:
    get:
      operationId: getSkillText
      summary: A skill's text as an agent gets it
      tags: [library]
      parameters:
        - name: name
          in: path
          required: true
          schema: {type: string, minLength: 1}
          example: ralph-tools
        - name: workspace
          in: query
          required: false
          description: One workspace, absolute or below the first root; a session goes before it.
          schema: {type: string, pattern: '^[^\u0000]*$'}
        - name: session
          in: query
          required: false
          description: The session in whose workspace to look, by its id or a unique prefix of 8 or more digits.
          schema: {type: string, pattern: '^[0-9a-f]{8,16}$'}
      responses:
        '200':
          description: The text without its front matter, between the tags that Ralph puts around it.
          content:
            application/json:
              schema: {$ref: '#/components/schemas/LibraryLoadedSkill'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/Timeout'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '503': {$ref: '#/components/responses/Unavailable'}
    post:
      operationId: loadSkill
      summary: The same; a body is not read
      tags: [library]
      parameters:
        - name: name
          in: path
          required: true
          schema: {type: string, minLength: 1}
          example: ralph-tools
        - name: workspace
          in: query
          required: false
          description: One workspace, absolute or below the first root; a session goes before it.
          schema: {type: string, pattern: '^[^\u0000]*$'}
        - name: session
          in: query
          required: false
          description: The session in whose workspace to look, by its id or a unique prefix of 8 or more digits.
          schema: {type: string, pattern: '^[0-9a-f]{8,16}$'}
        - {$ref: '#/components/parameters/IdempotencyKey'}
      responses:
        '200':
          description: The text without its front matter, between the tags that Ralph puts around it.
          content:
            application/json:
              schema: {$ref: '#/components/schemas/LibraryLoadedSkill'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/Timeout'}
        '409': {$ref: '#/components/responses/Conflict'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '503': {$ref: '#/components/responses/Unavailable'}
  /api/memories:
    get:
      operationId: getMemories
      summary: The text of a workspace's memories
      tags: [workspace]
      parameters:
        - name: workspace
          in: query
          description: The workspace, absolute or below the first root, which is meant without it.
          schema: {type: string, pattern: '^[^\u0000]*$'}
        - name: session
          in: query
          description: A session of the workspace, by its id or the first 8 or more digits of it; it goes before `workspace`.
          schema: {type: string, pattern: '^[0-9a-f]{8,16}$'}
      responses:
        '200':
          description: The text; empty, and `last_modified` null, where there is no file.
          content:
            application/json:
              schema: {$ref: '#/components/schemas/Memories'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/Timeout'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/Unavailable'}
    put:
      operationId: putMemories
      summary: Replace the text of a workspace's memories
      tags: [workspace]
      parameters:
        - name: workspace
          in: query
          description: The workspace, absolute or below the first root, which is meant without it.
          schema: {type: string, pattern: '^[^\u0000]*$'}
        - name: session
          in: query
          description: A session of the workspace, by its id or the first 8 or more digits of it; it goes before `workspace`.
          schema: {type: string, pattern: '^[0-9a-f]{8,16}$'}
        - {$ref: '#/components/parameters/IdempotencyKey'}
      requestBody:
        required: true
        content:
          application/json:
            schema: {$ref: '#/components/schemas/MemoriesRequest'}
      responses:
        '200':
          description: The text as it is now.
          content:
            application/json:
              schema: {$ref: '#/components/schemas/Memories'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/Timeout'}
        '409': {$ref: '#/components/responses/Conflict'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/Unavailable'}
  /api/memories/export:
    post:
      operationId: exportMemories
      summary: The text of a workspace's memories, with a name for a file
      description: A body is not read.
      tags: [workspace]
      parameters:
        - name: workspace
          in: query
          description: The workspace, absolute or below the first root, which is meant without it.
          schema: {type: string, pattern: '^[^\u0000]*$'}
        - name: session
          in: query
          description: A session of the workspace, by its id or the first 8 or more digits of it; it goes before `workspace`.
          schema: {type: string, pattern: '^[0-9a-f]{8,16}$'}
        - {$ref: '#/components/parameters/IdempotencyKey'}
      responses:
        '200':
          description: The text.
          content:
            application/json:
              schema: {$ref: '#/components/schemas/MemoriesExport'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/Timeout'}
        '409': {$ref: '#/components/responses/Conflict'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/Unavailable'}
  /api/tasks:
    get:
      operationId: listTasks
      summary: The tasks of a workspace, by priority, then newest first
      tags: [workspace]
      parameters:
        - name: workspace
          in: query
          description: The workspace, absolute or below the first root, which is meant without it.
          schema: {type: string, pattern: '^[^\u0000]*$'}
        - name: session
          in: query
          description: A session of the workspace, by its id or the first 8 or more digits of it; it goes before `workspace`.
          schema: {type: string, pattern: '^[0-9a-f]{8,16}$'}
        - name: status
          in: query
          description: Only tasks of this status, in any case.
          schema: {type: string, pattern: '^([Oo][Pp][Ee][Nn]|[Ii][Nn]_[Pp][Rr][Oo][Gg][Rr][Ee][Ss][Ss]|[Cc][Ll][Oo][Ss][Ee][Dd]|[Ff][Aa][Ii][Ll][Ee][Dd])$'}
          example: open
        - name: limit
          in: query
          description: At most this many tasks.
          schema: {type: integer, minimum: 1, maximum: 10000, default: 10000}
        - name: offset
          in: query
          description: Leaves out this many of the first tasks.
          schema: {type: integer, minimum: 0, maximum: 2147483647, default: 0}
      responses:
        '200':
          description: The tasks.
          content:
            application/json:
              schema: {$ref: '#/components/schemas/TaskList'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/Timeout'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/Unavailable'}
    post:
      operationId: addTask
      summary: Add a task to a workspace
      tags: [workspace]
      parameters:
        - name: workspace
          in: query
          description: The workspace, absolute or below the first root, which is meant without it.
          schema: {type: string, pattern: '^[^\u0000]*$'}
        - name: session
          in: query
          description: A session of the workspace, by its id or the first 8 or more digits of it; it goes before `workspace`.
          schema: {type: string, pattern: '^[0-9a-f]{8,16}$'}
        - {$ref: '#/components/parameters/IdempotencyKey'}
      requestBody:
        required: true
        content:
          application/json:
            schema: {$ref: '#/components/schemas/TaskDraft'}
      responses:
        '201':
          description: The task.
          content:
            application/json:
              schema: {$ref: '#/components/schemas/Task'}
          links:
            change:
              operationId: updateTask
              parameters: {id: $response.body#/id}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/Timeout'}
        '409': {$ref: '#/components/responses/Conflict'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/Unavailable'}
  /api/tasks/{id}:
    put:
      operationId: updateTask
      summary: Change a task
      tags: [workspace]
      parameters:
        - name: id
          in: path
          required: true
          description: The id of a task.
          schema: {type: string, minLength: 1}
          example: task-1795231236-6512
        - name: workspace
          in: query
          description: The workspace, absolute or below the first root, which is meant without it.
          schema: {type: string, pattern: '^[^\u0000]*$'}
        - name: session
          in: query
          description: A session of the workspace, by its id or the first 8 or more digits of it; it goes before `workspace`.
          schema: {type: string, pattern: '^[0-9a-f]{8,16}$'}
        - {$ref: '#/components/parameters/IdempotencyKey'}
      requestBody:
        required: true
        content:
          application/json:
            schema: {$ref: '#/components/schemas/TaskChange'}
      responses:
        '200':
          description: The task as it is now.
          content:
            application/json:
              schema: {$ref: '#/components/schemas/Task'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/Timeout'}
        '409': {$ref: '#/components/responses/Conflict'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/Unavailable'}
  /api/config/export:
    post:
      operationId: exportConfig
      summary: The text of a workspace's configuration
      description: A body is not read.
      tags: [workspace]
      parameters:
        - name: workspace
          in: query
          description: The workspace, absolute or below the first root, which is meant without it.
          schema: {type: string, pattern: '^[^\u0000]*$'}
        - name: session
          in: query
          description: A session of the workspace, by its id or the first 8 or more digits of it; it goes before `workspace`.
          schema: {type: string, pattern: '^[0-9a-f]{8,16}$'}
        - {$ref: '#/components/parameters/IdempotencyKey'}
      responses:
        '200':
          description: The text.
          content:
            application/json:
              schema: {$ref: '#/components/schemas/ConfigExport'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/Timeout'}
        '409': {$ref: '#/components/responses/Conflict'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/Unavailable'}
  /api/config/import:
    post:
      operationId: importConfig
      summary: Replace a workspace's configuration
      description: The old one is kept beside it; nothing is changed unless the text is one map in YAML that Ralph may read.
      tags: [workspace]
      parameters:
        - name: workspace
          in: query
          description: The workspace, absolute or below the first root, which is meant without it.
          schema: {type: string, pattern: '^[^\u0000]*$'}
        - name: session
          in: query
          description: A session of the workspace, by its id or the first 8 or more digits of it; it goes before `workspace`.
          schema: {type: string, pattern: '^[0-9a-f]{8,16}$'}
        - {$ref: '#/components/parameters/IdempotencyKey'}
      requestBody:
        required: true
        content:
          application/json:
            schema: {$ref: '#/components/schemas/ConfigImportRequest'}
      responses:
        '200':
          description: It was replaced.
          content:
            application/json:
              schema: {$ref: '#/components/schemas/ConfigImport'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/Timeout'}
        '409': {$ref: '#/components/responses/Conflict'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/Unavailable'}
  /api/devices:
    get:
      operationId: listDevices
      summary: The paired devices, the oldest first
      tags: [access]
      responses:
        '200':
          description: All of them.
          content:
            application/json:
              schema:
                type: array
                items: {$ref: '#/components/schemas/Device'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '408': {$ref: '#/components/responses/Timeout'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '503': {$ref: '#/components/responses/Unavailable'}
  /api/devices/{id}:
    delete:
      operationId: revokeDevice
      summary: Takes a device's token away and ends its streams
      tags: [access]
      parameters:
        - name: id
          in: path
          required: true
          schema: {type: string, minLength: 1}
          example: 0123456789ab
        - {$ref: '#/components/parameters/IdempotencyKey'}
      responses:
        '200':
          description: What it was.
          content:
            application/json:
              schema: {$ref: '#/components/schemas/Device'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/Timeout'}
        '409': {$ref: '#/components/responses/Conflict'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '503': {$ref: '#/components/responses/Unavailable'}
  /api/device:
    get:
      operationId: getOwnDevice
      summary: The device that asks
      tags: [access]
      responses:
        '200':
          description: It.
          content:
            application/json:
              schema: {$ref: '#/components/schemas/Device'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/Timeout'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '503': {$ref: '#/components/responses/Unavailable'}
    delete:
      operationId: leave
      summary: The device that asks takes its leave
      tags: [access]
      parameters:
        - {$ref: '#/components/parameters/IdempotencyKey'}
      responses:
        '200':
          description: What it was.
          content:
            application/json:
              schema: {$ref: '#/components/schemas/Device'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/Timeout'}
        '409': {$ref: '#/components/responses/Conflict'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '503': {$ref: '#/components/responses/Unavailable'}
  /api/stream-tickets:
    post:
      operationId: makeStreamTicket
      summary: A ticket that opens one stream with `?ticket=`
      description: A body is not read.
      tags: [access]
      parameters:
        - {$ref: '#/components/parameters/IdempotencyKey'}
      responses:
        '201':
          description: The ticket; it counts once and for half a minute.
          content:
            application/json:
              schema: {$ref: '#/components/schemas/StreamTicket'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '408': {$ref: '#/components/responses/Timeout'}
        '409': {$ref: '#/components/responses/Conflict'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '503': {$ref: '#/components/responses/Unavailable'}
  /api/audit:
    get:
      operationId: listAudit
      summary: Who did what, from where, and what came of it; newest first.
      tags: [access]
      parameters:
        - name: limit
          in: query
          description: Entries at most.
          schema: {type: integer, minimum: 1, maximum: 500, default: 100}
        - name: before
          in: query
          description: Only entries whose `seq` is below this.
          schema: {type: integer, format: int64, minimum: 1}
      responses:
        '200':
          description: A page; an empty one is the end.
          content:
            application/json:
              schema:
                type: array
                maxItems: 500
                items: {$ref: '#/components/schemas/AuditEntry'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '408': {$ref: '#/components/responses/Timeout'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/Unavailable'}
  /api/pairing/tickets:
    post:
      operationId: makePairingTicket
      summary: A ticket with which one device gets a token of its own
      description: No body counts as an empty object. 16 tickets are open at most; the next one is answered with 429.
      tags: [access]
      parameters:
        - {$ref: '#/components/parameters/IdempotencyKey'}
      requestBody:
        required: false
        content:
          application/json:
            schema:
              type: object
              properties:
                scope:
                  enum: [watch, answer, steer, start, '', null]
                  description: What the device will be able to do.
                  default: steer
                name:
                  type: [string, 'null']
                  minLength: 1
                  maxLength: 80
                  pattern: ^[^\u0000-\u001F\u007F-\u009F\u2028\u2029\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]*$
                  description: What the device will be called; else as it calls itself. 80 bytes of UTF-8 at most, no control
                    characters.
      responses:
        '201':
          description: The ticket in all forms; it counts once and for three minutes.
          content:
            application/json:
              schema: {$ref: '#/components/schemas/PairingInvitation'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '408': {$ref: '#/components/responses/Timeout'}
        '409': {$ref: '#/components/responses/Conflict'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '503': {$ref: '#/components/responses/Unavailable'}
  /api/pairing/redeem:
    post:
      operationId: redeemPairingTicket
      summary: A device's token, for a ticket
      description: Needs no key. The scope is the ticket's.
      tags: [access]
      security: []
      parameters:
        - {$ref: '#/components/parameters/IdempotencyKey'}
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              required: [ticket]
              properties:
                ticket: {type: string, minLength: 1, maxLength: 1024, example: 01234-56789-ABCDE-FGHJK-MNPQR-S}
                name:
                  type: [string, 'null']
                  minLength: 1
                  maxLength: 80
                  pattern: ^[^\u0000-\u001F\u007F-\u009F\u2028\u2029\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]*$
                  description: Required unless the ticket has one. 80 bytes of UTF-8 at most, no control characters.
      responses:
        '201':
          description: The device and its token, which is shown this once.
          content:
            application/json:
              schema: {$ref: '#/components/schemas/PairedDevice'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '408': {$ref: '#/components/responses/Timeout'}
        '409': {$ref: '#/components/responses/Conflict'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '503': {$ref: '#/components/responses/Unavailable'}
  /pair:
    get:
      operationId: showPairingPage
      summary: The QR code of a ticket as a page, on this machine only
      tags: [access]
      security: []
      parameters:
        - {$ref: '#/components/parameters/PairingTicket'}
      responses:
        '200':
          description: The page.
          content:
            text/html:
              schema: {type: string}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '408': {$ref: '#/components/responses/Timeout'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '503': {$ref: '#/components/responses/Unavailable'}
  /pair.svg:
    get:
      operationId: showPairingSVG
      summary: The QR code of a ticket as SVG, on this machine only
      tags: [access]
      security: []
      parameters:
        - {$ref: '#/components/parameters/PairingTicket'}
      responses:
        '200':
          description: The code.
          content:
            image/svg+xml:
              schema: {type: string}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '408': {$ref: '#/components/responses/Timeout'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '503': {$ref: '#/components/responses/Unavailable'}
  /pair.png:
    get:
      operationId: showPairingPNG
      summary: The QR code of a ticket as PNG, on this machine only
      tags: [access]
      security: []
      parameters:
        - {$ref: '#/components/parameters/PairingTicket'}
      responses:
        '200':
          description: The code.
          content:
            image/png:
              schema: {type: string, format: binary}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '408': {$ref: '#/components/responses/Timeout'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '503': {$ref: '#/components/responses/Unavailable'}
  /api/events:
    get:
      operationId: streamEvents
      summary: The events of all sessions as server-sent events
      description: Cursors are global ids. `Accept` is not looked at, there are no pages of all sessions.
      tags: [streams]
      parameters:
        - {$ref: '#/components/parameters/LastEventIDHeader'}
        - {$ref: '#/components/parameters/StreamTicket'}
        - {$ref: '#/components/parameters/LastEventID'}
        - {$ref: '#/components/parameters/AfterCursor'}
        - {$ref: '#/components/parameters/StreamSince'}
        - {$ref: '#/components/parameters/Tail'}
        - {$ref: '#/components/parameters/Replay'}
        - {$ref: '#/components/parameters/Epoch'}
        - {$ref: '#/components/parameters/Follow'}
        - {$ref: '#/components/parameters/Poll'}
        - {$ref: '#/components/parameters/Topics'}
        - {$ref: '#/components/parameters/EventName'}
        - {$ref: '#/components/parameters/Payload'}
        - {$ref: '#/components/parameters/Control'}
      responses:
        '200': {$ref: '#/components/responses/EventStreamOfAll'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '408': {$ref: '#/components/responses/Timeout'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '503': {$ref: '#/components/responses/Unavailable'}
  /api/events.ndjson:
    get:
      operationId: streamLines
      summary: The events of all sessions, one JSON object on each line
      tags: [streams]
      parameters:
        - {$ref: '#/components/parameters/LastEventIDHeader'}
        - {$ref: '#/components/parameters/StreamTicket'}
        - {$ref: '#/components/parameters/LastEventID'}
        - {$ref: '#/components/parameters/AfterCursor'}
        - {$ref: '#/components/parameters/StreamSince'}
        - {$ref: '#/components/parameters/Tail'}
        - {$ref: '#/components/parameters/Replay'}
        - {$ref: '#/components/parameters/Epoch'}
        - {$ref: '#/components/parameters/Follow'}
        - {$ref: '#/components/parameters/Poll'}
        - {$ref: '#/components/parameters/Topics'}
        - {$ref: '#/components/parameters/EventName'}
        - {$ref: '#/components/parameters/Payload'}
        - {$ref: '#/components/parameters/Control'}
      responses:
        '200': {$ref: '#/components/responses/EventLines'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/Unauthorized'}
        '403': {$ref: '#/components/responses/Forbidden'}
        '408': {$ref: '#/components/responses/Timeout'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '414': {$ref: '#/components/responses/TargetTooLong'}
        '421': {$ref: '#/components/responses/Misdirected'}
        '429': {$ref: '#/components/responses/TooManyRequests'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '503': {$ref: '#/components/responses/Unavailable'}
components:
  securitySchemes:
    apiKey: {type: apiKey, in: header, name: X-Api-Key}
    bearer: {type: http, scheme: bearer}
  headers:
    Location:
      description: The path of what was made.
      required: true
      schema: {type: string, pattern: ^/api/}
    RetryAfter:
      description: Seconds after which trying again makes sense.
      schema: {type: integer, minimum: 1}
    WWWAuthenticate:
      description: How to authenticate.
      required: true
      schema: {type: string, const: Bearer}
  parameters:
    StreamTicket:
      name: ticket
      in: query
      description: In place of a key, for clients whose streams can bear no headers; from `POST /api/stream-tickets`.
      schema: {type: string, pattern: '^[0-9a-f]{64}$'}
    SessionID:
      name: id
      in: path
      required: true
      description: A session's id, or its first 8 or more digits if no other begins so.
      schema: {type: string, pattern: '^[0-9a-f]{8,16}$'}
      example: b4c8a9f21e4d5f8c
    LoopID:
      name: id
      in: path
      required: true
      description: A loop's id.
      schema: {type: string, minLength: 1, maxLength: 128, pattern: '^[A-Za-z0-9._][A-Za-z0-9._-]*$'}
      example: keen-otter
    Workspace:
      name: workspace
      in: query
      description: A workspace's path, absolute or below the first root. Anything else is 404.
      schema: {type: string, pattern: '^[^\x00]*$'}
    IdempotencyKey:
      name: Idempotency-Key
      in: header
      description: The command is carried out once, however often it is sent with this key. A POST that only reads is carried out each time.
      schema: {type: string, pattern: '^[!-~]{1,255}$'}
    PageLimit:
      name: limit
      in: query
      description: At most so many events.
      schema: {type: integer, minimum: 1, maximum: 1000}
    AfterSeq:
      name: after_seq
      in: query
      description: The oldest events behind this number.
      schema: {type: integer, minimum: 0, maximum: 4611686018427387903}
    BeforeSeq:
      name: before_seq
      in: query
      description: The newest events before this number; beside `after_seq` or `since`, where the page ends.
      schema: {type: integer, minimum: 0, maximum: 4611686018427387903}
    Before:
      name: before
      in: query
      description: The newest events before this place, as the page that you have names it.
      schema: {type: string, pattern: '^v1\.[0-9a-z]+\.[0-9a-z]+\.[A-Za-z0-9_-]+$'}
      example: v1.2s.1kyq7kcv4rk47.LnJhbHBoL2V2ZW50cy5qc29ubA
    Since:
      name: since
      in: query
      description: The oldest events behind this time, this number (below 10 digits), or this event.
      schema:
        anyOf:
          - type: string
            enum: [all]
          - {type: string, pattern: '^[0-9]{1,6}[smhd]$'}
          - {type: string, format: date-time}
          - {$ref: '#/components/schemas/SeqOrUnixTime'}
          - {type: string, pattern: '^evt_[0-9a-f]{16}-[0-9]{1,18}$'}
    Topics:
      name: topic
      in: query
      description: Globs of at most 200 bytes, comma-separated or repeated; `*` is any text, `?` one byte.
      schema:
        type: array
        maxItems: 32
        items: {type: string, minLength: 1, maxLength: 50, pattern: '^[^\x00,]+$'}
    LastEventIDHeader:
      name: Last-Event-ID
      in: header
      description: 'Behind this event: `124`, `<epoch>:124`, or the `id` of an event.'
      schema: {type: string, pattern: '^(([!-9;-~]*:)?[0-9]{1,18}|evt_[0-9a-f]{16}-[0-9]{1,18})?$'}
    LastEventID:
      name: last_event_id
      in: query
      description: The same for clients that cannot send the header.
      schema: {type: string, pattern: '^(([^\x00:]*:)?[0-9]{1,18}|evt_[0-9a-f]{16}-[0-9]{1,18})?$'}
    AfterCursor:
      name: after_seq
      in: query
      description: Behind this number; in the streams of all sessions, behind this global id.
      schema: {type: string, pattern: '^(([^\x00:]*:)?[0-9]{1,18}|evt_[0-9a-f]{16}-[0-9]{1,18})$'}
    StreamSince:
      name: since
      in: query
      description: A duration back, a unix time, a timestamp, a number below 10 digits, or a word.
      schema:
        anyOf:
          - type: string
            enum: [all, latest, none]
          - {type: string, pattern: '^[0-9]{1,6}[smhd]$'}
          - {$ref: '#/components/schemas/SeqOrUnixTime'}
          - {type: string, format: date-time}
    Tail:
      name: tail
      in: query
      description: The newest so many, `all`, or 0 for none; filters then choose among these.
      schema: {type: string, pattern: '^(all|[0-9]{1,18})$'}
    Replay:
      name: replay
      in: query
      schema:
        type: string
        enum: [none, all]
    Epoch:
      name: epoch
      in: query
      description: A cursor of another epoch is answered with a gap.
      schema: {type: string, pattern: '^[^\x00]*$'}
    Follow:
      name: follow
      in: query
      description: '`false`: end after what is there.'
      schema: {$ref: '#/components/schemas/Flag'}
    Poll:
      name: poll
      in: query
      description: '`1` is the same as `follow=false`.'
      schema: {$ref: '#/components/schemas/Flag'}
    EventName:
      name: event
      in: query
      description: '`none`: no `event:` line.'
      schema:
        type: string
        enum: [workflow, none]
    Payload:
      name: payload
      in: query
      description: '`object`: a structured payload comes as it is.'
      schema:
        type: string
        enum: [text, object]
    Control:
      name: control
      in: query
      description: '`events`: `gap` and `synced` come as events of these names.'
      schema:
        type: string
        enum: [comments, events]
    Force:
      name: force
      in: query
      description: 'Of a stop: begin with the agents. Of an event: append it whatever it does to the run.'
      schema: {$ref: '#/components/schemas/Flag'}
    Purge:
      name: purge
      in: query
      description: Take the session off the list until a run works in it again.
      schema: {$ref: '#/components/schemas/Flag'}
    Now:
      name: now
      in: query
      description: 'Also end the agent; the work of its iteration is lost. For a pause that is pending already that is a change.'
      schema: {$ref: '#/components/schemas/Flag'}
    Strict:
      name: strict
      in: query
      description: 409 where nothing changes.
      schema: {$ref: '#/components/schemas/Flag'}
    PairingTicket:
      name: t
      in: query
      required: false
      description: An open ticket; without it a new one is made for a caller with the scope `start`.
      schema: {type: string}
  requestBodies:
    Start:
      required: true
      content:
        application/json:
          schema: {$ref: '#/components/schemas/StartRequest'}
  responses:
    Started:
      description: The run has registered itself.
      headers:
        Location: {$ref: '#/components/headers/Location'}
      content:
        application/json:
          schema: {$ref: '#/components/schemas/StartAnswer'}
      links:
        status:
          operationId: getSessionStatus
          parameters: {id: $response.body#/id}
        session:
          operationId: getSession
          parameters: {id: $response.body#/id}
        history:
          operationId: getSessionHistory
          parameters: {id: $response.body#/id}
        iterations:
          operationId: getSessionIterations
          parameters: {id: $response.body#/id}
        commands:
          operationId: listSessionCommands
          parameters: {id: $response.body#/id}
        events:
          operationId: streamSessionEvents
          parameters: {id: $response.body#/id}
        pause:
          operationId: pauseSession
          parameters: {id: $response.body#/id}
        resume:
          operationId: resumeSession
          parameters: {id: $response.body#/id}
        steer:
          operationId: steerSession
          parameters: {id: $response.body#/id}
        emit:
          operationId: emitToSession
          parameters: {id: $response.body#/id}
        stop:
          operationId: stopSession
          parameters: {id: $response.body#/id}
    Stopped:
      description: Nothing of the run is alive; its streams have ended.
      content:
        application/json:
          schema: {$ref: '#/components/schemas/StopAnswer'}
    LoopJob:
      description: Done, or `pending` if it takes longer than 24 s.
      content:
        application/json:
          schema: {$ref: '#/components/schemas/LoopJobAnswer'}
    EventStream:
      description: 'Frames of `id: <seq>`, `event: workflow`, `data: <event>`; comments `gap`, `synced` and `keep-alive`
        between them. It has no end unless `follow=false`.'
      content:
        text/event-stream:
          schema: {$ref: '#/components/schemas/EventFrame'}
        application/json:
          schema: {$ref: '#/components/schemas/HistoryPage'}
    EventStreamOfAll:
      description: 'The same with `id: <global id>`.'
      content:
        text/event-stream:
          schema: {$ref: '#/components/schemas/EventFrame'}
    EventLines:
      description: >-
        One event on each line; empty lines keep the connection. Where events cannot be served a line is `{"gap":…}`.
        It has no end unless `follow=false`.
      content:
        application/x-ndjson:
          schema: {type: string}
    BadRequest:
      description: A parameter, member or request that is none; `error` names it.
      content:
        application/json:
          schema: {$ref: '#/components/schemas/Problem'}
        application/problem+json:
          schema: {$ref: '#/components/schemas/ProblemDocument'}
    Unauthorized:
      description: A key is required and missing, or wrong.
      headers:
        WWW-Authenticate: {$ref: '#/components/headers/WWWAuthenticate'}
      content:
        application/json:
          schema: {$ref: '#/components/schemas/Problem'}
        application/problem+json:
          schema: {$ref: '#/components/schemas/ProblemDocument'}
    Forbidden:
      description: The caller's scope does not reach, a web page of another site asks, or the run belongs to another user
        of the machine.
      content:
        application/json:
          schema: {$ref: '#/components/schemas/Problem'}
        application/problem+json:
          schema: {$ref: '#/components/schemas/ProblemDocument'}
    NotFound:
      description: No such thing; `details` says if it is ambiguous.
      content:
        application/json:
          schema: {$ref: '#/components/schemas/Problem'}
        application/problem+json:
          schema: {$ref: '#/components/schemas/ProblemDocument'}
    Timeout:
      description: Head or body came too slowly.
      content:
        application/json:
          schema: {$ref: '#/components/schemas/Problem'}
        application/problem+json:
          schema: {$ref: '#/components/schemas/ProblemDocument'}
    TargetTooLong:
      description: The path and query are too long.
      content:
        application/json:
          schema: {$ref: '#/components/schemas/Problem'}
        application/problem+json:
          schema: {$ref: '#/components/schemas/ProblemDocument'}
    TooManyRequests:
      description: Too many requests, streams or untaken answers of one address or device, or too many wrong keys.
      headers:
        Retry-After: {$ref: '#/components/headers/RetryAfter'}
      content:
        application/json:
          schema: {$ref: '#/components/schemas/Problem'}
        application/problem+json:
          schema: {$ref: '#/components/schemas/ProblemDocument'}
    Conflict:
      description: What is there does not allow it, or an Idempotency-Key is in use.
      headers:
        Retry-After: {$ref: '#/components/headers/RetryAfter'}
      content:
        application/json:
          schema: {$ref: '#/components/schemas/Problem'}
        application/problem+json:
          schema: {$ref: '#/components/schemas/ProblemDocument'}
    Gone:
      description: Nobody waits for it any more, or the history was deleted; `details` says why.
      content:
        application/json:
          schema: {$ref: '#/components/schemas/Problem'}
        application/problem+json:
          schema: {$ref: '#/components/schemas/ProblemDocument'}
    TooLarge:
      description: A body of more than 8 MiB, or a member of more than its limit.
      content:
        application/json:
          schema: {$ref: '#/components/schemas/Problem'}
        application/problem+json:
          schema: {$ref: '#/components/schemas/ProblemDocument'}
    Misdirected:
      description: A `Host` that this server does not answer for.
      content:
        application/json:
          schema: {$ref: '#/components/schemas/Problem'}
        application/problem+json:
          schema: {$ref: '#/components/schemas/ProblemDocument'}
    HeadersTooLarge:
      description: Request line and headers of more than 64 KiB, or more than 128 fields.
      content:
        application/json:
          schema: {$ref: '#/components/schemas/Problem'}
        application/problem+json:
          schema: {$ref: '#/components/schemas/ProblemDocument'}
    InternalError:
      description: What was asked for could not be done, and why; nothing of the inside is told.
      content:
        application/json:
          schema: {$ref: '#/components/schemas/Problem'}
        application/problem+json:
          schema: {$ref: '#/components/schemas/ProblemDocument'}
    Unavailable:
      description: The store, a stream or a place in a queue is not to be had now.
      headers:
        Retry-After: {$ref: '#/components/headers/RetryAfter'}
      content:
        application/json:
          schema: {$ref: '#/components/schemas/Problem'}
        application/problem+json:
          schema: {$ref: '#/components/schemas/ProblemDocument'}
  schemas:
    Flag: {description: A missing value counts as true., type: string, pattern: '^([Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee]|[Yy][Ee][Ss]|[Nn][Oo]|0|1)?$'}
    Timestamp: {description: RFC 3339 in UTC with three fraction digits., type: string, pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z$'}
    Problem:
      type: object
      required: [error, code]
      properties:
        error: {description: 'The machine string; programs go by it up to its first colon, or by `code`.', type: string,
          minLength: 1}
        code:
          type: string
          enum: [BAD_REQUEST, UNAUTHORIZED, FORBIDDEN, NOT_FOUND, METHOD_NOT_ALLOWED, TIMEOUT, CONFLICT, GONE, TOO_LARGE,
            RATE_LIMITED, MISDIRECTED, INTERNAL_ERROR, UNAVAILABLE]
        details: {description: One line for a person., type: string}
        session_id: {description: With `already_running`., type: string}
    ServerIndex:
      type: object
      required: [name, version, endpoints]
      properties:
        name: {type: string, const: ralph-mobile-server}
        version: {type: string}
        endpoints:
          type: array
          items: {type: string, pattern: '^[A-Z]+ /'}
    HealthReport:
      type: object
      required: [status, version, timestamp, uptime_secs, sessions, auth_required, epoch, store, last_global_id, streams,
        control_notes, control, lost_questions, untold_signals, unguarded_tasks, audit_dropped, audit_failures,
        log_dropped]
      properties:
        status:
          description: '`degraded`: events wait to be stored, or the store is damaged or was removed.'
          type: string
          enum: [ok, degraded]
        version: {type: string}
        timestamp: {$ref: '#/components/schemas/Timestamp'}
        uptime_secs: {type: integer, minimum: 0}
        sessions: {type: integer, minimum: 0}
        auth_required: {type: boolean}
        epoch: {type: string}
        store: {description: '`ok`, or what is wrong with it.', type: string}
        last_global_id: {type: integer, minimum: 0}
        streams:
          type: object
          required: [open, opened, lagged, stalled, gaps, overflowed, refused_connections, untaken_answers]
          additionalProperties: {type: integer, minimum: 0}
        control_notes:
          type: object
          required: [waiting, posted, late, refused, unknown]
          additionalProperties: {type: integer, minimum: 0}
        discovery:
          type: object
          required: [roots, directories, unreadable, unreadable_count, skipped_links, polled_sessions, unwatched_directories,
            truncated, inotify, scan_ms]
          properties:
            roots:
              type: array
              items: {type: string}
            directories: {type: integer, minimum: 0}
            unreadable:
              type: array
              items: {type: string}
            unreadable_count: {type: integer, minimum: 0}
            skipped_links: {type: integer, minimum: 0}
            polled_sessions: {type: integer, minimum: 0}
            unwatched_directories: {type: integer, minimum: 0}
            truncated: {type: boolean}
            inotify: {type: string}
            scan_ms: {type: integer, minimum: 0}
        control:
          type: object
          required: [adopted, running, paused, orphans, ended_while_away, output_freed_bytes, output_uncapped]
          additionalProperties: {type: integer, minimum: 0}
        lost_questions: {description: Events of questions that could not be told., type: integer, minimum: 0}
        audit_dropped: {description: Entries of the audit log that were not written., type: integer, minimum: 0}
        audit_failures: {description: Attempts to write the audit log that failed., type: integer, minimum: 0}
        log_dropped: {description: Lines that standard error or standard output did not take., type: integer, minimum: 0}
        untold_signals: {description: 'Signals not told, since a session told too many.', type: integer, minimum: 0}
        unguarded_tasks: {description: New tasks that were not looked after., type: integer, minimum: 0}
        search:
          description: How the search index fares; absent where it is switched off.
          type: object
          required: [indexed, behind, skipped, rebuilt]
    Session:
      type: object
      required: [id, iteration, mode, status, phase, working_dir, source, layout, read_only, event_count, first_seq, last_seq,
        epoch, watch, malformed_lines, overlong_lines]
      properties:
        id: {type: string, pattern: '^[0-9a-f]{16}$'}
        iteration: {type: integer, minimum: 0}
        total: {description: The limit of iterations., type: integer}
        hat: {type: string}
        hat_name: {type: string}
        elapsed_secs: {type: integer, minimum: 0}
        mode:
          type: string
          enum: [live, paused, complete]
        status:
          type: string
          enum: [running, paused, stopped, completed, error, idle]
        phase:
          type: string
          enum: [starting, iterating, pausing, suspended, stopping, ended, orphaned]
        end_reason: {type: string}
        started_at: {$ref: '#/components/schemas/Timestamp'}
        ended_at: {$ref: '#/components/schemas/Timestamp'}
        last_event_at: {$ref: '#/components/schemas/Timestamp'}
        trigger_event: {type: string}
        publishes:
          type: array
          items: {type: string}
        task_name: {type: string}
        working_dir: {type: string}
        config_path: {type: string}
        prompt_path: {type: string}
        pid: {type: integer}
        exit_code: {type: integer}
        exit_signal: {type: integer}
        exit_message: {description: 'What the run''s program wrote last to stderr, where it failed.', type: string, maxLength: 200}
        paused_at: {$ref: '#/components/schemas/Timestamp'}
        orphans:
          type: array
          minItems: 1
          items: {type: integer}
        source:
          type: string
          enum: [spawned, discovered]
        layout: {type: string}
        read_only: {type: boolean}
        worktree_of: {type: string}
        loop_id: {type: string}
        event_count: {type: integer, minimum: 0}
        first_seq: {type: integer, minimum: 0}
        last_seq: {type: integer, minimum: 0}
        last_event_id: {type: string, pattern: ^evt_}
        epoch: {type: string}
        watch:
          type: string
          enum: [inotify, poll, gone]
        malformed_lines: {type: integer, minimum: 0}
        overlong_lines: {description: Lines that were too long to be read., type: integer, minimum: 0}
        problems:
          type: array
          minItems: 1
          items: {type: string}
    StatusFigures:
      type: object
      required: [backpressure, token_metrics, pending_questions]
      properties:
        backpressure:
          type: object
          properties:
            tests: {type: boolean}
            lint: {type: boolean}
            typecheck: {type: boolean}
            checked_at: {$ref: '#/components/schemas/Timestamp'}
        token_metrics: {$ref: '#/components/schemas/TokenMetrics'}
        avg_iteration_secs: {type: number, minimum: 0}
        estimated_remaining_secs: {type: integer, minimum: 0}
        pending_questions: {type: integer, minimum: 0}
    TokenMetrics:
      type: object
      required: [planning_tokens, execution_tokens, review_tokens, input_tokens, output_tokens, estimated_cost_usd]
      properties:
        planning_tokens: {type: integer, minimum: 0}
        execution_tokens: {type: integer, minimum: 0}
        review_tokens: {type: integer, minimum: 0}
        total_remaining: {type: integer}
        input_tokens: {type: integer, minimum: 0}
        output_tokens: {type: integer, minimum: 0}
        estimated_cost_usd: {type: number, minimum: 0}
        duration_ms: {type: integer, minimum: 0}
    SessionStatus:
      allOf:
        - {$ref: '#/components/schemas/Session'}
        - {$ref: '#/components/schemas/StatusFigures'}
        - type: object
          required: [recent_events]
          properties:
            recent_events:
              type: array
              maxItems: 10
              items: {$ref: '#/components/schemas/Event'}
            events:
              type: array
              maxItems: 1000
              items: {$ref: '#/components/schemas/Event'}
            has_more: {type: boolean}
            after_seq:
              type: [integer, 'null']
              minimum: 0
            gaps:
              type: array
              items: {$ref: '#/components/schemas/Gap'}
    SessionDetail:
      allOf:
        - {$ref: '#/components/schemas/Session'}
        - {$ref: '#/components/schemas/StatusFigures'}
        - type: object
          required: [session]
          properties:
            session:
              type: object
              required: [id, messages]
              properties:
                id: {type: string, pattern: '^[0-9a-f]{16}$'}
                messages:
                  type: array
                  maxItems: 1000
                  items: {$ref: '#/components/schemas/Message'}
    Message:
      type: object
      required: [id, seq, role, content, ts]
      properties:
        id: {type: string, pattern: ^evt_}
        seq: {type: integer, minimum: 1}
        role:
          type: string
          enum: [user, assistant, tool, system]
        content: {type: string}
        ts: {$ref: '#/components/schemas/Timestamp'}
    EventRecord:
      type: object
      required: [id, seq, session_id, type, ts, topic, source]
      properties:
        id: {type: string, pattern: ^evt_}
        seq:
          description: 1 … in each session; `null` before the first sight of it.
          type: [integer, 'null']
          minimum: 1
        session_id: {type: string, pattern: '^[0-9a-f]{16}$'}
        type: {type: string}
        ts: {$ref: '#/components/schemas/Timestamp'}
        ts_raw: {description: The source's own spelling if that differs., type: string}
        topic: {type: string}
        data: {description: The payload where it is JSON and no text, and what a text holds that is an object or a list.}
        hat: {type: string}
        iteration: {type: integer, minimum: 0}
        triggered: {type: string}
        blocked_count: {type: integer, minimum: 0}
        wave_id: {type: string}
        wave_index: {type: integer, minimum: 0}
        wave_total: {type: integer, minimum: 0}
        tool: {type: string}
        status: {type: string}
        input: {type: object}
        output: {type: string}
        duration: {description: Milliseconds., type: integer, minimum: 0}
        source:
          type: string
          enum: [engine, agent, server, user]
        repaired: {type: boolean, const: true}
        truncated:
          description: The event was cut; history and exports have all of it as long as Ralph's file has.
          type: boolean
          const: true
        extra: {type: object}
    Event:
      allOf:
        - {$ref: '#/components/schemas/EventRecord'}
        - type: object
          properties:
            payload: {description: Text always; structured in `data` where it is JSON., type: string}
    StructuredEvent:
      description: With `payload=object`.
      allOf:
        - {$ref: '#/components/schemas/EventRecord'}
        - type: object
          properties:
            payload: {description: As it is.}
    Synced:
      type: object
      required: [head, epoch]
      properties:
        head: {type: integer, minimum: 0}
        epoch: {type: string}
    EventFrame:
      description: One frame of the stream; comments are none.
      type: object
      required: [data]
      properties:
        id: {description: The cursor., type: string, pattern: '^[0-9]+$'}
        event:
          type: string
          enum: [workflow, message, gap, synced]
        retry: {type: integer, minimum: 0}
        data:
          description: One line of JSON; `gap` and `synced` with `control=events` only.
          type: string
          contentMediaType: application/json
          contentSchema:
            anyOf:
              - {$ref: '#/components/schemas/StructuredEvent'}
              - {$ref: '#/components/schemas/Gap'}
              - {$ref: '#/components/schemas/Synced'}
    HistoryPage:
      type: object
      required: [events, first_seq, last_seq, epoch, has_more, after_seq, before_seq, before, gaps]
      properties:
        events:
          type: array
          maxItems: 1000
          items: {$ref: '#/components/schemas/Event'}
        first_seq: {type: integer, minimum: 0}
        last_seq: {type: integer, minimum: 0}
        epoch: {type: string}
        has_more: {type: boolean}
        after_seq:
          type: [integer, 'null']
          minimum: 0
        before_seq:
          type: [integer, 'null']
          minimum: 0
        before:
          type: [string, 'null']
        gaps:
          type: array
          items: {$ref: '#/components/schemas/Gap'}
    Gap:
      type: object
      required: [from, to, reason]
      properties:
        from: {type: integer, minimum: 0}
        to: {type: integer, minimum: 0}
        reason:
          type: string
          enum: [unknown_cursor, retention, file_changed]
    IterationList:
      type: object
      required: [iterations, total]
      properties:
        iterations:
          type: array
          items:
            type: object
            required: [number, started_at]
            properties:
              number: {type: integer, minimum: 0}
              hat: {type: string}
              started_at: {$ref: '#/components/schemas/Timestamp'}
              duration_secs: {type: integer, minimum: 0}
        total: {type: integer, minimum: 0}
    Scratchpad:
      type: object
      required: [content, updated_at]
      properties:
        content: {type: string}
        updated_at:
          anyOf:
            - {$ref: '#/components/schemas/Timestamp'}
            - {type: 'null'}
        truncated:
          description: The text is the beginning of a larger one.
          type: boolean
    StartRequest:
      type: object
      properties:
        working_dir:
          description: 'The workspace: relative to the first root, `~` the home directory, the root if absent.'
          type: [string, 'null']
          maxLength: 4096
          pattern: ^[^\x00]*$
          examples: [.]
        config_path:
          description: A path or a name.
          type: [string, 'null']
          maxLength: 4096
          pattern: ^[^\x00]*$
          examples: [ralph.yml]
        prompt_path:
          description: A path or a name.
          type: [string, 'null']
          maxLength: 4096
          pattern: ^[^\x00]*$
          examples: [PROMPT.md]
        prompt:
          description: The prompt itself; at most 96 KiB of UTF-8.
          type: [string, 'null']
          maxLength: 98304
          pattern: ^[^\x00]*$
          examples: [Add a test.]
        max_iterations:
          type: [integer, 'null']
          minimum: 1
          maximum: 10000
        backend:
          type: [string, 'null']
          enum: [amp, claude, codex, copilot, custom, forge, gemini, kiro, kiro-acp, opencode, pi, roo, '', null]
        hats:
          description: '`builtin:<name>`, a path, or a name.'
          type: [string, 'null']
          maxLength: 4096
          pattern: ^(builtin:[A-Za-z0-9_-]+|(?!builtin:)[^\x00]*)$
        worktree:
          description: Where a run works already, run beside it.
          type: [boolean, 'null']
      anyOf:
        - required: [prompt]
          properties:
            prompt: {type: string, pattern: \S}
        - required: [prompt_path]
          properties:
            prompt_path: {type: string, minLength: 1}
    StartAnswer:
      type: object
      required: [id, status, started_at, working_dir, worktree]
      properties:
        id: {type: string, pattern: '^[0-9a-f]{16}$'}
        status: {type: string, const: starting}
        pid: {type: integer}
        started_at: {$ref: '#/components/schemas/Timestamp'}
        working_dir: {type: string}
        worktree: {type: boolean}
    StopAnswer:
      type: object
      required: [status]
      properties:
        status: {type: string, const: stopped}
        already: {type: boolean, const: true}
        final_status: {type: string}
        exit_code: {type: integer}
        exit_signal: {type: integer}
        end_reason: {type: string}
        forced: {type: boolean}
    RunnerStopRequest:
      type: object
      required: [session_id]
      properties:
        session_id:
          description: A session's id or the beginning of it.
          type: string
          minLength: 1
          maxLength: 64
          examples: [b4c8a9f21e4d5f8c]
    PauseAnswer:
      type: object
      required: [status, mode, pending, changed, requested_at]
      properties:
        status: {type: string, const: paused}
        mode: {type: string, const: paused}
        pending: {type: boolean}
        changed: {type: boolean}
        requested_at: {$ref: '#/components/schemas/Timestamp'}
        effective_at: {$ref: '#/components/schemas/Timestamp'}
    ResumeAnswer:
      type: object
      required: [status, mode, result, changed, pending, requested_at]
      properties:
        status: {type: string, const: running}
        mode: {type: string, const: live}
        result: {type: string, const: resumed}
        changed: {type: boolean}
        pending: {type: boolean}
        requested_at: {$ref: '#/components/schemas/Timestamp'}
        effective_at: {$ref: '#/components/schemas/Timestamp'}
    SteerRequest:
      type: object
      required: [message]
      properties:
        message:
          description: 'At most 1 MiB of UTF-8, and as the row that it becomes, escaped.'
          type: string
          maxLength: 1048576
          pattern: ^[^\x00]*[^\s\x00][^\x00]*$
          examples: [Keep it small.]
        urgent:
          description: Show it to the agent at its next `ralph emit` too.
          type: [boolean, 'null']
    SteerAnswer:
      type: object
      required: [status, delivered_at, effective, urgent]
      properties:
        status: {type: string, const: delivered}
        delivered_at: {$ref: '#/components/schemas/Timestamp'}
        effective: {type: string, const: next_iteration}
        urgent:
          description: Whether the agent's next `ralph emit` shows it too.
          type: boolean
        seq: {type: integer, minimum: 1}
        event_id: {type: string, pattern: ^evt_}
    EmitRequest:
      type: object
      required: [topic]
      properties:
        topic:
          description: Letters, digits, `.` and `_`; at most 200 bytes.
          type: string
          minLength: 1
          maxLength: 200
          pattern: ^[\p{L}\p{N}._]+$
          examples: [review.complete]
        payload: {description: 'Anything; at most 1 MiB as JSON, and as the row that it becomes.'}
        force:
          type: [boolean, 'null']
    EmitAnswer:
      type: object
      required: [success, topic, timestamp, session_id]
      properties:
        success: {type: boolean, const: true}
        topic: {type: string}
        timestamp: {$ref: '#/components/schemas/Timestamp'}
        session_id: {type: string, pattern: '^[0-9a-f]{16}$'}
        seq: {type: integer, minimum: 1}
        event_id: {type: string, pattern: ^evt_}
        acted:
          type: string
          enum: [pause, stop]
        action_error: {type: string}
    CommandList:
      type: object
      required: [commands, has_more]
      properties:
        commands:
          type: array
          maxItems: 1000
          items: {$ref: '#/components/schemas/Command'}
        before: {type: integer, minimum: 1}
        has_more: {type: boolean}
    Command:
      type: object
      required: [id, kind, by, marker, requested_at, outcome]
      properties:
        id: {type: integer, minimum: 1}
        kind: {type: string}
        by: {type: string}
        marker: {type: string, pattern: '^cmd_[0-9a-f]{16}$'}
        detail: {type: string}
        requested_at: {$ref: '#/components/schemas/Timestamp'}
        outcome:
          type: string
          enum: [accepted, queued, rejected, failed, pending, unknown]
        status: {type: integer, minimum: 100, maximum: 599}
        concluded_at: {$ref: '#/components/schemas/Timestamp'}
    QuestionList:
      type: object
      required: [questions]
      properties:
        questions:
          type: array
          items: {$ref: '#/components/schemas/Question'}
    Question:
      type: object
      required: [id, question_text, session_id, asked_at, timeout_at, expires, iteration, hat, channel, blocking]
      properties:
        id: {type: string}
        question_text: {type: string}
        session_id: {type: string, pattern: '^[0-9a-f]{16}$'}
        asked_at: {$ref: '#/components/schemas/Timestamp'}
        timeout_at: {$ref: '#/components/schemas/Timestamp'}
        expires: {type: boolean}
        iteration: {type: integer, minimum: 0}
        hat:
          type: [string, 'null']
        channel:
          type: string
          enum: [web, row]
        blocking: {type: boolean}
        options:
          type: array
          minItems: 1
          items: {type: string}
    QuestionResponse:
      type: object
      required: [question_id, response_text]
      properties:
        question_id: {type: string, minLength: 1, maxLength: 256}
        response_text:
          description: At most 64 KiB of UTF-8.
          type: string
          maxLength: 65536
          pattern: ^[^\x00]*[^\s\x00][^\x00]*$
          examples: [JSON]
    QuestionAnswer:
      type: object
      required: [success, question_id, delivered_at, pending]
      properties:
        success: {type: boolean, const: true}
        question_id: {type: string}
        delivered_at: {$ref: '#/components/schemas/Timestamp'}
        pending: {type: boolean}
    GuidanceRequest:
      type: object
      required: [session_id, guidance_text]
      properties:
        session_id:
          type: string
          minLength: 1
          maxLength: 64
          examples: [b4c8a9f21e4d5f8c]
        guidance_text:
          description: 'At most 1 MiB of UTF-8, and as the row that it becomes, escaped.'
          type: string
          maxLength: 1048576
          pattern: ^[^\x00]*[^\s\x00][^\x00]*$
          examples: [Use tabs.]
    GuidanceAnswer:
      type: object
      required: [success, session_id, delivered_at]
      properties:
        success: {type: boolean, const: true}
        session_id: {type: string, pattern: '^[0-9a-f]{16}$'}
        delivered_at: {$ref: '#/components/schemas/Timestamp'}
        seq: {type: integer, minimum: 1}
        event_id: {type: string, pattern: ^evt_}
    LoopList:
      type: object
      required: [loops]
      properties:
        loops:
          type: array
          items: {$ref: '#/components/schemas/Loop'}
    Loop:
      type: object
      required: [id, status, prompt, pid, started_at, workspace, alive]
      properties:
        id: {type: string, minLength: 1}
        status:
          type: string
          enum: [primary, worktree]
        prompt: {type: string}
        pid: {description: 0 where it is not known., type: integer, minimum: 0}
        started_at: {$ref: '#/components/schemas/Timestamp'}
        worktree_path: {type: string}
        workspace: {type: string}
        alive: {type: boolean}
        session_id: {type: string, pattern: '^[0-9a-f]{16}$'}
    LoopRequest:
      type: object
      required: [prompt]
      properties:
        prompt:
          description: At most 96 KiB of UTF-8.
          type: string
          maxLength: 98304
          pattern: ^[^\x00]*[^\s\x00][^\x00]*$
          examples: [Write the docs.]
        config_path:
          description: A path or a name.
          type: [string, 'null']
          maxLength: 4096
          pattern: ^[^\x00]*$
          examples: [ralph.yml]
        workspace:
          description: 'A git repository: relative to the first root, the root if absent.'
          type: [string, 'null']
          maxLength: 4096
          pattern: ^[^\x00]*$
          examples: [.]
        base_branch:
          description: Ralph branches from what is checked out whatever this says.
          type: [string, 'null']
          maxLength: 256
          pattern: ^[^\x00]*$
          examples: [main]
    LoopStarted:
      type: object
      required: [id, worktree_path, status, primary, session_id]
      properties:
        id: {type: string, minLength: 1}
        worktree_path: {type: string}
        status: {type: string, const: starting}
        primary: {type: boolean}
        session_id: {type: string, pattern: '^[0-9a-f]{16}$'}
        base_branch: {type: string}
    LoopJobAnswer:
      type: object
      required: [success, message, pending]
      properties:
        success: {type: boolean, const: true}
        message: {type: string}
        pending: {type: boolean}
    MergeQueue:
      type: object
      required: [pending, completed, skipped_lines]
      properties:
        pending:
          type: array
          items: {$ref: '#/components/schemas/MergeItem'}
        completed:
          type: array
          items: {$ref: '#/components/schemas/MergeItem'}
        skipped_lines: {type: integer, minimum: 0}
    MergeItem:
      type: object
      required: [id, status, state, prompt, queued_at, workspace]
      properties:
        id: {type: string}
        status:
          type: string
          enum: [pending, completed, failed]
        state: {description: The queue's own word., type: string}
        prompt: {type: string}
        worktree_path: {type: string}
        queued_at: {$ref: '#/components/schemas/Timestamp'}
        merged_at: {$ref: '#/components/schemas/Timestamp'}
        commit: {type: string}
        reason: {type: string}
        workspace: {type: string}
    SessionDocument:
      type: object
      required: [content, updated_at, truncated]
      properties:
        content: {type: string, description: Markdown; at most 1 MiB of it.}
        updated_at:
          type: [string, 'null']
          pattern: ^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$
        truncated: {type: boolean}
    SessionDiff:
      type: object
      required: [repository, branch, head, base, base_kind, files, truncated]
      properties:
        repository: {type: boolean}
        branch:
          type: [string, 'null']
        head:
          type: [string, 'null']
          pattern: ^([0-9a-f]{40}|[0-9a-f]{64})$
        base:
          type: [string, 'null']
          pattern: ^([0-9a-f]{40}|[0-9a-f]{64})$
        base_kind:
          type: [string, 'null']
          enum: [run_start, merge_base, head, empty, null]
        files:
          type: array
          maxItems: 2000
          items: {$ref: '#/components/schemas/ChangedFile'}
        truncated: {type: boolean}
        patch: {type: string}
        patch_truncated:
          type: boolean
          description: It was cut, or has not all new files.
    ChangedFile:
      type: object
      required: [path, status, staged, additions, deletions]
      properties:
        path: {type: string}
        status:
          type: string
          enum: [added, modified, deleted, renamed, copied, type_changed, unmerged, untracked]
        staged: {type: boolean}
        additions:
          type: [integer, 'null']
          minimum: 0
        deletions:
          type: [integer, 'null']
          minimum: 0
        old_path: {type: string}
    ExportHeader:
      type: object
      required: [format, version, session_id, epoch, first_seq, last_seq, after_seq, chain, exported_at, server, session,
        iterations]
      properties:
        format: {const: ralph-session-export}
        version: {const: 1}
        session_id: {type: string, pattern: '^[0-9a-f]{16}$'}
        epoch: {type: string}
        first_seq: {type: integer}
        last_seq: {type: integer}
        after_seq: {type: integer}
        chain: {type: string, pattern: '^[0-9a-f]{64}$'}
        exported_at: {type: string}
        server:
          type: object
          required: [name, version]
          properties:
            name: {type: string}
            version: {type: string}
        session: {type: object}
        iterations:
          type: array
          items: {type: object}
    ExportEvent:
      type: object
      required: [seq, sha256, event]
      properties:
        seq: {type: integer, minimum: 1}
        sha256: {type: string, pattern: '^[0-9a-f]{64}$'}
        event: {type: object}
    ExportGap:
      type: object
      required: [sha256, gap]
      properties:
        sha256: {type: string, pattern: '^[0-9a-f]{64}$'}
        gap:
          type: object
          required: [from, to, reason]
          properties:
            from: {type: integer}
            to: {type: integer}
            reason:
              type: string
              enum: [unknown_cursor, retention, file_changed]
    ExportEnd:
      type: object
      required: [sha256, next, trailer]
      properties:
        sha256: {type: string, pattern: '^[0-9a-f]{64}$'}
        next:
          type: [string, 'null']
        trailer:
          type: object
          required: [events, gaps, last_seq, truncated]
          properties:
            events: {type: integer, minimum: 0}
            gaps: {type: integer, minimum: 0}
            last_seq: {type: integer, minimum: 0}
            truncated: {type: boolean}
    Figures:
      type: object
      required: [runs, iterations, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, peak_input_tokens,
        cost_usd, worked_ms, paused_ms, tool_calls, gates_passed, gates_failed]
      properties:
        runs: {type: integer, format: int64, minimum: 0}
        iterations: {type: integer, format: int64, minimum: 0}
        input_tokens: {type: integer, format: int64, minimum: 0}
        output_tokens: {type: integer, format: int64, minimum: 0}
        cache_read_tokens: {type: integer, format: int64, minimum: 0}
        cache_write_tokens: {type: integer, format: int64, minimum: 0}
        peak_input_tokens: {type: integer, format: int64, minimum: 0}
        cost_usd: {type: number, minimum: 0}
        worked_ms: {type: integer, format: int64, minimum: 0}
        paused_ms: {type: integer, format: int64, minimum: 0}
        tool_calls: {type: integer, format: int64, minimum: 0}
        gates_passed: {type: integer, format: int64, minimum: 0}
        gates_failed: {type: integer, format: int64, minimum: 0}
    FiguresOfDay:
      allOf:
        - {$ref: '#/components/schemas/Figures'}
        - type: object
          required: [day]
          properties:
            day: {type: string, format: date}
    FiguresOfSession:
      allOf:
        - {$ref: '#/components/schemas/Figures'}
        - type: object
          required: [id, working_dir]
          properties:
            id: {type: string, pattern: '^[0-9a-f]{16}$'}
            working_dir:
              type: [string, 'null']
    SessionMetrics:
      type: object
      required: [session_id, planning_tokens, execution_tokens, review_tokens, input_tokens, output_tokens, estimated_cost_usd,
        totals, days]
      properties:
        session_id: {type: string, pattern: '^[0-9a-f]{16}$'}
        planning_tokens: {type: integer, format: int64}
        execution_tokens: {type: integer, format: int64}
        review_tokens: {type: integer, format: int64}
        total_remaining: {type: integer, format: int64}
        input_tokens: {type: integer, format: int64}
        output_tokens: {type: integer, format: int64}
        estimated_cost_usd: {type: number}
        duration_ms: {type: integer, format: int64}
        totals: {$ref: '#/components/schemas/Figures'}
        days:
          type: array
          maxItems: 366
          items: {$ref: '#/components/schemas/FiguresOfDay'}
    Stats:
      type: object
      required: [window, from, to, totals, days, sessions, session_count, sessions_cut]
      properties:
        window: {type: string}
        from: {type: string, format: date}
        to: {type: string, format: date}
        totals: {$ref: '#/components/schemas/Figures'}
        days:
          type: array
          maxItems: 367
          items: {$ref: '#/components/schemas/FiguresOfDay'}
        sessions:
          type: array
          maxItems: 500
          items: {$ref: '#/components/schemas/FiguresOfSession'}
        session_count: {type: integer, minimum: 0}
        sessions_cut: {type: boolean}
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
            download_mbps: {type: number, minimum: 0, description: Megabytes (10^6) a second.}
            upload_mbps: {type: number, minimum: 0, description: Megabytes (10^6) a second.}
            download_bytes_per_sec: {type: integer, minimum: 0}
            upload_bytes_per_sec: {type: integer, minimum: 0}
        cpu_percent: {type: number, minimum: 0, maximum: 100}
        memory_percent: {type: number, minimum: 0, maximum: 100}
        disk_percent: {type: number, minimum: 0, maximum: 100}
        load_avg:
          type: array
          minItems: 3
          maxItems: 3
          items: {type: number, minimum: 0}
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
    Readiness:
      type: object
      required: [status, reasons]
      properties:
        status:
          type: string
          enum: [ready, unready]
        reasons:
          type: array
          items:
            type: string
            enum: [scanning, store]
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
            schemes:
              type: array
              items: {type: string}
        tls_fingerprint:
          type: [string, 'null']
        features:
          type: array
          items: {type: string}
        links:
          type: object
          additionalProperties: {type: string}
    LibraryOrigin:
      type: string
      enum: [workspace, user, shipped, built-in]
    LibraryShadows:
      description: Absolute paths of the files of the same name that the item hides; built-in for a skill of Ralph's own.
      type: array
      items: {type: string}
    LibraryConfig:
      type: object
      required: [path, name, description, origin, shadows]
      properties:
        path: {type: string, minLength: 1}
        name: {type: string, minLength: 1}
        description: {type: string}
        origin: {$ref: '#/components/schemas/LibraryOrigin'}
        shadows: {$ref: '#/components/schemas/LibraryShadows'}
        error: {type: string, description: Why the file cannot be used.}
    LibraryConfigList:
      type: object
      required: [configs]
      properties:
        configs:
          type: array
          maxItems: 5000
          items: {$ref: '#/components/schemas/LibraryConfig'}
        truncated: {const: true}
        found: {type: integer, minimum: 0}
    LibraryPresetList:
      type: object
      required: [presets]
      properties:
        presets:
          type: array
          maxItems: 5000
          items: {$ref: '#/components/schemas/LibraryConfig'}
        truncated: {const: true}
        found: {type: integer, minimum: 0}
    LibraryPrompt:
      type: object
      required: [path, name, preview, origin, shadows]
      properties:
        path: {type: string, minLength: 1}
        name: {type: string, minLength: 1}
        preview: {type: string, maxLength: 50}
        origin: {$ref: '#/components/schemas/LibraryOrigin'}
        shadows: {$ref: '#/components/schemas/LibraryShadows'}
        error: {type: string}
    LibraryPromptList:
      type: object
      required: [prompts]
      properties:
        prompts:
          type: array
          maxItems: 5000
          items: {$ref: '#/components/schemas/LibraryPrompt'}
        truncated: {const: true}
        found: {type: integer, minimum: 0}
    LibraryHat:
      type: object
      required: [id, name, description, emoji, triggers, publishes, presets, origin, path, shadows]
      properties:
        id: {type: string}
        name: {type: string}
        description: {type: string}
        emoji: {type: string}
        color: {type: string, pattern: '^#[0-9a-f]{6}$'}
        triggers:
          type: array
          items: {type: string}
        publishes:
          type: array
          items: {type: string}
        presets:
          type: array
          items: {type: string}
        origin: {$ref: '#/components/schemas/LibraryOrigin'}
        path: {type: string}
        shadows: {$ref: '#/components/schemas/LibraryShadows'}
        error: {type: string}
    LibraryHatList:
      type: object
      required: [hats]
      properties:
        hats:
          type: array
          maxItems: 5000
          items: {$ref: '#/components/schemas/LibraryHat'}
        truncated: {const: true}
        found: {type: integer, minimum: 0}
    LibrarySkill:
      type: object
      required: [name, description, tags, hats, backends, auto_inject, source, origin, shadows, enabled]
      properties:
        name: {type: string, minLength: 1}
        description: {type: string}
        tags:
          type: array
          items: {type: string}
        hats:
          type: array
          items: {type: string}
        backends:
          type: array
          items: {type: string}
        auto_inject: {type: boolean}
        source:
          type: string
          enum: [built-in, file]
        origin: {$ref: '#/components/schemas/LibraryOrigin'}
        path: {type: string}
        shadows: {$ref: '#/components/schemas/LibraryShadows'}
        enabled: {type: boolean}
        error: {type: string}
    LibrarySkillList:
      type: object
      required: [skills, count]
      properties:
        skills:
          type: array
          items: {$ref: '#/components/schemas/LibrarySkill'}
        count: {type: integer, minimum: 0}
        truncated: {const: true}
        found: {type: integer, minimum: 0}
    LibraryContent:
      type: object
      required: [path, content, content_type, mime_type, origin]
      properties:
        path: {type: string}
        content: {type: string}
        content_type:
          type: string
          enum: [yaml, markdown]
        mime_type:
          type: string
          enum: [application/x-yaml, text/markdown]
        origin: {$ref: '#/components/schemas/LibraryOrigin'}
    LibraryLoadedSkill:
      type: object
      required: [name, content]
      properties:
        name: {type: string}
        content: {type: string}
    SeqOrUnixTime:
      description: Below 10 digits an event's number, else seconds since 1970, up to the year 9999.
      type: integer
      format: int64
      minimum: 0
      maximum: 253402300799
    SearchTime:
      description: A duration back, a unix time of 10 digits up to the year 9999, an RFC 3339 timestamp, or `all`.
      type: string
      minLength: 1
      maxLength: 64
      examples: [10m, 2h, '1770000000', '2026-02-05T10:30:45.123Z', all]
    SearchPage:
      type: object
      required: [hits, has_more, next, took_ms, indexed_through, behind]
      properties:
        hits:
          type: array
          maxItems: 200
          items: {$ref: '#/components/schemas/SearchHit'}
        has_more: {type: boolean}
        next:
          description: Send it as `before` for the next page; null on the last one.
          type: [string, 'null']
        took_ms: {type: integer, minimum: 0}
        indexed_through: {description: Events up to this global id were searched., type: integer, minimum: 0}
        behind: {description: Stored events that are not in the index yet., type: integer, minimum: 0}
    SearchHit:
      type: object
      required: [session_id, seq, id, global_id, ts, topic, hat, type, snippet, highlights, event]
      properties:
        session_id: {type: string, pattern: '^[0-9a-f]{16}$'}
        seq: {type: integer, minimum: 1}
        id: {type: string}
        global_id: {type: integer, minimum: 1}
        ts: {type: string, format: date-time}
        topic: {type: string}
        hat:
          type: [string, 'null']
        type: {type: string}
        snippet: {type: string}
        highlights:
          description: From and up to but not including, in UTF-16 code units of `snippet`.
          type: array
          items:
            type: array
            minItems: 2
            maxItems: 2
            items: {type: integer, minimum: 0}
        event:
          description: The event as streams have it.
          type: object
          required: [id, seq, session_id, type, ts, topic]
    Memories:
      type: object
      required: [content, last_modified]
      properties:
        content: {type: string}
        last_modified:
          type: [string, 'null']
          format: date-time
        repaired: {type: boolean, const: true, description: Invalid UTF-8 was replaced; such a file is not written to.}
    MemoriesRequest:
      type: object
      required: [content]
      properties:
        content: {type: string, pattern: '^[^\u0000]*$', description: At most 8 MiB in UTF-8.}
        last_modified:
          type: [string, 'null']
          format: date-time
          description: As the last answer had it; then a text that was changed since is left alone.
    MemoriesExport:
      type: object
      required: [content, exported_at, filename]
      properties:
        content: {type: string}
        exported_at: {type: string, format: date-time}
        filename: {type: string, pattern: '^memories-[0-9]{8}-[0-9]{6}\.md$'}
        repaired: {type: boolean, const: true, description: Invalid UTF-8 was replaced.}
    Task:
      type: object
      required: [id, title, status, priority, blocked_by, created_at, updated_at]
      properties:
        id: {type: string}
        title: {type: string}
        description: {type: string}
        status: {type: string, description: '`open`, `in_progress`, `closed`, `failed`; later versions of Ralph may write
            others.'}
        priority: {type: integer, minimum: 0, maximum: 255}
        blocked_by:
          type: array
          items: {type: string}
        loop_id: {type: string}
        created_at: {type: string, format: date-time}
        updated_at: {type: string, format: date-time}
    TaskList:
      type: object
      required: [tasks, total, has_more, skipped_lines]
      properties:
        tasks:
          type: array
          maxItems: 10000
          items: {$ref: '#/components/schemas/Task'}
        total: {type: integer, minimum: 0}
        has_more: {type: boolean}
        skipped_lines: {type: integer, minimum: 0}
    TaskDraft:
      type: object
      required: [title]
      properties:
        title: {type: string, pattern: '^[^\u0000]*[^\s\u0000][^\u0000]*$', description: At most 1000 bytes in UTF-8.}
        description:
          type: [string, 'null']
          pattern: ^[^\u0000]*$
          description: At most 64 KiB in UTF-8.
        priority:
          type: [integer, 'null']
          minimum: 1
          maximum: 5
          default: 3
        blocked_by:
          type: [array, 'null']
          maxItems: 100
          items: {type: string, pattern: '^[^\u0000]*$', description: At most 128 bytes in UTF-8.}
    TaskChange:
      type: object
      properties:
        status:
          type: [string, 'null']
          pattern: ^([Oo][Pp][Ee][Nn]|[Ii][Nn]_[Pp][Rr][Oo][Gg][Rr][Ee][Ss][Ss]|[Cc][Ll][Oo][Ss][Ee][Dd]|[Ff][Aa][Ii][Ll][Ee][Dd])$
        title:
          type: [string, 'null']
          pattern: ^[^\u0000]*[^\s\u0000][^\u0000]*$
        description:
          type: [string, 'null']
          pattern: ^[^\u0000]*$
        priority:
          type: [integer, 'null']
          minimum: 1
          maximum: 5
        blocked_by:
          type: [array, 'null']
          maxItems: 100
          items: {type: string, pattern: '^[^\u0000]*$'}
      anyOf:
        - required: [status]
          properties:
            status: {type: string}
        - required: [title]
          properties:
            title: {type: string}
        - required: [description]
          properties:
            description: {type: string}
        - required: [priority]
          properties:
            priority: {type: integer}
        - required: [blocked_by]
          properties:
            blocked_by: {type: array}
    ConfigExport:
      type: object
      required: [content, filename]
      properties:
        content: {type: string}
        filename:
          enum: [ralph.yml, ralph.yaml]
    ConfigImportRequest:
      type: object
      required: [content]
      properties:
        content:
          type: string
          minLength: 1
          contentMediaType: application/yaml
          description: One map, at most 1 MiB in UTF-8.
          examples: ["cli:\n  backend: claude\n"]
    ConfigImport:
      type: object
      required: [status, path]
      properties:
        status: {const: Configuration imported successfully}
        path: {const: ralph.yml}
        backup: {type: string}
    ProblemDocument:
      description: RFC 9457, for those whose `Accept` prefers it.
      type: object
      required: [type, title, status, detail, code, error]
      properties:
        type: {type: string, pattern: '^urn:ralph-mobile:problem:[a-z0-9-]+$'}
        title: {type: string, minLength: 1}
        status: {type: integer, minimum: 400, maximum: 599}
        detail: {type: string}
        code: {type: string, pattern: '^[A-Z_]+$'}
        error: {type: string, minLength: 1}
    Device:
      type: object
      required: [id, name, scope, scopes, created_at]
      properties:
        id: {type: string, pattern: '^[0-9a-f]{12}$'}
        name: {type: string, minLength: 1, maxLength: 80}
        scope: {$ref: '#/components/schemas/Scope'}
        scopes:
          type: array
          items: {$ref: '#/components/schemas/Scope'}
          minItems: 1
          maxItems: 4
        created_at: {type: string, format: date-time}
        last_seen: {type: string, format: date-time}
        last_peer: {type: string}
    Scope:
      type: string
      enum: [watch, answer, steer, start]
    StreamTicket:
      type: object
      required: [ticket, expires_at]
      properties:
        ticket: {type: string, pattern: '^[0-9a-f]{64}$'}
        expires_at: {type: string, format: date-time}
    AuditEntry:
      description: One line of the audit log.
      type: object
      required: [seq, ts, who, action, outcome]
      additionalProperties: false
      properties:
        seq: {description: 'Its number, which goes on over restarts.', type: integer, format: int64, minimum: 1}
        ts: {$ref: '#/components/schemas/Timestamp'}
        who:
          type: string
          enum: [open, key, local, device, nobody, server]
        device: {description: 'The id of the device, if one did it.', type: string, pattern: '^[0-9a-f]{12}$'}
        peer: {description: The address that it came from; absent if it came from nowhere., type: string}
        action: {description: 'A method and the pattern of a route, or a word such as `server.start`.', type: string}
        target: {description: 'What the path names, at most 200 bytes.', type: string, maxLength: 200}
        outcome:
          type: string
          enum: [ok, refused, rejected, failed, unknown]
        status: {description: Of the answer; absent if there was none., type: integer, minimum: 100, maximum: 599}
        count: {description: So often; absent means once., type: integer, minimum: 1}
    PairingInvitation:
      type: object
      required: [ticket, typed, link, hosts, local_only, scope, expires_at]
      properties:
        ticket: {type: string, pattern: '^[0-7][0-9A-HJKMNP-TV-Z]{25}$'}
        typed: {type: string, pattern: '^([0-9A-HJKMNP-TV-Z]{5}-){5}[0-9A-HJKMNP-TV-Z]$'}
        link: {type: string, pattern: '^ralphmobile://pair\?v=1&'}
        hosts:
          type: array
          items: {type: string}
          minItems: 1
          maxItems: 8
        local_only: {type: boolean, description: No other machine can reach the server.}
        scope: {$ref: '#/components/schemas/Scope'}
        name: {type: string, minLength: 1, maxLength: 80}
        expires_at: {type: string, format: date-time}
    PairedDevice:
      type: object
      required: [device, token, server]
      properties:
        device: {$ref: '#/components/schemas/Device'}
        token: {type: string, pattern: '^rmd_[0-9a-f]{64}$'}
        server:
          type: object
          required: [name, version, api_version]
          properties:
            name: {type: string}
            version: {type: string}
            api_version: {type: string}
            tls_fingerprint: {type: string, pattern: '^[0-9a-f]{64}$', description: SHA-256 of the certificate; absent without
                TLS.}

"""#
}
