// Reverts the files of the turns of an undo, newest turn first, and reports what was and what was not reverted.
import type { Recorded } from "../../../contract/events.ts"
import type { UndoId } from "../../../contract/ids.ts"
import { limits } from "../../../contract/limits.ts"
import type { UndoneFile, UndoReport } from "../../../contract/views/undo.ts"
import type { Services, SessionContext } from "../../../runner/session-context.ts"
import type { TurnSpan } from "../state.ts"
import type { FileHistory, RevertedTurn } from "../store/file-history.ts"
import { sideEffects } from "../side-effects.ts"
import { callsEnded } from "./track-changes.ts"

type FilesReport = Omit<UndoReport, "conversation">

/** Runs the work while no other session changes files of the folder; a string says why that was not possible. */
export type WithFolder = (folder: string, work: () => Promise<FilesReport>) => Promise<FilesReport | string>

export async function undoFiles(session: SessionContext, undoId: UndoId, withFolder: WithFolder): Promise<void> {
  const { undoing, created } = session.state
  if (undoing?.undoId !== undoId) return
  const { turns, keepFiles } = undoing
  const { id, state, services } = session
  const source = { id, state, log: services.log, fileHistory: services.fileHistory }
  const work = () => revertTurns(source, turns, { dryRun: false })
  const nothing = { turns: turns.length, files: [], moreFiles: 0, reverted: 0, conflicts: 0, notReverted: [] }
  try {
    await callsEnded(session)
    const outcome = keepFiles === true ? nothing : await withFolder(created?.cwd ?? "/", work)
    const report = typeof outcome === "string" ? { ...nothing, refused: outcome } : outcome
    await session.report({ type: "undone", undoId, report })
  } catch (fault) {
    const refused = `Not all files could be reverted: ${String(fault)}`
    await session.report({ type: "undone", undoId, report: { ...nothing, refused } })
  }
}

/** A session with its log, also one that is not open. */
export interface UndoSource extends Pick<SessionContext, "id" | "state">, Pick<Services, "log" | "fileHistory"> {}

/** With `dryRun` only says what would be done. */
export async function revertTurns(
  session: UndoSource,
  turns: readonly TurnSpan[],
  { dryRun }: { readonly dryRun: boolean },
): Promise<FilesReport> {
  const history = await session.fileHistory?.load()
  const reverted: RevertedTurn[] = []
  const notReverted: string[] = []
  for (const turn of turns.toReversed()) {
    const events = await eventsOf(session, turn)
    const done = await revertTurn(session, history, turn, events, dryRun)
    reverted.push(done)
    const effects = sideEffects(events, done.record?.folder ?? cwdOf(session))
    notReverted.push(...sentencesAbout(done, effects.length > 0), ...effects)
  }
  return summarise(turns.length, reverted, notReverted)
}

async function revertTurn(
  session: UndoSource,
  history: FileHistory | undefined,
  { turnId }: TurnSpan,
  events: readonly Recorded[],
  dryRun: boolean,
): Promise<RevertedTurn> {
  const endedAt = events.at(-1)?.at ?? 0
  const none: RevertedTurn = { record: undefined, files: [], isLate: false }
  return (await history?.revert({ sessionId: session.id, turnId, cwd: cwdOf(session) }, { dryRun, endedAt })) ?? none
}

function cwdOf({ state }: UndoSource): string {
  return state.created?.cwd ?? "/"
}

const PAGE = 500
/** Events of one turn that are looked at for effects that cannot be reverted. */
const MAX_EVENTS = 20_000

async function eventsOf({ id, log }: UndoSource, { from, to = from }: TurnSpan): Promise<readonly Recorded[]> {
  const events: Recorded[] = []
  for (let seen = from - 1; seen < to && events.length < MAX_EVENTS;) {
    const page = await log.read(id, seen, Math.min(PAGE, to - seen))
    if (page.kind === "refused" || page.value.length === 0) return events
    events.push(...page.value)
    seen = page.value.at(-1)?.seq ?? to
  }
  return events
}

function sentencesAbout({ record, isLate }: RevertedTurn, hasEffects: boolean): readonly string[] {
  if (record === undefined) return hasEffects ? ["The state of the folder before a turn was not recorded."] : []
  const { problem, uncovered, headBefore, headAfter } = record
  const hasMoved = headBefore !== undefined && headAfter !== undefined && headBefore !== headAfter
  return [
    ...(problem === undefined ? [] : [`There is no snapshot of the folder: ${problem}. Changes by commands stay.`]),
    ...(hasMoved ? [`Commits stay: HEAD was at ${headBefore.slice(0, 12)} and is at ${headAfter.slice(0, 12)}.`] : []),
    ...uncovered.map((what) => `The snapshot does not have ${what}.`),
    ...(isLate ? ["The host died during the turn: files that changed after its end are shown as conflicts."] : []),
  ]
}

function summarise(turns: number, reverted: readonly RevertedTurn[], notReverted: readonly string[]): FilesReport {
  const files = mergeFiles(reverted.flatMap((turn) => turn.files))
  const conflicts = files.filter(isConflict).length
  const listed = [...files.filter(isConflict), ...files.filter((file) => !isConflict(file))]
  return {
    turns,
    folder: reverted.find(({ record }) => record !== undefined)?.record?.folder,
    files: listed.slice(0, limits.undoFiles),
    moreFiles: Math.max(0, listed.length - limits.undoFiles),
    reverted: files.length - conflicts,
    conflicts,
    notReverted: [...new Set(notReverted)].slice(0, limits.undoSentences),
  }
}

/** A file that several turns changed counts once, with what happened to it last. */
function mergeFiles(files: readonly UndoneFile[]): readonly UndoneFile[] {
  return [...new Map(files.map((file) => [file.path, file])).values()]
}

function isConflict({ action }: UndoneFile): boolean {
  return action === "conflict" || action === "failed"
}
