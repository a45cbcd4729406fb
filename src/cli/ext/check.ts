// `turnhouse ext check DIR`: reads a manifest as a host does, runs the extension once, and tells its author what was
// sent, what came back and how it was understood. Settings are named, never shown.
import { existsSync, readFileSync } from "node:fs"
import { basename, join, resolve } from "node:path"
import { discover, type ExtensionSpec } from "../../hooks/discover.ts"
import { usageFault } from "../cli-fault.ts"
import type { Args } from "../command.ts"
import { surroundings, type Surroundings } from "../surroundings.ts"
import { exitCodes } from "../exit-codes.ts"
import { isFolder } from "../is-folder.ts"
import { say } from "../terminal.ts"
import { writeJson } from "../write-json.ts"
import { checkText } from "./check-text.ts"
import { discoveryIn } from "./discovery.ts"
import { manifestProblems } from "./manifest-problems.ts"
import { manifestPath } from "../../hooks/discover.ts"
import { tryOut, type Trial } from "./trial.ts"

export type Checked =
  | { readonly kind: "not-sound"; readonly id: string; readonly problems: readonly string[] }
  | { readonly kind: "tried"; readonly id: string; readonly spec: ExtensionSpec; readonly trial: Trial }

export async function check(dir: string, args: Args): Promise<number> {
  const folder = resolve(dir)
  if (!isFolder(folder)) throw usageFault(`${dir} is not a folder`)
  const around = await surroundings({ configFile: args.text("config"), profile: args.text("profile") })
  for (const warning of around.warnings) say(`turnhouse: ${warning}`)
  const checked = await checkIn(folder, around)
  const ok = isSound(checked)
  if (args.flag("json")) writeJson({ ok, ...asJson(checked) })
  else process.stdout.write(checkText(checked, ok))
  return ok ? exitCodes.done : exitCodes.failed
}

async function checkIn(folder: string, around: Surroundings): Promise<Checked> {
  const id = basename(folder)
  const manifest = join(folder, manifestPath)
  const notSound = (problems: readonly string[]): Checked => ({ kind: "not-sound", id, problems })
  if (!existsSync(manifest)) return notSound([`there is no ${manifestPath}`])
  const request = { ...discoveryIn([folder], around), disabled: [], guards: [] }
  const { extensions, failures } = discover(request)
  const [spec] = extensions
  if (spec !== undefined) return { kind: "tried", id, spec, trial: await tryOut(spec) }
  const text = textOf(manifest)
  return notSound(text === undefined ? failures.map(({ reason }) => reason) : manifestProblems(id, text, request))
}

/** Nothing when it cannot be read: the host's own failure says why. */
function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return undefined
  }
}

function isSound(checked: Checked): boolean {
  if (checked.kind === "not-sound") return false
  const { start, hooks } = checked.trial
  return start.kind === "started" && hooks.every((hook) => hook.understood.ok)
}

function asJson(checked: Checked) {
  const { id, kind } = checked
  if (kind === "not-sound") return { id, problems: checked.problems }
  const { folder, commandLine, config, permissions } = checked.spec
  const { hooks, ...trial } = checked.trial
  return {
    id,
    problems: [],
    folder,
    command: [commandLine.command, ...commandLine.args],
    config: Object.keys(config),
    permissions: [...permissions],
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
