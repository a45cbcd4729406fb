// Boolean environment variables and settings of synaps in their accepted spellings.
type Value = string | undefined

export function isOn(value: Value): boolean {
  return ["1", "true", "yes", "on"].includes(value?.trim().toLowerCase() ?? "")
}

export function isOff(value: Value): boolean {
  return ["0", "false", "no", "off"].includes(value?.trim().toLowerCase() ?? "")
}
