// Runs the stdio child. Signals and the end of stdin are handled before the first frame, and `ready` is sent as soon as the
// session is stored; the engine is loaded afterwards.
import type { SessionOptions } from "../../contract/session-options.ts"
import { encodeFrame } from "../../protocols/rpc/codec.ts"
import { maxFrameBytes, rpcVersion } from "../../protocols/rpc/limits.ts"
import { openStdio } from "../../transports/stdio.ts"
import { AppFault } from "../app-fault.ts"
import type { AppContext } from "../context.ts"
import { earlySession, type EarlySession } from "./early-session.ts"
import { Endings } from "./ending.ts"
import { loadEngineDuring } from "./load-engine.ts"
import type { Child, InputHandler } from "./serve.ts"
import { limitHeapGrowth, limitThreadPool } from "../host/process-limits.ts"

export interface ChildOptions extends Pick<Child, "continueId" | "extended" | "times"> {
  /** Called once the end of the child is handled. */
  readonly load: () => Promise<{ readonly context: AppContext; readonly request: SessionOptions }>
}

/** Returns the exit code. */
export async function runStdioChild({ load, ...options }: ChildOptions): Promise<number> {
  const endings = new Endings()
  limitHeapGrowth("rpc") // before the first collection, which fixes how far the heap grows until the next
  await limitThreadPool()
  const input: InputHandler = { line: () => {}, drained: () => {} }
  const stdio = openStdio({
    maxLineBytes: maxFrameBytes,
    onLine: (line) => input.line(line),
    onDrain: () => input.drained(),
    onEnd: () => endings.end({ kind: "end of input" }),
    onBroken: () => endings.end({ kind: "unread" }),
  })
  try {
    const { context, request } = await load()
    const storing = earlySession(context, request, options.continueId)
    const loading = loadEngineDuring(storing)
    const early = await storing
    if (early !== undefined) stdio.write(readyLine(early))
    const released = early?.release()
    released?.catch(() => {}) // awaited below
    await loading
    const { serve } = await import("./serve.ts")
    await released
    return await serve({ ...options, context, request, early, stdio, endings, input })
  } catch (fault) {
    // a child that cannot start exits with 1, also for wrong arguments
    throw fault instanceof AppFault ? new AppFault(fault.message) : fault
  } finally {
    stdio.stop()
  }
}

function readyLine({ sessionId, model }: EarlySession): string {
  return encodeFrame({ type: "ready", session_id: sessionId, model, protocol_version: rpcVersion })
}
