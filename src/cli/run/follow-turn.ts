// Follows one turn from a command line: prints it, asks the person about approvals, turns signals into an interrupt,
// and knows when it is over.
import type { EventOf, Recorded } from "../../contract/events.ts"
import type { PromptId, TurnId } from "../../contract/ids.ts"
import { sentence } from "../../contract/refusal-sentence.ts"
import type { WatchItem } from "../../contract/house-port.ts"
import type { SessionActor } from "../../runner/session-actor.ts"
import { CliFault } from "../cli-fault.ts"
import { localUser } from "../compose.ts"
import { exitCodes } from "../exit-codes.ts"
import { say } from "../terminal.ts"
import { ApprovalDesk } from "./approval-desk.ts"
import { printJson } from "./print-json.ts"
import { TurnPrinter } from "./turn-printer.ts"

export interface FollowOptions {
  /** The prompt whose turn is followed; without one it is the open turn. */
  readonly promptId: PromptId | undefined
  readonly json: boolean
  /** Say yes to whatever asks. */
  readonly approve: boolean
  /** Ask the person at the terminal. */
  readonly asks: boolean
  /** There is nobody to ask and nothing to wait for. */
  readonly refuses: boolean
  /** What was stored while the session was opened: the end of things that a crash had left half done. */
  readonly missed: readonly Recorded[]
}

export interface TurnEnd {
  /** `parked`: it waits for something that only a person can give. */
  readonly reason: EventOf<"turn.ended">["reason"] | "parked"
  readonly refusedCalls: number
  /** The signal that ended it, if one did. */
  readonly signal: number
}

const signals = { SIGINT: 2, SIGTERM: 15, SIGHUP: 1 } as const

export function followTurn(session: SessionActor, options: FollowOptions): Promise<TurnEnd> {
  const printer = new TurnPrinter(session)
  const desk = new ApprovalDesk(session, options)
  const { promise, resolve, reject } = Promise.withResolvers<TurnEnd>()
  /** The turn that matters: the one that our prompt is delivered to, else the one that is open. */
  let turnId: TurnId | undefined = options.promptId === undefined ? session.state.turn?.id : undefined
  let refusedCalls = 0
  let signal = 0

  const onEvent = ({ event }: Recorded) => {
    if (event.type === "prompt.promoted" && event.promptId === options.promptId) turnId = event.turnId
    if (event.type === "tool.refused" && isRefusal(event)) refusedCalls += 1
    if (event.type === "approval.requested") desk.ask(event)
    if (event.type === "turn.parked" && event.until === undefined) resolve({ reason: "parked", refusedCalls, signal })
    if (event.type === "turn.ended" && (event.turnId === turnId || signal > 0))
      resolve({ reason: event.reason, refusedCalls, signal })
  }
  const show = (item: WatchItem) => (options.json ? printJson(item) : printer.show(item))
  for (const recorded of options.missed) show({ kind: "event", recorded })
  const unwatch = session.watch((item: WatchItem) => {
    if (item.kind === "lost") return reject(new CliFault(sentence(item.refusal), exitCodes.failed))
    show(item)
    if (item.kind === "event") onEvent(item.recorded)
  })
  const stopListening = onSignals((number) => {
    if (signal > 0) process.exit(128 + number) // asked twice: the reaper cleans up behind us
    signal = number
    void interrupt(session, number)
  })
  for (const approval of desk.openOnes()) desk.ask(approval)

  return promise.finally(() => {
    unwatch()
    stopListening()
    desk.close()
    if (!options.json) printer.end()
  })
}

/** When not even that can be stored, leaving is all that can be done: the session is found as it is. */
async function interrupt(session: SessionActor, number: number): Promise<void> {
  const sent = await session.send({ type: "interrupt" }, { principal: localUser(), door: "run" })
  if (sent.kind === "accepted") return
  say(`turnhouse: ${sentence(sent.refusal)}`)
  process.exit(128 + number)
}

/** A person or a policy said no; a wrong argument is only the model's mistake. */
function isRefusal({ by }: EventOf<"tool.refused">): boolean {
  return by !== "input" && by !== "tools"
}

function onSignals(listener: (number: number) => void): () => void {
  const listeners = Object.entries(signals).map(([name, number]) => [name, () => listener(number)] as const)
  for (const [name, listen] of listeners) process.on(name, listen)
  return () => {
    for (const [name, listen] of listeners) process.off(name, listen)
  }
}
