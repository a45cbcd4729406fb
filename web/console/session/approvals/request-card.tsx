// Any open request: a call to approve, or questions to answer.
import { ApprovalCard, type ApprovalCardProps } from "./approval-card.tsx"
import { QuestionCard } from "./question-card.tsx"

export function RequestCard(props: ApprovalCardProps) {
  return props.request.questions === undefined ? <ApprovalCard {...props} /> : <QuestionCard {...props} />
}
