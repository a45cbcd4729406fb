// Reduces the checker's errors to the relevant ones. For a value with several possible shapes the checker lists the
// errors of each; only those of the intended shape are kept.
import type { Fault } from "../contract/generated/config.js"
import type { Path } from "./plain.ts"

export function withoutOtherBranches(faults: readonly Fault[]): readonly Fault[] {
  const unions = faults.filter((fault) => fault.keyword === "anyOf")
  const rest = faults.filter((fault) => fault.keyword !== "anyOf")
  return unions.reduce((left, union) => {
    const inside = left.filter((fault) => isInside(fault, union))
    return [...left.filter((fault) => !inside.includes(fault)), ...meantBranch(union, inside)]
  }, rest)
}

/** Of several errors about the same value, the most specific one is kept. */
export function oneFaultPerPlace(faults: readonly Fault[]): readonly Fault[] {
  const places = Map.groupBy(faults, ({ instancePath, params }) =>
    JSON.stringify([instancePath, params["additionalProperty"], params["missingProperty"]]),
  )
  return [...places.values()].flatMap((here) => here.find((fault) => fault.keyword === "enum") ?? here[0] ?? [])
}

export function pathOf({ instancePath }: Fault): Path {
  const steps = instancePath.split("/").slice(1)
  return steps.map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"))
}

/** The address of the broken rule in the schema: `#/properties/tools/additionalProperties`. */
export function schemaPathOf(fault: Fault): string {
  return "schemaPath" in fault && typeof fault.schemaPath === "string" ? fault.schemaPath : ""
}

function isInside(fault: Fault, union: Fault): boolean {
  return (
    schemaPathOf(fault).startsWith(`${schemaPathOf(union)}/`) &&
    `${fault.instancePath}/`.startsWith(`${union.instancePath}/`)
  )
}

function meantBranch(union: Fault, inside: readonly Fault[]): readonly Fault[] {
  const branches = Map.groupBy(
    inside,
    (fault) =>
      schemaPathOf(fault)
        .slice(schemaPathOf(union).length + 1)
        .split("/")[0],
  )
  const fitting = [...branches.values()].filter((branch) => !branch.some((fault) => rulesOut(fault, union)))
  const intended = fitting.toSorted((a, b) => a.length - b.length)[0]
  return intended ?? noneFits(union, inside)
}

/** Another tag, or another type of value. */
function rulesOut(fault: Fault, union: Fault): boolean {
  return fault.keyword === "const" || (fault.keyword === "type" && fault.instancePath === union.instancePath)
}

function noneFits(union: Fault, inside: readonly Fault[]): readonly Fault[] {
  const tags = inside.filter((fault) => fault.keyword === "const")
  const first = tags[0]
  if (first !== undefined) {
    const allowedValues = tags.map((fault) => fault.params["allowedValue"])
    return [{ ...first, keyword: "enum", params: { allowedValues } }]
  }
  const kinds = inside.filter((fault) => rulesOut(fault, union)).map((fault) => fault.params["type"])
  return [{ ...union, keyword: "type", params: { type: [...new Set(kinds)] } }]
}
