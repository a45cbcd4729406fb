// `turnhouse ext check DIR`: reads the manifest as a host does, runs the extension once, and reports what was sent, what
// was received and how it is interpreted. Values of settings are not shown.
import { randomUUID } from "node:crypto"
import { existsSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join, resolve } from "node:path"
import { discover, type PluginFault, manifestPath } from "../../hooks/discovery/discover.ts"
import { synapsFolder } from "../../hooks/discovery/extension-roots.ts"
import { readPlainFile } from "../../hooks/discovery/plain-file.ts"
import { pluginStarter, type PluginStarter } from "../../hooks/process/plugin-sandbox.ts"
import { usageFault, exitCodes } from "../../app/app-fault.ts"
import type { Args } from "../command.ts"
import { contextOf, printWarnings } from "../context-options.ts"
import type { AppContext } from "../../app/context.ts"
import { isFolder } from "../../app/settings/folder-config.ts"
import { writeJson } from "../output.ts"
import { checkText, type Checked } from "./check-text.ts"
import { commandJson } from "./commands-text.ts"
import { discoveryIn } from "../../app/extensions/discovery.ts"
import { manifestProblems } from "../../app/extensions/trial/manifest-problems.ts"
import { pluginSandbox } from "../../app/extensions/plugin-sandbox.ts"
import { tryOut } from "../../app/extensions/trial/trial.ts"
import { waitOn } from "../../app/extensions/trial/waiting.ts"

export async function check(dir: string, args: Args): Promise<number> {
  const folder = resolve(dir)
  if (!isFolder(folder)) throw usageFault(`${dir} is not a folder`)
  const context = await contextOf(args)
  printWarnings(context)
  const checked = await checkIn(folder, context, args.flag("ask-models"))
  const ok = isSound(checked)
  if (args.flag("json")) writeJson({ ok, ...asJson(checked) })
  else process.stdout.write(checkText(checked, ok, dir))
  return ok ? exitCodes.done : exitCodes.failed
}

async function checkIn(folder: string, context: AppContext, asksModels: boolean): Promise<Checked> {
  const id = basename(folder)
  const manifest = join(folder, manifestPath)
  if (!existsSync(manifest)) {
    const problems = [`${manifestPath} does not exist. 'turnhouse ext new DIR' creates a plugin with one.`]
    return { kind: "not-sound", id, problems, commands: [], commandFaults: [], unknown: [] }
  }
  const dataRoot = join(tmpdir(), `turnhouse-ext-data-${randomUUID()}`)
  const request = { ...discoveryIn([folder], context), disabled: [], guards: [], dataRoot }
  const { extensions, failures, commands, commandFaults, unknown } = discover(request)
  const brought = { id, commands, commandFaults: reasons(commandFaults), unknown: reasons(unknown) }
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

function isSound(checked: Checked): boolean {
  if (checked.kind !== "tried") return checked.kind === "commands-only"
  const { start, hooks, models } = checked.trial
  const answers = [...hooks.map(({ understood }) => understood), ...models.map(({ answer }) => answer)]
  return start.kind === "started" && answers.every((answer) => answer?.ok !== false)
}

function asJson(checked: Checked) {
  const { id, kind, commandFaults, unknown } = checked
  const commands = checked.commands.map(commandJson)
  if (kind === "not-sound") return { id, problems: checked.problems, commands, commandFaults, unknown }
  if (kind === "commands-only") return { id, problems: [], commands, commandFaults, unknown }
  const { folder, commandLine, config, permissions } = checked.spec
  const { hooks, ...trial } = checked.trial
  return {
    id,
    problems: [],
    folder,
    command: [commandLine.command, ...commandLine.args],
    config: Object.keys(config),
    permissions: [...permissions],
    commands,
    commandFaults,
    unknown,
    ...trial,
    hooks: hooks.map(({ subscription, understood, event, ...hook }) => ({
      hook: subscription.kind,
      tool: subscription.tool,
      match: subscription.match,
      ok: understood.ok,
      understood: understood.words,
      sent: event,
      ...hook,
    })),
  }
}
