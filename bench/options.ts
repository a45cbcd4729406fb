// The options of `npm run bench`.
import { parseArgs } from "node:util"

export interface Options {
  readonly help: boolean
  readonly only: readonly string[] | undefined
  readonly json: boolean
  readonly markdown: boolean
  readonly long: boolean
  readonly quick: boolean
  readonly charts: boolean
  readonly peers: boolean
}

/** The options, or what is wrong with them. */
export function optionsIn(
  args: readonly string[],
  loads: readonly string[],
  peers: readonly string[],
): Options | string {
  const options = readOptions(args)
  if (typeof options === "string") return options
  const only = options.only?.split(",")
  const names = options.peers ? peers : loads
  const unknown = only?.find((name) => !names.includes(name))
  if (unknown !== undefined)
    return `--only: there is no ${options.peers ? "contender" : "load"} ${unknown}. There are: ${names.join(", ")}.`
  if (options.json && options.markdown) return "--json and --markdown exclude each other. Choose one."
  return { ...options, only }
}

function readOptions(args: readonly string[]) {
  const no = { type: "boolean", default: false } as const
  const options = {
    only: { type: "string" },
    json: no,
    markdown: no,
    long: no,
    quick: no,
    charts: no,
    peers: no,
    help: { ...no, short: "h" },
  } as const
  try {
    return parseArgs({ args: [...args], options }).values
  } catch (fault) {
    return fault instanceof Error ? fault.message : String(fault)
  }
}

export function helpText(loads: readonly string[], peers: readonly string[]): string {
  return `npm run bench -- [OPTIONS]

Measures the doors of Turnhouse beside a relay that only forwards and stores, over the same transport, in turns, with a provider on
loopback. Linux only. On two idle cores it takes less than five minutes.

  --only NAME,NAME  some of the loads: ${loads.join(", ")}
  --long            also a log of 100,000 events, and a soak of ten minutes
  --quick           a few repetitions of each: shows that everything works, and measures nothing
  --json            print the rows as JSON
  --markdown        print the tables of docs/performance.md
  --charts          also write an SVG file for each load to bench/results/
  --peers           instead measure other agents, which are installed from npm into a temporary folder; with --only some of:
                    ${peers.join(", ")}
  -h, --help        show this

Progress is on stderr, results on stdout. Ctrl-C ends all processes and removes the temporary folder. Exits with 1 if a load failed or,
unless --quick, a target was missed, with 2 for a wrong argument, with 130 after Ctrl-C.
`
}
