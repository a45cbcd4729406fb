// `turnhouse knowledge watch`: follows folders until Ctrl-C.
import { exitCodes } from "../../app/app-fault.ts"
import { watchSources, type WatchRequest } from "../../app/knowledge/watch/watch-sources.ts"
import { printNotice } from "../../app/terminal.ts"
import { oneLine } from "../../contract/text/text.ts"
import type { Args } from "../command.ts"
import { contextWithWarnings } from "../context-options.ts"
import { orgGiven } from "./options.ts"
import { withSignals } from "./reading.ts"

const longestPlace = 100
const namesShown = 5

export async function watch(names: readonly string[], args: Args): Promise<number> {
  const context = await contextWithWarnings(args)
  const isJson = args.flag("json")
  await withSignals((work) =>
    watchSources(context, {
      ...work,
      names,
      org: orgGiven(args),
      onWatching: (locations) => {
        if (isJson) print(JSON.stringify({ watching: locations }))
        else for (const location of locations) print(`watching ${oneLine(location, longestPlace)}; Ctrl-C ends it`)
      },
      onReport: (report) => print(isJson ? reportJson(report) : reportText(report)),
      onNotice: (sentence) => printNotice(`turnhouse: ${sentence}`),
    }),
  )
  return exitCodes.done
}

type Report = Parameters<WatchRequest["onReport"]>[0]

function reportJson({ source, outcome, added, changed, removed, problems }: Report): string {
  return JSON.stringify({ location: source.root, outcome, added, changed, removed, refused: problems })
}

/** Empty if nothing has changed. */
function reportText({ source, outcome, note, added, changed, removed, problems }: Report): string {
  const location = oneLine(source.root, longestPlace)
  if (outcome === "failed") return `${location}: ${oneLine(note ?? "it failed", 300)}`
  const refused = problems.map(({ name, reason }) => `${name} (${reason})`)
  const parts = Object.entries({ added, changed, removed, "not read": refused }).flatMap(([what, list]) =>
    list.length === 0 ? [] : `${list.length} ${what}: ${oneLine(list.slice(0, namesShown).join(", "), 200)}`,
  )
  return parts.length === 0 ? "" : `${location}: ${parts.join("; ")}`
}

function print(line: string): void {
  if (line !== "") process.stdout.write(`${line}\n`)
}
