// `turnhouse knowledge rm`: removes documents from the index; their files are not touched.
import { IndexWriter } from "../../knowledge/index/writer.ts"
import { AppFault, exitCodes } from "../../app/app-fault.ts"
import type { Args } from "../command.ts"
import { KnowledgeSources, indexPath } from "../../app/settings/knowledge.ts"
import { loadContextLeniently } from "../../app/context.ts"
import { writeJson } from "../output.ts"
import { withReadableFaults } from "./explained.ts"
import { orgIn } from "./options.ts"

export async function remove(given: readonly string[], args: Args): Promise<number> {
  const names = [...new Set(given)]
  const { home, config } = await loadContextLeniently()
  const org = orgIn(args)
  const missing = (name: string) =>
    new AppFault(`no document '${name}' in ${org}. 'turnhouse knowledge ls' lists them.`)
  if (!new KnowledgeSources(home).for(config).source.exists) throw missing(names[0] ?? "")
  const writer = await withReadableFaults(() => new IndexWriter(indexPath(home)))
  try {
    const unknown = names.find((name) => !writer.has(org, name))
    if (unknown !== undefined) throw missing(unknown)
    for (const name of names) writer.remove(org, name)
  } finally {
    writer.close()
  }
  if (args.flag("json")) writeJson({ removed: names })
  else process.stdout.write(`${names.length} removed\n`)
  return exitCodes.done
}
