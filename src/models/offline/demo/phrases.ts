// The phrases of the demo, one rule per way of saying a thing; the first rule that fits a clause wins.
// Kept in step with the table in docs/offline-model.md.
import { isLiteral } from "./quoted.ts"
import type { Request } from "./request.ts"

type Words = Readonly<Record<string, string>>
interface Rule {
  readonly says: RegExp
  readonly means: (words: Words) => readonly Request[] | undefined
}

const here = "here|(?:this|the|the current|the working) (?:folder|directory|project|place)"
const place = String.raw`(?:${here}|(?:the )?(?:folder )?(?<place>\S+?)(?: folder| directory)?)`
const inPlace = `(?: (?:in|under|inside|of) ${place})?`
const list = String.raw`\S+(?:(?:, and |,? and |, )\S+)*`
const file = String.raw`(?:the )?(?:file )?(?:named |called )?(?<path>\S+)`
const files = `(?:the )?(?:files? )?(?<paths>${list})`

const rules: readonly Rule[] = [
  rule("help|what can you do|who are you|what are you", () => [{ kind: "help" }]),

  rule(`(?:have a |take a )?look (?:around|round)(?: (?:${here})|${inPlace})`, look),
  rule(`(?:what is|what's) (?:${here})`, look),
  rule(
    `(?:list|show)(?: me)?(?: all)?(?: the)? (?:files|folders|contents|everything)(?: (?:${here})|${inPlace})`,
    look,
  ),
  rule(String.raw`ls(?: (?<place>\S+))?`, look),
  rule(`(?:what is|what's|what files are|what do we have)(?: there)? in ${place}`, lookOrRead),

  rule(`(?:what is|what's|tell me|show me|give me) (?:the |its )(?<wanted>.+) (?:in|of|from) ${file}`, askFile),
  rule(`how many lines (?:does|has|are in|are there in) ${file}(?: have| got)?`, countLines),
  rule(`read ${files}(?:,? and (?:tell|show|give) me (?<wanted>.+)|,? and say (?<said>.+))?`, readAll),
  rule(`(?:open|show(?: me)?|cat|print|display|view|look at) ${files}`, readPaths),

  rule(
    `find (?:all )?(?:the )?files? (?:named|called|matching|like|ending in|ending with) (?<glob>\\S+)${inPlace}`,
    findFiles,
  ),
  rule(String.raw`find (?:all )?(?<glob>\S*\*\S*)${inPlace}`, findFiles),
  rule(`search (?:in )?${place} for (?<text>.+)`, search),
  rule(`(?:search for|search|grep for|grep|look for|find) (?:the (?:word|text) )?(?<text>.+?)${inPlace}`, search),

  rule(`(?:replace|change) (?<from>.+?) (?:by|with|to|into) (?<to>.+?) in ${file}`, replace),
  rule(String.raw`in (?<path>\S+?),? (?:replace|change) (?<from>.+?) (?:by|with|to|into) (?<to>.+)`, replace),
  rule(`append (?<text>.+) to (?:the end of )?${file}`, append),
  rule(`add (?:the line |the text )?(?<text>.+) to (?:the end of )?${file}`, append),
  rule(`(?:write|save|put) (?:the text )?(?<text>.+) (?:to|into|in) (?:a )?(?:new )?${file}`, write),
  rule(
    `(?:create|make|write) (?:a )?(?:new )?${file} (?:with|containing|saying)(?: the)?(?: text| content)? (?<text>.+)`,
    write,
  ),

  rule("(?:run|execute)(?: all)?(?: the)? (?:tests|test suite)", () => run("npm test")),
  rule("(?:run|execute) the build|build the project", () => run("npm run build")),
  rule("(?:run|execute)(?: the command)? (?<command>.+)", ({ command = "" }) =>
    /^(?:an?|the|my|it|this|that|away|out) /i.test(`${command} `) ? undefined : run(command),
  ),

  rule(`(?:delete|remove) (?:everything|all(?: the)? files|the contents?) (?:in|of|under|from) ${place}`, empty),
  rule(`(?:delete|remove|erase) (?:the (?:files?|folder|directory) |file |folder )?(?<paths>${list})`, remove),
]

/** The requests of one clause, its literals still masked; nothing when no phrase fits. */
export function phrase(clause: string): readonly Request[] | undefined {
  for (const { says, means } of rules) {
    const match = says.exec(clause)
    const requests = match === null ? undefined : means({ ...match.groups })
    if (requests !== undefined) return requests
  }
  return undefined
}

function rule(pattern: string, means: Rule["means"]): Rule {
  return { says: new RegExp(`^(?:${pattern})$`, "i"), means }
}

function look({ place: at }: Words): readonly Request[] {
  return [{ kind: "look", path: somewhere(at) }]
}

function lookOrRead({ place: at }: Words): readonly Request[] {
  const path = somewhere(at)
  const isFile = path !== undefined && (isLiteral(path) || /\.\w+$/.test(path))
  return isFile ? [{ kind: "read", path, wanted: undefined }] : [{ kind: "look", path }]
}

function askFile({ wanted, path = "" }: Words): readonly Request[] | undefined {
  return isPath(path) ? [{ kind: "read", path, wanted: trimWanted(wanted) }] : undefined
}

function countLines({ path = "" }: Words): readonly Request[] | undefined {
  return isPath(path) ? [{ kind: "read", path, wanted: "number of lines" }] : undefined
}

function readAll({ paths = "", wanted, said }: Words): readonly Request[] | undefined {
  const named = splitList(paths)
  if (named.length > 1 && !named.every(isPath)) return undefined
  return named.map((path) => ({ kind: "read", path, wanted: trimWanted(wanted ?? said) }))
}

function readPaths({ paths = "" }: Words): readonly Request[] | undefined {
  const named = splitList(paths)
  return named.every(isPath) ? named.map((path) => ({ kind: "read", path, wanted: undefined })) : undefined
}

function search({ text = "", place: at }: Words): readonly Request[] {
  return [{ kind: "search", text, path: somewhere(at) }]
}

function findFiles({ glob: name = "", place: at }: Words): readonly Request[] {
  return [{ kind: "find-files", glob: name.startsWith(".") ? `*${name}` : name, path: somewhere(at) }]
}

function replace({ path = "", from = "", to = "" }: Words): readonly Request[] | undefined {
  return isPath(path) ? [{ kind: "replace", path, from, to }] : undefined
}

function write({ path = "", text = "" }: Words): readonly Request[] | undefined {
  return isPath(path) ? [{ kind: "write", path, text }] : undefined
}

function append({ path = "", text = "" }: Words): readonly Request[] | undefined {
  return isPath(path) ? [{ kind: "append", path, text }] : undefined
}

function run(command: string): readonly Request[] {
  return [{ kind: "run", command }]
}

function empty({ place: at }: Words): readonly Request[] {
  return [{ kind: "delete", path: somewhere(at) ?? ".", contents: true }]
}

function remove({ paths = "" }: Words): readonly Request[] | undefined {
  const named = splitList(paths)
  const isVague = /^(?:everything|all|it|that|this)$/i.test(paths) || (named.length > 1 && !named.every(isPath))
  return isVague ? undefined : named.map((path) => ({ kind: "delete", path, contents: false }))
}

function somewhere(at: string | undefined): string | undefined {
  return at === undefined || /^\.\/?$/.test(at) ? undefined : at
}

function splitList(paths: string): readonly string[] {
  return paths.split(/,? and |, ?/).filter((path) => path !== "")
}

/** Quoted, or with a dot or slash in it, or a name that needs neither. */
function isPath(word: string): boolean {
  return isLiteral(word) || /[./~]/.test(word) || /^(?:readme|license|makefile|dockerfile|changelog)$/i.test(word)
}

/** "what the name is" and "the value of name" both want `name`. */
function trimWanted(wanted: string | undefined): string | undefined {
  return wanted
    ?.replace(/^(?:(?:what|which|its|the|is|value of|about) )+/i, "")
    .replace(/ (?:is|of it|in it|there|it has|says?)$/i, "")
    .replace(/^how many lines$/i, "number of lines")
}
