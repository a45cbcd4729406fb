// Variables and settings of synaps that are either on or off, however they are written.
type Value = string | undefined

export function isOn(value: Value): boolean {
  return ["1", "true", "yes", "on"].includes(value?.trim().toLowerCase() ?? "")
}

export function isOff(value: Value): boolean {
  return ["0", "false", "no", "off"].includes(value?.trim().toLowerCase() ?? "")
}
