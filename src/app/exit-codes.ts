// Exit codes of the program. Ended by signal n is 128 + n.
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  refused: 3,
  unreachable: 4,
  hungUp: 129,
  interrupted: 130,
  brokenPipe: 141,
  terminated: 143,
} as const
