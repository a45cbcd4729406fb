// What the charts of answer times show, and what they do not.
export const answerTimeNote =
  "Answer times are from the request to the end of the answer; the time to its first word is not stored."
