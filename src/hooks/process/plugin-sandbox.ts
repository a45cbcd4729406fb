// How the processes of plugins are confined: Turnhouse's own folders are hidden from them, and they can write to their
// data folder, the folder of the session, the temporary folders and where synaps keeps data of plugins. Everything else
// is read-only, their own program included. The network stays open. A manifest can ask for more (`sandbox`).
import { mkdirSync } from "node:fs"
import { homedir, tmpdir } from "node:os"
import { isAbsolute, join, resolve } from "node:path"
import type { PlainCommand, Sandbox } from "../../processes/sandbox.ts"
import type { SandboxNeeds } from "../../protocols/extension/frames.ts"

/** A program of a plugin, as its manifest wants it started. */
export interface PluginProgram extends PlainCommand {
  readonly folder: string
  readonly needs: SandboxNeeds | undefined
  readonly env: Readonly<Record<string, string>>
}

export interface StartRequest {
  /** Changes nothing on disk and has no network: for what is typed in plan mode. */
  readonly onlyReads?: boolean
  /** The session was opened some time ago, so the plugin's files may have changed. */
  readonly isLater?: boolean
}

export type Prepared = ({ readonly kind: "start" } & PlainCommand) | { readonly kind: "refused"; readonly why: string }

/** Says what to start in place of a plugin's program, or why it must not be started. */
export type PrepareStart = (program: PluginProgram, request?: StartRequest) => Promise<Prepared>

export interface PluginStarter {
  readonly prepare: PrepareStart
  /** Why a plugin's files may not be used as they are now. */
  readonly refusal: (folder: string) => Promise<string | undefined>
}

/** Starts a program as its manifest says. */
export const unconfined: PluginStarter = {
  prepare: ({ command, args }) => Promise.resolve({ kind: "start", command, args }),
  refusal: () => Promise.resolve(undefined),
}

export interface PluginSandboxOptions extends Pick<PluginStarter, "refusal"> {
  readonly sandbox: Sandbox
  /** The folder of the session. */
  readonly cwd: string
  /** Where synaps keeps its files. */
  readonly synaps: string
  /** Whether the user has installed it. A project's plugin can be exchanged by any process that can write there. */
  readonly isOwn: (folder: string) => boolean
}

/** The variable that tells a plugin where its data folder is. */
export const dataVariable = "PLUGIN_DATA_DIR"
/** Where plugins made for synaps keep data. Its plugins and settings are not among them. */
const synapsData = ["memory", "sessions"]
/** Its files are checked and then started by name: an exchange in between must gain nothing. */
const projectNeeds =
  'a plugin of a project cannot change its sandbox. Remove "sandbox" from its manifest, or install it in your own plugins folder'
/** Where services listen that could write on a plugin's behalf. */
const socketFolders = ["/run"]

export function pluginStarter(options: PluginSandboxOptions): PluginStarter {
  const prepare: PrepareStart = async (program, { onlyReads = false, isLater = false } = {}) => {
    const why = isLater ? await options.refusal(program.folder) : undefined
    if (why !== undefined) return { kind: "refused", why }
    return onlyReads ? preparedToRead(program, options) : preparedUsually(program, options)
  }
  return { prepare, refusal: options.refusal }
}

async function preparedUsually(program: PluginProgram, options: PluginSandboxOptions): Promise<Prepared> {
  const { command, args, needs, folder, env } = program
  const { sandbox } = options
  const data = env[dataVariable]
  if (data !== undefined) mkdirSync(data, { recursive: true, mode: 0o700 })
  const why = await sandbox.unavailable()
  if (why !== undefined) return { kind: "refused", why }
  if (needs !== undefined && !options.isOwn(folder)) return { kind: "refused", why: projectNeeds }
  if (needs === false) return { kind: "start", command, args }
  const wanted = (needs?.write ?? []).map((path) => resolve(folder, withHome(path, env)))
  const limits = {
    shown: [folder],
    opened: data === undefined ? [] : [data],
    readOnly: [folder],
    writable: [
      options.cwd,
      ...temporaryFolders(env),
      ...synapsData.map((name) => join(options.synaps, name)),
      ...wanted,
    ],
  }
  return { kind: "start", ...(await sandbox.around(program, folder, limits)) }
}

async function preparedToRead(program: PluginProgram, { sandbox, cwd }: PluginSandboxOptions): Promise<Prepared> {
  const { folder, env } = program
  const state = await sandbox.state()
  if (state.kind === "off") return { kind: "refused", why: `nothing would keep it from writing: ${state.why}` }
  const isOpen = (await sandbox.problem(cwd)) === undefined
  const limits = {
    hidden: [...temporaryFolders(env), ...socketFolders],
    shown: [folder, ...(isOpen ? [cwd] : [])],
    writable: [],
    hasNetwork: false,
  }
  return { kind: "start", ...(await sandbox.around(program, folder, limits)) }
}

function temporaryFolders(env: PluginProgram["env"]): readonly string[] {
  const runtime = env["XDG_RUNTIME_DIR"] ?? ""
  return [tmpdir(), "/tmp", "/var/tmp", ...(isAbsolute(runtime) ? [runtime] : [])]
}

function withHome(path: string, env: PluginProgram["env"]): string {
  return path === "~" || path.startsWith("~/") ? join(env["HOME"] ?? homedir(), path.slice(1)) : path
}
