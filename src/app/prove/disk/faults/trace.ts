// Reads what strace has written about the files of a log: how many calls were made to fail, and which part of the
// write-ahead log was written and not synced.

export interface Trace {
  /** The first byte of the write-ahead log that was written and is not on the disk; undefined: all are. */
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

export function failedCallsIn(text: string): number {
  return text.split(injected).length - 1
}

export function readTrace(text: string, wal: string): Trace {
  const file = new SyncedFile()
  for (const { name, path, text: rest } of callsIn(text)) if (path === wal) note(file, name, rest)
  return { unsyncedFrom: file.unsyncedFrom, size: file.size }
}

function note(file: SyncedFile, name: string, rest: string): void {
  const [, result] = /^= (-?\d+)/.exec(rest.slice(rest.lastIndexOf("= "))) ?? []
  const [, number] = /, (\d+) *\)/.exec(rest) ?? [] // a resumed call has blanks there
  const isDone = result !== undefined && Number(result) >= 0
  if (name === "fsync" || name === "fdatasync") file.sync(isDone)
  if (name === "ftruncate" && isDone) file.truncate(Number(number))
  if (name === "pwrite64" && isDone) file.write(Number(number), Number(number) + Number(result))
}

type Range = readonly [from: number, to: number]

/** What of a file is on the disk. The system reports a sync that fails once, and then treats what it held as written. */
class SyncedFile {
  size = 0
  #unsynced: Range[] = []
  /** Held by a sync that failed: only another write brings it to the disk. */
  #dropped: readonly Range[] = []

  get unsyncedFrom(): number | undefined {
    const starts = [...this.#unsynced, ...this.#dropped].map(([from]) => from)
    return starts.length === 0 ? undefined : Math.min(...starts)
  }

  write(from: number, to: number): void {
    this.size = Math.max(this.size, to)
    this.#unsynced.push([from, to])
    this.#dropped = this.#dropped.flatMap((range) => without(range, [from, to]))
  }

  sync(isDone: boolean): void {
    if (!isDone) this.#dropped = [...this.#dropped, ...this.#unsynced]
    this.#unsynced = []
  }

  truncate(size: number): void {
    const cut = (range: Range) => without(range, [size, Infinity])
    this.#dropped = this.#dropped.flatMap(cut)
    this.#unsynced = this.#unsynced.flatMap(cut)
    this.size = size
  }
}

function without([from, to]: Range, [first, end]: Range): readonly Range[] {
  const parts: readonly Range[] = [
    [from, Math.min(to, first)],
    [Math.max(from, end), to],
  ]
  return parts.filter(([one, other]) => one < other)
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
