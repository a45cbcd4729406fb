// Reads what strace has written about the files of a log: how many calls were made to fail, and which part of the
// write-ahead log was written and not synced.

export interface Trace {
  /** Calls that strace has made to fail. */
  readonly failed: number
  /** The first byte of the write-ahead log that no sync has followed; undefined: all are synced. */
  readonly unsyncedFrom: number | undefined
  /** Of the write-ahead log, as far as it was written. */
  readonly size: number
}

const injected = "(INJECTED)"
/** `PID CALL(FD<PATH>… = RESULT`; the end of a call that was interrupted by another process has a line of its own. */
const callLine = /^(\d+) +(\w+)\(\d+<([^>]*)>(.*)$/
const resumedLine = /^(\d+) +<\.\.\. (\w+) resumed>(.*)$/

interface Call {
  readonly name: string
  readonly path: string
  readonly text: string
}

export function readTrace(text: string, wal: string): Trace {
  const state: { -readonly [Key in keyof Trace]: Trace[Key] } = { failed: 0, unsyncedFrom: undefined, size: 0 }
  for (const { name, path, text: rest } of callsIn(text)) {
    if (rest.includes(injected)) state.failed += 1
    if (path === wal) note(state, name, rest)
  }
  return state
}

function note(state: { unsyncedFrom: number | undefined; size: number }, name: string, rest: string): void {
  const [, written] = /= (\d+)$/.exec(rest.trimEnd()) ?? []
  const numbers = /, (\d+) *\)/.exec(rest) // a resumed call has blanks there
  if (written === undefined) return // it has failed
  if (name === "fsync" || name === "fdatasync") state.unsyncedFrom = undefined
  const offset = Number(numbers?.[1] ?? 0)
  if (name === "ftruncate") {
    state.size = offset
    if (state.unsyncedFrom !== undefined) state.unsyncedFrom = Math.min(state.unsyncedFrom, offset)
  }
  if (name !== "pwrite64") return
  state.size = Math.max(state.size, offset + Number(written))
  state.unsyncedFrom = Math.min(state.unsyncedFrom ?? offset, offset)
}

/** Each call once, when it has ended. */
function* callsIn(text: string): Generator<Call> {
  const open = new Map<string, Call>()
  for (const line of text.split("\n")) {
    const [, pid = "", name = "", path = "", rest = ""] = callLine.exec(line) ?? []
    const isOpen = rest.endsWith("<unfinished ...>")
    if (isOpen) open.set(pid, { name, path, text: rest.replace("<unfinished ...>", "") })
    else if (pid !== "") yield { name, path, text: rest }
    const [, resumed = "", , end = ""] = resumedLine.exec(line) ?? []
    const call = open.get(resumed)
    if (call === undefined) continue
    open.delete(resumed)
    yield { ...call, text: call.text + end }
  }
  yield* open.values() // a write during the kill may have happened
}
