// What the options of `knowledge` mean.
import type { AddWish } from "../../knowledge/ingest/source.ts"
import type { Rights } from "../../knowledge/rights.ts"
import { usageFault } from "../../app/app-fault.ts"
import type { Args } from "../command.ts"

/** That of local sessions; visitors of the network door without a token have `public`. */
const usualOrg = "local"

export function orgIn(args: Args): string {
  const org = args.text("org") ?? usualOrg
  if (org.trim() === "") throw usageFault("--org takes the name of an organisation")
  return org
}

/** Names with commas between them. */
export function namesIn(args: Args, option: string): readonly string[] | undefined {
  const text = args.text(option)
  if (text === undefined) return undefined
  const names = text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "")
  if (names.length === 0) throw usageFault(`--${option} takes names with commas between them, such as staff,support`)
  return names
}

export function wishIn(args: Args): AddWish {
  const groups = namesIn(args, "audience")
  const given = [groups !== undefined, args.flag("public"), args.flag("locked")].filter(Boolean)
  if (given.length > 1) throw usageFault("--audience, --public and --locked exclude each other")
  return { org: orgIn(args), audience: audienceIn(args, groups), sets: namesIn(args, "set") }
}

/** Without groups a search sees what a person of the house sees. */
export function rightsIn(args: Args): Rights {
  return { org: orgIn(args), groups: namesIn(args, "audience") ?? "all" }
}

function audienceIn(args: Args, groups: readonly string[] | undefined): AddWish["audience"] {
  if (args.flag("public")) return { groups: undefined }
  if (args.flag("locked")) return { groups: [] }
  return groups === undefined ? undefined : { groups }
}
