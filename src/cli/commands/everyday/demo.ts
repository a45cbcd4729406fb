// `turnhouse demo [team|shop]`: a guided story on the offline model, in a temporary folder.
import { AppFault, exitCodes, usageFault } from "../../../app/app-fault.ts"
import { runStory } from "../../../app/demo/run-story.ts"
import { loadStory } from "../../../app/demo/stories.ts"
import { onSignals } from "../../../app/signals.ts"
import type { Args } from "../../command.ts"
import { canAsk } from "../../confirm.ts"
import { PrintedStory } from "../../demo/printed-story.ts"
import { openOutput } from "../../print/open-output.ts"

export async function run(args: Args): Promise<number> {
  const [name] = args.positionals
  const play = await loadStory(name)
  if (play === undefined)
    throw usageFault(`'${name}' is not a story. Use team or shop, or no name for the first story.`)
  const isGuided = canAsk() && process.stdout.isTTY && !args.flag("fast")
  const opened = await openOutput({ notes: process.stdout, use: args.flag("fast") ? "plain" : "live" })
  const stop = new AbortController()
  const output = new PrintedStory({ opened, pauses: isGuided, canAsk: isGuided, signal: stop.signal })
  const keeps = args.flag("keep")
  const stopListening = onSignals((number) => onSignal(stop, number, keeps))
  try {
    await play((story) => runStory(story, { output, keeps, signal: stop.signal }))
    return exitCodes.done
  } finally {
    stopListening()
    opened.output.close()
  }
}

/** A second signal exits at once. */
function onSignal(stop: AbortController, number: number, keeps: boolean): void {
  if (stop.signal.aborted) process.exit(128 + number)
  const folder = keeps ? "kept" : "removed"
  stop.abort(new AppFault(`interrupted. The story's processes are ended and its folder is ${folder}.`, 128 + number))
}
