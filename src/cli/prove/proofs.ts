// The proofs of `turnhouse prove`: what each counts, and its help. Their code is loaded when they run.
import type { ProofOptions } from "../../app/prove/run-proof.ts"
import { targets } from "../../app/prove/fuzz/targets.ts"
import type { Report } from "./report.ts"

export interface Proof {
  readonly name: string
  /** What it counts, which is also the option that says how many. */
  readonly unit: string
  readonly usualCount: number
  /** An option that chooses one of its parts. */
  readonly part?: { readonly option: string; readonly names: readonly string[]; readonly help: string }
  /** Its hosts can be nodes of a cluster. */
  readonly runsOnServers?: true
  /** Lines of the help. */
  readonly help: readonly string[]
  readonly load: () => Promise<{ readonly prove: (options: ProofOptions) => Promise<Report> }>
}

export const proofs: readonly Proof[] = [
  {
    name: "crash",
    unit: "kills",
    usualCount: 300,
    runsOnServers: true,
    help: [
      "Hold conversations with hosts in temporary homes, through every protocol, and kill the hosts with kill -9 at every",
      "kind of event and at random instants. After each kill: nothing acknowledged or shown may be missing or appear",
      "twice, every call has one result, no unsafe tool runs twice, every socket answers again.",
    ],
    load: () => import("./crash-report.ts"),
  },
  {
    name: "cuts",
    unit: "cuts",
    usualCount: 1000,
    runsOnServers: true,
    help: [
      "Cut the connections of clients after every kind of frame, let them come back, and compare what they were shown.",
    ],
    load: () => import("./cuts-report.ts"),
  },
  {
    name: "tenants",
    unit: "requests",
    usualCount: 20_000,
    help: [
      "Two organisations on one server: random requests with the ids of the other one, for every action of the WebSocket API",
      "and every query of the native API. Answers may contain nothing of the other one, and its objects must look missing.",
    ],
    load: () => import("./tenants-report.ts"),
  },
  {
    name: "visitor",
    unit: "hostile-frames",
    usualCount: 50_000,
    help: ["Write hostile values into every field of every frame of the WebSocket API, as a visitor without a key."],
    load: () => import("./visitor-report.ts"),
  },
  {
    name: "orphans",
    unit: "runs",
    usualCount: 60,
    help: [
      "Kill hosts with kill -9 while commands, MCP servers and extensions run processes that fork, leave their session,",
      "ignore signals or clear their environment. After five seconds none may be left.",
    ],
    load: () => import("./orphans-report.ts"),
  },
  {
    name: "approvals",
    unit: "answers",
    usualCount: 10_000,
    help: [
      "Answer the same requests from clients of every protocol at once, while hosts are killed: each has one outcome. Agents",
      "that try to answer their own requests fail.",
    ],
    load: () => import("./approvals-report.ts"),
  },
  {
    name: "long",
    unit: "tokens",
    usualCount: 3_000_000,
    help: [
      "Hold conversations that are many times longer than the window of their model, and compare each request with the log:",
      "every event is in it, or was in a request for a summary; nothing is there twice, and each fits the window.",
    ],
    load: () => import("./long-report.ts"),
  },
  {
    name: "simulation",
    unit: "sessions",
    usualCount: 2500,
    help: [
      "Hold short conversations in simulated time, with a simulated disk, network, model and several hosts, and let every",
      "process die at every kind of event. A seed gives the same conversation again, step by step.",
    ],
    load: () => import("./simulation-report.ts"),
  },
  {
    name: "disk",
    unit: "trials",
    usualCount: 5000,
    help: [
      "Make writes and syncs of hosts fail, fill their disk, and limit their files: nothing is acknowledged that is not",
      "stored. Cut and flip copies of a log: opening it finds every event, or names the damage.",
    ],
    load: () => import("./disk-report.ts"),
  },
  {
    name: "locks",
    unit: "histories",
    usualCount: 1500,
    help: [
      "Record what several processes do with the same locks and sessions while they are frozen and killed and the clock is",
      "set. Every history must be linearizable, and no tool may act under a lock that it has lost.",
    ],
    load: () => import("./locks-report.ts"),
  },
  {
    name: "secrets",
    unit: "planted",
    usualCount: 1500,
    help: [
      "Plant secrets of every kind that Turnhouse knows, in every spelling, in prompts, answers, tools, MCP servers, extensions",
      "and errors of real hosts, and search for them in everything that is stored, shown, sent or printed.",
    ],
    load: () => import("./secrets-report.ts"),
  },
  {
    name: "fuzz",
    unit: "frames",
    usualCount: 200_000,
    part: {
      option: "door",
      names: targets.map(({ name }) => name),
      help: "With fuzz: one of its targets, a door or a decoder. Default: all.",
    },
    help: [
      "Feed every door, and everything that reads answers of others, with mutated frames, guided by what code they reach. Each",
      "must go on answering as its protocol says, within bounds of memory, descriptors and time. --door chooses one of",
      `${listed(targets.map(({ name }) => name))}.`,
    ],
    load: () => import("./fuzz-report.ts"),
  },
]

/** Those that can run on a cluster, for messages. */
export const serverProofs = listed(proofs.filter(({ runsOnServers }) => runsOnServers).map(({ name }) => name))

/** Runs all of them. */
export const allName = "all"
export const usualMinutes = 10

/** Of the option that says how many. */
export function countHelp({ name, unit, usualCount }: Proof): string {
  return `With ${name}: number of ${inWords(unit)}. Default: ${usualCount}.`
}

/** `hostile-frames`, the name of the option, as `hostile frames`. */
export function inWords(unit: string): string {
  return unit.replaceAll("-", " ")
}

/** The help of all proofs, beside their names. */
export function proofLines(): readonly string[] {
  const width = Math.max(...proofs.map(({ name }) => name.length)) + 2
  return proofs.flatMap(({ name, help }) => help.map((line, at) => `${(at === 0 ? name : "").padEnd(width)}${line}`))
}

/** `a, b or c`. */
export function listed(names: readonly string[]): string {
  const last = names.at(-1) ?? ""
  return names.length < 2 ? last : `${names.slice(0, -1).join(", ")} or ${last}`
}
