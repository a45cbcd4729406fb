/** Whether the terminal of this process can show a full screen. */
export function canDrawScreen(): boolean {
  return process.stdin.isTTY && process.stdout.isTTY && process.env["TERM"] !== "dumb"
}
