// `turnhouse trust [DIR]`: trusts a folder after listing the files that may configure its sessions.
import { AppFault, exitCodes, usageFault } from "../../../app/app-fault.ts"
import {
  distrust,
  listTrusted,
  reviewFolder,
  trust,
  type FolderReview,
  type KnownFolder,
} from "../../../app/settings/folder-trust.ts"
import { printNotice } from "../../../app/terminal.ts"
import { oneLine } from "../../../contract/text/text.ts"
import type { Args } from "../../command.ts"
import { table, writeJson, type Columns } from "../../output.ts"

export async function run(args: Args): Promise<number> {
  const [dir = "."] = args.positionals
  const revoked = args.text("revoke")
  const ways = [args.positionals.length > 0, args.flag("list"), revoked !== undefined].filter((way) => way)
  if (ways.length > 1) throw usageFault("use one of: trust DIR, trust --list, trust --revoke DIR")
  if (args.flag("list")) return list(args.flag("json"))
  return revoked === undefined ? reviewAndTrust(dir, args.flag("json")) : revoke(revoked, args.flag("json"))
}

async function reviewAndTrust(dir: string, json: boolean): Promise<number> {
  if (!json) process.stdout.write(describeReview(await reviewFolder(dir)))
  const { folder, state, files, warnings } = await trust(dir)
  for (const warning of warnings) printNotice(`turnhouse: ${warning}`)
  if (json) writeJson({ folder, state, files })
  else if (state === "trusted") process.stdout.write(`trusted: ${shown(folder)}\n`)
  return exitCodes.done
}

function describeReview({ state, folder, files, listed: { paths, more }, instructions }: FolderReview): string {
  if (files.length === 0 && instructions.length === 0)
    return `${shown(folder)} has no project files; there is nothing to trust.\n`
  const title =
    state === "changed" ? "changed since it was trusted; files that will be read" : "files that will be read"
  const rest = more ? ["  … and more"] : []
  const followed = instructions.map((path) => `  ${shown(path)} (instructions for the model, also after they change)`)
  return [`${shown(folder)}: ${title}`, ...paths.map((path) => `  ${shown(path)}`), ...rest, ...followed, ""].join("\n")
}

const shownColumns: Columns<KnownFolder> = {
  STATE: ({ state }) => state,
  SINCE: ({ at }) => at.slice(0, 10),
  FOLDER: ({ folder }) => shown(folder),
}

async function list(json: boolean): Promise<number> {
  const { rows, warnings } = await listTrusted()
  for (const warning of warnings) printNotice(`turnhouse: ${warning}`)
  if (json) writeJson(rows)
  else process.stdout.write(rows.length === 0 ? "No trusted folders.\n" : table(rows, shownColumns))
  return warnings.length === 0 ? exitCodes.done : exitCodes.failed
}

/** A folder that was not trusted may be misspelt, so this is an error. */
async function revoke(dir: string, json: boolean): Promise<number> {
  if (!(await distrust(dir)))
    throw new AppFault(`${dir} is not trusted. 'turnhouse trust --list' lists trusted folders.`)
  if (json) writeJson({ folder: dir, state: "untrusted" })
  else process.stdout.write(`no longer trusted: ${shown(dir)}\n`)
  return exitCodes.done
}

function shown(path: string): string {
  return oneLine(path, Infinity)
}
