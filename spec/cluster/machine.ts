// A node on a machine of its own: a pid namespace, in which other nodes cannot see its processes, so that only its lease tells
// whether it is alive. The namespace goes on when the node is killed, as a machine does.
import { readFileSync, readdirSync } from "node:fs"
import { eventually } from "../e2e/eventually.ts"
import { program, type Place } from "../e2e/place.ts"
import type { Running } from "../e2e/running.ts"

/** The first process of the namespace: it outlives the node. */
const init = '"$@" & wait $!; echo "the node has exited"; exec sleep 1000'

export class Machine {
  readonly running: Running

  static start(place: Place, args: readonly string[]): Machine {
    const unshare = ["--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c", init, "sh", program, ...args]
    return new Machine(place.startOther("unshare", unshare))
  }

  private constructor(running: Running) {
    this.running = running
  }

  /** Of the node, as this test sees it. */
  async nodePid(): Promise<number> {
    return eventually("the node has a process", () => {
      const [first] = childrenOf(this.running.pid)
      return first === undefined ? undefined : childrenOf(first)[0]
    })
  }

  async nodeExited(): Promise<void> {
    await this.running.until(
      "the exit of the node",
      () => this.running.stdout.includes("the node has exited") || undefined,
    )
  }

  /** Ends everything that is left. */
  async stop(): Promise<void> {
    this.running.signal("SIGKILL")
    await this.running.ended
  }
}

function childrenOf(pid: number): readonly number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8")
    return text
      .split(" ")
      .filter((word) => word !== "")
      .map(Number)
  } catch {
    return [] // it has ended
  }
}

/** Processes besides the program itself that belong to this home or folder: tools and what they started. */
export function toolProcessesOf({ folder, home }: Place, mark: string): readonly string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      const read = (name: string) => contentOf(`/proc/${pid}/${name}`)
      const isOurs = read("environ").includes(home) || read("environ").includes(folder)
      const command = read("cmdline").replaceAll("\0", " ")
      return isOurs && command.includes(mark) ? [`${pid} ${command}`] : []
    })
}

function contentOf(path: string): string {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return "" // it has ended in the meantime
  }
}
