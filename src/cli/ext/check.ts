// `turnhouse ext check DIR`: reports what was sent to the extension, what was received and how it is interpreted. Values of
// settings are not shown.
import { resolve } from "node:path"
import { exitCodes, usageFault } from "../../app/app-fault.ts"
import { checkExtension, isSound, type Checked } from "../../app/extensions/trial/check.ts"
import { isFolder } from "../../app/settings/folder-config.ts"
import type { Args } from "../command.ts"
import { contextWithWarnings } from "../context-options.ts"
import { writeJson } from "../output.ts"
import { checkText } from "./check-text.ts"

export async function check(dir: string, args: Args): Promise<number> {
  const folder = resolve(dir)
  if (!isFolder(folder)) throw usageFault(`${dir} is not a folder`)
  const context = await contextWithWarnings(args)
  const checked = await checkExtension(folder, context, args.flag("ask-models"))
  const ok = isSound(checked)
  if (args.flag("json")) writeJson({ ok, ...asJson(checked) })
  else process.stdout.write(checkText(checked, ok, dir))
  return ok ? exitCodes.done : exitCodes.failed
}

function asJson(checked: Checked) {
  const { id, kind, commands, commandFaults, unknown } = checked
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
