// `turnhouse trust [DIR]`: trusts a folder after listing the files that may configure its sessions. Reads no
// configuration, so that trust can be revoked if that is broken.
import { ConfigFault } from "../../../config/config-fault.ts"
import { ensureHome, homeFolder } from "../../../config/home.ts"
import { namedFiles } from "../../../config/named-files.ts"
import { distrustFolder, trustedFolders, trustFolder, trustOf, type FolderTrust } from "../../../config/trust.ts"
import { AppFault, usageFault, exitCodes } from "../../../app/app-fault.ts"
import type { Args } from "../../command.ts"
import { filesUnder } from "../../files-under.ts"
import { table, type Columns, writeJson } from "../../output.ts"
import { oneLine } from "../../../contract/text/text.ts"
import { printNotice } from "../../../app/terminal.ts"

export async function run(args: Args): Promise<number> {
  const [dir = ".", ...more] = args.positionals
  const revoked = args.text("revoke")
  const ways = [args.positionals.length > 0, args.flag("list"), revoked !== undefined].filter((way) => way)
  if (more.length > 0 || ways.length > 1) throw usageFault("use one of: trust DIR, trust --list, trust --revoke DIR")
  try {
    const home = homeFolder(process.env)
    ensureHome(home)
    if (args.flag("list")) return await list(home, args.flag("json"))
    if (revoked !== undefined) return await revoke(home, revoked, args.flag("json"))
    return await trust(home, dir, args.flag("json"))
  } catch (fault) {
    if (fault instanceof ConfigFault) throw new AppFault(fault.message)
    throw fault
  }
}

async function trust(home: string, dir: string, json: boolean): Promise<number> {
  const before = await trustOf(home, dir)
  if (!json) process.stdout.write(whatIsRead(before, await namedFiles(before.folder, process.env)))
  const after = await trustFolder(home, dir)
  for (const warning of after.warnings) printNotice(`turnhouse: ${warning}`)
  if (json) writeJson({ folder: after.folder, state: after.state, files: after.files })
  else if (after.state === "trusted") process.stdout.write(`trusted: ${shown(after.folder)}\n`)
  return exitCodes.done
}

function whatIsRead({ state, folder, files }: FolderTrust, named: readonly string[]): string {
  if (files.length === 0) return `${shown(folder)} has no project files; there is nothing to trust.\n`
  const { paths, more } = filesUnder(folder, [...files, ...named])
  const title =
    state === "changed" ? "changed since it was trusted; files that will be read" : "files that will be read"
  const rest = more ? ["  … and more"] : []
  return [`${shown(folder)}: ${title}`, ...paths.map((path) => `  ${shown(path)}`), ...rest, ""].join("\n")
}

const shownColumns: Columns<{ readonly folder: string; readonly at: string; readonly state: string }> = {
  STATE: ({ state }) => state,
  SINCE: ({ at }) => at.slice(0, 10),
  FOLDER: ({ folder }) => shown(folder),
}

async function list(home: string, json: boolean): Promise<number> {
  const { folders, warnings } = await trustedFolders(home)
  for (const warning of warnings) printNotice(`turnhouse: ${warning}`)
  const rows = await Promise.all(
    folders.map(async ({ folder, at }) => ({ folder, at, state: await stateNow(home, folder) })),
  )
  if (json) writeJson(rows)
  else if (rows.length === 0) process.stdout.write("No trusted folders.\n")
  else process.stdout.write(table(rows, shownColumns))
  return warnings.length === 0 ? exitCodes.done : exitCodes.failed
}

async function stateNow(home: string, folder: string): Promise<FolderTrust["state"] | "gone"> {
  try {
    return (await trustOf(home, folder)).state
  } catch (fault) {
    if (fault instanceof ConfigFault) return "gone"
    throw fault
  }
}

/** A folder that was not trusted may be misspelt, so this is an error. */
async function revoke(home: string, dir: string, json: boolean): Promise<number> {
  if (!(await distrustFolder(home, dir)))
    throw new AppFault(`${dir} is not trusted. 'turnhouse trust --list' lists trusted folders.`)
  if (json) writeJson({ folder: dir, state: "untrusted" })
  else process.stdout.write(`no longer trusted: ${shown(dir)}\n`)
  return exitCodes.done
}

function shown(path: string): string {
  return oneLine(path, Infinity)
}
