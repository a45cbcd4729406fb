// What a line that somebody types while attached means. Pure.
export type LineCommand =
  | { readonly kind: "nothing" }
  | { readonly kind: "prompt"; readonly text: string }
  | { readonly kind: "stop" }
  | { readonly kind: "answer"; readonly approved: boolean; readonly which: string | undefined }
  | { readonly kind: "quit" }
  | { readonly kind: "help" }
  | { readonly kind: "unknown"; readonly word: string }

export const lineHelp = [
  "a line      is a prompt; while a turn runs it waits for the next one",
  "/stop       interrupts the turn",
  "/approve    says yes to what is asked (/approve ID: to this request)",
  "/deny       says no to it",
  "/quit       leaves; the session goes on (Ctrl-D too)",
  "//…         is a prompt that begins with a slash",
].join("\n")

export function parseLine(line: string): LineCommand {
  const text = line.trim()
  if (text === "") return { kind: "nothing" }
  if (text.startsWith("//")) return { kind: "prompt", text: text.slice(1) }
  if (!text.startsWith("/")) return { kind: "prompt", text: line }
  const [word = "", which, ...more] = text.split(/\s+/)
  const takesId = word === "/approve" || word === "/deny"
  if (more.length > 0 || (which !== undefined && !takesId)) return { kind: "unknown", word: text }
  return commandOf(word, which)
}

function commandOf(word: string, which: string | undefined): LineCommand {
  switch (word) {
    case "/stop":
      return { kind: "stop" }
    case "/approve":
    case "/deny":
      return { kind: "answer", approved: word === "/approve", which }
    case "/quit":
    case "/exit":
      return { kind: "quit" }
    case "/help":
      return { kind: "help" }
    default:
      return { kind: "unknown", word }
  }
}
