// `turnhouse backup FILE`: copies the log, and beside it the index of documents, each as of one moment.
import { exitCodes } from "../../../app/app-fault.ts"
import { loadContext } from "../../../app/context.ts"
import { backUp } from "../../../app/sessions/backup.ts"
import { printNotice } from "../../../app/terminal.ts"
import type { Args } from "../../command.ts"
import { writeJson } from "../../output.ts"

export async function run(args: Args): Promise<number> {
  const file = args.first("name one file: turnhouse backup FILE")
  const { home } = await loadContext()
  const copy = await backUp(home, file)
  if (args.flag("json")) writeJson(copy)
  else {
    printNotice(
      copy.bytes === undefined
        ? `There are no sessions yet: ${file} is not written.`
        : `wrote ${copy.bytes} bytes to ${file}`,
    )
    if (copy.knowledge !== undefined)
      printNotice(`wrote the documents, ${copy.knowledge.bytes} bytes, to ${copy.knowledge.file}`)
  }
  return exitCodes.done
}
