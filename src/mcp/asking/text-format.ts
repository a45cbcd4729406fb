// The bounds and formats of text in forms of MCP servers. Linear in the length of the text.

export interface TextBounds {
  readonly format: string | undefined
  readonly min: number | undefined
  readonly max: number | undefined
}

/** A clause; undefined if the text fits. Unknown formats are not checked. */
export function textProblem(text: string, { format, min, max }: TextBounds): string | undefined {
  if (min !== undefined && text.length < min) return `has fewer than ${min} characters`
  if (max !== undefined && text.length > max) return `has more than ${max} characters`
  switch (format) {
    case "email":
      return isEmail(text) ? undefined : "is not an email address"
    case "uri":
      return URL.canParse(text) ? undefined : "is not an address such as https://example.com"
    case "date":
      return isDate(text) ? undefined : "is not a date such as 2026-01-31"
    case "date-time":
      return isDateTime(text) ? undefined : "is not a time such as 2026-01-31T09:30:00Z"
    default:
      return undefined
  }
}

function isEmail(text: string): boolean {
  const [name = "", domain = "", ...more] = text.split("@")
  return more.length === 0 && name !== "" && /^[^\s.][^\s]*$/.test(domain) && domain.includes(".") && !/\s/.test(name)
}

/** Days that do not exist, such as the 31st of June, are none. */
function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false
  const date = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}

function isDateTime(text: string): boolean {
  const [date = "", time = ""] = text.split("T", 2)
  const isTime = /^\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/.test(time)
  return isTime && isDate(date) && !Number.isNaN(Date.parse(`${date}T${time}`))
}
