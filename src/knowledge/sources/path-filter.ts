// Which paths of a source are read, by its globs.
import { globMatcher } from "../../contract/text/glob.ts"
import { SourceFault } from "../ingest/source-fault.ts"
import type { SourceOptions } from "./registry.ts"

/** Throws SourceFault for an invalid glob. */
export function pathFilter({
  include,
  exclude,
}: Pick<SourceOptions, "include" | "exclude">): (path: string) => boolean {
  const [included, excluded] = [include.map(matcher), exclude.map(matcher)]
  return (path) =>
    (included.length === 0 || included.some((fits) => fits(path))) && !excluded.some((fits) => fits(path))
}

function matcher(glob: string): (path: string) => boolean {
  const fits = globMatcher(glob)
  if (fits === undefined) throw new SourceFault(`'${glob}' is not a valid pattern. Use one such as *.md or docs/**.`)
  return fits
}
