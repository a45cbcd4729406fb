// `turnhouse knowledge add`: reads documents into the index.
import { exitCodes, usageFault } from "../../app/app-fault.ts"
import { addToIndex, type AddedDocuments, type AddRequest } from "../../app/knowledge/add-documents.ts"
import { oneLine } from "../../contract/text/text.ts"
import type { Args } from "../command.ts"
import { contextWithWarnings } from "../context-options.ts"
import { ProgressLine, writeJson } from "../output.ts"
import { namesIn, orgIn } from "./options.ts"

export async function add(names: readonly string[], args: Args): Promise<number> {
  const context = await contextWithWarnings(args)
  const prunes = args.flag("prune")
  const target = { audience: audienceIn(args), org: orgIn(args), sets: namesIn(args, "set") }
  const progress = new ProgressLine()
  const onProgress = (line: string) => progress.show(line)
  const sum = await addToIndex(context, { names, prunes, onProgress, ...target }).finally(() => progress.clear())
  if (args.flag("json")) writeJson(sum)
  else process.stdout.write(addedText(sum, prunes))
  return sum.refused.length > 0 ? exitCodes.failed : exitCodes.done
}

function audienceIn(args: Args): AddRequest["audience"] {
  const groups = namesIn(args, "audience")
  const audienceFlags = [groups !== undefined, args.flag("public"), args.flag("locked")].filter(Boolean)
  if (audienceFlags.length > 1) throw usageFault("--audience, --public and --locked cannot be combined")
  if (args.flag("public")) return { groups: undefined }
  if (args.flag("locked")) return { groups: [] }
  return groups === undefined ? undefined : { groups }
}

function addedText(sum: AddedDocuments, pruned: boolean): string {
  const { added, changed, unchanged, refused, gone, passages, embedded } = sum
  const lines = [
    ...refused.map(({ id, why }) => `not read: ${oneLine(id, 100)}: ${oneLine(why, 200)}`),
    `${added.length} added, ${changed.length} changed, ${unchanged} unchanged, ${refused.length} not read; ${passages} passages, ${embedded} embedded`,
    ...(gone.length === 0
      ? []
      : [
          ...gone.map((name) => `${pruned ? "removed" : "gone"}: ${oneLine(name, 100)}`),
          ...(pruned ? [] : [`${gone.length} known documents no longer exist; --prune removes them`]),
        ]),
  ]
  return `${lines.join("\n")}\n`
}
