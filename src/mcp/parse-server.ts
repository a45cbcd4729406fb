// One entry of `mcpServers`. Unknown keys are ignored: other programs write such files too, and the schema of the
// configuration checks the user's own. Problems show no values, which may be secrets.
import { resolve } from "node:path"
import { isObject } from "../contract/json-object.ts"
import { Unusable, variableExpander } from "./expand-variables.ts"
import type { McpServer, ServerPlace } from "./mcp-server.ts"
import type { OAuthSettings } from "./oauth/oauth-client.ts"
import { MAX_SERVER_NAME } from "./tools/tool-names.ts"

export type ParsedServer =
  | { readonly kind: "server"; readonly server: McpServer }
  | { readonly kind: "disabled" }
  | { readonly kind: "unusable"; readonly problem: string }

type ServerFacts = Omit<McpServer, "kind" | "command" | "args" | "env" | "cwd" | "url" | "headers" | "oauth">
type Fields = Readonly<Record<string, unknown>>
type Expand = (text: string) => string

const DEFAULT_START_MS = 30_000
const DEFAULT_CALL_MS = 300_000
/** Longer times are shortened to it, shorter ones than a second are ignored. */
const MAX_TIMEOUT_MS = 3_600_000
const MIN_TIMEOUT_MS = 1000
const MAX_ITEMS = 256
const types = new Set<unknown>(["stdio", "http", "streamable-http"])

const serverName = /^[A-Za-z0-9_-]+$/
const variableName = /^[A-Za-z_][A-Za-z0-9_.-]*$/
const headerName = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/

export function parseServer(name: string, value: unknown, place: ServerPlace): ParsedServer {
  try {
    const problem = nameProblem(name)
    if (problem !== undefined) throw new Unusable(problem)
    if (!isObject(value)) throw new Unusable("it is not an object")
    if (value["disabled"] === true) return { kind: "disabled" }
    const facts = factsOf(name, value, place)
    const expand = variableExpander(place)
    const isHttp = kindOf(value) === "http"
    return { kind: "server", server: isHttp ? http(facts, value, expand) : stdio(facts, value, expand, place) }
  } catch (fault) {
    if (fault instanceof Unusable) return { kind: "unusable", problem: fault.message }
    throw fault
  }
}

/** `mcp__SERVER__TOOL` must have one meaning, and a rule for `mcp__SERVER` must hold for every tool of the server. */
function nameProblem(name: string): string | undefined {
  if (!serverName.test(name) || name.includes("__") || name.length > MAX_SERVER_NAME)
    return `its name must be 1 to ${MAX_SERVER_NAME} letters, digits, '_' and '-', without '__'`
  return name.endsWith("_") ? "its name must not end with '_'" : undefined
}

function factsOf(
  name: string,
  value: Fields,
  { source, isOwn, isProject = false, timeUnitMs }: ServerPlace,
): ServerFacts {
  return {
    name,
    source,
    isTrusted: isOwn && value["trust"] === true,
    isShared: isOwn && value["shared"] === true,
    isOfProject: isProject,
    startTimeoutMs: timeoutIn(value["startTimeout"], timeUnitMs) ?? DEFAULT_START_MS,
    callTimeoutMs: timeoutIn(value["timeout"], timeUnitMs) ?? DEFAULT_CALL_MS,
  }
}

function timeoutIn(value: unknown, unitMs: number): number | undefined {
  const ms = typeof value === "number" ? value * unitMs : 0
  return ms >= MIN_TIMEOUT_MS ? Math.min(ms, MAX_TIMEOUT_MS) : undefined
}

function kindOf(value: Fields): McpServer["kind"] {
  const { type, command, url } = value
  if (type === "sse")
    throw new Unusable('the transport "sse" is not supported; use the address for Streamable HTTP and "type": "http"')
  if (type !== undefined && !types.has(type)) throw new Unusable('its "type" must be "stdio" or "http"')
  if (command !== undefined && url !== undefined) throw new Unusable('it has "command" and "url"; remove one')
  if (command === undefined && url === undefined) throw new Unusable('it has neither "command" nor "url"')
  const kind = url === undefined ? "stdio" : "http"
  if (type !== undefined && (type === "stdio") !== (kind === "stdio"))
    throw new Unusable(kind === "stdio" ? 'its "type" needs "url"' : 'its "type" needs "command"')
  return kind
}

function stdio(facts: ServerFacts, value: Fields, expand: Expand, { folder, env: { HOME } }: ServerPlace): McpServer {
  const pathOf = (text: string) => resolve(folder, HOME && text.startsWith("~/") ? HOME + text.slice(1) : text)
  const command = textIn(value, "command", expand)
  const env = pairsIn(value, "env", expand)
  for (const [name, text] of Object.entries(env))
    if (!variableName.test(name) || name.startsWith("TURNHOUSE_") || text.includes("\0"))
      throw new Unusable(`"env" has a variable that cannot be set: ${JSON.stringify(name.slice(0, 64))}`)
  return {
    ...facts,
    kind: "stdio",
    command: command.includes("/") ? pathOf(command) : command,
    args: textsIn(value, "args", expand),
    env,
    ...(value["cwd"] === undefined ? {} : { cwd: pathOf(textIn(value, "cwd", expand)) }),
  }
}

function http(facts: ServerFacts, value: Fields, expand: Expand): McpServer {
  const url = textIn(value, "url", expand)
  if (!URL.canParse(url) || !["http:", "https:"].includes(new URL(url).protocol))
    throw new Unusable('its "url" is not an address with http or https')
  const headers = pairsIn(value, "headers", expand)
  for (const [name, text] of Object.entries(headers))
    if (!headerName.test(name) || /[^\t\x20-\x7e\x80-\xff]/.test(text))
      throw new Unusable(`"headers" has one that cannot be sent: ${JSON.stringify(name.slice(0, 64))}`)
  const oauth = oauthIn(value, expand)
  return { ...facts, kind: "http", url, headers, ...(oauth === undefined ? {} : { oauth }) }
}

function oauthIn(value: Fields, expand: Expand): OAuthSettings | undefined {
  const { oauth } = value
  if (oauth === undefined) return undefined
  if (!isObject(oauth)) throw new Unusable('its "oauth" must be an object')
  const { clientId, clientSecret, scopes } = oauth
  if (clientId === undefined && clientSecret !== undefined) throw new Unusable('its "oauth" has no "clientId"')
  return {
    ...(clientId === undefined ? {} : { clientId: textIn(oauth, "clientId", expand) }),
    ...(clientSecret === undefined ? {} : { clientSecret: textIn(oauth, "clientSecret", expand) }),
    ...(scopes === undefined ? {} : { scopes: textsIn(oauth, "scopes", expand) }),
  }
}

function textIn(value: Fields, key: string, expand: Expand): string {
  const text = value[key]
  const expanded = typeof text === "string" ? expand(text) : ""
  if (expanded.trim() === "" || expanded.includes("\0")) throw new Unusable(`its "${key}" must be a text`)
  return expanded
}

function textsIn(value: Fields, key: "args" | "scopes", expand: Expand): readonly string[] {
  const texts = value[key] ?? []
  if (!Array.isArray(texts) || texts.length > MAX_ITEMS)
    throw new Unusable(`its "${key}" must be a list of at most ${MAX_ITEMS} texts`)
  return texts.map((item: unknown) => {
    const text = typeof item === "string" ? expand(item) : "\0"
    if (text.includes("\0")) throw new Unusable(`its "${key}" must be a list of texts`)
    return text
  })
}

function pairsIn(value: Fields, key: "env" | "headers", expand: Expand): Readonly<Record<string, string>> {
  const pairs = value[key] ?? {}
  if (!isObject(pairs) || Object.keys(pairs).length > MAX_ITEMS)
    throw new Unusable(`its "${key}" must be an object with at most ${MAX_ITEMS} texts`)
  return Object.fromEntries(
    Object.entries(pairs).map(([name, text]) => {
      if (typeof text !== "string") throw new Unusable(`its "${key}" must have texts as values`)
      return [name, expand(text)]
    }),
  )
}
