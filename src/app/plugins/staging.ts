// Copies of plugins that are not installed yet: fetched, checked and described, in a folder of the home that is removed
// afterwards. Nothing of them is started.
import { randomBytes } from "node:crypto"
import { mkdir, readdir, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { systemCode } from "../../contract/faults.ts"
import { writtenFolders, type PluginContents } from "../../plugins/contents.ts"
import { asPluginFault, copyTree, PluginFault } from "../../plugins/copy-tree.ts"
import { readPlugin } from "../../plugins/layout.ts"
import { offeredPlugins, type OfferedPlugin } from "../../plugins/marketplace.ts"
import { digestPlugin, type Pin } from "../../plugins/pins.ts"
import { AppFault } from "../app-fault.ts"
import { fetchRepository, type FetchRequest, type PluginSource } from "./source.ts"
import { pluginContents } from "./plugin-contents.ts"

export interface StagedPlugin {
  readonly name: string
  readonly version: string | undefined
  readonly description: string | undefined
  /** The copy. */
  readonly folder: string
  readonly contents: PluginContents
  /** Hashes of its files by path. */
  readonly files: ReadonlyMap<string, string>
  readonly pin: Pin
}

export interface OpenedSource extends PluginSourcePlace {
  readonly offered: readonly OfferedPlugin[]
}

interface PluginSourcePlace {
  readonly source: string
  readonly folder: string
  readonly commit: string | undefined
}

/** Removed when the work ends. What a killed process left is removed too. */
export async function withStaging<Value>(home: string, work: (folder: string) => Promise<Value>): Promise<Value> {
  const root = join(home, "plugin-staging")
  await mkdir(root, { recursive: true, mode: 0o700 })
  for (const name of await readdir(root)) if (!isRunning(name)) await remove(join(root, name))
  const folder = join(root, `${process.pid}-${randomBytes(6).toString("hex")}`)
  await mkdir(folder, { mode: 0o700 })
  try {
    return await work(folder)
  } finally {
    await remove(folder)
  }
}

function remove(path: string): Promise<void> {
  return rm(path, { recursive: true, force: true, maxRetries: 5 })
}

/** By the process id at its beginning. */
function isRunning(name: string): boolean {
  const pid = Number(/^(\d+)-/.exec(name)?.[1])
  if (!Number.isSafeInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (fault) {
    return systemCode(fault) === "EPERM"
  }
}

/** Throws AppFault. */
export async function openSource(source: PluginSource, staging: string, request: FetchRequest): Promise<OpenedSource> {
  const fetched = join(staging, `source-${randomBytes(4).toString("hex")}`)
  const commit = source.kind === "git" ? await fetchRepository(source.source, fetched, request) : undefined
  const folder = source.kind === "git" ? fetched : source.source
  const offered = await withReason(source.source, async () => offeredPlugins(folder))
  if (offered.length === 0)
    throw new AppFault(
      `${source.source} is no plugin: it has no .claude-plugin/plugin.json, .synaps-plugin/plugin.json or marketplace.json, and no folder with one.`,
    )
  return { source: source.source, folder, commit, offered }
}

/** Throws AppFault. */
export async function stagePlugin(
  { source, folder, commit }: PluginSourcePlace,
  { name, path, entry, problem }: OfferedPlugin,
  staging: string,
  signal: AbortSignal,
): Promise<StagedPlugin> {
  return withReason(`plugin ${JSON.stringify(name)}`, async () => {
    if (problem !== undefined) throw new PluginFault(problem)
    const copy = join(staging, name)
    await copyTree(join(folder, path), copy, signal)
    if (entry !== undefined) await writeManifest(copy, JSON.stringify(entry, undefined, 2))
    const layout = readPlugin(copy, name)
    const [broken] = Object.values(layout.manifestProblems)
    if (broken !== undefined) throw new PluginFault(broken.replace(`${copy}/`, ""))
    const writes = writtenFolders(layout)
    const digest = await digestPlugin(copy, writes)
    if (digest.kind === "unfit") throw new PluginFault(digest.why)
    const { problems, ...contents } = await pluginContents(layout)
    const at = new Date().toISOString()
    return {
      name,
      version: layout.version,
      description: layout.description,
      folder: copy,
      contents: { ...contents, problems: problems.map((one) => one.replaceAll(`${copy}/`, "")) },
      files: digest.entries,
      pin: { source, path, digest: digest.digest, writes, at, ...(commit === undefined ? {} : { commit }) },
    }
  })
}

async function writeManifest(folder: string, text: string): Promise<void> {
  await mkdir(join(folder, ".claude-plugin"), { recursive: true, mode: 0o700 })
  await writeFile(join(folder, ".claude-plugin", "plugin.json"), text, { mode: 0o600 })
}

async function withReason<Value>(what: string, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work()
  } catch (error) {
    const fault = asPluginFault(error)
    throw fault instanceof PluginFault
      ? new AppFault(`${what} cannot be installed: ${fault.message.replace(/\.$/, "")}.`)
      : fault
  }
}
