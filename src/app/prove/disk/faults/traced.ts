// Hosts under strace, which makes system calls on the files of the log fail. It also writes down what was synced: what was
// not is cut off after a kill, as a power failure would.
import { existsSync, readFileSync, rmSync, truncateSync } from "node:fs"
import { join } from "node:path"
import { untilNoneNames } from "../../../demo/end-programs.ts"
import { pick } from "../../seeded.ts"
import type { OpenRig, Rig, RigOptions } from "./rig.ts"
import { failedCallsIn, readTrace } from "./trace.ts"

interface CallPlan {
  readonly calls: string
  /** Calls before the first one that fails, at most. The first ones create the database. */
  readonly most: number
  /** Calls from one failure to the next: at least, and how many more. After a failure the writer repeats all writes. */
  readonly step: readonly [number, number]
}

const syncs: CallPlan = { calls: "fsync,fdatasync", most: 60, step: [6, 40] }
const reads: CallPlan = { calls: "pread64", most: 150, step: [100, 200] }
const writes: CallPlan = { calls: "pwrite64", most: 500, step: [200, 400] }
/** A program that was killed ends within this time. */
const END_MS = 60_000

/** What is traced, on the files of the log. */
const tracedCalls = "trace=pread64,pwrite64,fsync,fdatasync,ftruncate"
const failures = ["EIO", "ENOSPC"] as const

/** `-D`: the host keeps the process id of the program that was started. */
export const straceWords = ["strace", "-D", "-f", "--seccomp-bpf", "-qq", "-y", "-s", "0", "-e", "signal=none"]

export const failingSyncs: OpenRig = async (options) => traced(options, syncs, "EIO")

export const failingWrites: OpenRig = async (options) => traced(options, writes, pick(failures, options.below))

export const failingReads: OpenRig = async (options) => traced(options, reads, "EIO")

function traced(
  { home, below, isLasting }: RigOptions,
  { calls, most, step: [least, more] }: CallPlan,
  error: string,
): Rig {
  const database = join(home.workspace.home, "turnhouse.db")
  const wal = `${database}-wal`
  const paths = [database, wal, `${database}-heads`].map((path) => `-P${path}`)
  const output = home.workspace.path("strace.log")
  const first = 1 + below(most)
  const isOnce = isLasting && below(2) === 0 // the kill comes before the next write, if it can
  const when = isOnce ? String(first) : `${first}+${isLasting ? "" : least + below(more)}`
  const text = () => (existsSync(output) ? readFileSync(output, "utf8") : "")
  return {
    under: [
      ...straceWords,
      `-e${tracedCalls}`,
      `-einject=${calls}:error=${error}:when=${when}`,
      ...paths,
      `-o${output}`,
    ],
    home: home.workspace.home,
    isByItself: true,
    begin: () => {},
    end: () => {},
    killsSoon: isOnce,
    failedCalls: () => failedCallsIn(text()),
    settle: async () => {
      await untilNoneNames(output, END_MS) // strace ends with the last process that it traces
      const { unsyncedFrom, size } = readTrace(text(), wal)
      if (unsyncedFrom === undefined || !existsSync(wal)) return 0
      truncateSync(wal, unsyncedFrom)
      rmSync(`${database}-shm`, { force: true })
      return size - unsyncedFrom
    },
    close: () => untilNoneNames(output, END_MS),
  }
}
