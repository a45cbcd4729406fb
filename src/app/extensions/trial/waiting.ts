// Shows on a terminal what the command waits for, and removes the line afterwards.
import { oneLine } from "../../../contract/text/text.ts"

const noticeAfterMs = 1000
const width = 100

export type Wait = <Value>(what: string, work: () => Promise<Value>) => Promise<Value>

/** `what` is shown after one second, with the time elapsed. */
export function waitOn(stream: Pick<NodeJS.WriteStream, "isTTY" | "write">): Wait {
  return async (what, work) => {
    if (!stream.isTTY) return work()
    let seconds = 0
    const timer = setInterval(() => {
      seconds++
      stream.write(`\r\u001b[K${oneLine(`waiting for ${what}: ${seconds} s`, width)}`)
    }, noticeAfterMs)
    try {
      return await work()
    } finally {
      clearInterval(timer)
      if (seconds > 0) stream.write("\r\u001b[K")
    }
  }
}
