// The time limit and the signal of a turn. Both abort it on the wire, so that the child is free for the next one. After
// a signal the turn ends as `cancelled`; after its time is up whoever waits for it gets the fault. A child that does
// not even answer the abort is not waited for.
import { asError, RpcFault, RpcTimeout } from "./faults.ts"
import type { OpenTurn } from "./open-turn.ts"
import type { TurnOptions } from "./options.ts"

export function mindTurn(turn: OpenTurn, { timeoutMs = 0, signal }: TurnOptions, abort: () => Promise<void>): void {
  const stop = () => void stopTurn(turn, abort)
  const runOut = () => {
    turn.overrule(new RpcTimeout("prompt", timeoutMs))
    stop()
  }
  const timer = timeoutMs > 0 ? setTimeout(runOut, timeoutMs) : undefined
  signal?.addEventListener("abort", stop, { once: true })
  const leave = () => {
    clearTimeout(timer)
    signal?.removeEventListener("abort", stop)
  }
  turn.end.then(leave, leave)
}

async function stopTurn(turn: OpenTurn, abort: () => Promise<void>): Promise<void> {
  try {
    await abort()
    // The answer to an abort comes last: a turn that is still open now will not be closed.
    turn.fail(new RpcFault("the turn was aborted, and the child did not close it"))
  } catch (fault) {
    turn.fail(asError(fault))
  }
}
