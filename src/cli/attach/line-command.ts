// What a line that somebody types while attached means. A few words are about being here; every other command is one of
// those that all viewers share. Pure.
import type { TypedAnswer } from "../../contract/typed-answer.ts"

export type LineCommand =
  | { readonly kind: "nothing" }
  | { readonly kind: "prompt"; readonly text: string }
  | { readonly kind: "stop" }
  | ({ readonly kind: "answer" } & TypedAnswer)
  | { readonly kind: "quit" }
  | { readonly kind: "help" }
  | { readonly kind: "slash"; readonly name: string; readonly args: readonly string[] }
  | { readonly kind: "unknown"; readonly word: string }

export const lineHelp = [
  "a line      is a prompt; while a turn runs it waits for the next one",
  "/stop       interrupts the turn",
  "y, n        answers the request that waits (/approve ID, /deny ID: this one); always: yes, and to the same call later",
  "/quit       leaves; the session goes on (Ctrl-D too)",
  "//…         is a prompt that begins with a slash",
].join("\n")

/** Commands that mean something here, whatever they mean to other viewers. */
export const ownWords: readonly string[] = ["stop", "approve", "deny", "always", "quit", "exit", "help"]

export function parseLine(line: string): LineCommand {
  const text = line.trim()
  if (text === "") return { kind: "nothing" }
  if (text.startsWith("//")) return { kind: "prompt", text: text.slice(1) }
  if (!text.startsWith("/")) return { kind: "prompt", text: line }
  const [word = "", ...args] = text.split(/\s+/)
  const name = word.slice(1)
  if (name === "") return { kind: "unknown", word: text }
  return ownCommand(name, args, text) ?? { kind: "slash", name, args }
}

function ownCommand(name: string, args: readonly string[], text: string): LineCommand | undefined {
  const [which, ...more] = args
  switch (name) {
    case "stop":
      return args.length === 0 ? { kind: "stop" } : { kind: "unknown", word: text }
    case "approve":
    case "deny":
    case "always":
      if (more.length > 0) return { kind: "unknown", word: text }
      return { kind: "answer", command: name, which }
    case "quit":
    case "exit":
      return args.length === 0 ? { kind: "quit" } : { kind: "unknown", word: text }
    case "help":
      return args.length === 0 ? { kind: "help" } : undefined
    default:
      return undefined
  }
}
