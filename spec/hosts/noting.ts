// A tool with an effect that can be counted, and models that call it. The tool is unsafe: it must never run twice for
// one call. Each run leaves the id of its call in a file.
import type { Step } from "../../src/models/offline/part.ts"
import type { HostedPlace } from "./hosted-place.ts"

const effects = "effects"
const gate = "noted"

/** How the tool takes its time after its effect: for some seconds, or until the gate is opened. */
type Manner = number | "gated"

/** Without a sandbox, in which processes look different from outside. */
export function configureNoting(place: HostedPlace, manner: Manner = 0): void {
  const takeTime = manner === "gated" ? `while [ ! -e ${gate} ]; do sleep 0.05; done` : `sleep ${manner}`
  const script = `sleep 0.05; echo "$TURNHOUSE_CALL_ID" >>${effects}; ${takeTime}; echo noted`
  const note = { description: "Notes it.", input: { type: "object" }, class: "unsafe", run: ["sh", "-c", script] }
  place.config({ tools: { sandbox: "off", allow: ["note"], define: { note } } })
}

export function openGate(place: HostedPlace): void {
  place.write(gate, "")
}

/** The calls that had their effect, one entry for each time. */
export function effectsIn(place: HostedPlace): readonly string[] {
  return place.has(effects) ? place.read(effects).split("\n").filter(Boolean) : []
}

export const noteCall = { call: { tool: "note", input: {} } } as const

/** Turn after turn: words and a note, two notes at once, and a last word. */
export function longScript(place: HostedPlace): string {
  const steps: Step[] = [
    [{ text: "I am about to note something, word by word, so that it takes its time." }, noteCall],
    [noteCall, { text: "And two more." }, noteCall],
    [{ text: "That is all that was to be noted, for now at least." }],
    [{ reasoning: "This one needs no tool." }, { delayMs: 200 }, { text: "Nothing to note." }],
  ]
  return place.script(
    Array.from({ length: 400 }, (_, index) => steps[index % steps.length] ?? []),
    { delayMs: 15 },
  )
}
