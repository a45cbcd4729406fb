// `turnhouse prove`: checks what the guarantees promise, with real processes in temporary homes.
import { randomInt } from "node:crypto"
import { AppFault, exitCodes, usageFault } from "../../../app/app-fault.ts"
import { onSignals } from "../../../app/signals.ts"
import type { Args } from "../../command.ts"
import { ProgressLine } from "../../output.ts"
import { inWords, listed, proofs, type Proof } from "../../prove/proofs.ts"
import { printed, progressText } from "../../prove/report.ts"

const MAX_COUNT = 1_000_000_000
/** Exclusive; of a seed that is chosen here. */
const MAX_RANDOM_SEED = 1_000_000
const MAX_SEED = 2 ** 31 - 1

export async function run(args: Args): Promise<number> {
  const name = args.first("name a proof: turnhouse prove crash")
  const proof = proofs.find((one) => one.name === name)
  const names = listed(proofs.map((one) => one.name))
  if (proof === undefined) throw usageFault(`'${name}' is not a proof. Use ${names}.`)
  const seed = numberIn(args, "seed", MAX_SEED) ?? randomInt(1, MAX_RANDOM_SEED)
  const count = numberIn(args, proof.unit, MAX_COUNT) ?? proof.usualCount
  const only = partIn(args, proof)
  const text = progressText(name, count, inWords(proof.unit), seed)
  const line = new ProgressLine()
  const stop = new AbortController()
  const stopListening = onSignals((number) => onSignal(stop, number))
  try {
    const { prove } = await proof.load()
    const onProgress = (done: number) => line.show(text(done))
    const report = await prove({ count, seed, only, signal: stop.signal, onProgress })
    line.clear()
    const repeated = report.repeatedBy ?? { seed, count }
    const part = only === undefined ? "" : ` --${proof.part?.option} ${only}`
    const command = `turnhouse prove ${name}${part} --seed ${repeated.seed} --${proof.unit} ${repeated.count}`
    process.stdout.write(printed(report, command, args.flag("json")))
    if (report.kept === undefined) return exitCodes.done
    throw new AppFault(
      `a promise does not hold. '${command}' repeats it; ${report.keptAs ?? "the homes are"} in ${report.kept}`,
    )
  } finally {
    line.clear()
    stopListening()
  }
}

function partIn(args: Args, { part }: Proof): string | undefined {
  if (part === undefined) return undefined
  const name = args.text(part.option)
  if (name === undefined || part.names.includes(name)) return name
  throw usageFault(`--${part.option}: '${name}' is not one of ${listed(part.names)}`)
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
