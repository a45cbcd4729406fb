// Ends a child reliably: a prompt may reopen it at the same time, then it is ended again. It is over when its own
// children are over, too.
import type { CommandOf } from "../../contract/commands.ts"
import type { By } from "../../contract/values.ts"
import type { SessionContext } from "../../runner/session-context.ts"
import { pause, untilAborted } from "../../runner/waiting.ts"
import type { SessionState } from "../../session/state.ts"

/** Pause before a child that is out of reach is tried again. */
export const retryMs = 500

/** For a child that has finished its task. The last command finds it over: a prompt sent before would have reopened it. */
export async function endFinally(session: SessionContext, by: By, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const wasOver = isOver(session.state)
    const sent = await session.send({ type: "end", when: "idle", reason: "its work is done" }, by)
    if (sent.kind === "refused" && sent.refusal.code !== "log.unavailable") return // another host owns it now
    if (wasOver && isOver(session.state)) return
    if (sent.kind === "refused") await pause(retryMs, signal)
    else if (!(await untilState(session, (state) => isOver(state) || isReopened(state), signal))) return
  }
}

/** Repeats the command only when the child was reopened. */
export async function requestEnd(
  session: SessionContext,
  options: Pick<CommandOf<"end">, "when" | "parentExits">,
  by: By,
  signal: AbortSignal,
): Promise<"came back" | "out of reach"> {
  const sent = await session.send({ type: "end", ...options, reason: "the parent session ended it" }, by)
  return sent.kind === "accepted" && (await untilState(session, isReopened, signal)) ? "came back" : "out of reach"
}

function isOver({ life, children }: SessionState): boolean {
  return life === "ended" && children.length === 0
}

/** It was reopened after the command to end. */
function isReopened({ life, endsWhenIdle }: SessionState): boolean {
  return life !== "ended" && !endsWhenIdle
}

/** False when aborted or unknown. */
async function untilState(
  session: SessionContext,
  holds: (state: SessionState) => boolean,
  signal: AbortSignal,
): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const check = () => holds(session.state) && resolve(true)
  const unwatch = session.watch((item) => (item.kind === "lost" ? resolve(false) : check()))
  void untilAborted(signal).then(() => resolve(false))
  check()
  const reached = await promise
  unwatch()
  return reached
}
