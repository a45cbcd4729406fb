// Generated files of src/protocols and src/log-writer: the frames of each wire.
import { z } from "zod"
import * as logWriter from "../../src/log-writer/frames.ts"
import { Accepted, WriteRequest } from "../../src/log/sqlite/writes/write-request.ts"
import * as extension from "../../src/protocols/extension/frames.ts"
import * as house from "../../src/protocols/house/frames.ts"
import * as ipc from "../../src/protocols/ipc/frames.ts"
import * as rpc from "../../src/protocols/rpc/frames.ts"
import * as ws from "../../src/protocols/ws/frames.ts"
import { checkerModule, notice, unionModule, type Detail } from "./checkers.ts"
import { byTag, jsonSchema, tableFile, unionFile, type Artefact, type Schemas } from "./schemas.ts"

export function protocolArtefacts(): Artefact[] {
  return [
    ...houseArtefacts(),
    ...rpcArtefacts(),
    ...wsArtefacts(),
    ...ipcArtefacts(),
    ...extensionArtefacts(),
    ...logWriterArtefacts(),
  ]
}

function houseArtefacts(): Artefact[] {
  const frames = namedFrames(house, { client: "ClientFrame", host: "HostFrame" })
  return [
    tableFile("house-wire", frames.schemas),
    ...frameModule("src/protocols/house/generated/frames", frames, "all-faults"),
  ]
}

function rpcArtefacts(): Artefact[] {
  const generated = "src/protocols/rpc/generated"
  const commands = byTag([...rpc.RpcCommand.options, ...rpc.ExtendedCommand.options], "type")
  const events = byTag([...rpc.RpcEvent.options, ...rpc.ExtendedEvent.options], "type")
  const bodies = new Map<string, z.ZodType>(Object.entries(rpc.responseBodies))
  return [
    unionFile("rpc-commands", "Commands of synaps RPC v1, and two more", commands),
    unionFile("rpc-events", "Events of synaps RPC v1, and one more", events),
    ...checkerModule(`${generated}/commands`, commands, "all-faults", { types: rpcCommandTypes }),
    ...unionModule(`${generated}/events`, events, "type", {
      check: "checkRpcEvent",
      types: ["ExtendedEvent", "RpcEvent"],
      from: "../frames.ts",
    }),
    ...checkerModule(`${generated}/bodies`, bodies, "yes-or-no", { types: rpcBodyTypes }),
  ]
}

function wsArtefacts(): Artefact[] {
  const generated = "src/protocols/ws/generated"
  const events = byTag(ws.ServerEvent.options, "type")
  const answers = namedFrames(ws, {
    created: "CreatedSession",
    session: "SessionFacts",
    messages: "MessagePage",
    conversation: "ConversationLine",
  })
  return [
    unionFile("ws-events", "Events of smooth-operator over WebSocket", events),
    tableFile("ws-answers", answers.schemas),
    ...unionModule(`${generated}/events`, events, "type", {
      check: "checkServerEvent",
      types: ["ServerEvent"],
      from: "../frames.ts",
    }),
    ...frameModule(`${generated}/answers`, answers, "yes-or-no"),
  ]
}

function ipcArtefacts(): Artefact[] {
  const generated = "src/protocols/ipc/generated"
  const viewer = byTag(ipc.ViewerMessage.options, "type")
  const agent = byTag(ipc.AgentMessage.options, "type")
  const shapes = namedFrames(ipc, {
    handshake: "Handshake",
    handshake_response: "HandshakeResponse",
    agent_metadata: "AgentMetadata",
    agent_config: "AgentConfig",
    display_message: "DisplayMessage",
    lock_info: "LockInfo",
  })
  const fields = fieldTable("viewer", viewer) + fieldTable("agent", agent) + fieldTable("shapes", shapes.schemas)
  return [
    unionFile("ipc-viewer-messages", "Messages of a viewer, brainwires IPC v2", viewer),
    unionFile("ipc-agent-messages", "Messages of an agent, brainwires IPC v2", agent),
    tableFile("ipc-shapes", shapes.schemas),
    ...checkerModule(`${generated}/viewer-messages`, viewer, "first-fault", { types: messageTypes("ViewerMessage") }),
    ...checkerModule(`${generated}/agent-messages`, agent, "first-fault", { types: messageTypes("AgentMessage") }),
    ...frameModule(`${generated}/shapes`, shapes, "yes-or-no"),
    [`${generated}/fields.js`, notice + fields],
    [`${generated}/fields.d.ts`, notice + ipcFieldTypes],
  ]
}

function extensionArtefacts(): Artefact[] {
  const frames = namedFrames(extension, {
    event: "HookEvent",
    action: "HookAction",
    initialized: "InitializeResult",
    manifest: "ExtensionManifest",
    sandbox: "SandboxNeeds",
    "provider.request": "ProviderRequest",
    "provider.result": "ProviderResult",
    "provider.block": "ProviderBlock",
    "provider.stream.event": "ProviderStreamEvent",
    "memory.append": "MemoryAppend",
    "memory.query": "MemoryQuery",
    "memory.record": "MemoryRecord",
    "config.get": "ConfigGet",
    "config.set": "ConfigSet",
  })
  return [
    tableFile("extension", frames.schemas),
    ...frameModule("src/protocols/extension/generated/frames", frames, "all-faults"),
  ]
}

function logWriterArtefacts(): Artefact[] {
  const generated = "src/log-writer/generated"
  const from = "../../log/sqlite/writes/write-request.ts"
  const frames = namedFrames(logWriter, { client: "ClientFrame", writer: "WriterFrame" })
  return [
    ...unionModule(`${generated}/requests`, byTag(WriteRequest.options, "kind"), "kind", {
      check: "checkWriteRequest",
      types: ["WriteRequest"],
      from,
    }),
    ...unionModule(`${generated}/answers`, byTag(Accepted.options, "kind"), "kind", {
      check: "checkAccepted",
      types: ["Accepted"],
      from,
    }),
    ...frameModule(`${generated}/frames`, frames, "yes-or-no"),
  ]
}

interface NamedFrames {
  readonly schemas: Schemas
  /** The name of each frame's type in `frames.ts`. */
  readonly types: Readonly<Record<string, string>>
}

/** Frames by their name on the wire; `types` says what `frames.ts` calls the schema and its type. */
function namedFrames(module: Readonly<Record<string, unknown>>, types: NamedFrames["types"]): NamedFrames {
  const schemas = Object.entries(types).map(
    ([name, type]) => [name, z.instanceof(z.ZodType).parse(module[type])] as const,
  )
  return { schemas: new Map(schemas), types }
}

function frameModule(path: string, { schemas, types }: NamedFrames, detail: Detail): Artefact[] {
  const checker = (type: string) =>
    detail === "yes-or-no" ? `(value: unknown) => value is frames.${type}` : `Check<frames.${type}>`
  const rows = Object.entries(types).map(([name, type]) => `  ${JSON.stringify(name)}: ${checker(type)}`)
  return checkerModule(path, schemas, detail, {
    types: `import type * as frames from "../frames.ts"
export declare const checks: {
${rows.join("\n")}
}
`,
  })
}

/** The names of the fields of each schema, in the order in which they are declared. */
function fieldTable(name: string, schemas: Schemas): string {
  const rows = [...schemas].map(([type, schema]) => {
    const fields = Object.keys(jsonSchema(schema)["properties"] ?? {})
    return `  ${JSON.stringify(type)}: ${JSON.stringify(fields)},`
  })
  return `export const ${name} = {\n${rows.join("\n")}\n};\n`
}

function messageTypes(type: string): string {
  return `import type { ${type} } from "../frames.ts"
export declare const checks: Record<${type}["type"], Check<${type}>>
`
}

const ipcFieldTypes = `import type { AgentMessage, ViewerMessage } from "../frames.ts"
import type { checks } from "./shapes.js"
export declare const viewer: Record<ViewerMessage["type"], readonly string[]>
export declare const agent: Record<AgentMessage["type"], readonly string[]>
export declare const shapes: Record<keyof typeof checks, readonly string[]>
`

const rpcCommandTypes = `import type { ExtendedCommand, RpcCommand } from "../frames.ts"
export declare const checks: Record<(RpcCommand | ExtendedCommand)["type"], Check<RpcCommand | ExtendedCommand>>
`

const rpcBodyTypes = `import type { ResponseBodies } from "../frames.ts"
export declare const checks: { [Command in keyof ResponseBodies]: (value: unknown) => value is ResponseBodies[Command] }
`
