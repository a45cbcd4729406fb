// Parses what a user types to a session: a prompt, an answer, a command of the client itself, or a slash command. Pure.
import type { TypedAnswer } from "../contract/rules/approval-answers.ts"

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
  "TEXT        send a prompt; during a turn it waits for the next one",
  "/stop       interrupt the turn",
  "y, n        answer the oldest pending request; always: yes, and for the same call later (/approve ID, /deny ID)",
  "2, TEXT     while a question of the agent is the oldest request: its answer; /deny declines (/answer ID TEXT)",
  "/quit       detach; the session continues (also Ctrl-D)",
  "//TEXT      send a prompt that begins with a slash",
].join("\n")

/** Commands of the client itself; they hide slash commands of the same name. */
export const lineCommands: readonly string[] = ["stop", "approve", "deny", "always", "quit", "exit", "help"]

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
  const [idPrefix, ...more] = args
  switch (name) {
    case "stop":
      return args.length === 0 ? { kind: "stop" } : { kind: "unknown", word: text }
    case "approve":
    case "deny":
    case "always":
      if (more.length > 0) return { kind: "unknown", word: text }
      return { kind: "answer", command: name, idPrefix }
    case "quit":
    case "exit":
      return args.length === 0 ? { kind: "quit" } : { kind: "unknown", word: text }
    case "help":
      return args.length === 0 ? { kind: "help" } : undefined
    default:
      return undefined
  }
}
