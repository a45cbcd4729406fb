// The host of Vertex AI for a location.

/** Undefined if the name cannot be a part of a host name. */
export function vertexHost(location: string): string | undefined {
  if (!/^[a-z][a-z0-9-]*$/.test(location)) return undefined
  if (location === "global") return "https://aiplatform.googleapis.com"
  if (location === "eu" || location === "us") return `https://aiplatform.${location}.rep.googleapis.com`
  return `https://${location}-aiplatform.googleapis.com`
}
