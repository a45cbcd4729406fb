// In the package this stands in for `@modelcontextprotocol/client/_shims`, which brings a copy of ajv for output schemas of
// servers. Lists of tools are read without the SDK's cache (src/mcp/listing.ts), so no schema is ever compiled.

export const CORS_IS_POSSIBLE = false

export class DefaultJsonSchemaValidator {
  getValidator(): never {
    throw new Error("output schemas of MCP servers are not checked")
  }
}
