// Amazon Bedrock's Converse API, with a bearer token or with signed requests.
import { createAmazonBedrock } from "@ai-sdk/amazon-bedrock"
import type { MakeModel, Reach } from "./provider.ts"
import { common } from "./reach.ts"

export function amazonBedrockModels(reach: Reach): MakeModel {
  const bedrock = bedrockOf(reach)
  return (modelId) => bedrock.languageModel(modelId)
}

export function bedrockOf(reach: Reach) {
  const { credentials, region } = reach.provider
  return createAmazonBedrock({
    apiKey: "", // no bearer token, whatever the process's environment says; replaced by one that was found
    ...common(reach),
    ...(region === undefined ? {} : { region }),
    ...(credentials.kind === "aws" ? awsOf(credentials) : {}),
  })
}

function awsOf(credentials: Extract<Reach["provider"]["credentials"], { kind: "aws" }>) {
  const { accessKeyId, secretAccessKey, sessionToken } = credentials
  return { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) }
}
