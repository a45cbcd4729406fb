// node spec/scenarios/run.ts FILE… [--door ws]: plays scenarios and prints their results.
import { parseArgs } from "node:util"
import { failureText } from "./failure.ts"
import { doorsOf, play, type Verdict } from "./play.ts"
import { readScenario, ScenarioFault } from "./read-scenario.ts"
import { doorNames, type DoorName } from "./scenario.ts"

const help = `Play scenarios on the doors of Turnhouse.

Usage: node spec/scenarios/run.ts FILE... [OPTIONS]

Options:
  -d, --door D   Only on this door: ${doorNames.join(", ")}. May be given several times. Default: all.
  -q, --quiet    Print results only, no steps.
  -h, --help     Show this help.

Exit codes: 0 all passed, 1 one failed, 2 an invalid option or scenario file.
See docs/scenarios.md for the file format.
`

const options = {
  door: { type: "string", short: "d", multiple: true },
  quiet: { type: "boolean", short: "q" },
  help: { type: "boolean", short: "h" },
} as const

process.exitCode = await main(process.argv.slice(2))

async function main(args: readonly string[]): Promise<number> {
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true })
    if (values.help === true) return print(help.trimEnd(), 0)
    if (positionals.length === 0) return complain("no file given; see --help")
    const wrong = values.door?.find((name) => !isDoor(name))
    if (wrong !== undefined) return complain(`there is no door "${wrong}"; known are ${doorNames.join(", ")}`)
    return await playFiles(positionals, values.door?.filter(isDoor), values.quiet === true)
  } catch (error) {
    if (error instanceof ScenarioFault || isUsage(error)) return complain(error.message)
    throw error
  }
}

async function playFiles(files: readonly string[], only: readonly DoorName[] | undefined, isQuiet: boolean) {
  let failures = 0
  for (const file of files) {
    const scenario = await readScenario(file)
    console.log(`${file}: ${scenario.title}`)
    for (const door of only ?? doorsOf(scenario)) {
      const verdict = await play(scenario, door, isQuiet ? undefined : progressOn(door))
      console.log(`  ${door.padEnd(5)} ${verdictText(verdict)}`)
      if (verdict.kind === "failed") failures += 1
    }
  }
  return failures === 0 ? 0 : 1
}

function progressOn(door: DoorName) {
  return (step: number, of: number, text: string) => console.log(`  ${door.padEnd(5)} ${step}/${of} ${text}`)
}

function verdictText(verdict: Verdict): string {
  switch (verdict.kind) {
    case "passed":
      return `passed, ${verdict.steps} steps`
    case "cannot":
      return `cannot be played here: ${verdict.why}`
    case "failed":
      return failureText(verdict.failed).replaceAll("\n", "\n        ")
  }
}

function isDoor(name: string): name is DoorName {
  return doorNames.some((door) => door === name)
}

function isUsage(error: unknown): error is Error {
  return error instanceof Error && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS")
}

function print(text: string, code: number): number {
  console.log(text)
  return code
}

function complain(what: string): number {
  console.error(`run: ${what}`)
  return 2
}
