// `turnhouse plugin add` and `plugin update`: shows what a plugin brings and installs it once the user trusts it.
import { exitCodes, usageFault } from "../../app/app-fault.ts"
import { checkFree, installedPins, installPlugin, replacePlugin, unknownPlugin } from "../../app/plugins/install.ts"
import { knownSource, parseSource, type FetchRequest, type PluginSource } from "../../app/plugins/source.ts"
import {
  openSource,
  stagePlugin,
  withStaging,
  type OpenedSource,
  type StagedPlugin,
} from "../../app/plugins/staging.ts"
import { changesOf } from "../../app/plugins/update.ts"
import { loadContextLeniently } from "../../app/context.ts"
import { printNotice } from "../../app/terminal.ts"
import type { Args } from "../command.ts"
import { canAsk, confirm } from "../confirm.ts"
import { interruptible } from "../interruptible.ts"
import { ProgressLine } from "../output.ts"
import { counted } from "../../display/format.ts"
import { describeChanges, describePlugin, shown } from "./describe.ts"

export async function add(typed: string, args: Args): Promise<number> {
  const { home, cwd } = await loadContextLeniently()
  const source = parseSource(typed, cwd)
  return withStaging(home, async (staging) => {
    const staged = await interruptible(async (signal) => {
      const opened = await open(source, staging, signal)
      const wanted = choose(opened, args)
      for (const { name } of wanted) checkFree(home, name)
      return stageAll(opened, wanted, staging, signal)
    })
    process.stdout.write(staged.map(describePlugin).join("\n"))
    const names = staged.map(({ name }) => name).join(", ")
    if (!(await isTrusted(args, `Trust and install ${names}?`))) return exitCodes.refused
    for (const plugin of staged) await installPlugin(home, plugin)
    process.stdout.write(`installed ${names}\n`)
    return exitCodes.done
  })
}

async function open(source: PluginSource, staging: string, signal: AbortSignal): Promise<OpenedSource> {
  const line = new ProgressLine()
  if (source.kind === "git") printNotice(`fetching ${shown(source.source)}`)
  const request: FetchRequest = { signal, onProgress: (text) => line.show(shown(text)) }
  try {
    return await openSource(source, staging, request)
  } finally {
    line.clear()
  }
}

/** One plugin needs no choice; of several the user names some. */
function choose({ offered }: OpenedSource, args: Args): OpenedSource["offered"] {
  const names = args.texts("plugin")
  if (args.flag("all")) return distinct(offered)
  if (names.length === 0 && offered.length === 1) return offered
  const listed = offered.map(({ name, description }) => `  ${shown(name)}  ${shown(description ?? "")}`.trimEnd())
  if (names.length === 0) {
    process.stdout.write(`${listed.join("\n")}\n`)
    throw usageFault(`there are ${counted(offered.length, "plugin")}. Choose with --plugin NAME, or use --all.`)
  }
  const unknown = names.find((name) => offered.every((plugin) => plugin.name !== name))
  if (unknown !== undefined)
    throw usageFault(`there is no plugin ${JSON.stringify(unknown)} there. There are:\n${listed.join("\n")}`)
  return distinct(offered.filter(({ name }) => names.includes(name)))
}

function distinct(plugins: OpenedSource["offered"]): OpenedSource["offered"] {
  const names = plugins.map(({ name }) => name)
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice === undefined) return plugins
  throw usageFault(`two plugins there are named ${JSON.stringify(twice)}. Add one by its own folder.`)
}

async function stageAll(
  opened: OpenedSource,
  wanted: OpenedSource["offered"],
  staging: string,
  signal: AbortSignal,
): Promise<readonly StagedPlugin[]> {
  const staged: StagedPlugin[] = []
  for (const plugin of wanted) staged.push(await stagePlugin(opened, plugin, staging, signal))
  return staged
}

/** Trust needs a user at a terminal, or --yes. */
async function isTrusted(args: Args, question: string): Promise<boolean> {
  if (args.flag("yes")) return true
  if (!canAsk())
    throw usageFault("a plugin needs your trust, and there is no terminal to ask. Review it, then use --yes.")
  if (await confirm(question)) return true
  printNotice("nothing was changed")
  return false
}

/** All installed plugins, or one. */
export async function update(name: string | undefined, args: Args): Promise<number> {
  const { home } = await loadContextLeniently()
  const pins = installedPins(home)
  if (name !== undefined && !pins.has(name)) throw unknownPlugin(home, name)
  const names = name === undefined ? [...pins.keys()] : [name]
  if (names.length === 0) process.stdout.write("No plugins. 'turnhouse plugin add' installs one.\n")
  let code: number = exitCodes.done
  for (const one of names) code = Math.max(code, await updateOne(home, one, args))
  return code
}

async function updateOne(home: string, name: string, args: Args): Promise<number> {
  const pin = installedPins(home).get(name)
  if (pin === undefined) throw unknownPlugin(home, name)
  const source = knownSource(pin.source, home)
  return withStaging(home, async (staging) => {
    const staged = await interruptible(async (signal) => {
      const opened = await open(source, staging, signal)
      const same = opened.offered.find((plugin) => plugin.path === pin.path && plugin.name === name)
      const offered = same ?? opened.offered.find((plugin) => plugin.name === name)
      if (offered === undefined)
        throw usageFault(
          `${shown(pin.source)} no longer has the plugin ${name}. 'turnhouse plugin rm ${name}' removes it.`,
        )
      return stagePlugin(opened, offered, staging, signal)
    })
    const changes = await changesOf(home, pin, staged)
    if (changes === undefined) {
      process.stdout.write(`${name} is up to date\n`)
      return exitCodes.done
    }
    process.stdout.write(describeChanges(name, changes) + describePlugin(staged))
    if (!(await isTrusted(args, `Trust these changes and update ${name}?`))) return exitCodes.refused
    await replacePlugin(home, staged, staging)
    process.stdout.write(`updated ${name}\n`)
    return exitCodes.done
  })
}
