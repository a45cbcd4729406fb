// The parts of a benchmark, one after the other, in a folder of their own that is removed afterwards.
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** Each part says whether its bounds were kept. */
export async function runAll(parts: readonly ((folder: string) => Promise<boolean>)[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "turnhouse-bench-"))
  try {
    let areAllKept = true
    for (const part of parts) areAllKept = (await part(folder)) && areAllKept
    console.log(areAllKept ? "all bounds kept" : "a bound was missed")
    process.exitCode = areAllKept ? 0 : 1
  } finally {
    rmSync(folder, { recursive: true })
  }
}
