// What a line means that somebody types at an agent: words for it, a command of the agent's, or leaving. Pure.
export type TypedLine =
  | { readonly kind: "nothing" }
  | { readonly kind: "say"; readonly text: string }
  | { readonly kind: "slash"; readonly command: string; readonly args: readonly string[] }
  /** To a request for approval; the agent takes it as such. */
  | { readonly kind: "answer"; readonly text: string }
  | { readonly kind: "stop" }
  | { readonly kind: "quit" }

export const typedHelp =
  "a line is said, /COMMAND goes to the agent (/help asks for its list), // says a line that begins with a slash; " +
  "/stop or Ctrl-C cancels, /quit or Ctrl-D leaves"

export function readTyped(line: string): TypedLine {
  const text = line.trim()
  if (text === "") return { kind: "nothing" }
  if (text.startsWith("//")) return { kind: "say", text: text.slice(1) }
  if (!text.startsWith("/")) return { kind: "say", text: line }
  const [command = "", ...args] = words(text.slice(1))
  if (command === "quit") return { kind: "quit" }
  if (command === "stop") return { kind: "stop" }
  return command === "" ? { kind: "say", text: line } : { kind: "slash", command, args }
}

/** Split at blanks; what stands between quotation marks is one word. */
function words(text: string): readonly string[] {
  const found = text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)
  return [...found].map(([, double, single, plain]) => double ?? single ?? plain ?? "")
}
