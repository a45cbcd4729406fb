// Runs the parts of a benchmark in turn, in a temporary folder.
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** Each part returns whether its bounds were met. */
export async function runAll(parts: readonly ((folder: string) => Promise<boolean>)[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "turnhouse-bench-"))
  try {
    let areAllKept = true
    for (const part of parts) areAllKept = (await part(folder)) && areAllKept
    console.log(areAllKept ? "all bounds met" : "a bound was missed")
    process.exitCode = areAllKept ? 0 : 1
  } finally {
    rmSync(folder, { recursive: true })
  }
}
