// Two tools by which the model lists and reads the resources of all servers of its session. What a server returns is
// untrusted text. Reading sends an address of the model's choice to a server, so it needs an approval like other calls.
import type { ReadResourceResult } from "@modelcontextprotocol/client"
import { checks, toolInputSchemas } from "../../contract/generated/tool-inputs.js"
import type { McpReadInput, McpResourcesInput } from "../../contract/tool-inputs.ts"
import { defineTool, failed, withoutPreparation } from "../../tools/define-tool.ts"
import type { Tool, ToolContext, ToolResult } from "../../tools/tool.ts"
import type { ListedResource } from "../listing/listing.ts"
import type { RunningServer } from "../running-server.ts"
import { boundedText, failedResult, untrustedSource } from "./call-result.ts"

/** Of the servers that have resources. */
type Servers = () => readonly RunningServer[]

/** Resources of one server in a list. */
const MAX_LISTED = 200

export function resourceTools(servers: Servers): readonly Tool[] {
  const list = defineTool<McpResourcesInput>({
    name: "mcp_resources",
    description: "Lists the resources of MCP servers: documents, records and files that mcp_read can read.",
    class: "read",
    isReadOnly: true,
    inputSchema: toolInputSchemas.mcp_resources,
    check: checks.mcp_resources,
    prepare: async (input, context) => withoutPreparation(context, () => listAll(servers(), input, context)),
  })
  const read = defineTool<McpReadInput>({
    name: "mcp_read",
    description: "Reads a resource of an MCP server, by the address that mcp_resources lists.",
    class: "unsafe",
    inputSchema: toolInputSchemas.mcp_read,
    check: checks.mcp_read,
    prepare: async (input, context) => withoutPreparation(context, () => readOne(servers(), input, context)),
  })
  return [list, read]
}

async function listAll(
  all: readonly RunningServer[],
  { server: name }: McpResourcesInput,
  { signal, scrubber }: ToolContext,
): Promise<ToolResult> {
  const chosen = name === undefined ? all : all.filter(({ server }) => server.name === name)
  if (chosen.length === 0) return failed(unknownServer(all, name ?? ""))
  const parts = await Promise.all(
    chosen.map(async (running) => {
      const answer = await running.resources(signal)
      return answer.kind === "failed" ? answer.reason : listText(running.server.name, answer.result)
    }),
  )
  const names = chosen.map(({ server }) => server.name).join(", ")
  return { outcome: "done", output: boundedText(parts.join("\n\n"), scrubber), untrustedSource: untrustedSource(names) }
}

function listText(server: string, resources: readonly ListedResource[]): string {
  if (resources.length === 0) return `${server}: no resources`
  const lines = resources.slice(0, MAX_LISTED).map(({ uri, name, description, mediaType }) => {
    const notes = [name === uri ? "" : name, mediaType ?? "", description].filter((note) => note !== "")
    return `- ${uri}${notes.length === 0 ? "" : ` (${notes.join("; ")})`}`
  })
  const more = resources.length > MAX_LISTED ? [`and ${resources.length - MAX_LISTED} more`] : []
  return [`${server}:`, ...lines, ...more].join("\n")
}

async function readOne(
  all: readonly RunningServer[],
  { server: name, uri }: McpReadInput,
  { signal, scrubber }: ToolContext,
): Promise<ToolResult> {
  const running = all.find(({ server }) => server.name === name)
  if (running === undefined) return failed(unknownServer(all, name))
  const answer = await running.readResource(uri, signal)
  if (answer.kind === "failed") return failedResult(answer, name, scrubber)
  const output = boundedText(contentText(answer.result), scrubber)
  return { outcome: "done", output: output === "" ? "(empty)" : output, untrustedSource: untrustedSource(name) }
}

function contentText({ contents }: ReadResourceResult): string {
  return contents
    .map((content) =>
      "text" in content ? content.text : `[${content.uri}, ${content.mimeType ?? "of an unknown type"}: not text]`,
    )
    .join("\n")
}

function unknownServer(all: readonly RunningServer[], name: string): string {
  return `There is no MCP server '${name}' with resources. There are: ${all.map(({ server }) => server.name).join(", ")}.`
}
