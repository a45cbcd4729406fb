// What a server offers: its tools, prompts and resources. Lists are bounded, so that a server can neither fill the memory
// nor the requests to the model, and an item that cannot be used does not spoil the others. The SDK's own lists are not
// used: with them it would compile the output schemas of servers and refuse results after their effect.
import { createHash } from "node:crypto"
import { isJson, isJsonObject, isObject, type JsonObject } from "../../contract/json-object.ts"
import { canonical } from "../../contract/canonical-json.ts"
import { shortened } from "../../contract/text/text.ts"
import { listOf, memberOf, textOf } from "../asking/read-value.ts"
import type { Connection } from "../connection/connect.ts"
import { readItems } from "./pages.ts"

export interface ListedTool {
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonObject
  /** Of its own account: they count only for trusted servers. */
  readonly isReadOnly: boolean
  readonly isIdempotent: boolean
  /** All its hints, for people. */
  readonly annotations: Readonly<Record<string, boolean>>
  /** Digest of everything above except the hints for people, as the server sent it: approvals hold for this description only. */
  readonly revision: string
}

export interface ListedPrompt {
  readonly name: string
  readonly description: string
  readonly args: readonly { readonly name: string; readonly isRequired: boolean }[]
}

export interface ListedResource {
  readonly uri: string
  readonly name: string
  readonly description: string
  readonly mediaType: string | undefined
}

export interface Listed<Item> {
  readonly items: readonly Item[]
  /** What was left out, for people. */
  readonly problems: readonly string[]
}

const MAX_TOOLS = 500
const MAX_PROMPTS = 200
const MAX_RESOURCES = 1000
/** Characters of a description for the model. */
const MAX_DESCRIPTION = 4000
const MAX_NAME = 128
const MAX_SCHEMA_BYTES = 64 * 1024
/** Levels of a schema: functions that follow it call themselves. */
const MAX_SCHEMA_DEPTH = 64
const MAX_ARGUMENTS = 20
const MAX_URI = 2048

export async function listTools(connection: Connection, signal: AbortSignal): Promise<Listed<ListedTool>> {
  if (connection.capabilities.tools === undefined) return { items: [], problems: [] }
  const all = await readItems(connection, "tools", MAX_TOOLS, signal)
  const tools = all.slice(0, MAX_TOOLS).map(listedTool)
  const items = unique(tools.filter((tool) => typeof tool !== "string"))
  const problems = tools.filter((tool) => typeof tool === "string")
  return {
    items,
    problems: all.length > MAX_TOOLS ? [...problems, `only its first ${MAX_TOOLS} tools are used`] : problems,
  }
}

export async function listPrompts(connection: Connection, signal: AbortSignal): Promise<readonly ListedPrompt[]> {
  if (connection.capabilities.prompts === undefined) return []
  const all = await readItems(connection, "prompts", MAX_PROMPTS, signal)
  return unique(all.slice(0, MAX_PROMPTS).flatMap(listedPrompt))
}

/** Nothing of an item that has no name, or one that is too long. */
function listedPrompt(item: unknown): readonly ListedPrompt[] {
  const name = textOf(item, "name") ?? ""
  if (name === "" || name.length > MAX_NAME) return []
  const args = (listOf(item, "arguments") ?? []).slice(0, MAX_ARGUMENTS).flatMap((one) => {
    const argument = textOf(one, "name")
    return argument === undefined ? [] : [{ name: argument, isRequired: memberOf(one, "required") === true }]
  })
  return [{ name, description: shortened(textOf(item, "description") ?? "", MAX_DESCRIPTION), args }]
}

export async function listResources(connection: Connection, signal: AbortSignal): Promise<readonly ListedResource[]> {
  if (connection.capabilities.resources === undefined) return []
  const all = await readItems(connection, "resources", MAX_RESOURCES, signal)
  return all.slice(0, MAX_RESOURCES).flatMap(listedResource)
}

function listedResource(item: unknown): readonly ListedResource[] {
  const uri = textOf(item, "uri") ?? ""
  if (uri === "" || uri.length > MAX_URI) return []
  const name = shortened(textOf(item, "name") ?? uri, MAX_NAME)
  const description = shortened(textOf(item, "description") ?? "", MAX_DESCRIPTION)
  return [{ uri, name, description, mediaType: textOf(item, "mimeType") }]
}

/** The first of each name. */
function unique<Item extends { readonly name: string }>(items: readonly Item[]): readonly Item[] {
  return [...new Map(items.toReversed().map((item) => [item.name, item])).values()].toReversed()
}

/** Or why it is not used. */
function listedTool(item: unknown, at: number): ListedTool | string {
  const name = textOf(item, "name")
  if (name === undefined) return `its tool number ${at + 1} is not used: it has no name`
  const unusable = (why: string) => `its tool ${JSON.stringify(shortened(name, MAX_NAME))} is not used: ${why}`
  if (name === "" || name.length > MAX_NAME) return unusable(`its name must have 1 to ${MAX_NAME} characters`)
  const inputSchema = memberOf(item, "inputSchema")
  const problem = schemaProblem(inputSchema)
  if (problem !== undefined) return unusable(`its input schema ${problem}`)
  if (!isJson(inputSchema) || !isJsonObject(inputSchema)) return unusable("its input schema is not a JSON object")
  if (memberOf(memberOf(item, "execution"), "taskSupport") === "required")
    return unusable("it can be called only as a task")
  const description = textOf(item, "description") ?? textOf(item, "title") ?? ""
  const annotations = hintsOf(memberOf(item, "annotations"))
  const { readOnlyHint: isReadOnly = false, idempotentHint: isIdempotent = false } = annotations
  const facts = canonical([name, description, inputSchema, isReadOnly, isIdempotent])
  const revision = createHash("sha256").update(facts).digest("hex").slice(0, 32)
  const hints = { isReadOnly, isIdempotent, annotations }
  return { name, description: shortened(description, MAX_DESCRIPTION), inputSchema, ...hints, revision }
}

function schemaProblem(schema: unknown): string | undefined {
  if (!isObject(schema)) return "is not a JSON object"
  const type = memberOf(schema, "type")
  if (type !== undefined && type !== "object") return 'has another type than "object"'
  if (isDeeper(schema, MAX_SCHEMA_DEPTH)) return `has more than ${MAX_SCHEMA_DEPTH} levels`
  return Buffer.byteLength(JSON.stringify(schema)) > MAX_SCHEMA_BYTES
    ? `has more than ${MAX_SCHEMA_BYTES} bytes`
    : undefined
}

/** Goes no deeper than asked. */
function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false
  return levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1))
}

const hintNames = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] as const

/** Only those that are true or false. */
function hintsOf(annotations: unknown): Partial<Record<(typeof hintNames)[number], boolean>> {
  return Object.fromEntries(
    hintNames.flatMap((name) => {
      const value = memberOf(annotations, name)
      return typeof value === "boolean" ? [[name, value] as const] : []
    }),
  )
}
