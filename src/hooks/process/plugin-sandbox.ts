// Sandbox of plugin processes: Turnhouse's folders are hidden; the data folder, the session's folder, temporary folders
// and synaps' data folders are writable; all else is read-only. The network stays open. A manifest can request more.
import { mkdirSync } from "node:fs"
import { homedir, tmpdir } from "node:os"
import { isAbsolute, join, resolve } from "node:path"
import type { PlainCommand, Sandbox } from "../../processes/sandbox.ts"
import type { SandboxNeeds } from "../../protocols/extension/frames.ts"

/** A plugin's program and its needs. */
export interface PluginProgram extends PlainCommand {
  readonly folder: string
  readonly needs: SandboxNeeds | undefined
  readonly env: Readonly<Record<string, string>>
}

export interface StartRequest {
  /** For plan mode: no writes, no network. */
  readonly readOnly?: boolean
  /** The session was opened earlier, so the plugin's files may have changed. */
  readonly isLater?: boolean
}

export type Prepared =
  | ({ readonly kind: "start" } & PlainCommand)
  | { readonly kind: "refused"; readonly reason: string }

/** Returns the command to start instead of the plugin's program, or why it must not start. */
export type PrepareStart = (program: PluginProgram, request?: StartRequest) => Promise<Prepared>

export interface PluginStarter {
  readonly prepare: PrepareStart
  /** Why the plugin's current files must not be used. */
  readonly refusal: (folder: string) => Promise<string | undefined>
}

/** Starts a program as its manifest says. */
export const unconfined: PluginStarter = {
  prepare: ({ command, args }) => Promise.resolve({ kind: "start", command, args }),
  refusal: () => Promise.resolve(undefined),
}

export interface PluginSandboxOptions extends Pick<PluginStarter, "refusal"> {
  readonly sandbox: Sandbox
  /** Working folder of the session. */
  readonly cwd: string
  /** Base folder of synaps. */
  readonly synaps: string
  /** Installed by the user. Files of a project's plugin can be replaced by any process that can write there. */
  readonly isOwn: (folder: string) => boolean
}

/** Environment variable with the plugin's data folder. */
export const dataVariable = "PLUGIN_DATA_DIR"
/** Data folders of plugins made for synaps. Its plugins and settings are excluded. */
const synapsData = ["memory", "sessions"]
/** Files are checked, then started by name: replacing them in between must gain nothing. */
const projectNeeds =
  'a plugin of a project cannot change its sandbox. Remove "sandbox" from its manifest, or install it in your own plugins folder'
/** Sockets of services that could write on a plugin's behalf. */
const socketFolders = ["/run"]

export function pluginStarter(options: PluginSandboxOptions): PluginStarter {
  const prepare: PrepareStart = async (program, { readOnly = false, isLater = false } = {}) => {
    const reason = isLater ? await options.refusal(program.folder) : undefined
    if (reason !== undefined) return { kind: "refused", reason }
    return readOnly ? prepareReadOnly(program, options) : prepareNormally(program, options)
  }
  return { prepare, refusal: options.refusal }
}

async function prepareNormally(program: PluginProgram, options: PluginSandboxOptions): Promise<Prepared> {
  const { command, args, needs, folder, env } = program
  const { sandbox } = options
  const data = env[dataVariable]
  if (data !== undefined) mkdirSync(data, { recursive: true, mode: 0o700 })
  const reason = await sandbox.unavailable()
  if (reason !== undefined) return { kind: "refused", reason }
  if (needs !== undefined && !options.isOwn(folder)) return { kind: "refused", reason: projectNeeds }
  if (needs === false) return { kind: "start", command, args }
  const requestedFolders = (needs?.write ?? []).map((path) => resolve(folder, withHome(path, env)))
  const limits = {
    shown: [folder],
    opened: data === undefined ? [] : [data],
    readOnly: [folder],
    writable: [
      options.cwd,
      ...temporaryFolders(env),
      ...synapsData.map((name) => join(options.synaps, name)),
      ...requestedFolders,
    ],
  }
  return { kind: "start", ...(await sandbox.wrap(program, folder, limits)) }
}

async function prepareReadOnly(program: PluginProgram, { sandbox, cwd }: PluginSandboxOptions): Promise<Prepared> {
  const { folder, env } = program
  const state = await sandbox.state()
  if (state.kind === "off")
    return { kind: "refused", reason: `it could write in plan mode, because there is no sandbox: ${state.reason}` }
  const isOpen = (await sandbox.problem(cwd)) === undefined
  const limits = {
    hidden: [...temporaryFolders(env), ...socketFolders],
    shown: [folder, ...(isOpen ? [cwd] : [])],
    writable: [],
    hasNetwork: false,
  }
  return { kind: "start", ...(await sandbox.wrap(program, folder, limits)) }
}

function temporaryFolders(env: PluginProgram["env"]): readonly string[] {
  const runtime = env["XDG_RUNTIME_DIR"] ?? ""
  return [tmpdir(), "/tmp", "/var/tmp", ...(isAbsolute(runtime) ? [runtime] : [])]
}

function withHome(path: string, env: PluginProgram["env"]): string {
  return path === "~" || path.startsWith("~/") ? join(env["HOME"] ?? homedir(), path.slice(1)) : path
}
