// Reads the options of `knowledge`.
import type { AddOptions } from "../../knowledge/ingest/source.ts"
import type { Rights } from "../../knowledge/rights.ts"
import { usageFault } from "../../app/app-fault.ts"
import type { Args } from "../command.ts"

/** `local` is that of local sessions; visitors without a token have `public`. */
const usualOrg = "local"

export function orgIn(args: Args): string {
  const org = args.text("org") ?? usualOrg
  if (org.trim() === "") throw usageFault("--org needs the name of an organisation")
  return org
}

/** Comma-separated names. */
export function namesIn(args: Args, option: string): readonly string[] | undefined {
  const text = args.text(option)
  if (text === undefined) return undefined
  const names = text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "")
  if (names.length === 0) throw usageFault(`--${option} needs comma-separated names, such as staff,support`)
  return names
}

export function addOptions(args: Args): AddOptions {
  const groups = namesIn(args, "audience")
  const given = [groups !== undefined, args.flag("public"), args.flag("locked")].filter(Boolean)
  if (given.length > 1) throw usageFault("--audience, --public and --locked cannot be combined")
  return { org: orgIn(args), audience: audienceIn(args, groups), sets: namesIn(args, "set") }
}

/** Without groups a search has the rights of a local user. */
export function rightsIn(args: Args): Rights {
  return { org: orgIn(args), groups: namesIn(args, "audience") ?? "all" }
}

function audienceIn(args: Args, groups: readonly string[] | undefined): AddOptions["audience"] {
  if (args.flag("public")) return { groups: undefined }
  if (args.flag("locked")) return { groups: [] }
  return groups === undefined ? undefined : { groups }
}
