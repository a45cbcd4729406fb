// Built-in and configured tools of a host, and the sandbox for their commands. Turnhouse's own files are closed to all of
// them: an agent that writes there could approve its own calls.
import { dirname, join, sep } from "node:path"
import type { Config } from "../../contract/config.ts"
import { canonicalToolName } from "../../contract/rules/core-tools.ts"
import { networkTool } from "../../contract/rules/network-rules.ts"
import { fenceFolder } from "../../features/locks/store/fence-folder.ts"
import { readMatcher } from "../../features/approvals/effects/tool-rules.ts"
import type { ProcessSupervisor } from "../../processes/process-supervisor.ts"
import { networkProblem, openSandbox, type Sandbox } from "../../processes/sandbox.ts"
import type { LanguageServers } from "../../tools/diagnostics/language-servers.ts"
import { fileFormatter } from "../../tools/edit/formatter.ts"
import { builtInTools } from "../../tools/built-in-tools.ts"
import { definedTools, DefinitionFault } from "../../tools/defined-tool.ts"
import type { FileToolDeps } from "../../tools/files/file-memory.ts"
import { forbidFolders } from "../../tools/files/held-folder.ts"
import { knowledgeSearchTool, type KnowledgeSource } from "../../tools/knowledge-search.ts"
import { realPathOf } from "../../tools/files/paths.ts"
import { serviceTools } from "../../features/chat-service/tools.ts"
import type { CommandDeps } from "../../tools/start-command.ts"
import type { Tool } from "../../tools/tool.ts"
import { shownPluginFiles } from "../plugins/shown-files.ts"
import { webFetchTool } from "../../tools/web/web-fetch.ts"
import { webSearchTool } from "../../tools/web/web-search.ts"
import { usageFault } from "../app-fault.ts"
import { lockBookPath } from "./locks.ts"
import { findWebSearch, searchConnector } from "./web-search.ts"
import { ipcFolder } from "../session-sockets/ipc-folder.ts"
import { guardFoldersAgainstWriting, guardPathAgainstWriting, protectedPlaces } from "./protected-paths.ts"
import type { Gate, SessionContext } from "../../runner/session-context.ts"
import { installCommand } from "../doctor/install-bubblewrap.ts"

const closedToTools = "Tools may not access the home folder of Turnhouse."

export interface HouseToolsOptions extends Pick<FileToolDeps, "fileMemoryFor"> {
  readonly home: string
  readonly config: Config
  /** See LoadedConfig. */
  readonly ownPlaces: readonly string[]
  readonly processes: ProcessSupervisor
  readonly knowledge: KnowledgeSource
}

export interface HouseTools {
  readonly tools: readonly Tool[]
  /** Refuse calls that the sandbox does not permit, and warn about calls without one. */
  readonly gates: readonly Gate[]
  /** Absent if none is configured. Closed by the owner of the tools. */
  readonly languageServers: LanguageServers | undefined
}

export async function buildToolSet(options: HouseToolsOptions): Promise<HouseTools> {
  const { home, config, ownPlaces, processes, knowledge, fileMemoryFor } = options
  const closed = closedFolders(home, config)
  const shown = [fenceFolder(lockBookPath(home, config)), join(home, "skills"), ...(await shownPluginFiles(home))]
  const readOnly = () => protectedPlaces({ env: process.env, home, ownPlaces })
  const mode = config.tools?.sandbox ?? "auto"
  const memory = join(home, sandboxMemory)
  const network = config.tools?.network ?? "all"
  const hasNetwork = network === "all"
  if (mode === "off" && !hasNetwork) throw usageFault(networkProblem("the configuration turns it off (tools.sandbox)"))
  const sandbox = openSandbox({ mode, hidden: closed, shown, readOnly, memory, hasNetwork, warn: ignore })
  const guardPath = (path: string) => guardClosed(closed, path)
  const guardFolders = forbidFolders(closed, () => closedToTools)
  const forWriting = {
    guardPath: guardPathAgainstWriting(guardPath, readOnly),
    guardFolders: guardFoldersAgainstWriting(guardFolders, readOnly),
  }
  const formatters = config.tools?.format
  const format = formatters === undefined ? undefined : fileFormatter(formatters, { processes, sandbox, network })
  const languageServers = await openLanguageServers(config, { processes, sandbox, network })
  const diagnose = languageServers?.diagnose
  const denied = config.tools?.deny ?? []
  const unsearched = denied.length === 0 ? undefined : (cwd: string) => readMatcher(denied, cwd)
  const guards = { guardPath, guardFolders, forWriting, unsearched }
  const files = builtInTools({ processes, sandbox, network, ...guards, fileMemoryFor, format, diagnose })
  const builtIn = [...files, knowledgeSearchTool(knowledge), ...webTools(config)]
  const reservedNames = [networkTool, ...[...builtIn, ...serviceTools()].map((tool) => tool.name)]
  const defined = await definedOrFault(
    definedTools(config.tools?.define ?? {}, { processes, sandbox, network, reservedNames }),
  )
  const commands = ["bash", ...defined.map((tool) => tool.name)]
  const gates = [sandboxGate(sandbox, commands), sandboxNoticeGate(sandbox, commands)]
  return { tools: [...builtIn, ...defined], gates, languageServers }
}

async function openLanguageServers({ tools }: Config, deps: CommandDeps): Promise<LanguageServers | undefined> {
  if (tools?.languageServers === undefined) return undefined
  const { LanguageServers } = await import("../../tools/diagnostics/language-servers.ts")
  return new LanguageServers(tools.languageServers, deps)
}

/** A tool of the configuration with the name of one of these takes its place: they came later than such tools. */
function webTools(config: Config): readonly Tool[] {
  const search = findWebSearch(config, process.env)
  const isUsable = search !== undefined && !("missing" in search)
  const all = [
    webFetchTool({ allowPrivate: config.web?.allowPrivate ?? [] }),
    ...(isUsable ? [webSearchTool(searchConnector(search))] : []),
  ]
  const defined = new Set(Object.keys(config.tools?.define ?? {}).map(canonicalToolName))
  return all.filter(({ name }) => !defined.has(name))
}

/** In the home; see `SandboxOptions.memory`. */
export const sandboxMemory = "sandbox-works"

/** `sandboxNoticeGate` reports a missing sandbox. */
function ignore(): void {}

/** The home, and the folders of session sockets and locks if they are elsewhere. */
export function closedFolders(home: string, config: Config): readonly string[] {
  return [home, ipcFolder(home, config), dirname(lockBookPath(home, config))]
}

/** Why a path must not be read; undefined if it may. */
export function guardClosed(closed: readonly string[], path: string): string | undefined {
  const inside = closed
    .map((folder) => realPathOf(folder, "/"))
    .some((real) => path === real || path.startsWith(real + sep))
  return inside ? closedToTools : undefined
}

function sandboxGate(sandbox: Sandbox, commands: readonly string[]): Gate {
  return async ({ session, tool }) => {
    if (!commands.includes(tool.name)) return undefined
    const reason = await sandbox.problem(session.state.created?.cwd ?? "/")
    return reason === undefined ? undefined : { kind: "refuse", by: "sandbox", reason }
  }
}

async function definedOrFault(defined: Promise<Tool[]>): Promise<Tool[]> {
  try {
    return await defined
  } catch (fault) {
    if (fault instanceof DefinitionFault) throw usageFault(fault.message)
    throw fault
  }
}

/** Also shown by `doctor`. docs/tools.md has the full list. */
export const shellRisk =
  "an allowed shell command can read and change the home folder, and have another program approve calls for it"

function sandboxNotice(tool: string, reason: string): string {
  const install = reason.includes("not installed") ? installCommand() : undefined
  const advice = install === undefined ? "" : ` To install it: ${install.join(" ")}`
  return `${tool} runs without a sandbox (${reason}): ${shellRisk}.${advice}`
}

/** Decides nothing. */
function sandboxNoticeGate(sandbox: Sandbox, commands: readonly string[]): Gate {
  const notifiedSessions = new WeakSet<SessionContext>()
  return async ({ session, tool }) => {
    if (!commands.includes(tool.name) || notifiedSessions.has(session)) return undefined
    notifiedSessions.add(session)
    const state = await sandbox.state()
    if (state.kind === "on") return undefined
    const message = sandboxNotice(tool.name, state.reason)
    session.services.warn(message, session.id)
    session.warn(message)
    return undefined
  }
}
