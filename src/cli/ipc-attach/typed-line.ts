// Parses a line typed at an agent: a prompt, a command of the agent, or a command of `attach`. Pure.
export type TypedLine =
  | { readonly kind: "nothing" }
  | { readonly kind: "say"; readonly text: string }
  | { readonly kind: "slash"; readonly command: string; readonly args: readonly string[] }
  /** An answer to an approval request, which the agent recognises. */
  | { readonly kind: "answer"; readonly text: string }
  | { readonly kind: "stop" }
  | { readonly kind: "quit" }

export const typedHelp =
  "TEXT sends a prompt, /COMMAND runs a command of the agent (/help lists them), //TEXT sends a line with a slash; " +
  "/stop or Ctrl-C cancels, /quit or Ctrl-D detaches"

export function readTyped(line: string): TypedLine {
  const text = line.trim()
  if (text === "") return { kind: "nothing" }
  if (text.startsWith("//")) return { kind: "say", text: text.slice(1) }
  if (!text.startsWith("/")) return { kind: "say", text: line }
  const [command = "", ...args] = splitWords(text.slice(1))
  if (command === "quit") return { kind: "quit" }
  if (command === "stop") return { kind: "stop" }
  return command === "" ? { kind: "say", text: line } : { kind: "slash", command, args }
}

/** Splits at blanks; quoted text is one word. */
function splitWords(text: string): readonly string[] {
  const found = text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)
  return [...found].map(([, double, single, plain]) => double ?? single ?? plain ?? "")
}
