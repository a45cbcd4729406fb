// Reads the options of `knowledge`.
import { usageFault } from "../../app/app-fault.ts"
import type { Args } from "../command.ts"

/** `local` is that of local sessions; visitors without a token have `public`. */
const usualOrg = "local"

export function orgIn(args: Args): string {
  const org = args.text("org") ?? usualOrg
  if (org.trim() === "") throw usageFault("--org needs the name of an organisation")
  return org
}

/** Undefined without --org. */
export function orgGiven(args: Args): string | undefined {
  return args.text("org") === undefined ? undefined : orgIn(args)
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

export function audienceText(audience: readonly string[] | undefined): string {
  if (audience === undefined) return "everyone"
  return audience.length === 0 ? "no one" : audience.join(", ")
}
