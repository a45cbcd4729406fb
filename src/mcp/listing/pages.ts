// Reads the pages of a list of a server. Items are passed on as they came: the SDK would refuse the whole list for one item
// that does not follow the protocol.
import type { StandardSchemaV1 } from "@modelcontextprotocol/client"
import { listOf, textOf } from "../asking/read-value.ts"
import type { Connection } from "../connection/connect.ts"

export type ListName = "tools" | "prompts" | "resources"

interface Page {
  readonly items: readonly unknown[]
  readonly nextCursor: string | undefined
}

const MAX_PAGES = 50
const methods = { tools: "tools/list", prompts: "prompts/list", resources: "resources/list" } as const

/** At most one item more than `max`. Ends after a number of pages, and when a server sends the same cursor twice. */
export async function readItems(
  { client }: Connection,
  name: ListName,
  max: number,
  signal: AbortSignal,
): Promise<readonly unknown[]> {
  const items: unknown[] = []
  const seen = new Set<string>()
  let cursor: string | undefined
  for (let count = 0; count < MAX_PAGES && items.length <= max; count++) {
    const params = cursor === undefined ? {} : { cursor }
    const page = await client.request({ method: methods[name], params }, pageOf(name), { signal })
    items.push(...page.items.slice(0, max + 1 - items.length))
    cursor = page.nextCursor
    if (cursor === undefined || seen.has(cursor)) break
    seen.add(cursor)
  }
  return items
}

function pageOf(name: ListName): StandardSchemaV1<unknown, Page> {
  const validate = (value: unknown) => {
    const items = listOf(value, name)
    if (items === undefined) return { issues: [{ message: `its answer has no list of ${name}` }] }
    return { value: { items, nextCursor: textOf(value, "nextCursor") } }
  }
  return { "~standard": { version: 1, vendor: "turnhouse", validate } }
}
