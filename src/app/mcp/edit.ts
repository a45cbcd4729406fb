// Adds MCP servers to a configuration file and removes them. Comments in the file are kept.
import { join } from "node:path"
import { editConfigFile } from "../../config/edit-config-file.ts"
import { ConfigFault } from "../../config/faults.ts"
import { parseConfigText } from "../../config/parse-config-text.ts"
import { valueAt } from "../../config/plain.ts"
import { readConfigFile } from "../../config/read-config-file.ts"
import { projectConfig } from "../../config/trust/project-files.ts"
import type { Config } from "../../contract/config.ts"
import { readServerLogin } from "../../mcp/oauth/login-file.ts"
import { serversIn } from "../../mcp/server-settings.ts"
import { isSecretName } from "../../secrets/counts-as-secret.ts"
import { secretsOf } from "../../secrets/find-secrets.ts"
import { AppFault, usageFault } from "../app-fault.ts"
import { isAddress } from "./login.ts"
import { withLoginFaults } from "./login-faults.ts"

export type ServerEntry = NonNullable<Config["mcpServers"]>[string]

export interface EditRequest {
  readonly home: string
  readonly cwd: string
  /** `turnhouse.json` of the folder instead of the user's file. */
  readonly isProject: boolean
  readonly name: string
}

export interface AddRequest extends EditRequest {
  readonly entry: ServerEntry
  readonly replaces: boolean
}

export interface Added {
  readonly file: string
  /** Places of the entry with a secret as plain text. */
  readonly secrets: readonly string[]
}

export async function addServer(request: AddRequest): Promise<Added> {
  const { name, entry, isProject, replaces } = request
  const problem = problemOf(name, entry)
  if (problem !== undefined) throw usageFault(`MCP server "${name}": ${problem}. Nothing was changed.`)
  if (isProject && (entry.trust !== undefined || entry.shared !== undefined))
    throw usageFault("--trust and --shared work only in your own configuration, not with --project")
  const file = fileOf(request)
  if (!replaces && (await entryIn(file, name)) !== undefined)
    throw usageFault(`${file} has an MCP server "${name}" already. Choose another name, or replace it with --force.`)
  await changed(file, name, entry)
  return { file, secrets: plainSecrets(name, entry) }
}

export interface Removed {
  readonly file: string
  /** The address whose login is still stored. */
  readonly loginUrl: string | undefined
}

/** Undefined if the file does not have it. */
export async function removeServer(request: EditRequest): Promise<Removed | undefined> {
  const file = fileOf(request)
  const entry = await entryIn(file, request.name)
  if (entry === undefined) return undefined
  await changed(file, request.name, undefined)
  const url = valueAt(entry, ["url"])
  const hasLogin =
    typeof url === "string" &&
    isAddress(url) &&
    withLoginFaults(() => readServerLogin(request.home, url))?.kind === "tokens"
  return { file, loginUrl: hasLogin ? url : undefined }
}

export function fileOf({ home, cwd, isProject }: Omit<EditRequest, "name">): string {
  return isProject ? join(cwd, projectConfig) : join(home, "config.json")
}

async function entryIn(file: string, name: string): Promise<unknown> {
  const content = readConfigFile(file)
  if (content.kind === "absent") return undefined
  if (content.kind === "unreadable") throw new AppFault(`${file}: ${content.what}. Nothing was changed.`)
  const parsed = await parseConfigText(content.text)
  return parsed.kind === "value" ? valueAt(parsed.value, ["mcpServers", name]) : undefined
}

async function changed(file: string, name: string, entry: ServerEntry | undefined): Promise<void> {
  try {
    await editConfigFile(file, [{ path: ["mcpServers", name], value: entry }])
  } catch (fault) {
    throw fault instanceof ConfigFault ? usageFault(fault.message) : fault
  }
}

/** Variables need not be set here: the server may be used elsewhere. */
function problemOf(name: string, entry: ServerEntry): string | undefined {
  const variables = [...JSON.stringify(entry).matchAll(/\$\{([A-Za-z_]\w*)/g)]
  const env = Object.fromEntries(variables.map(([, variable = ""]) => [variable, "https://set.example"]))
  const place = { source: "", folder: "/", isOwn: true, timeUnitMs: 1000, env, isClosed: () => false }
  return serversIn([{ ...place, servers: { [name]: entry } }]).unused[0]?.problem
}

function plainSecrets(name: string, entry: ServerEntry): readonly string[] {
  const found = secretsOf({ env: {}, config: { mcpServers: { [name]: entry } } })
  const ofArguments = (entry.args ?? []).filter(isSecretArgument).map(() => `mcpServers.${name}.args`)
  const ofValues = found.filter(({ value }) => !value.includes("${")).map((secret) => secret.name)
  return [...new Set([...ofValues, ...ofArguments])]
}

/** `--api-key=abc`, and `abc` after `--api-key`. */
function isSecretArgument(arg: string, at: number, args: readonly string[]): boolean {
  const [, option = "", value = ""] = /^--?([\w-]+)=(.+)$/.exec(arg) ?? []
  const previous = /^--?([\w-]+)$/.exec(args[at - 1] ?? "")?.[1] ?? ""
  return isPlainSecret(option, value) || isPlainSecret(previous, arg)
}

function isPlainSecret(name: string, text: string): boolean {
  return isSecretName(name) && text !== "" && !text.startsWith("-") && !text.includes("${")
}
