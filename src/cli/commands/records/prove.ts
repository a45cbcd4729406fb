// `turnhouse prove`: checks what the guarantees promise, with real processes in temporary homes.
import { randomInt } from "node:crypto"
import { AppFault, exitCodes, usageFault } from "../../../app/app-fault.ts"
import type { ProofServers } from "../../../app/prove/cluster/proof-database.ts"
import { onSignals } from "../../../app/signals.ts"
import type { Args } from "../../command.ts"
import { ProgressLine } from "../../output.ts"
import { allName, inWords, listed, proofs, serverProofs, usualMinutes, type Proof } from "../../prove/proofs.ts"
import { commandOf, failure, printed, progressText } from "../../prove/report.ts"

const MAX_COUNT = 1_000_000_000
/** Exclusive; of a seed that is chosen here. */
const MAX_RANDOM_SEED = 1_000_000
const MAX_SEED = 2 ** 31 - 1
const MAX_MINUTES = 10_000

export async function run(args: Args): Promise<number> {
  const name = args.first("name a proof: turnhouse prove crash")
  const seed = numberIn(args, "seed", MAX_SEED) ?? randomInt(1, MAX_RANDOM_SEED)
  if (name === allName && args.text("store") === undefined) return proveAll(args, seed)
  const proof = proofs.find((one) => one.name === name)
  const names = listed([...proofs.map((one) => one.name), allName])
  if (name === allName) throw usageFault(`--store: '${allName}' does not run on a cluster. Use ${serverProofs}.`)
  if (proof === undefined) throw usageFault(`'${name}' is not a proof. Use ${names}.`)
  return proveOne(args, proof, seed)
}

async function proveOne(args: Args, proof: Proof, seed: number): Promise<number> {
  const count = numberIn(args, proof.unit, MAX_COUNT) ?? proof.usualCount
  const only = partIn(args, proof)
  const servers = serversIn(args, proof)
  const text = progressText(proof.name, count, inWords(proof.unit), seed)
  const { prove } = await proof.load()
  const report = await interruptible((signal, show) => {
    return prove({ count, seed, only, servers, signal, onProgress: (done) => show(text(done)) })
  })
  const command = commandOf(proof, { seed, count, only, servers }, report)
  process.stdout.write(printed(report, command, args.flag("json")))
  if (report.kept === undefined) return exitCodes.done
  throw failure(command, report)
}

async function proveAll(args: Args, seed: number): Promise<number> {
  const seconds = (numberIn(args, "minutes", MAX_MINUTES) ?? usualMinutes) * 60
  const [{ runAll }, { allProgress, printedAll }] = await Promise.all([
    import("../../prove/run-all.ts"),
    import("../../prove/all-report.ts"),
  ])
  const text = allProgress(seconds, seed)
  const runs = await interruptible((signal, show) => {
    return runAll({ proofs, seconds, seed, signal, onProgress: (at) => show(text(at)) })
  })
  process.stdout.write(printedAll(runs, seed, args.flag("json")))
  const failed = runs.find(({ report }) => report.kept !== undefined)
  if (failed === undefined) return exitCodes.done
  throw failure(commandOf(failed.proof, failed, failed.report), failed.report)
}

/** `work` shows its progress in one line of the terminal. */
async function interruptible<Result>(
  work: (signal: AbortSignal, show: (text: string) => void) => Promise<Result>,
): Promise<Result> {
  const line = new ProgressLine()
  const stop = new AbortController()
  const stopListening = onSignals((number) => onSignal(stop, number))
  try {
    return await work(stop.signal, (text) => line.show(text))
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

function partIn(args: Args, { part }: Proof): string | undefined {
  if (part === undefined) return undefined
  const name = args.text(part.option)
  if (name === undefined || part.names.includes(name)) return name
  throw usageFault(`--${part.option}: '${name}' is not one of ${listed(part.names)}`)
}

function serversIn(args: Args, { name, runsOnServers }: Proof): ProofServers | undefined {
  const [store, bus] = [args.text("store"), args.text("bus")]
  if (store === undefined && bus === undefined) return undefined
  if (runsOnServers === undefined)
    throw usageFault(`--store: '${name}' does not run on a cluster. Use ${serverProofs}.`)
  if (store === undefined) throw usageFault("--bus: nodes need a PostgreSQL too. Add --store.")
  return { store, bus }
}
