// Says what is being waited for, to a person at a terminal who would otherwise wonder, and takes it away again.
import { oneLine } from "../../../contract/printable.ts"

const patienceMs = 1000
const width = 100

export type Wait = <Value>(what: string, work: () => Promise<Value>) => Promise<Value>

/** `what` is said once the work has taken a second, and from then on with how long it takes. */
export function waitOn(stream: Pick<NodeJS.WriteStream, "isTTY" | "write">): Wait {
  return async (what, work) => {
    if (!stream.isTTY) return work()
    let seconds = 0
    const timer = setInterval(() => {
      seconds++
      stream.write(`\r\u001b[K${oneLine(`waiting for ${what}: ${seconds} s`, width)}`)
    }, patienceMs)
    try {
      return await work()
    } finally {
      clearInterval(timer)
      if (seconds > 0) stream.write("\r\u001b[K")
    }
  }
}
