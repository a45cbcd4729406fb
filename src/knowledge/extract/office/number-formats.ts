// How a spreadsheet shows a number: the parts of its number formats that change what a reader takes it for (dates, percent,
// decimals, currency). Dates are written as ISO 8601, numbers without a separator of thousands.
export interface NumberFormat {
  readonly kind: "general" | "number" | "percent" | "date" | "time" | "dateTime"
  readonly decimals: number
  readonly before: string
  readonly after: string
}

export const general: NumberFormat = { kind: "general", decimals: 0, before: "", after: "" }

const builtIn: ReadonlyMap<number, string> = new Map([
  [1, "0"],
  [2, "0.00"],
  [3, "0"],
  [4, "0.00"],
  [9, "0%"],
  [10, "0.00%"],
  [14, "yyyy-mm-dd"],
  [15, "yyyy-mm-dd"],
  [16, "yyyy-mm-dd"],
  [17, "yyyy-mm-dd"],
  [18, "h:mm"],
  [19, "h:mm:ss"],
  [20, "h:mm"],
  [21, "h:mm:ss"],
  [22, "yyyy-mm-dd h:mm"],
  [37, "0"],
  [38, "0"],
  [39, "0.00"],
  [40, "0.00"],
  [45, "h:mm:ss"],
  [46, "h:mm:ss"],
  [47, "h:mm:ss"],
])

const MAX_CODE_LENGTH = 300
const MAX_DECIMALS = 15

export function numberFormat(id: number, code: string | undefined): NumberFormat {
  const source = (code ?? builtIn.get(id) ?? "").slice(0, MAX_CODE_LENGTH)
  const [positive = ""] = source.split(";", 1)
  const currency = /\[\$([^\]-]+)|"([^"]*[$€£¥][^"]*)"|([$€£¥])/.exec(positive)
  const symbol = (currency?.[1] ?? currency?.[2] ?? currency?.[3] ?? "").trim()
  const bare = positive.replaceAll(/"[^"]*"|\[[^\]]*\]|\\.|_./g, "")
  const isBefore = positive.indexOf(symbol) < positive.search(/[0#]/)
  return {
    kind: kindOf(bare),
    decimals: Math.min(/[0#?]\.([0#?]+)/.exec(bare)?.[1]?.length ?? 0, MAX_DECIMALS),
    before: symbol !== "" && isBefore ? symbol : "",
    after: symbol === "" || isBefore ? "" : ` ${symbol}`,
  }
}

function kindOf(bare: string): NumberFormat["kind"] {
  if (bare === "" || /general|@/i.test(bare)) return "general"
  const [hasDay, hasHour] = [/[yd]/i.test(bare), /[hs]/i.test(bare)]
  if (hasDay || hasHour) return hasDay && hasHour ? "dateTime" : hasDay ? "date" : "time"
  if (/m/i.test(bare)) return "date"
  if (bare.includes("%")) return "percent"
  return /[0#]/.test(bare) ? "number" : "general"
}

/** `first` is the day before day 1 of the calendar of the workbook. */
export function shownNumber(value: number, { kind, decimals, before, after }: NumberFormat, first: number): string {
  switch (kind) {
    case "general":
      return `${before}${plain(value)}${after}`
    case "number":
      return `${before}${value.toFixed(decimals)}${after}`
    case "percent":
      return `${(value * 100).toFixed(decimals)}%`
    case "date":
    case "time":
    case "dateTime":
      return shownDate(value, kind, first) ?? plain(value)
  }
}

/** Without the error of binary fractions: 0.1 + 0.2 is 0.3. */
function plain(value: number): string {
  return String(Number(value.toPrecision(15)))
}

const DAY_MS = 86_400_000

function shownDate(value: number, kind: "date" | "time" | "dateTime", first: number): string | undefined {
  const milliseconds = first + Math.round(value * 86_400) * 1000
  if (value < 0 || milliseconds > Date.UTC(9999, 11, 31)) return undefined
  const [date = "", time = ""] = new Date(milliseconds).toISOString().slice(0, 19).split("T")
  const shownTime = time.endsWith(":00") ? time.slice(0, 5) : time
  const isMidnight = milliseconds % DAY_MS === 0
  if (kind === "time") return shownTime
  return kind === "date" || isMidnight ? date : `${date} ${shownTime}`
}

export const calendars = { from1900: Date.UTC(1899, 11, 30), from1904: Date.UTC(1904, 0, 1) }
