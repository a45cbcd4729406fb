// One message for each invalid place of a manifest, in the order of the manifest. The checker reports a union once per
// member; these are merged.
import type { Fault } from "../../protocols/extension/generated/frames.js"

export function shapeFaults(faults: readonly Fault[]): readonly [string, ...string[]] {
  const places = [...new Set(faults.map(({ instancePath }) => instancePath))]
  const isInside = (place: string) => places.some((other) => other.startsWith(`${place}/`))
  const sentences = places.flatMap((place) => {
    const here = faults.filter(({ instancePath }) => instancePath === place)
    return faultsAt(here, isInside(place)).map((what) => `extension${dotted(place)} ${what}`)
  })
  const [first = "the member extension is invalid", ...others] = new Set(sentences)
  return [first, ...others]
}

/** Drops "should be X" where a more specific fault exists below the same place. */
function faultsAt(faults: readonly Fault[], hasInnerFaults: boolean): readonly string[] {
  const unknown = faults.flatMap(({ params }) => {
    const { additionalProperty: name } = params
    return typeof name === "string" ? [`has an unknown member '${name}'`] : []
  })
  const missing = faults.flatMap(({ keyword, message }) => (keyword === "required" ? [message] : []))
  const parts = [...unknown, ...missing]
  if (parts.length > 0 || hasInnerFaults) return parts
  const shapes = faults.filter(({ keyword }) => keyword !== "anyOf" && keyword !== "oneOf").map(wordsOf)
  const [first = "is invalid", ...others] = [...new Set(shapes)]
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
