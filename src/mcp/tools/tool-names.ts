// The names under which models and rules know the tools of servers: `mcp__SERVER__TOOL`. Every provider accepts letters,
// digits, `_` and `-`, at most 64 of them; other names are changed and get a digest, so that no two become one.
import { createHash } from "node:crypto"
import { serverToolPrefix } from "../../contract/rules/server-tools.ts"

const MAX_LENGTH = 64
const DIGEST_LENGTH = 8
/** With a longer name the name of a tool could lose a part of the server's, and rules about the server would not fit. */
export const MAX_SERVER_NAME = MAX_LENGTH - DIGEST_LENGTH - 1 - serverToolPrefix.length - 2

export function toolName(server: string, tool: string): string {
  const plain = `${serverToolPrefix}${server}__${tool}`
  const name = plain.replaceAll(/[^A-Za-z0-9_-]/g, "_")
  if (name === plain && name.length <= MAX_LENGTH) return name
  const digest = createHash("sha256").update(plain).digest("hex").slice(0, DIGEST_LENGTH)
  return `${name.slice(0, MAX_LENGTH - DIGEST_LENGTH - 1)}_${digest}`
}
