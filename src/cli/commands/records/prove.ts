// `turnhouse prove`: checks what the guarantees promise, with real processes in temporary homes.
import { randomInt } from "node:crypto"
import { AppFault, exitCodes, usageFault } from "../../../app/app-fault.ts"
import { onSignals } from "../../../app/signals.ts"
import type { Args } from "../../command.ts"
import { ProgressLine } from "../../output.ts"
import { crashReport } from "../../prove/crash-report.ts"
import { cutsReport } from "../../prove/cuts-report.ts"
import { printed, progressText, type Report } from "../../prove/report.ts"

const MAX_COUNT = 1_000_000
/** Exclusive; of a seed that is chosen here. */
const MAX_RANDOM_SEED = 1_000_000
const MAX_SEED = 2 ** 31 - 1

interface Proof {
  readonly seed: number
  readonly signal: AbortSignal
  readonly show: (text: string) => void
}

const proofs: Readonly<Record<string, (args: Args, proof: Proof) => Promise<Report>>> = {
  crash: async (args, { show, ...options }) => {
    const kills = numberIn(args, "kills", MAX_COUNT) ?? 300
    const { proveCrash } = await import("../../../app/prove/crash/prove-crash.ts")
    const text = progressText("crash", kills, options.seed)
    return crashReport(await proveCrash({ ...options, kills, onProgress: (now) => show(text(now.kills, "kills")) }))
  },
  cuts: async (args, { show, ...options }) => {
    const cuts = numberIn(args, "cuts", MAX_COUNT) ?? 1000
    const { proveCuts } = await import("../../../app/prove/cuts/prove-cuts.ts")
    const text = progressText("cuts", cuts, options.seed)
    return cutsReport(await proveCuts({ ...options, cuts, onProgress: (now) => show(text(now.cuts, "cuts")) }))
  },
}

export async function run(args: Args): Promise<number> {
  const name = args.first("name a proof: turnhouse prove crash")
  const proof = Object.hasOwn(proofs, name) ? proofs[name] : undefined
  if (proof === undefined) throw usageFault(`'${name}' is not a proof. Use crash or cuts.`)
  const seed = numberIn(args, "seed", MAX_SEED) ?? randomInt(1, MAX_RANDOM_SEED)
  const line = new ProgressLine()
  const stop = new AbortController()
  const stopListening = onSignals((number) => onSignal(stop, number))
  try {
    const report = await proof(args, { seed, signal: stop.signal, show: (text) => line.show(text) })
    line.clear()
    process.stdout.write(printed(report, args.flag("json")))
    if (report.kept === undefined) return exitCodes.done
    throw new AppFault(`a promise does not hold. '${report.command}' repeats it; the homes are in ${report.kept}`)
  } finally {
    line.clear()
    stopListening()
  }
}

/** A second signal exits at once. */
function onSignal(stop: AbortController, number: number): void {
  if (stop.signal.aborted) process.exit(128 + number)
  stop.abort(new AppFault("interrupted. The processes of the proof are ended and its homes are removed.", 128 + number))
}

function numberIn(args: Args, name: string, most: number): number | undefined {
  const text = args.text(name)
  if (text === undefined) return undefined
  if (/^[1-9]\d*$/.test(text) && Number(text) <= most) return Number(text)
  throw usageFault(`--${name}: '${text}' is not a number from 1 to ${most}`)
}
