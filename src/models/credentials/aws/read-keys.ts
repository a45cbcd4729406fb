// Reads the keys of AWS and the region from where they are.
import { ModelUnavailable } from "../../model-source.ts"
import type { AwsSource, Fetch } from "../../providers/provider.ts"
import type { Reading } from "../cached.ts"
import type { OnSecret } from "../late-key.ts"
import type { AwsKeys, AwsRequest } from "./aws-keys.ts"
import { setVariable } from "./aws-source.ts"
import { containerKeys, instanceKeys } from "./machine-keys.ts"
import { profileKeys, profileRegion } from "./profile-keys.ts"
import { webIdentityKeys } from "./role-keys.ts"

export function readAwsKeys(source: AwsSource, fetch: Fetch, onSecret: OnSecret): Promise<Reading<AwsKeys>> {
  const request: AwsRequest = { source, fetch, onSecret }
  const { from } = source
  switch (from.kind) {
    case "profile":
      return profileKeys(from.profile, request)
    case "web-identity":
      return webIdentityKeys({ ...from, sessionName: setVariable(source.env, "AWS_ROLE_SESSION_NAME") }, request)
    case "container":
      return containerKeys(request)
    case "instance":
      return instanceKeys(request)
  }
}

/** Of the profile. Elsewhere only variables and the configuration have one. */
export async function awsRegion(source: AwsSource): Promise<string> {
  const { from, configFile } = source
  const region = from.kind === "profile" ? await profileRegion(from.profile, source) : undefined
  if (region !== undefined) return region
  const inFile = from.kind === "profile" ? `, or region in ${configFile}` : ""
  throw new ModelUnavailable(`${source.source}: there is no region. Set AWS_REGION${inFile}.`)
}
