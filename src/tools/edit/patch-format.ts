// Parses patches in the format of Codex's apply_patch:
//
//   *** Begin Patch
//   *** Update File: src/a.ts
//   @@ function f()
//    context
//   -old
//   +new
//   *** End Patch
//
// Pure.

export interface Hunk {
  /** Lines to look for before the change, one after another: from `@@ …`. */
  readonly anchors: readonly string[]
  readonly before: readonly string[]
  readonly after: readonly string[]
  /** It must be at the end of the file. */
  readonly atEnd: boolean
}

export type FilePatch =
  | { readonly kind: "add"; readonly path: string; readonly text: string }
  | { readonly kind: "delete"; readonly path: string }
  | {
      readonly kind: "update"
      readonly path: string
      readonly moveTo: string | undefined
      readonly hunks: readonly Hunk[]
    }

export type ParsedPatch =
  | { readonly kind: "patch"; readonly files: readonly FilePatch[] }
  | { readonly kind: "no"; readonly reason: string }

class PatchFault extends Error {
  override readonly name = "PatchFault"
}

export function parsePatch(patch: string): ParsedPatch {
  try {
    return { kind: "patch", files: new PatchParser(patch.trim().split(/\r?\n/)).files() }
  } catch (fault) {
    if (fault instanceof PatchFault) return { kind: "no", reason: fault.message }
    throw fault
  }
}

class PatchParser {
  readonly #lines: readonly string[]
  #at = 0

  constructor(lines: readonly string[]) {
    this.#lines = lines
  }

  files(): readonly FilePatch[] {
    if (this.#next?.trim() !== "*** Begin Patch") this.#fail('the first line must be "*** Begin Patch"')
    this.#at++
    const files: FilePatch[] = []
    while (this.#next?.trim() !== "*** End Patch") files.push(this.#file())
    if (this.#at < this.#lines.length - 1) this.#fail('nothing may follow "*** End Patch"')
    return files
  }

  get #next(): string | undefined {
    return this.#lines[this.#at]
  }

  #file(): FilePatch {
    const [, kind, path] = /^\*\*\* (Add|Delete|Update) File: (.+)$/.exec(this.#next?.trimEnd() ?? "") ?? []
    if (path === undefined)
      this.#fail('"*** Add File: PATH", "*** Delete File: PATH", "*** Update File: PATH" or "*** End Patch" is missing')
    this.#at++
    if (kind === "Delete") return { kind: "delete", path }
    return kind === "Add" ? { kind: "add", path, text: this.#addedText() } : this.#update(path)
  }

  #addedText(): string {
    const lines: string[] = []
    while (this.#next?.startsWith("+") === true) lines.push(this.#take().slice(1))
    return lines.map((line) => `${line}\n`).join("")
  }

  #update(path: string): FilePatch {
    const moveTo = /^\*\*\* Move to: (.+)$/.exec(this.#next?.trimEnd() ?? "")?.[1]
    if (moveTo !== undefined) this.#at++
    const hunks: Hunk[] = []
    while (this.#next !== undefined && !this.#isHeader()) hunks.push(this.#hunk())
    if (hunks.length === 0 && moveTo === undefined) this.#fail(`the update of ${path} has no change`)
    return { kind: "update", path, moveTo, hunks }
  }

  /** The line begins another file, or ends the patch. */
  #isHeader(): boolean {
    return /^\*\*\* (?:(?:Add|Delete|Update) File: |End Patch)/.test(this.#next ?? "")
  }

  #hunk(): Hunk {
    const anchors: string[] = []
    while (this.#next?.startsWith("@@") === true) {
      const anchor = this.#take()
        .slice(2)
        .trim()
        .replace(/^-\d.*@@$/, "")
      if (anchor !== "") anchors.push(anchor)
    }
    const before: string[] = []
    const after: string[] = []
    const start = this.#at
    while (this.#next !== undefined && !this.#next.startsWith("@@") && !this.#next.startsWith("*** ")) {
      const line = this.#take()
      const [sign, text] = line === "" ? [" ", ""] : [line[0], line.slice(1)]
      if (sign !== " " && sign !== "-" && sign !== "+") {
        this.#at--
        this.#fail('a line of a change must begin with a space, "-" or "+"')
      }
      if (sign !== "+") before.push(text)
      if (sign !== "-") after.push(text)
    }
    if (this.#at === start) this.#fail("a change has no lines")
    const atEnd = this.#next?.trim() === "*** End of File"
    if (atEnd) this.#at++
    return { anchors, before, after, atEnd }
  }

  #take(): string {
    return this.#lines[this.#at++] ?? ""
  }

  #fail(what: string): never {
    throw new PatchFault(`The patch cannot be read: line ${this.#at + 1}: ${what}.`)
  }
}
