// Which faults this machine can produce, found by a trial of the programs that they need.
import { execFile } from "node:child_process"
import { mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { messageOf } from "../../../app-fault.ts"
import { fileLimit } from "./file-limit.ts"
import { fullDisk, holdDisk, namespaces } from "./full-disk.ts"
import { faultKinds, type FaultKind, type OpenRig } from "./rig.ts"
import { failingReads, failingSyncs, failingWrites, straceWords } from "./traced.ts"

const runFile = promisify(execFile)

export interface UsableFault {
  readonly kind: FaultKind
  readonly open: OpenRig
}

/** What this proof leaves out here, and why. */
export interface LeftOut {
  readonly leftOut: readonly FaultKind[]
  readonly why: string
}

export interface FaultTools {
  readonly usable: readonly UsableFault[]
  readonly leftOut: readonly LeftOut[]
}

/** `folder`: for the trials. */
export async function findFaultTools(folder: string): Promise<FaultTools> {
  if (process.platform !== "linux") return { usable: [], leftOut: [{ leftOut: faultKinds, why: "they need Linux" }] }
  const found = [await tryStrace(folder), await tryDisk(folder), await tryLimit()]
  const usable = found.flatMap((one) => ("why" in one ? [] : one))
  return {
    usable: faultKinds.flatMap((kind) => usable.filter((one) => one.kind === kind)),
    leftOut: found.flatMap((one) => ("why" in one ? [one] : [])),
  }
}

type Trial = Promise<readonly UsableFault[] | LeftOut>

async function tryStrace(folder: string): Trial {
  const output = join(folder, "strace.log")
  const words = [...straceWords, "-e", "trace=fsync", "-e", "inject=fsync:error=EIO:when=9999+", "-o", output, "true"]
  const [program = "", ...args] = words
  try {
    await runFile(program, args)
    readFileSync(output)
  } catch (fault) {
    return {
      leftOut: ["sync", "write", "read"],
      why: `strace 5.3 or newer that may trace programs is needed: ${lineOf(fault)}`,
    }
  }
  return [
    { kind: "sync", open: failingSyncs },
    { kind: "write", open: failingWrites },
    { kind: "read", open: failingReads },
  ]
}

async function tryDisk(folder: string): Trial {
  const problems: string[] = []
  for (const [number, namespace] of namespaces.entries()) {
    const home = join(folder, `trial-${number}`)
    mkdirSync(home)
    try {
      const holder = await holdDisk(namespace, home)
      const [program, ...args] = [...namespace.enter(holder.pid), "true"]
      try {
        await runFile(program, args)
      } finally {
        await holder.end()
      }
      return [{ kind: "full", open: fullDisk(namespace) }]
    } catch (fault) {
      problems.push(lineOf(fault))
    }
  }
  return { leftOut: ["full"], why: `a mount namespace is needed: ${problems.at(-1) ?? ""}` }
}

async function tryLimit(): Trial {
  try {
    await runFile("prlimit", ["--version"])
  } catch (fault) {
    return { leftOut: ["limit"], why: `prlimit is needed: ${lineOf(fault)}` }
  }
  return [{ kind: "limit", open: fileLimit }]
}

function lineOf(fault: unknown): string {
  return messageOf(fault).trim().split("\n").at(-1) ?? ""
}
