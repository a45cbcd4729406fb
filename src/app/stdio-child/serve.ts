// The stdio child with its engine: opens the house and the session, lets the parent in, and sees to a good end. What
// runs at the end is cut off rather than let the parent wait too long.
import { setTimeout as pause } from "node:timers/promises"
import { describeRefusal } from "../../contract/describe-refusal.ts"
import type { SessionOptions } from "../../contract/session-options.ts"
import type { LoadedDoor } from "../../doors/core/door.ts"
import type { RpcDoor } from "../../doors/rpc/rpc-door.ts"
import { doors } from "../../doors/table.ts"
import { newId } from "../../host/new-ids.ts"
import type { Line } from "../../transports/framing/lines.ts"
import { watchReader } from "../../transports/reader-watch.ts"
import type { Stdio } from "../../transports/stdio.ts"
import { limitHeapGrowth } from "../host/heap-growth.ts"
import { startHost, type RunningHost } from "../compose.ts"
import type { AppContext } from "../context.ts"
import { localUser } from "../local-user.ts"
import { printNotice } from "../terminal.ts"
import type { LocalDoors } from "../host/local-doors.ts"
import type { EarlySession } from "./early-session.ts"
import { exitCodeOf, type Ending, type Endings } from "./ending.ts"
import { resume, openOrCreate } from "./open-session.ts"

/** What the pipes tell, once there is somebody to hear it. */
export interface Ear {
  line(line: Line): void
  drained(): void
}

export interface Times {
  /** How long after a prompt its failure may still be told as an error. */
  readonly errorWindowMs: number
  /** How long a turn may go on when the parent wants the child to end; real parents kill after 5 s. */
  readonly shutdownMs: number
}

export interface Child {
  /** The session to continue. */
  readonly continueId: string | undefined
  /** Frames for approvals and for messages during a turn. */
  readonly extended: boolean
  readonly context: AppContext
  readonly wish: SessionOptions
  /** The session that the parent was told of already. */
  readonly early: EarlySession | undefined
  readonly stdio: Stdio
  readonly endings: Endings
  readonly ear: Ear
  readonly times: Times
}

const interruptMs = 1000
const flushMs = 1000
const closeMs = 2500
/** Without a reader the child must be gone within a second: this much for the interrupt in the log, and for the rest. */
const unreadInterruptMs = 400
const unreadCloseMs = 200
const approvalWaitMs = 45_000

export async function serve(child: Child): Promise<number> {
  const { context, early, stdio, endings, ear } = child
  const loading = doors.rpc.load()
  await early?.release()
  const running = await startHost(context, { role: "rpc", approvalWaitMs: waitOf(context) })
  let others: Promise<LocalDoors | undefined> | undefined
  try {
    const door = await openDoor(child, running, await loading)
    ear.line = (line) => door.receive(line)
    ear.drained = () => door.drained()
    if (early === undefined) door.greet()
    stdio.resume()
    others = listenForOthers(context, running)
    limitHeapGrowth("rpc")
    const ending = await finish(door, running, endings)
    if (ending.kind === "unread") await leaveAtOnce(running)
    await atMost(
      flushMs,
      door.close().then(() => stdio.flushed()),
    )
    return exitCodeOf(ending)
  } finally {
    await (await others)?.close()
    await atMost(closeMs, running.close())
  }
}

/** The parent is gone. What is not closed by then is found by the next host, and processes are left to the reaper. */
async function leaveAtOnce(running: RunningHost): Promise<never> {
  await atMost(unreadCloseMs, running.close())
  process.exit(exitCodeOf({ kind: "unread" }))
}

function waitOf({ config }: AppContext): number {
  const seconds = config.approvals?.wait
  return seconds === undefined ? approvalWaitMs : seconds * 1000
}

async function openDoor(child: Child, running: RunningHost, { open }: LoadedDoor<typeof doors.rpc>): Promise<RpcDoor> {
  const { continueId, extended, wish, early, stdio, endings, times } = child
  const by = { principal: localUser(), door: "rpc" }
  const handle =
    early === undefined ? await openOrCreate(continueId, running, wish, by) : await resume(running, early, wish, by)
  return open(handle, {
    port: running.port,
    by,
    wish,
    extended,
    errorWindowMs: times.errorWindowMs,
    pipe: stdio,
    listen: (wanted) => (wanted ? stdio.resume() : stdio.pause()),
    newId,
    now: Date.now,
    onReplaced: (sessionId) => running.host.closeSession(sessionId),
    onShutdown: () => endings.end({ kind: "shutdown", patienceMs: times.shutdownMs }),
    onLost: (refusal) => {
      printNotice(`turnhouse: ${describeRefusal(refusal)}`)
      endings.end({ kind: "fault" })
    },
    onFault: (fault) =>
      printNotice(`turnhouse: ${fault instanceof Error ? (fault.stack ?? fault.message) : String(fault)}`),
  })
}

/** Other processes may watch and answer approvals; the parent does not depend on them. */
async function listenForOthers(context: AppContext, running: RunningHost): Promise<LocalDoors | undefined> {
  try {
    const { openLocalDoors } = await import("../host/local-doors.ts")
    return await openLocalDoors(context, running)
  } catch (fault) {
    printNotice(
      `turnhouse: other processes cannot reach this session: ${fault instanceof Error ? fault.message : "unknown"}`,
    )
    return undefined
  }
}

/** A turn may run to its end only while the parent reads; in every case its end is stored. Returns what counts. */
async function finish(door: RpcDoor, running: RunningHost, endings: Endings): Promise<Ending> {
  const first = await endings.first
  const ending = (await patiently(door, first, endings)) ?? first
  const ms = ending.kind === "unread" ? unreadInterruptMs : interruptMs
  if (ending.kind !== "fault" && (door.owesParent || (await isHere(door, running)))) {
    await atMost(ms, door.interrupt())
    if (ending.kind !== "unread") await atMost(ms, door.idle())
  }
  return ending
}

/** Waits for the parent's turn as long as its reader lives. Returns the reason that came in between, if one did. */
async function patiently(door: RpcDoor, first: Ending, endings: Endings): Promise<Ending | undefined> {
  if (first.kind !== "shutdown" && first.kind !== "end of input") return undefined
  watchReader(() => endings.end({ kind: "unread" }))
  const quiet = door.idle().then(() => undefined)
  const turn = first.kind === "shutdown" ? atMost(first.patienceMs, quiet).then(() => undefined) : quiet
  return Promise.race([endings.urgent, turn])
}

/** Somebody else's turn in another process is none of our business; one that runs in this process ends with it. */
async function isHere(door: RpcDoor, { host }: RunningHost): Promise<boolean> {
  return (await host.opened(door.sessionId)).kind === "opened"
}

/** Whether the work was done in time. */
async function atMost(ms: number, work: Promise<unknown>): Promise<boolean> {
  const timer = new AbortController()
  const tooLate = pause(ms, false, { signal: timer.signal }).catch(() => false)
  const inTime = await Promise.race([work.then(() => true), tooLate])
  timer.abort()
  return inTime
}
