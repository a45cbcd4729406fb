// Starts a host from its parts: home, configuration, secrets, log, models, tools and policy.
import { isAbsolute } from "node:path"
import type { HostPort } from "../contract/host-port.ts"
import { narrowed } from "../contract/rules/core-tools.ts"
import type { SessionOptions } from "../contract/session-options.ts"
import { openSessionHost, type SessionHost, type HostServices } from "../host/session-host.ts"
import type { HostedNode, HostMeter } from "../host/cluster-member.ts"
import { Links } from "../host/links.ts"
import type { Connect } from "../host/move-session.ts"
import { LocalPort, type ConfiguredSession } from "../host/local-port.ts"
import { newId } from "../host/new-ids.ts"
import type { HomeAnswers } from "../host/queries/answer.ts"
import { type EventLog, type Outcome, ok, refused } from "../log/event-log.ts"
import { version } from "../program/program-files.ts"
import { thisBoot, thisHost } from "../log/process-identity.ts"
import { withExtensionModels, type ExtensionModelListing } from "../models/listing.ts"
import type { ModelRegistry } from "../models/registry.ts"
import type { ToolGroups } from "../processes/peer-process.ts"
import { ProcessSupervisor } from "../processes/process-supervisor.ts"
import { sweep } from "../processes/sweep.ts"
import { Ledger } from "../features/budget/effects/ledger.ts"
import type { SessionActor } from "../runner/session-actor.ts"
import { homeKey } from "../secrets/home-key.ts"
import { KeyFileFault } from "../secrets/key-file.ts"
import { profileOf } from "./settings/agent-profile.ts"
import { AppFault, refusalFault } from "./app-fault.ts"
import { HomeThread } from "./home-thread/thread-client.ts"
import { Connections } from "./host/connections.ts"
import { openLog as openConfiguredLog } from "./host/open-log.ts"
import type { NatsBus } from "../transports/nats/nats-bus.ts"
import { busOf, clusterOf, placeOfSession, type Cluster, type ClusterPlace } from "./cluster/cluster.ts"
import type { DocumentPlace } from "./knowledge/document-queries.ts"
import { indexPath } from "./settings/knowledge.ts"
import { sessionFiles } from "./attachments/session-files.ts"
import { openFileHistory } from "./settings/file-history.ts"
import { openLocks, type HomeLocks, type LockNode } from "./settings/locks.ts"
import { isFolder } from "./settings/folder-config.ts"
import { configuredService, configuredSession } from "./settings/new-session.ts"
import { Settings, type Configured, type SettingsOptions } from "./settings/session-settings.ts"
import type { ConfigPlace } from "./settings/folder-config.ts"
import type { AppContext } from "./context.ts"
import { printSessionWarning } from "./terminal.ts"

export interface RunningHost {
  readonly host: SessionHost
  readonly role: string
  /** All sessions of the home; those that no other process has open are opened here. */
  readonly port: HostPort
  /** Opens and creates sessions in this process only. */
  readonly ownPort: HostPort
  /** What other processes reach: a host that ends with its command offers only the sessions it has open. */
  readonly local: HostPort
  readonly models: ModelRegistry
  /** Process groups of the tools and extensions of this host. */
  readonly toolGroups: ToolGroups
  /** To other nodes of a cluster. */
  readonly bus: NatsBus | undefined
  close(): Promise<void>
}

export interface HostOptions extends Pick<SettingsOptions, "approvalWaitMs"> {
  readonly role: string
  /** Outlives the command that starts it: the only host of its role, and it adopts open turns without an owner. */
  readonly isPersistent?: boolean
  /** Counts what the host does as a member of a cluster. */
  readonly meter?: HostMeter
  /** Default: the log of the home. */
  readonly openLog?: (place: ClusterPlace) => EventLog | Promise<EventLog>
}

export async function startHost(context: AppContext, options: HostOptions): Promise<RunningHost> {
  try {
    return await start(context, options)
  } catch (fault) {
    if (fault instanceof KeyFileFault) throw new AppFault(fault.message)
    throw fault
  }
}

async function start(context: AppContext, options: HostOptions): Promise<RunningHost> {
  const { home, config, ownPlaces, noExtensions = false } = context
  const { role, approvalWaitMs, isPersistent = false, meter, openLog = openConfiguredLog } = options
  const cluster = clusterOf(context)
  const identity = thisHost(role)
  const processes = new ProcessSupervisor(identity.hostId, home, cluster && identity.bootId)
  const key = homeKey(home)
  const loaded = isPersistent ? undefined : context // a persistent host reads the files again for each session
  const settings = new Settings({ home, processes, key, role, approvalWaitMs, noExtensions, loaded })
  const own = await settings.with(config, ownPlaces)
  const log = await openLog(context)
  const locks = openLocks(home, config, identity, cluster && lockNode(cluster))
  const services = {
    ...servicesOf(settings, own, processes, key, isPersistent, locks, home),
    ...(cluster === undefined ? {} : { node: hostedNode(cluster) }),
    ...(meter && { meter }),
  }
  const opened = await openSessionHost(log, identity, services, isPersistent ? "the only one" : undefined)
  if (opened.kind === "refused") {
    await log.close()
    throw refusalFault(opened.refusal)
  }
  const { host } = opened
  const thread = new HomeThread(context)
  const documents = { path: indexPath(home), source: settings.documents(config), scrubber: own.setting.scrubber }
  const bus = await busOf(cluster, home)
  const connections = new Connections(home, role, bus)
  const connect = (hostId: string) => connections.to(hostId)
  const local = localPort(host, settings, own, context, role, connect, homeAnswers(thread, documents))
  const port = new Links({
    log,
    hostId: identity.hostId,
    node: cluster?.node,
    home: () => Promise.resolve(local.allSessions),
    connect,
  })
  const close = async () => {
    port.close()
    connections.close()
    await bus?.close()
    await host.close()
    await thread.close()
    await settings.close()
    await processes.close()
    await locks.close()
  }
  const toolGroups = () => processes.groups
  const [ownPort, models] = [local.allSessions, own.models]
  return {
    host,
    role,
    port,
    ownPort,
    local: isPersistent ? ownPort : local.openSessions,
    models,
    toolGroups,
    bus,
    close,
  }
}

function servicesOf(
  settings: Settings,
  { setting }: Configured,
  processes: ProcessSupervisor,
  key: Uint8Array,
  adopts: boolean,
  locks: HomeLocks,
  home: string,
): HostServices {
  return {
    ...setting,
    settingFor: (request) => settings.for(request),
    adopts,
    now: Date.now,
    newId,
    ledger: new Ledger(),
    digestKey: key,
    locks,
    fileHistory: openFileHistory(home),
    leaveSession: async (sessionId) => {
      await settings.leave(sessionId)
      await processes.endOwned(sessionId)
      await locks.releaseAll(sessionId)
    },
    sweep: async (found) =>
      (
        await sweep(
          found,
          found.flatMap(({ mark }) => mark ?? []),
          thisBoot(),
        )
      ).map(({ evidence }) => evidence),
    warn: (message, sessionId) => printSessionWarning(sessionId, setting.scrubber.text(message)),
  }
}

/** A scope that is no path is of this node. */
function lockNode({ node: { name }, placeOf }: Pick<Cluster, "node" | "placeOf">): LockNode {
  return { name, placeOf: (scope) => (isAbsolute(scope) ? placeOf(scope) : name) }
}

function hostedNode(cluster: Cluster): HostedNode {
  return { ...cluster.node, placeOf: (session) => placeOfSession(cluster, session) }
}

/** Other processes may use only the sessions that a short-lived host has open. */
function localPort(
  host: SessionHost,
  settings: Settings,
  own: Configured,
  place: ConfigPlace,
  role: string,
  connect: Connect,
  home: HomeAnswers,
) {
  const options = {
    role,
    connect,
    home,
    release: version(),
    startedAt: Date.now(),
    models: async () => withExtensionModels(await own.models.list(), extensionModels(await host.sessions())),
    settings: async () => {
      const { listSettings } = await import("./settings/list-settings.ts")
      return listSettings(place, own.setting.scrubber)
    },
    files: sessionFiles(place.home, settings),
    configureSession: (request: SessionOptions) => configureSession(settings, request),
  }
  return {
    allSessions: new LocalPort(host, { ...options, opensClosed: true }),
    openSessions: new LocalPort(host, { ...options, opensClosed: false }),
  }
}

/** Loads them on first use. */
const documentQueries = () => import("./knowledge/document-queries.ts")

function homeAnswers(thread: HomeThread, documents: DocumentPlace): HomeAnswers {
  return {
    documents: async (query) => (await documentQueries()).documentPage(documents, query),
    document: async (query) => (await documentQueries()).documentText(documents, query),
    "search-documents": async (query) => (await documentQueries()).searchDocuments(documents, query),
    "search-sessions": (query) => thread.ask(query),
    "usage-history": (query) => thread.ask(query),
  }
}

/** Models of the extensions of open sessions. */
function extensionModels(sessions: readonly SessionActor[]): readonly ExtensionModelListing[] {
  return sessions.flatMap(({ hooks }) => (hooks?.statuses ?? []).flatMap(({ models }) => models))
}

async function storyOptions(): Promise<Outcome<SessionOptions>> {
  const { pageStoryOptions } = await import("./demo/page-story.ts")
  try {
    return ok(await pageStoryOptions())
  } catch (fault) {
    if (fault instanceof AppFault) return refused({ code: "command.failed", name: "story", what: fault.message })
    throw fault
  }
}

async function configureSession(settings: Settings, asked: SessionOptions): Promise<Outcome<ConfiguredSession>> {
  const story = asked.story === undefined ? ok(asked) : await storyOptions()
  if (story.kind === "refused") return story
  const request = story.value
  if (!isFolder(request.cwd)) return refused({ code: "folder.missing", path: request.cwd })
  const configured = await settings.configured(request)
  if (configured.kind === "refused") return configured
  const { config, models } = configured.value
  const { service, agent: agentName, ...requested } = request
  const found = await settings.agentFor(request)
  if (found.kind === "refused") return found
  const agent = found.value
  const profile = profileOf(config, service?.agentId)
  const model = request.model ?? agent?.model ?? profile.model ?? (await models.defaultModel())
  const defaults = service === undefined ? configuredSession(config) : configuredService(config)
  const { preset = agent?.preset ?? (service === undefined ? "careful" : "service") } = requested
  const { system = agent?.instructions ?? defaults.system } = requested
  const toolMode = narrowed(requested.toolMode ?? defaults.toolMode, agent?.tools)
  const { thinking = agent?.thinking ?? profile.thinking ?? defaults.thinking } = requested
  const named = {
    ...(agentName === undefined ? {} : { agentId: agentName }),
    ...(agent?.documents === undefined ? {} : { documents: [...agent.documents] }),
  }
  const session = { ...defaults, ...requested, ...service, ...named, model, thinking, preset, toolMode, system }
  return ok({ session, setting: await settings.setting(configured.value, session) })
}
