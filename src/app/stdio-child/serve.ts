// The stdio child with its engine: starts the host, opens the session, connects the parent, and shuts down in time. Work
// that would keep the parent waiting is cut off.
import { setTimeout as pause } from "node:timers/promises"
import { describeRefusal } from "../../contract/text/describe-refusal.ts"
import type { SessionId } from "../../contract/ids.ts"
import type { SessionOptions } from "../../contract/session-options.ts"
import type { LoadedDoor } from "../../doors/core/door.ts"
import type { RpcDoor } from "../../doors/rpc/door.ts"
import { doors } from "../../doors/table.ts"
import { newId } from "../../host/new-ids.ts"
import type { Line } from "../../transports/framing/lines.ts"
import { watchReader } from "../../transports/reader-watch.ts"
import type { Stdio } from "../../transports/stdio.ts"
import { startHost, type RunningHost } from "../compose.ts"
import type { AppContext } from "../context.ts"
import { localUser } from "../local-user.ts"
import { printNotice } from "../terminal.ts"
import { prepareFirstTurn } from "../host/first-turn.ts"
import { quietMoment } from "../host/quiet-moment.ts"
import type { LocalDoors } from "../host/local-doors.ts"
import type { EarlySession } from "./early-session.ts"
import { exitCodeOf, type Ending, type Endings } from "./ending.ts"
import { resume, openOrCreate } from "./open-session.ts"

/** Receives what the pipes report, once the door is open. */
export interface InputHandler {
  line(line: Line): void
  drained(): void
}

export interface Times {
  /** How long after a prompt its failure is also sent as an error. */
  readonly errorWindowMs: number
  /** How long a turn may continue after shutdown; real parents kill after 5 s. */
  readonly shutdownMs: number
}

export interface Child {
  /** The session to continue. */
  readonly continueId: string | undefined
  /** Frames for approvals and for messages during a turn. */
  readonly extended: boolean
  readonly context: AppContext
  readonly request: SessionOptions
  /** The session for which `ready` was sent already. It is released. */
  readonly early: EarlySession | undefined
  readonly stdio: Stdio
  readonly endings: Endings
  readonly input: InputHandler
  readonly times: Times
}

const interruptMs = 1000
const flushMs = 1000
const closeMs = 2500
/** Without a reader the child must exit within a second: time for storing the interrupt, and for the rest. */
const unreadInterruptMs = 400
const unreadCloseMs = 200
const approvalWaitMs = 45_000

export async function serve(child: Child): Promise<number> {
  const { context, early, stdio, endings, input } = child
  const loading = doors.rpc.load()
  const running = await startHost(context, { role: "rpc", approvalWaitMs: waitOf(context) })
  let others: Promise<LocalDoors | undefined> | undefined
  const ending = new AbortController()
  try {
    const door = await openDoor(child, running, await loading)
    input.line = (line) => door.receive(line)
    input.drained = () => door.drained()
    if (early === undefined) door.greet()
    stdio.resume()
    others = listenForOthers(context, running, ending.signal)
    void noticeInstructions(running, door.sessionId)
    if (early !== undefined) void prepareFirstTurn(running.models, [early.model])
    const end = await finish(door, running, endings)
    if (end.kind === "unread") await leaveAtOnce(running)
    await withTimeout(
      flushMs,
      door.close().then(() => stdio.flushed()),
    )
    return exitCodeOf(end)
  } finally {
    ending.abort()
    await (await others)?.close()
    await withTimeout(closeMs, running.close())
  }
}

/** The parent is gone. The next host finds what was not closed, and the reaper ends the processes. */
async function leaveAtOnce(running: RunningHost): Promise<never> {
  await withTimeout(unreadCloseMs, running.close())
  process.exit(exitCodeOf({ kind: "unread" }))
}

function waitOf({ config }: AppContext): number {
  const seconds = config.approvals?.wait
  return seconds === undefined ? approvalWaitMs : seconds * 1000
}

async function openDoor(child: Child, running: RunningHost, { open }: LoadedDoor<typeof doors.rpc>): Promise<RpcDoor> {
  const { continueId, extended, request, early, stdio, endings, times } = child
  const by = { principal: localUser(), door: "rpc" }
  const handle =
    early === undefined
      ? await openOrCreate(continueId, running, request, by)
      : await resume(running, early, request, by)
  return open(handle, {
    port: running.port,
    by,
    request,
    extended,
    errorWindowMs: times.errorWindowMs,
    pipe: stdio,
    listen: (isListening) => (isListening ? stdio.resume() : stdio.pause()),
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
async function listenForOthers(
  context: AppContext,
  running: RunningHost,
  ending: AbortSignal,
): Promise<LocalDoors | undefined> {
  try {
    await quietMoment(ending) // the parent's first request may be there
    if (ending.aborted) return undefined
    const { openLocalDoors } = await import("../host/local-doors.ts")
    return await openLocalDoors(context, running)
  } catch (fault) {
    printNotice(
      `turnhouse: other processes cannot reach this session: ${fault instanceof Error ? fault.message : "unknown"}`,
    )
    return undefined
  }
}

/** Says on stderr which instruction files are not read; the parent gets no frame about them. */
async function noticeInstructions({ port }: RunningHost, sessionId: SessionId): Promise<void> {
  const asked = await port.query({ type: "instructions", sessionId })
  if (asked.kind === "answer") for (const notice of asked.value.notices) printNotice(`turnhouse: ${notice}`)
}

/** A turn may finish only while the parent reads; its end is always stored. Returns the deciding reason. */
async function finish(door: RpcDoor, running: RunningHost, endings: Endings): Promise<Ending> {
  const first = await endings.first
  const ending = (await waitForTurn(door, first, endings)) ?? first
  const ms = ending.kind === "unread" ? unreadInterruptMs : interruptMs
  if (ending.kind !== "fault" && (door.isBusy || (await isOpenHere(door, running)))) {
    await withTimeout(ms, door.interrupt())
    if (ending.kind !== "unread") await withTimeout(ms, door.idle())
  }
  return ending
}

/** Waits for the parent's turn while it reads. Returns an urgent reason that came meanwhile. */
async function waitForTurn(door: RpcDoor, first: Ending, endings: Endings): Promise<Ending | undefined> {
  if (first.kind !== "shutdown" && first.kind !== "end of input") return undefined
  watchReader(() => endings.end({ kind: "unread" }))
  const quiet = door.idle().then(() => undefined)
  const turn = first.kind === "shutdown" ? withTimeout(first.patienceMs, quiet).then(() => undefined) : quiet
  return Promise.race([endings.urgent, turn])
}

/** A turn in another process is left alone; one in this process ends with it. */
async function isOpenHere(door: RpcDoor, { host }: RunningHost): Promise<boolean> {
  return (await host.opened(door.sessionId)).kind === "opened"
}

/** Whether the work finished in time. */
async function withTimeout(ms: number, work: Promise<unknown>): Promise<boolean> {
  const timer = new AbortController()
  const tooLate = pause(ms, false, { signal: timer.signal }).catch(() => false)
  const inTime = await Promise.race([work.then(() => true), tooLate])
  timer.abort()
  return inTime
}
