// A number with its noun: `1 session`, `2 sessions`.
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`
}
