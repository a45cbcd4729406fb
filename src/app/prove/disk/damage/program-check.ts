// The same damage with the real program, in a home of its own: `turnhouse verify` must say what was found in process, and
// `turnhouse log` shows a session or says what is wrong with it.
import { copyFileSync } from "node:fs"
import { join } from "node:path"
import { exitCodes } from "../../../app-fault.ts"
import type { Ended, Workspace } from "../../../demo/workspace.ts"
import { killLogWriter } from "../../crash/kill-log-writer.ts"
import type { Report } from "../../violation.ts"
import type { Damaged } from "./damage-plan.ts"
import { files, type Specimen } from "./specimen.ts"

const stackLine = /^ {4}at \S/m

interface ProgramCheck {
  readonly workspace: Workspace
  readonly specimen: Specimen
  readonly damaged: Damaged
  /** Whether the damage is named when the log is read in process. */
  readonly isNamed: boolean
  /** That `log` shows. */
  readonly sessionId: string
  readonly report: Report
}

export async function checkWithProgram(check: ProgramCheck): Promise<void> {
  const { workspace, specimen, damaged, isNamed, sessionId, report } = check
  for (const name of files) copyFileSync(join(specimen.folder, name), join(workspace.home, name))
  damaged.apply(workspace.home)
  const verified = await workspace.turnhouse(["verify", "--json"])
  expectWords("verify", verified, report)
  if ((verified.code !== 0) !== isNamed)
    report(
      "broken",
      "none",
      `verify ends with code ${verified.code}, in process ${isNamed ? "damage is" : "nothing is"} named`,
    )
  expectWords("log", await workspace.turnhouse(["log", sessionId]), report)
  killLogWriter(workspace.home)
}

function expectWords(command: string, { code, stdout, stderr }: Ended, report: Report): void {
  const isSilent = code !== 0 && stdout === "" && !/^turnhouse: \S/m.test(stderr)
  if (code > exitCodes.usage || isSilent || stackLine.test(stderr))
    report("broken", "none", `'turnhouse ${command}' ends with code ${code} and says '${stderr.trim()}'`)
}
