// All commands, in the groups of the help text. A command is one entry in the table of its group and one file in the
// group's folder, which is loaded when the command runs.
import type { Command } from "./command.ts"
import { administration } from "./commands/administration.ts"
import { approvals } from "./commands/approvals.ts"
import { everyday } from "./commands/everyday.ts"
import { lifecycle } from "./commands/lifecycle.ts"
import { records } from "./commands/records.ts"
import { serving } from "./commands/serving.ts"
import { sessions } from "./commands/sessions.ts"

export interface CommandGroup {
  readonly title: string
  readonly commands: readonly Command[]
}

export const commandGroups: readonly CommandGroup[] = [
  { title: "Everyday", commands: everyday },
  { title: "Sessions", commands: sessions },
  { title: "Lifecycle", commands: lifecycle },
  { title: "Records", commands: records },
  { title: "Approvals", commands: approvals },
  { title: "Serving", commands: serving },
  { title: "Administration", commands: administration },
]

export const commands: readonly Command[] = commandGroups.flatMap((group) => group.commands)
