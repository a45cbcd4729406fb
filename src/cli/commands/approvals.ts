// Commands of the group "Approvals".
import { flag, text, type Command } from "../command.ts"
import { jsonOption } from "./shared-options.ts"

export const approvals: readonly Command[] = [
  {
    name: "approvals",
    summary: "List pending approvals, questions and escalations of all sessions",
    options: {
      granted: flag("List standing permissions instead."),
      revoke: text("GRANT", "Revoke a standing permission."),
      ...jsonOption,
    },
    load: () => import("./approvals/approvals.ts"),
  },
  {
    name: "approve",
    acts: true,
    summary: "Approve or deny a request, or answer a question",
    positionals: "ID",
    completes: "approvals",
    options: {
      deny: flag("Deny the request, or decline to answer."),
      answer: text("TEXT", "Answer to a question: a number, several (1,3), a label, or your own words."),
      note: text("TEXT", "Note for the model."),
      for: text("SCOPE", "Also approve such calls later, in this 'session' or 'folder'."),
      pattern: text("GLOB", "With --for: which calls. Default: the same main argument."),
      ...jsonOption,
    },
    details: [
      "ID is the id of the request or a prefix of it. The request is shown first, with its exact arguments.",
      "Text in quotes is always an answer in your own words; answers to several questions are separated with ';'.",
      "In a pattern '*' matches any text. A session that no process has open continues on the background host.",
    ].join("\n"),
    load: () => import("./approvals/approve.ts"),
  },
  {
    name: "settle",
    acts: true,
    summary: "Mark an escalation as handled",
    positionals: "ID",
    options: { note: text("TEXT", "Note for the log."), ...jsonOption },
    details: [
      "ID is a session; 'turnhouse approvals' and 'turnhouse ls' show which sessions have escalated. A message from a user",
      "in the session, with attach or run, has the same effect.",
    ].join("\n"),
    load: () => import("./approvals/settle.ts"),
  },
  {
    name: "trust",
    acts: true,
    summary: "Trust a folder: its project files may configure sessions",
    positionals: "[DIR]",
    options: {
      list: flag("List trusted folders."),
      revoke: text("DIR", "Stop trusting this folder."),
      ...jsonOption,
    },
    load: () => import("./approvals/trust.ts"),
  },
]
