// A process of `prove locks`: it has the locks of a home, does what its parent tells it on standard input, one line each, and
// ends with it. Leases run faster than in a host, so that a freeze of seconds is long; the wall clock is the parent's.
// Arguments: the lock table, how much faster leases run, and the file of the tool with its arguments.
import { execFile } from "node:child_process"
import { setTimeout as sleep } from "node:timers/promises"
import { DatabaseSync } from "node:sqlite"
import { renewEveryMs } from "../../../../features/locks/lock-table.ts"
import { retryWhileBusy } from "../../../../features/locks/store/sqlite/retry-while-busy.ts"
import { Locks, type Hold } from "../../../../features/locks/store/locks.ts"
import { sqliteLocks } from "../../../../features/locks/store/sqlite/sqlite-store.ts"
import { isAlive, thisHost } from "../../../../log/process-identity.ts"
import { LineSplitter } from "../../../../transports/framing/lines.ts"
import { LockServant, type LockCommand } from "../play/lock-commands.ts"
import { machineMs, type ProgramReply, type ProgramRequest } from "./program-messages.ts"

const MAX_LINE_BYTES = 1024 * 1024
/** How often it looks whether it runs and can write, and what counts as a stall. */
const LOOK_MS = 40
const STALL_MS = 120

run()

function run(): void {
  const [file = "", speed = "1", ...tool] = process.argv.slice(2)
  const { pid, startTime, bootId } = thisHost("prove")
  let offsetMs = 0
  const locks = new Locks({
    openStore: sqliteLocks({
      file,
      moment: () => ({ now: Date.now() + offsetMs, ticks: Math.floor(machineMs() * Number(speed)) }),
      mark: () => "",
    }),
    machine: { self: { pid, startTime, bootId }, hostname: "here", isAlive, isPidAlive: () => true },
    renewMs: renewEveryMs / Number(speed),
    end: () => Promise.resolve(true), // what it started is stopped by its number
    warn: (sentence) => process.stderr.write(`${sentence}\n`),
  })
  const servant = new LockServant(locks, (hold) => act(hold, tool))
  const take = (request: ProgramRequest) => {
    if (request.type === "clock") offsetMs = request.offsetMs
    else void perform(servant, request.id, request.command)
  }
  const lines = new LineSplitter(MAX_LINE_BYTES, (line) => line.kind === "line" && take(JSON.parse(line.text)))
  process.stdin.on("data", (chunk: Buffer) => lines.push(chunk)).once("end", () => process.exit())
  void watchStalls(file)
  reply({ type: "ready" })
}

async function perform(servant: LockServant, id: number, command: LockCommand): Promise<void> {
  const answer = await servant.perform(command, (by) => reply({ type: "queued", id, by, at: machineMs() }))
  reply({ type: "answer", id, answer })
}

function reply(message: ProgramReply): void {
  process.stdout.write(`${JSON.stringify(message)}\n`)
}

/** The tool is a git command, which is refused by the hook when a number is not valid any more. */
function act(hold: Hold, [file = "", repository = "", tree = ""]: readonly string[]): Promise<boolean> {
  const env = { ...process.env, ...hold.environment({}) }
  const acted = hold.locks.map(({ id, fence }) => `${id} ${fence}`).join(" ")
  return new Promise((resolve) => {
    execFile("sh", [file, repository, acted, tree], { env }, (fault) => resolve(fault === null))
  })
}

/** A process that does not run cannot renew, nor can one while another has stopped in the middle of a change. */
async function watchStalls(file: string): Promise<void> {
  const database = new DatabaseSync(file, { timeout: 0 })
  for (let from = machineMs(); ; from = machineMs()) {
    await sleep(LOOK_MS)
    await retryWhileBusy(file, () => database.exec("begin immediate; rollback")).catch(() => {}) // it was long
    const until = machineMs()
    if (until - from > STALL_MS) reply({ type: "stalled", from, until })
  }
}
