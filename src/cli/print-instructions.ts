// Prints which instruction files a session reads, when a command begins to show it.
import { printNotice, styled } from "../app/terminal.ts"
import type { HostPort } from "../contract/host-port.ts"
import type { SessionId } from "../contract/ids.ts"
import { describeInstructions } from "../contract/text/describe-instructions.ts"
import { oneLine } from "../contract/text/text.ts"

/** Returns the notices about files that are not read or are cut. A host of an older release does not know the files. */
export async function printInstructions(port: HostPort, sessionId: SessionId): Promise<readonly string[]> {
  const asked = await port.query({ type: "instructions", sessionId })
  if (asked.kind === "refused") return []
  const line = describeInstructions(asked.value)
  if (line !== undefined) printNotice(styled("dim", oneLine(`instructions: ${line}`, Infinity)))
  return asked.value.notices
}
