// Turns the configuration into the settings of each session: models, tools, rules, secrets. Sessions with the same
// configuration share them.
import { tmpdir } from "node:os"
import { sep } from "node:path"
import { modelsOfHome } from "./model-files.ts"
import { ConfigFault } from "../../config/faults.ts"
import type { Config } from "../../contract/config.ts"
import type { SessionOptions } from "../../contract/session-options.ts"
import type { SessionId } from "../../contract/ids.ts"
import { ok, refused, type Outcome } from "../../log/event-log.ts"
import { createModelSource, type ModelRegistry } from "../../models/registry.ts"
import type { ProcessSupervisor } from "../../processes/process-supervisor.ts"
import { modeGate, hookGate } from "../../runner/tools/gates.ts"
import { levelGate, type LevelRules } from "../../features/chat-service/verification/effects/level-gate.ts"
import { denyGate, policyGate, type CallPaths, type PolicyRules } from "../../features/approvals/effects/policy.ts"
import type { SettingsRequest, Setting } from "../../runner/session-context.ts"
import { namedPathsOf, pathsOf } from "../../tools/built-in-tools.ts"
import { FileMemory } from "../../tools/files/file-memory.ts"
import { memoryStore } from "../../tools/files/memory-store.ts"
import { knowledgeSearchTool, knowledgeTool } from "../../tools/knowledge-search.ts"
import { realPathOf } from "../../tools/files/paths.ts"
import type { LanguageServers } from "../../tools/diagnostics/language-servers.ts"
import type { SessionAgent, Tool } from "../../tools/tool.ts"
import { profileOf, serviceSetting, setsInConfig, toolsInConfig } from "./agent-profile.ts"
import { AppFault } from "../app-fault.ts"
import { Extensions } from "../extensions/extensions.ts"
import { isFolder, isSamePlace, loadFolderConfig, type ConfigPlace, type FolderConfig } from "./folder-config.ts"
import { DocumentsInSets, type HomeDocuments, KnowledgeSources } from "./knowledge.ts"
import { buildToolSet } from "./tool-set.ts"
import { OneTimeCodes } from "./one-time-codes.ts"
import { learnSecret, openRedactor } from "../secrets/home-secrets.ts"
import { skillToolName } from "../../tools/skill.ts"
import { sessionPlugins, type SessionPlugins } from "../plugins/session-plugins.ts"
import { namedAgents } from "./named-agents.ts"
import { sessionSkills } from "./skills.ts"
import { redactWith } from "../secrets/redacted-stderr.ts"
import { Servers } from "./server-source.ts"
import { instructionFiles } from "./instruction-files.ts"
import { sessionEnvironment } from "./session-environment.ts"
import type { EnvironmentRequest } from "../environment/environment.ts"
import { typedCommands } from "./typed-commands.ts"
import { clusterSecretVariable } from "../../secrets/cluster-keys.ts"
import { isWithheld } from "../../secrets/counts-as-secret.ts"

export interface SettingsOptions {
  readonly home: string
  readonly processes: ProcessSupervisor
  readonly key: Uint8Array
  /** Role of the host. */
  readonly role: string
  /** No session has extensions. */
  readonly noExtensions: boolean
  /** Set if the command line decides how long an approval request waits. */
  readonly approvalWaitMs: number | undefined | "by preset"
  /** The configuration that a command has read for its own folder; the first session there uses it. */
  readonly loaded?: (FolderConfig & ConfigPlace) | undefined
}

export interface Configured {
  readonly config: Config
  readonly models: ModelRegistry
  readonly setting: Setting
}

export type ConfiguredFolder = Configured & FolderConfig

/** How long an approval request waits in a session of the WebSocket API. */
const serviceWaitMs = 300_000

export class Settings {
  readonly #options: SettingsOptions
  readonly #known = new Map<string, Promise<Configured>>()
  readonly #languageServers: LanguageServers[] = []
  readonly #fileMemories = new Map<SessionId, FileMemory>()
  readonly #extensions: Extensions
  readonly #servers: Servers
  readonly #knowledge: KnowledgeSources
  readonly #codes: OneTimeCodes
  #loaded: SettingsOptions["loaded"]

  constructor(options: SettingsOptions) {
    this.#options = options
    this.#loaded = options.loaded
    this.#codes = new OneTimeCodes(options.home, options.key, options.role)
    this.#extensions = new Extensions(options.home, options.processes)
    this.#servers = new Servers(options.home, options.processes)
    this.#knowledge = new KnowledgeSources(options.home, { embeds: true })
  }

  /** Settings of a session, by the configuration files as they are now. */
  async for(session: SettingsRequest): Promise<Outcome<Setting>> {
    const found = await this.configured(session)
    return found.kind === "refused" ? found : ok(await this.setting(found.value, session))
  }

  async setting(folder: ConfiguredFolder, session: SettingsRequest): Promise<Setting> {
    const { config, ownPlaces, serverFiles, setting, trusted, warnings } = folder
    const { cwd, preset, agentId } = session
    const sets = preset === "service" ? setsInConfig(config, agentId) : session.documents
    const { extensions: named = [], fallback = config.fallback, tools: agentTools = [] } = profileOf(config, agentId)
    const settingsFolder = session.settingsFolder ?? cwd
    const place = { config, ownPlaces, cwd, settingsFolder, trusted }
    const hooks = this.#options.noExtensions
      ? undefined
      : await this.#extensions.for({ ...place, preset, named, scrubber: setting.scrubber, env: setting.toolEnv })
    const { approvalWaitMs } = this.#options
    const waitMs = approvalWaitMs === "by preset" ? waitOf(config, session) : approvalWaitMs
    const isService = preset === "service"
    const visitorTools = isService ? agentTools : undefined
    const { scrubber } = setting
    const servers = await this.#servers.for({ config, serverFiles, ownPlaces, settingsFolder, visitorTools, scrubber })
    const plugins = await this.#plugins(folder, isService ? undefined : settingsFolder)
    const files = { home: this.#options.home, env: process.env, settingsFolder, plugins }
    const skills = sessionSkills({ ...files, config, ...(isService ? { settingsFolder: undefined } : {}) })
    const commands = isService ? undefined : typedCommands(files, skills)
    const { knowledge, searchTool } = withSets(setting, sets)
    const inSets = (all: readonly Tool[]) => all.map((tool) => (tool.name === knowledgeTool ? searchTool(tool) : tool))
    const tools = inSets(presentTools({ ...setting, knowledge }, skills.exist))
    const own = {
      ...setting,
      knowledge,
      fallback,
      tools,
      hooks,
      servers,
      commands,
      skills,
      warnings,
      approvalWaitMs: waitMs,
    }
    if (preset !== "service")
      return {
        ...own,
        agents: namedAgents(files),
        ...surroundings({ home: this.#options.home, cwd, settingsFolder }, config),
      }
    const ownTools = inSets(toolsInConfig(setting.tools, config, agentId))
    return { ...own, tools: ownTools, hintsReferences: false, service: serviceSetting(config, session) }
  }

  async configured(
    session: Pick<SettingsRequest, "cwd" | "configuration" | "settingsFolder">,
  ): Promise<Outcome<ConfiguredFolder>> {
    const { home } = this.#options
    const { configuration } = session
    const folder = session.settingsFolder ?? session.cwd
    const cwd = isFolder(folder) ? folder : home // a session continues without the settings of a deleted folder
    try {
      const loaded = await this.#load({ home, cwd, configFile: configuration?.file, profile: configuration?.profile })
      return ok({ ...loaded, ...(await this.with(loaded.config, loaded.ownPlaces)) })
    } catch (fault) {
      if (fault instanceof ConfigFault || fault instanceof AppFault) {
        return refused({ code: "config.bad", what: fault.message })
      }
      throw fault
    }
  }

  /** The named agent of a new session, if it is requested. Visitors get none. */
  async agentFor(request: SessionOptions): Promise<Outcome<SessionAgent | undefined>> {
    const { agent: name, service, cwd } = request
    if (name === undefined || service !== undefined) return ok(undefined)
    const settingsFolder = request.settingsFolder ?? cwd
    const folder = await this.configured(request)
    if (folder.kind === "refused") return folder
    const plugins = await this.#plugins(folder.value, settingsFolder)
    const agents = namedAgents({ home: this.#options.home, env: process.env, settingsFolder, plugins })
    const found = await agents.find(name)
    if (found !== undefined) return ok(found)
    const problem = await agents.problemOf(name)
    if (problem !== undefined)
      return refused({ code: "config.bad", what: `The agent '${name}' cannot be used: ${problem}` })
    const names = (await agents.list()).map((one) => one.name)
    const known = names.length === 0 ? "There are none." : `There are ${names.join(", ")}.`
    return refused({ code: "config.bad", what: `There is no agent named '${name}'. ${known}` })
  }

  #plugins({ config, ownPlaces, trusted }: FolderConfig, settingsFolder: string | undefined): Promise<SessionPlugins> {
    return sessionPlugins({ home: this.#options.home, env: process.env, config, ownPlaces, settingsFolder, trusted })
  }

  /** The configuration of the command is used once: a later session reads the files again. */
  async #load(place: ConfigPlace): Promise<FolderConfig> {
    const loaded = this.#loaded
    if (loaded === undefined || !isSamePlace(loaded, place)) return loadFolderConfig(place)
    this.#loaded = undefined
    return loaded
  }

  with(config: Config, ownPlaces: readonly string[]): Promise<Configured> {
    const key = JSON.stringify([config, ownPlaces])
    const known = this.#known.get(key) ?? this.#make(config, ownPlaces)
    this.#known.set(key, known)
    known.catch(() => this.#known.delete(key))
    return known
  }

  /** The session is no longer open here. */
  async leave(sessionId: SessionId): Promise<void> {
    this.#fileMemories.delete(sessionId)
    await Promise.all(this.#languageServers.map((servers) => servers.leave(sessionId)))
  }

  /** The documents of the home as a configuration searches them. */
  documents(config: Config): HomeDocuments {
    return this.#knowledge.for(config).source
  }

  /** Ends what is shared by sessions. */
  async close(): Promise<void> {
    await this.#codes.close()
    await Promise.all(this.#languageServers.map((servers) => servers.close()))
    await Promise.all([this.#extensions.close(), this.#servers.close()])
    await this.#knowledge.close()
  }

  async #make(config: Config, ownPlaces: readonly string[]): Promise<Configured> {
    const { home, processes, key } = this.#options
    const rules = rulesOf(config)
    const scrubber = openRedactor(home, config, key)
    redactWith(scrubber)
    const fileMemoryFor = (sessionId: SessionId) => this.#fileMemory(sessionId)
    const knowledge = this.#knowledge.for(config)
    const { source } = knowledge
    const { tools, gates, languageServers } = await buildToolSet({
      home,
      config,
      ownPlaces,
      processes,
      knowledge: source,
      fileMemoryFor,
    })
    if (languageServers !== undefined) this.#languageServers.push(languageServers)
    const models = createModelSource({ config, env: process.env, ...modelsOfHome(home), onSecret: learnSecret })
    const setting: Setting = {
      models,
      tools,
      knowledge,
      gates: [
        modeGate,
        denyGate(rules, callPaths),
        ...gates,
        hookGate,
        levelGate(levelsOf(config)),
        policyGate(rules, callPaths),
      ],
      scrubber,
      hintsReferences: config.references?.enabled ?? true,
      toolEnv: toolEnvironment(process.env, config),
      passesVariable: variableFilter(config),
      codes: this.#codes.issuer(config),
      approvalWaitMs: undefined,
    }
    return { config, models, setting }
  }

  #fileMemory(sessionId: SessionId): FileMemory {
    const known = this.#fileMemories.get(sessionId) ?? new FileMemory(memoryStore(this.#options.home, sessionId))
    this.#fileMemories.set(sessionId, known)
    return known
  }
}

/** What the model of a local session gets about where it works. */
function surroundings(request: EnvironmentRequest, { instructions }: Config): Partial<Setting> {
  const environment = sessionEnvironment(request)
  return instructions?.enabled === false ? { environment } : { environment, instructions: instructionFiles(request) }
}

/**
 * A model gets the search tool only if there are documents, and that for skills only if there are folders of them. Agents of the WebSocket API always get it: its absence must
 * not tell a visitor that there are documents without access.
 */
function presentTools({ tools, knowledge }: Setting, hasSkills: boolean): readonly Tool[] {
  const hasDocuments = knowledge?.source.exists === true
  return tools.filter(({ name }) => (name === knowledgeTool ? hasDocuments : name !== skillToolName || hasSkills))
}

/** Documents of the session, and its tool that searches them. */
function withSets({ knowledge }: Setting, sets: readonly string[] | undefined) {
  if (knowledge === undefined || sets === undefined) return { knowledge, searchTool: (tool: Tool) => tool }
  const source = new DocumentsInSets(knowledge.source, sets)
  return { knowledge: { ...knowledge, source }, searchTool: () => knowledgeSearchTool(source) }
}

function waitOf({ approvals }: Config, { preset }: SettingsRequest): number | undefined {
  if (approvals?.wait !== undefined) return approvals.wait * 1000
  return preset === "service" ? serviceWaitMs : undefined
}

function levelsOf({ tools }: Config): LevelRules {
  return { endUser: tools?.endUser ?? [], admin: tools?.admin ?? [] }
}

function rulesOf({ tools, policy }: Config): PolicyRules {
  const { allow = [], confirm = [], approve = [], deny = [] } = tools ?? {}
  return { allow, confirm, approve, deny, taint: policy?.taint }
}

/** Writing to the system's temporary folder needs no approval. */
const callPaths: CallPaths = { all: pathsOf, outside: outsidePaths, named: namedPathsOf }

function outsidePaths(tool: string, input: Parameters<typeof pathsOf>[1], cwd: string): readonly string[] {
  const inside = [realPathOf(cwd, "/"), realPathOf(tmpdir(), "/")]
  return pathsOf(tool, input, cwd).filter(
    (path) => !inside.some((root) => path === root || path.startsWith(root + sep)),
  )
}

const ownVariable = /^TURNHOUSE_/
/** Search path, the user's files, terminal and language. */
const base = /^(HOME|LANG|LANGUAGE|LC_\w+|LOGNAME|PATH|PWD|SHELL|TERM|TMPDIR|TZ|USER)$/

export function toolEnvironment(env: NodeJS.ProcessEnv, config: Config): Readonly<Record<string, string>> {
  const passes = variableFilter(config)
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value !== undefined && passes(name, value) ? [[name, value]] : [])),
  )
}

/** For variables of this process and of the client's shell. */
function variableFilter({ tools }: Config): (name: string, value: string) => boolean {
  const named = new Set(tools?.env ?? [])
  named.delete(clusterSecretVariable) // the keys of all nodes
  if (tools?.envOnly === true) return (name) => named.has(name) || base.test(name)
  return (name, value) => named.has(name) || (!ownVariable.test(name) && !isWithheld(name, value))
}
