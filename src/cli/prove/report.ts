// What every proof prints: its table, the violations and the verdict; with --json one object per line.
import type { Violation, ViolationKind } from "../../app/prove/violation.ts"
import { AppFault } from "../../app/app-fault.ts"
import { styled } from "../../app/terminal.ts"
import { indented } from "../output.ts"

export interface Report {
  /** `kills`: what was counted, with the number, first. */
  readonly counted: Readonly<Record<string, number>>
  readonly table: string
  readonly rows: readonly object[]
  /** One sentence about the extent. */
  readonly extent: string
  /** Of violations that it looks for; the verdict counts each. */
  readonly kinds?: readonly ViolationKind[]
  /** For --json, besides the command and the seed. */
  readonly facts: Readonly<Record<string, number>>
  readonly violations: readonly Violation[]
  readonly seed: number
  readonly seconds: number
  /** The folder of the homes, if the proof has failed. */
  readonly kept: string | undefined
  /** What is in that folder. Default: `the homes are`. */
  readonly keptAs?: string
  /** A smaller run with the same violation. Default: the same run. */
  readonly repeatedBy?: Repeat
}

/** A proof. */
interface Named {
  readonly name: string
  /** The option that says how many. */
  readonly unit: string
  readonly part?: { readonly option: string }
}

interface Repeat {
  readonly seed: number
  readonly count: number
}

interface Run extends Repeat {
  /** The part of the proof, if not all. */
  readonly only?: string | undefined
  /** The proof ran on a cluster. */
  readonly servers?: { readonly bus?: string | undefined } | undefined
}

const usualKinds: readonly ViolationKind[] = ["lost", "doubled", "broken"]

export function progressText(proof: string, wanted: number, unit: string, seed: number): (count: number) => string {
  const startedAt = performance.now()
  return (count) => {
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(0)
    return `prove ${proof}: ${count} of ${wanted} ${unit}, 0 violations, ${seconds} s, seed ${seed}`
  }
}

/** `command`: repeats the proof. */
export function printed(report: Report, command: string, asJson: boolean): string {
  return asJson ? asLines(report, command) : asText(report)
}

function asText({ table, violations, extent, seed, seconds, kinds = usualKinds }: Report): string {
  const counts = kinds.map((kind) => `${countOf(violations, kind)} ${kind}`).join(", ")
  const verdict = styled(violations.length === 0 ? "green" : "red", counts, process.stdout)
  return [
    `${table}\n`,
    ...violations.map(violationText),
    `${extent}\n`,
    `${verdict} · seed ${seed}, ${seconds.toFixed(0)} s\n`,
  ].join("")
}

export function violationText({ kind, event, what, home }: Violation): string {
  return `${kind} at ${event}: ${what}\n${indented(home, 2)}\n`
}

/** Repeats a run. Addresses of servers may contain passwords and are left out. */
export function commandOf({ name, unit, part }: Named, run: Run, { repeatedBy }: Report): string {
  const { seed, count } = repeatedBy ?? run
  const chosen = run.only === undefined ? "" : ` --${part?.option} ${run.only}`
  const addresses = `${run.servers === undefined ? "" : " --store URL"}${run.servers?.bus === undefined ? "" : " --bus URL"}`
  return `turnhouse prove ${name}${chosen}${addresses} --seed ${seed} --${unit} ${count}`
}

export function failure(command: string, { keptAs, kept }: Report): AppFault {
  return new AppFault(`a promise does not hold. '${command}' repeats it; ${keptAs ?? "the homes are"} in ${kept}`)
}

/** The last object has the counts. */
function asLines(
  { rows, violations, seed, seconds, facts, kept, counted, kinds = usualKinds }: Report,
  command: string,
): string {
  const counts = Object.fromEntries(kinds.map((kind) => [kind, countOf(violations, kind)]))
  const summary = { command, seed, seconds: Math.round(seconds), ...facts, kept }
  return [...rows, ...violations, summary, { ...counted, ...counts }]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join("")
}

function countOf(violations: readonly Violation[], kind: ViolationKind): number {
  return violations.filter((one) => one.kind === kind).length
}
