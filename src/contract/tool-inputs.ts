// The inputs of the built-in tools, by the names that models and extensions rely on.
import { z } from "zod"
import { ThinkingLevel } from "./values.ts"
import { limits } from "./limits.ts"

/** Unknown fields are refused: a field that a tool silently ignores hides a mistake of the model. */
function toolInput<Shape extends z.ZodRawShape>(title: string, shape: Shape) {
  return z.strictObject(shape).meta({ title })
}

export const bashInput = toolInput("bash", {
  command: z.string().min(1).describe("The shell command to run."),
  timeout: z.int().min(1).max(3600).optional().describe("Seconds after which the command is ended. Default 120."),
  description: z.string().optional().describe("What the command does, in a few words, for people."),
  run_in_background: z
    .boolean()
    .optional()
    .describe("Return at once and let the command run on, without a timeout unless one is given. Default: no."),
})

const shellId = z.string().min(1).describe("The id that bash gave, such as bash_1.")

export const bashOutputInput = toolInput("bash_output", {
  id: shellId,
  filter: z
    .string()
    .min(1)
    .max(1000)
    .optional()
    .describe("Only lines that match this regular expression (Rust syntax)."),
  timeout: z.int().min(0).max(600).optional().describe("Seconds to wait for new output or the end. Default 0."),
})

export const bashKillInput = toolInput("bash_kill", { id: shellId })

export const readInput = toolInput("read", {
  path: z.string().min(1).describe("The file or folder to read, absolute or relative to the working folder."),
  offset: z.int().min(1).optional().describe("The first line to read, counted from 1."),
  limit: z.int().min(1).max(10_000).optional().describe("How many lines to read. Default 2000."),
  column: z.int().min(1).optional().describe("The character of the first line to start at, for a line that was cut."),
  page: z.int().min(1).optional().describe("The page of a PDF file to start at, in place of offset."),
})

export const lsInput = toolInput("ls", {
  path: z.string().min(1).optional().describe("The folder to list. Default: the working folder."),
})

export const writeInput = toolInput("write", {
  path: z.string().min(1).describe("The file to write; missing folders are made."),
  content: z.string().describe("The whole new content."),
})

const replacement = {
  old_string: z.string().min(1).describe("The text to replace; it must occur in the file exactly once."),
  new_string: z.string().describe("The text to put there."),
  replace_all: z.boolean().optional().describe("Replace every occurrence. Default: no."),
}

export const editInput = toolInput("edit", {
  path: z.string().min(1).describe("The file to change. Read it first."),
  old_string: replacement.old_string.optional(),
  new_string: replacement.new_string.optional(),
  replace_all: replacement.replace_all,
  edits: z
    .array(z.strictObject(replacement))
    .min(1)
    .max(200)
    .optional()
    .describe("Several replacements, made in order, all or none; in place of old_string and new_string."),
})

export const applyPatchInput = toolInput("apply_patch", {
  input: z.string().min(1).max(2_000_000).describe("The patch, from *** Begin Patch to *** End Patch."),
})

export const grepInput = toolInput("grep", {
  pattern: z.string().min(1).describe("A regular expression (Rust syntax)."),
  path: z.string().min(1).optional().describe("File or folder to search. Default: the working folder."),
  include: z.string().min(1).optional().describe("Only files whose name matches this glob, such as *.ts."),
  context: z.int().min(0).max(20).optional().describe("Lines of context around each match."),
  before: z.int().min(0).max(20).optional().describe("Lines before each match, in place of context."),
  after: z.int().min(0).max(20).optional().describe("Lines after each match, in place of context."),
  ignore_case: z.boolean().optional().describe("Ignore case. Default: no."),
  literal: z.boolean().optional().describe("The pattern is plain text, not a regular expression. Default: no."),
  multiline: z.boolean().optional().describe("A match may span lines, and . matches a line feed. Default: no."),
  output: z
    .enum(["content", "files_with_matches", "count"])
    .optional()
    .describe("Matching lines, names of files, or the number of matching lines per file. Default: content."),
  limit: z.int().min(1).max(500).optional().describe("Matches or files at most. Default 500."),
})

export const findInput = toolInput("find", {
  pattern: z.string().min(1).describe("A glob for the file name or path, such as **/*.test.ts."),
  path: z.string().min(1).optional().describe("The folder to search. Default: the working folder."),
  type: z.enum(["file", "directory"]).optional(),
  sort: z.enum(["path", "modified"]).optional().describe("By path, or the newest first. Default: path."),
  limit: z.int().min(1).max(500).optional().describe("Paths at most. Default 500."),
})

export const knowledgeSearchInput = toolInput("knowledge_search", {
  query: z.string().min(1).max(2000).describe("What to look for, in words or as a question."),
  limit: z.int().min(1).max(10).optional().describe("How many passages at most. Default 5."),
})

export const webFetchInput = toolInput("web_fetch", {
  url: z.string().min(1).max(4096).describe("The address of the page, with http:// or https://."),
  offset: z.int().min(0).optional().describe("The first character of the text to show, to continue a long page."),
  limit: z.int().min(100).max(25_000).optional().describe("How many characters to show. Default 20000."),
})

const domains = z
  .array(z.string().regex(/^[\w.-]{1,253}$/))
  .max(20)
  .optional()

export const webSearchInput = toolInput("web_search", {
  query: z.string().min(1).max(400).describe("What to search for, in words."),
  count: z.int().min(1).max(20).optional().describe("How many results at most. Default 8."),
  allowed_domains: domains.describe("Only pages of these hosts, such as docs.python.org."),
  blocked_domains: domains.describe("No pages of these hosts."),
})

export const todoInput = toolInput("todo", {
  todos: z
    .array(
      z.object({
        content: z.string().min(1).max(limits.nameLength).describe("What is to be done, in one line."),
        status: z.enum(["pending", "in_progress", "completed"]),
      }),
    )
    .max(100)
    .describe("The whole list, in order."),
})

export const askInput = toolInput("ask", {
  questions: z
    .array(
      z.object({
        question: z.string().min(1).max(2000).describe("The whole question, clear without context."),
        header: z.string().max(80).optional().describe("A very short name of the question."),
        multiSelect: z.boolean().optional().describe("Whether more than one option may be chosen. Default: no."),
        options: z
          .array(
            z.object({
              label: z.string().min(1).max(200).describe("The choice in a few words."),
              description: z.string().max(1000).optional().describe("What it means or leads to."),
            }),
          )
          .min(2)
          .max(6)
          .describe("Do not add an option for other answers: people can always answer in their own words."),
      }),
    )
    .min(1)
    .max(4),
})

export const toolSearchInput = toolInput("tool_search", {
  query: z.string().min(1).max(500).describe("Words of the task, or the name of a tool."),
  limit: z.int().min(1).max(20).optional().describe("How many tools to list. Default: 5."),
})

export const mcpResourcesInput = toolInput("mcp_resources", {
  server: z.string().min(1).max(64).optional().describe("The name of one MCP server. Default: all."),
})

export const mcpReadInput = toolInput("mcp_read", {
  server: z.string().min(1).max(64).describe("The name of the MCP server."),
  uri: z.string().min(1).max(2048).describe("The address of the resource, as mcp_resources lists it."),
})

export const skillInput = toolInput("skill", {
  name: z.string().min(1).max(128).describe("The name of the skill."),
  file: z
    .string()
    .min(1)
    .max(1000)
    .optional()
    .describe("A file of the skill, relative to its folder. Default: SKILL.md."),
})

const agentOrder = {
  task: z.string().min(1).describe("What the agent is to do, with everything it needs to know: it sees nothing else."),
  agent: z.string().min(1).max(100).optional().describe("A named agent, or a name for its role, shown to people."),
  description: z.string().max(200).optional().describe("What the task is, in a few words, for people."),
  system_prompt: z.string().min(1).optional().describe("Its system prompt. Default: the same as yours."),
  model: z.string().min(1).optional().describe("Its model. Default: the same as yours."),
  thinking: ThinkingLevel.optional().describe("How much it thinks before it answers. Default: the same as you."),
  timeout: z.int().min(1).max(86_400).optional().describe("Seconds after which the agent is ended. Default: none."),
  worktree: z
    .boolean()
    .optional()
    .describe("Give it a git worktree on a branch of its own, so that it cannot disturb your files. Default: no."),
}

export const subagentInput = toolInput("subagent", agentOrder)

export const subagentStartInput = toolInput("subagent_start", agentOrder)

const agentId = z.string().min(1).describe("The id that subagent_start gave.")

export const subagentStatusInput = toolInput("subagent_status", {
  id: agentId.optional().describe("One agent's id. Default: all agents."),
})

export const subagentSteerInput = toolInput("subagent_steer", {
  id: agentId,
  message: z.string().min(1).describe("What to tell the agent while it works."),
})

export const subagentCollectInput = toolInput("subagent_collect", {
  id: agentId,
  timeout: z.int().min(1).max(86_400).optional().describe("Seconds to wait at most. Default: until it has ended."),
})

export type BashInput = z.infer<typeof bashInput>
export type ReadInput = z.infer<typeof readInput>
export type LsInput = z.infer<typeof lsInput>
export type WriteInput = z.infer<typeof writeInput>
export type EditInput = z.infer<typeof editInput>
export type ApplyPatchInput = z.infer<typeof applyPatchInput>
export type GrepInput = z.infer<typeof grepInput>
export type FindInput = z.infer<typeof findInput>
export type KnowledgeSearchInput = z.infer<typeof knowledgeSearchInput>
export type WebFetchInput = z.infer<typeof webFetchInput>
export type WebSearchInput = z.infer<typeof webSearchInput>
export type AskInput = z.infer<typeof askInput>
export type ToolSearchInput = z.infer<typeof toolSearchInput>
export type McpResourcesInput = z.infer<typeof mcpResourcesInput>
export type McpReadInput = z.infer<typeof mcpReadInput>
export type SkillInput = z.infer<typeof skillInput>
export type TodoInput = z.infer<typeof todoInput>
export type SubagentInput = z.infer<typeof subagentInput>
export type SubagentStatusInput = z.infer<typeof subagentStatusInput>
export type SubagentSteerInput = z.infer<typeof subagentSteerInput>
export type SubagentCollectInput = z.infer<typeof subagentCollectInput>
