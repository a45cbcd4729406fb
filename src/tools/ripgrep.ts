// Runs ripgrep for the tools that search. Git's ignore files are obeyed also outside of a repository; hidden files are
// searched, .git is not; symlinks are not followed, so what it names below a real folder has a real path. Its records
// are handed over one by one, and it is ended as soon as there are enough. It opens files by name, which a shell of the
// session could redirect by swapping a folder for a link; so it runs in the same sandbox as that shell, where the
// forbidden folders are empty. Without a sandbox the shell itself could read them.
import type { Readable } from "node:stream"
import { text } from "node:stream/consumers"
import type { CommandDeps } from "./start-command.ts"
import type { ToolContext } from "./tool.ts"

export interface Search {
  readonly args: readonly string[]
  /** A real folder. */
  readonly folder: string
  readonly recordEnd: "\n" | "\0"
  /** False when no more are wanted. */
  readonly take: (record: string) => boolean
}

export type Searched =
  | { readonly kind: "searched"; readonly stopped: "enough" | "late" | undefined; readonly unreadable: boolean }
  | { readonly kind: "complaint"; readonly what: string }
  | { readonly kind: "cancelled" }

/** A search that takes longer shows what it has found until then. */
const mostSeconds = 60
const always = ["--no-config", "--color=never", "--hidden", "--no-require-git", "--no-messages", "--glob=!.git"]

export async function ripgrep(deps: CommandDeps, context: ToolContext, search: Search): Promise<Searched> {
  const { rgPath } = await import("@vscode/ripgrep")
  const { env, sessionId: owner } = context
  const { folder: cwd } = search
  const plain = { command: rgPath, args: [...always, ...search.args] }
  const { command, args } = (await deps.sandbox?.around(plain, cwd)) ?? plain
  const gated = await deps.processes.spawn({ command, args, cwd, env, owner })
  if (context.signal.aborted) {
    gated.abandon()
    return { kind: "cancelled" }
  }
  const enough = new AbortController()
  const late = AbortSignal.timeout(mostSeconds * 1000)
  const stop = AbortSignal.any([context.signal, late, enough.signal])
  let killing: Promise<boolean> | undefined
  const kill = () => {
    killing = gated.kill()
  }
  stop.addEventListener("abort", kill)
  gated.go()
  const complaint = text(gated.stderr)
  if (!(await takeAll(gated.stdout, search))) enough.abort()
  const { code } = await gated.exited
  stop.removeEventListener("abort", kill)
  await killing
  if (context.signal.aborted) return { kind: "cancelled" }
  const what = (await complaint).trim()
  if (!stop.aborted && what !== "") return { kind: "complaint", what }
  const stopped = enough.signal.aborted ? "enough" : late.aborted ? "late" : undefined
  return { kind: "searched", stopped, unreadable: code === 2 }
}

/** What the reader of the result must know about how it came about. */
export function noticesOf({ stopped, unreadable }: Extract<Searched, { kind: "searched" }>): string[] {
  const reasons = {
    enough: "[There are more matches; make the pattern or the path narrower.]",
    late: `[The search was stopped after ${mostSeconds} s; search a smaller folder.]`,
  }
  return [...(stopped ? [reasons[stopped]] : []), ...(unreadable ? ["[Some files could not be read.]"] : [])]
}

/** False when `take` had enough. */
async function takeAll(stream: Readable, { recordEnd, take }: Search): Promise<boolean> {
  const end = recordEnd.charCodeAt(0)
  let rest: Buffer = Buffer.alloc(0)
  const chunks: AsyncIterable<Buffer> = stream
  for await (const chunk of chunks) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    let from = 0
    for (let at = bytes.indexOf(end); at !== -1; at = bytes.indexOf(end, from)) {
      if (!take(bytes.toString("utf8", from, at))) return false
      from = at + 1
    }
    rest = bytes.subarray(from)
  }
  return rest.length === 0 || take(rest.toString("utf8"))
}
