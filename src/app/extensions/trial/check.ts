// Checks a plugin for its author: reads the manifest as a host does, and runs the extension once.
import { randomUUID } from "node:crypto"
import { existsSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { discover, manifestPath, type ExtensionSpec, type PluginFault } from "../../../hooks/discovery/discover.ts"
import { synapsFolder } from "../../../hooks/discovery/extension-roots.ts"
import { readPlainFile } from "../../../hooks/discovery/plain-file.ts"
import { timing } from "../../../hooks/process/clock.ts"
import { pluginStarter, type PluginStarter } from "../../../hooks/process/plugin-sandbox.ts"
import type { AppContext } from "../../context.ts"
import { discoveryIn, pluginSandbox } from "../discovery.ts"
import { commandFacts, type ListedCommand } from "../list.ts"
import { manifestProblems } from "./manifest-problems.ts"
import { tryOut, type Trial } from "./trial.ts"
import { waitOn } from "./waiting.ts"

export type Checked = CheckedCommands &
  (
    | { readonly kind: "not-sound"; readonly id: string; readonly problems: readonly string[] }
    | { readonly kind: "tried"; readonly id: string; readonly spec: ExtensionSpec; readonly trial: Trial }
    /** A plugin without an extension, with typed commands only. */
    | { readonly kind: "commands-only"; readonly id: string }
  )

interface CheckedCommands {
  readonly commands: readonly Omit<ListedCommand, "trusted">[]
  /** Why some commands of the manifest cannot be used. */
  readonly commandFaults: readonly string[]
  /** Names in the manifest that this host does not know. */
  readonly unknown: readonly string[]
}

export async function checkExtension(folder: string, context: AppContext, asksModels: boolean): Promise<Checked> {
  const id = basename(folder)
  const manifest = join(folder, manifestPath)
  if (!existsSync(manifest)) {
    const problems = [`${manifestPath} does not exist. 'turnhouse ext new DIR' creates a plugin with one.`]
    return { kind: "not-sound", id, problems, commands: [], commandFaults: [], unknown: [] }
  }
  const dataRoot = join(tmpdir(), `turnhouse-ext-data-${randomUUID()}`)
  const request = { ...discoveryIn([folder], context), disabled: [], guards: [], dataRoot }
  const { extensions, failures, commands, commandFaults, unknown } = discover(request)
  const brought = {
    id,
    commands: commands.map(commandFacts),
    commandFaults: reasons(commandFaults),
    unknown: reasons(unknown),
  }
  const [spec] = extensions
  if (spec !== undefined) {
    const { prepare } = starterFor(context)
    const trial = await tryOut(spec, { asksModels, prepare }, waitOn(process.stderr)).finally(() =>
      rmSync(dataRoot, { recursive: true, force: true }),
    )
    return { kind: "tried", spec, trial, ...brought }
  }
  if (failures.length === 0 && commands.length > 0) return { kind: "commands-only", ...brought }
  const text = textOf(manifest)
  const problems = text === undefined ? failures.map(({ reason }) => reason) : manifestProblems(id, text, request)
  return { kind: "not-sound", problems, ...brought }
}

function reasons(faults: readonly PluginFault[]): readonly string[] {
  return faults.map(({ reason }) => reason)
}

/** As in a session of the current folder, with the author's folder as it is. */
function starterFor(context: AppContext): PluginStarter {
  const sandbox = pluginSandbox(context)
  const synaps = synapsFolder(process.env)
  return pluginStarter({
    sandbox,
    cwd: context.cwd,
    synaps,
    isOwn: () => true,
    refusal: () => Promise.resolve(undefined),
  })
}

/** Nothing if it cannot be read: the host reports why. */
function textOf(file: string): string | undefined {
  try {
    return readPlainFile(file)
  } catch {
    return undefined
  }
}

export function isSound(checked: Checked): boolean {
  if (checked.kind !== "tried") return checked.kind === "commands-only"
  const { start, hooks, models } = checked.trial
  const answers = [...hooks.map(({ understood }) => understood), ...models.map(({ answer }) => answer)]
  return start.kind === "started" && answers.every((answer) => answer?.ok !== false)
}

/** Its end would delay the end of every session. */
export function stopsSlowly({ stopMs }: Trial): boolean {
  return stopMs >= timing.shutdownMs
}
