// Generated files of src/contract: events, commands, deltas, queries and their answers, refusals, configuration, tools.
import { z } from "zod"
import { sessionCommands } from "../../src/contract/commands.ts"
import { Config } from "../../src/contract/config.ts"
import { sessionDeltas } from "../../src/contract/deltas.ts"
import { sessionEvents } from "../../src/contract/events.ts"
import { hostCommands } from "../../src/contract/host-commands.ts"
import { queries as declaredQueries } from "../../src/contract/queries.ts"
import { refusals as declaredRefusals } from "../../src/contract/refusals.ts"
import * as toolInputs from "../../src/contract/tool-inputs.ts"
import { SessionStatus } from "../../src/contract/views/status.ts"
import { checkerModule, completingModule, unionCheck, unionModule } from "./checkers.ts"
import {
  byTag,
  jsonSchema,
  jsonSchemas,
  pretty,
  tableFile,
  unionFile,
  withType,
  type Artefact,
  type Schemas,
} from "./schemas.ts"

const generated = "src/contract/generated"

export function contractArtefacts(): Artefact[] {
  const deltas = byTag(sessionDeltas, "type")
  const refusals = byTag(declaredRefusals, "code")
  const queries = withType(declaredQueries)
  const requests = withType(hostCommands)
  return [
    ...eventArtefacts(byTag(sessionEvents, "type")),
    ...commandArtefacts(byTag(sessionCommands, "type")),
    unionFile("deltas", "Live deltas of a session", deltas),
    ...unionModule(`${generated}/deltas`, deltas, "type", {
      check: "checkDelta",
      types: ["SessionDelta"],
      from: "../deltas.ts",
    }),
    unionFile("refusals", "Refusals", refusals),
    ...unionModule(`${generated}/refusals`, refusals, "code", {
      check: "checkRefusal",
      types: ["Refusal"],
      from: "../refusals.ts",
    }),
    unionFile("queries", "Queries and commands of a host", new Map([...queries, ...requests])),
    ...unionModule(`${generated}/queries`, queries, "type", {
      check: "checkQuery",
      types: ["HostQuery"],
      from: "../queries.ts",
    }),
    ...unionModule(`${generated}/host-commands`, requests, "type", {
      check: "checkHostCommand",
      types: ["HostCommand"],
      from: "../host-commands.ts",
    }),
    ...answerArtefacts(),
    ...completingModule(`${generated}/status`, new Map([["status", SessionStatus]]), statusTypes),
    ["spec/schemas/config.json", pretty(jsonSchema(Config))],
    ...checkerModule(`${generated}/config`, new Map([["config", Config]]), "all-faults", { types: configTypes }),
    ...toolArtefacts(),
  ]
}

function eventArtefacts(events: Schemas): Artefact[] {
  const versions = [...events].map(
    ([name, schema]) => `  ${JSON.stringify(name)}: ${z.int().parse(schema.meta()?.["version"])},`,
  )
  const code = `export const eventVersions = {
${versions.join("\n")}
};
export function checkEvent(type, body) {
  return Object.hasOwn(checks, type) && checks[type](body);
}
`
  return [
    unionFile("events", "Stored events of a session", events),
    ...checkerModule(`${generated}/events`, events, "yes-or-no", { types: eventTypes, code }),
  ]
}

function commandArtefacts(commands: Schemas): Artefact[] {
  return [
    unionFile("commands", "Commands of a session", commands),
    ...checkerModule(`${generated}/commands`, commands, "all-faults", {
      types: commandTypes,
      code: unionCheck("checkCommand", "type"),
    }),
  ]
}

function answerArtefacts(): Artefact[] {
  const answers = new Map<string, z.ZodType>([
    ...Object.entries(declaredQueries).map(([type, { answer }]) => [type, answer] as const),
    ...Object.entries(hostCommands).map(([type, { result }]) => [type, result] as const),
  ])
  return [tableFile("answers", answers), ...completingModule(`${generated}/answers`, answers, answerTypes)]
}

function toolArtefacts(): Artefact[] {
  const named = Object.entries(toolInputs)
    .map(([name, schema]) => ({ name, schema, title: z.string().parse(schema.meta()?.title) }))
    .toSorted((one, other) => (one.title < other.title ? -1 : 1))
  const tools = new Map(named.map(({ title, schema }) => [title, schema]))
  const rows = named.map(({ name, title }) => `  ${title}: Check<z.infer<typeof inputs.${name}>>`)
  return [
    tableFile("tools", tools),
    ...checkerModule(`${generated}/tool-inputs`, tools, "all-faults", {
      types: `import type { z } from "zod"
import type * as inputs from "../tool-inputs.ts"
export declare const checks: {
${rows.join("\n")}
}
export declare const toolInputSchemas: Record<keyof typeof checks, Record<string, unknown>>
`,
      code: `export const toolInputSchemas = ${pretty(jsonSchemas(tools)).trimEnd()};\n`,
    }),
  ]
}

const eventTypes = `import type { EventType, SessionEvent } from "../events.ts"
export declare const eventVersions: Record<EventType, number>
export declare function checkEvent(type: string, body: unknown): body is SessionEvent
`

const commandTypes = `import type { SessionCommand } from "../commands.ts"
export declare const checks: { [Type in SessionCommand["type"]]: Check<Extract<SessionCommand, { type: Type }>> }
export declare function checkCommand(value: unknown): value is SessionCommand
`

const answerTypes = `import type { HostCommandResults } from "../host-commands.ts"
import type { Answers } from "../queries.ts"
type Checked = Answers & HostCommandResults
export declare const checks: { [Type in keyof Checked]: (value: unknown) => value is Checked[Type] }
`

const statusTypes = `import type { SessionStatus } from "../views/status.ts"
export declare const checks: { status: (value: unknown) => value is SessionStatus }
`

const configTypes = `import type { Config } from "../config.ts"
export declare const checks: { config: Check<Config> }
`
