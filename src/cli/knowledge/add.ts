// `turnhouse knowledge add`: adds sources of documents and reads them.
import { usageFault } from "../../app/app-fault.ts"
import { addToIndex, type AddRequest } from "../../app/knowledge/add-documents.ts"
import { maxEveryMs, minEveryMs, mostSiteDepth, mostSitePages, namedKinds } from "../../app/knowledge/source-target.ts"
import type { Args } from "../command.ts"
import { contextWithWarnings } from "../context-options.ts"
import { namesIn, orgGiven } from "./options.ts"
import { printReading } from "./reading.ts"

export async function add(names: readonly string[], args: Args): Promise<number> {
  const request = {
    names,
    as: kindIn(args),
    org: orgGiven(args),
    audience: audienceIn(args),
    sets: namesIn(args, "set"),
    everyMs: everyIn(args),
    include: globsIn(args, "include"),
    exclude: globsIn(args, "exclude"),
    maxPages: numberIn(args, "max-pages", mostSitePages),
    maxDepth: numberIn(args, "max-depth", mostSiteDepth),
    acceptsEmpty: args.flag("prune"),
  }
  const context = await contextWithWarnings(args)
  return printReading(args, (work) => addToIndex(context, { ...request, ...work }))
}

function audienceIn(args: Args): AddRequest["audience"] {
  const groups = namesIn(args, "audience")
  const audienceFlags = [groups !== undefined, args.flag("public"), args.flag("locked")].filter(Boolean)
  if (audienceFlags.length > 1) throw usageFault("--audience, --public and --locked cannot be combined")
  if (args.flag("public")) return { groups: undefined }
  if (args.flag("locked")) return { groups: [] }
  return groups === undefined ? undefined : { groups }
}

function kindIn(args: Args): AddRequest["as"] {
  const text = args.text("as")
  const kind = namedKinds.find((one) => one === text)
  if (text !== undefined && kind === undefined)
    throw usageFault(`--as: '${text}' is not one of ${namedKinds.join(", ")}`)
  return kind
}

function everyIn(args: Args): AddRequest["everyMs"] {
  if (args.text("every") === "never") return "never"
  const seconds = args.seconds("every")
  if (seconds === undefined) return undefined
  const ms = seconds * 1000
  if (ms < minEveryMs || ms > maxEveryMs) throw usageFault("--every: use a time from 1m to 366d, or 'never'")
  return ms
}

function globsIn(args: Args, option: string): readonly string[] | undefined {
  const globs = args.texts(option)
  return globs.length === 0 ? undefined : globs
}

function numberIn(args: Args, option: string, most: number): number | undefined {
  const text = args.text(option)
  if (text === undefined) return undefined
  const number = Number(text)
  if (!Number.isInteger(number) || number < 1 || number > most)
    throw usageFault(`--${option}: '${text}' is not a number from 1 to ${most}`)
  return number
}
