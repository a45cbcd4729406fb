// The report of an undo as lines for people. Pure.
import { oneLine } from "../../contract/text/text.ts"
import type { UndoneFile, UndoReport } from "../../contract/views/undo.ts"

const PATH_WIDTH = 200

/** `isPlan`: nothing was done yet. */
export function undoText(report: UndoReport, isPlan = false): readonly string[] {
  if (report.refused !== undefined) return [`Nothing was undone: ${report.refused}`]
  const { turns, folder, files, moreFiles, notReverted } = report
  const what = turns === 1 ? "the newest turn" : `the newest ${turns} turns`
  return [
    `${isPlan ? "Would undo" : "Undid"} ${what}${folder === undefined ? "" : ` in ${folder}`}`,
    ...files.map(fileLine),
    ...(moreFiles > 0 ? [`  and ${moreFiles} more files`] : []),
    countLine(report, isPlan),
    ...notReverted.map((sentence) => `! ${sentence}`),
    ...(report.conversation === "kept"
      ? ["! The conversation stays: it was compacted, cleared or changed track since the turn."]
      : []),
  ]
}

function fileLine({ path, action, reason }: UndoneFile): string {
  const why = reason === undefined ? "" : `: ${reason}; left as it is`
  return `  ${action.padEnd(9)}  ${oneLine(path, PATH_WIDTH)}${why}`
}

function countLine({ reverted, conflicts }: UndoReport, isPlan: boolean): string {
  if (reverted + conflicts === 0) return "No file to revert."
  const verb = isPlan ? " to revert" : " reverted"
  const count = `${reverted} ${reverted === 1 ? "file" : "files"}${verb}`
  return conflicts === 0 ? count : `${count}, ${conflicts} left as ${conflicts === 1 ? "it is" : "they are"}`
}
