// Everything that is wrong with the shape of a manifest, one sentence for each place, in the order of the manifest. A
// place that may be several things gives a fault for each of them; together they are one.
import type { Fault } from "../../protocols/extension/generated/frames.js"

export function shapeFaults(faults: readonly Fault[]): readonly [string, ...string[]] {
  const places = [...new Set(faults.map(({ instancePath }) => instancePath))]
  const isInside = (place: string) => places.some((other) => other.startsWith(`${place}/`))
  const sentences = places.flatMap((place) => {
    const here = faults.filter(({ instancePath }) => instancePath === place)
    return faultsAt(here, isInside(place)).map((what) => `extension${dotted(place)} ${what}`)
  })
  const [first = "the member extension is not what it must be", ...others] = new Set(sentences)
  return [first, ...others]
}

/** What it should rather have been says nothing where a part of what it is is wrong. */
function faultsAt(faults: readonly Fault[], hasInnerFaults: boolean): readonly string[] {
  const unknown = faults.flatMap(({ params }) => {
    const { additionalProperty: name } = params
    return typeof name === "string" ? [`has an unknown member '${name}'`] : []
  })
  const missing = faults.flatMap(({ keyword, message }) => (keyword === "required" ? [message] : []))
  const parts = [...unknown, ...missing]
  if (parts.length > 0 || hasInnerFaults) return parts
  const shapes = faults.filter(({ keyword }) => keyword !== "anyOf" && keyword !== "oneOf").map(wordsOf)
  const [first = "is not what it must be", ...others] = [...new Set(shapes)]
  return [[first, ...others.map((message) => message.replace(/^must be /, ""))].join(" or ")]
}

function wordsOf({ keyword, params, message }: Fault): string {
  const { allowedValue, allowedValues } = params
  if (keyword === "const") return `must be ${JSON.stringify(allowedValue)}`
  if (Array.isArray(allowedValues)) return `must be ${allowedValues.map((value) => JSON.stringify(value)).join(" or ")}`
  return message.replaceAll(",", " or ")
}

function dotted(place: string): string {
  return place.replaceAll(/\/(\d+)(?=\/|$)/g, "[$1]").replaceAll("/", ".")
}
