// Commands that send a prepared prompt. It starts a turn or is queued.
import { textOf, usageError } from "../arguments.ts"
import type { SlashCall, SlashGroup, SlashStep } from "../command.ts"
import { prompt } from "../steps.ts"

export const promptCommands: SlashGroup = {
  title: "Work",
  commands: [
    { name: "review", usage: "[what]", help: "review the changes in the folder", run: review },
    { name: "plan", usage: "<task>", help: "make a plan without changing anything", run: plan },
    { name: "brainwires", help: "write BRAINWIRES.md: what an agent should know here", run: describeFolder },
  ],
}

function review(call: SlashCall): SlashStep {
  const what =
    textOf(call) || "the changes in this folder that are not committed yet (git status and git diff show them)"
  return prompt(
    [
      `Review ${what}.`,
      "Look for mistakes, missing cases, security problems and missing tests; read the code around a change before you judge it.",
      "Name file and line for each finding, the gravest first, and say what to do about it. Change nothing.",
    ].join("\n"),
  )
}

function plan(call: SlashCall): SlashStep {
  const task = textOf(call)
  if (task === "") return usageError(call)
  return prompt(
    [
      `Make a plan for this task: ${task}`,
      "",
      "Look at what is there first. Then give numbered steps, each with the files it touches and how to see that it worked,",
      "and name what is uncertain. Change nothing before the plan is agreed on.",
    ].join("\n"),
  )
}

function describeFolder(): SlashStep {
  return prompt(
    [
      "Write a file BRAINWIRES.md in this folder for agents that will work here: what the project is, how it is laid out,",
      "the commands to build, test and check it, and the conventions that its code follows. Read before you write, keep it",
      "short, and if the file exists improve it instead of starting again.",
    ].join("\n"),
  )
}
