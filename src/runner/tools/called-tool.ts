// The tool that a call of a model names: by its own name, a name of other agents, or with other upper and lower case. A
// name that fits no tool is answered with the nearest one.
import { aliasesOf } from "../../contract/rules/core-tools.ts"
import { calledToolName, ownFields } from "../../contract/rules/tool-spellings.ts"
import { nearestKey } from "../../contract/text/nearest-key.ts"
import { oneLine } from "../../contract/text/text.ts"
import type { AnswerPart } from "../../session/report.ts"
import type { Tool } from "../../tools/tool.ts"
import type { SessionContext } from "../session-context.ts"
import { toolRefusal, toolsOfTurn } from "./tool-set.ts"

/** Names listed for a call of an unknown tool. */
const MAX_LISTED = 60
const MAX_NAME_LENGTH = 64

/** The first gate: a call of an unknown tool, or with an input that does not fit, is refused. */
export function checkedPart(session: SessionContext, part: AnswerPart): AnswerPart {
  if (part.kind !== "call" || part.problem !== undefined) return part
  const tool = session.tools.find((candidate) => candidate.name === part.tool)
  if (tool === undefined) return { ...part, problem: unknownTool(session, part.tool) }
  const input = ownFields(tool.name, part.input)
  const problem = tool.problem(input)
  return { ...part, input, ...(problem === undefined ? {} : { problem }) }
}

/** Other upper and lower case only where it fits one tool. */
export function toolNameFor(tools: readonly Tool[], name: string): string {
  const own = calledToolName(name, (meant) => tools.some((tool) => tool.name === meant))
  if (own !== name || tools.some((tool) => tool.name === name)) return own
  const lower = name.toLowerCase()
  const isSame = (one: string) => one.toLowerCase() === lower
  const [only, ...others] = tools.filter((tool) => [tool.name, ...aliasesOf(tool.name)].some(isSame))
  return only === undefined || others.length > 0 ? name : only.name
}

function unknownTool({ state, tools, services }: SessionContext, name: string): string {
  const shown = oneLine(services.scrubber.text(name), MAX_NAME_LENGTH) // a part of a secret would not be recognised
  const names = toolsOfTurn(state, tools).map((tool) => tool.name)
  const nearest = nearestKey(shown, names)
  const hint = nearest?.close === true ? ` Did you mean ${nearest.key}?` : ""
  const more = names.length > MAX_LISTED ? `, and ${names.length - MAX_LISTED} more` : ""
  const listed =
    names.length === 0
      ? "There are no tools in this turn"
      : `There are: ${names.slice(0, MAX_LISTED).join(", ")}${more}`
  return toolRefusal(state, { name: shown }) ?? `There is no tool named ${shown}.${hint} ${listed}.`
}
