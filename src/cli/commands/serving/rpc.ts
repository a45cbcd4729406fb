// `turnhouse rpc`: a synaps RPC v1 child on stdin and stdout. Signals and the end of stdin are handled before the first
// frame, and `ready` is sent as soon as the session is stored; the engine is loaded afterwards.
import { readFileSync, statSync } from "node:fs"
import { encodeFrame } from "../../../protocols/rpc/codec.ts"
import { maxFrameBytes, rpcVersion } from "../../../protocols/rpc/limits.ts"
import { openStdio } from "../../../transports/stdio.ts"
import { AppFault, usageFault } from "../../../app/app-fault.ts"
import type { Args } from "../../command.ts"
import { contextOf, printWarnings } from "../../context-options.ts"
import { earlySession, type EarlySession } from "../../../app/stdio-child/early-session.ts"
import { Endings } from "../../../app/stdio-child/ending.ts"
import { limitThreadPool } from "../../../app/stdio-child/thread-pool.ts"
import type { InputHandler, Times } from "../../../app/stdio-child/serve.ts"
import { sessionRequest } from "../../run/session-request.ts"

const defaults = { shutdownSeconds: 3, errorWindowSeconds: 55 }

export async function run(args: Args): Promise<number> {
  if (args.text("model") === "") throw usageFault("--model needs a model, as provider/model")
  const times = timesOf(args)
  const endings = new Endings()
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
    return await boot(async () => {
      const context = await contextOf(args)
      printWarnings(context)
      const given = { cwd: context.cwd, origin: "rpc", preset: "trusting", system: systemText(args) } as const
      const request = sessionRequest(args, given)
      const continueId = args.text("continue")
      const early = await earlySession(context, request, continueId)
      if (early !== undefined) stdio.write(readyLine(early))
      const { serve } = await import("../../../app/stdio-child/serve.ts")
      return serve({
        continueId,
        extended: args.flag("extended"),
        context,
        request,
        early,
        stdio,
        endings,
        input,
        times,
      })
    })
  } finally {
    stdio.stop()
  }
}

function timesOf(args: Args): Times {
  const patience = args.seconds("patience")
  return {
    errorWindowMs: (args.seconds("error-window") ?? defaults.errorWindowSeconds) * 1000,
    shutdownMs: (patience ?? defaults.shutdownSeconds) * 1000,
  }
}

function readyLine({ sessionId, model }: EarlySession): string {
  return encodeFrame({ type: "ready", session_id: sessionId, model, protocol_version: rpcVersion })
}

/** A child that cannot start exits with 1, also for wrong arguments. */
async function boot<Value>(start: () => Promise<Value>): Promise<Value> {
  try {
    return await start()
  } catch (fault) {
    if (fault instanceof AppFault) throw new AppFault(fault.message)
    throw fault
  }
}

/** `--system` takes the text itself or the name of a file. */
function systemText(args: Args): string | undefined {
  const given = args.text("system")
  if (given === undefined || given === "") return undefined
  return isFile(given) ? readFileSync(given, "utf8") : given
}

function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() === true
  } catch {
    return false // too long for a path, or contains a NUL: it is the text itself
  }
}
