// A slash command in the format of Claude Code: `$ARGUMENTS` is replaced by everything that the user typed, `$1` to `$9` by
// one word. Its front matter is read leniently: what it has for that program only is ignored.
import type { CommandAnswer } from "../../contract/host-commands.ts"
import { withoutFrontMatter, rawFrontMatter } from "./front-matter.ts"

export interface NumberedCommand {
  readonly name: string
  readonly description: string
  readonly usage: string
  readonly body: string
}

export type ReadNumberedCommand =
  | { readonly kind: "numbered"; readonly command: NumberedCommand }
  | { readonly kind: "unfit"; readonly name: string; readonly why: string }

const NAME_PATTERN = /^[A-Za-z0-9][\w.:-]{0,127}$/
const MAX_DESCRIPTION = 300

/** `path` is relative to the folder of commands; its folders become part of the name: `front/button.md` is `front:button`. */
export function readNumberedCommand(path: string, text: string): ReadNumberedCommand {
  const name = path.replace(/\.md$/, "").replaceAll("/", ":")
  const body = withoutFrontMatter(text)
  if (!NAME_PATTERN.test(name)) return { kind: "unfit", name, why: "its name has characters that commands cannot have" }
  if (body === "") return { kind: "unfit", name, why: "no text after the front matter" }
  const front = rawFrontMatter(text)
  const description = front.get("description") ?? body.split("\n")[0] ?? ""
  const usage = front.get("argument-hint") ?? (takesArguments(body) ? "[text]" : "")
  return { kind: "numbered", command: { name, description: description.slice(0, MAX_DESCRIPTION), usage, body } }
}

const placeholder = /\$(?:ARGUMENTS\b|([1-9])(?!\d))/g
const shellInline = /(?:^|\s)!`[^`\n]+`/m

/** What is typed is inserted as it is and not expanded again; text that no placeholder takes is added at the end. */
export function fillNumbered({ body }: NumberedCommand, typedArgs: readonly string[]): CommandAnswer {
  const typed = typedArgs.join(" ")
  const filled = body.replaceAll(placeholder, (_, number: string | undefined) =>
    number === undefined ? typed : (typedArgs[Number(number) - 1] ?? ""),
  )
  const rest = typed === "" || takesArguments(body) ? [] : [`Arguments: ${typed}`]
  const commands = shellInline.test(body)
    ? ["Where the text above has !`command`, run that command first and use its output."]
    : []
  return { kind: "prompt", text: [filled, ...rest, ...commands].join("\n\n") }
}

function takesArguments(body: string): boolean {
  return body.search(placeholder) >= 0
}
