/** The tool with which an agent asks for a person. */
export const escalationTool = "escalate"
