/** What a person said to a permission request or a question. */
export type EngineAnswer =
  /** `input` is what the tool gets: the asked input, changed or not; for a question with `answers` in it. */
  | { readonly allow: true; readonly input: Readonly<Record<string, unknown>> }
  /** The model reads the message and goes on. */
  | { readonly allow: false; readonly message: string };

/** The line on claude's stdin that answers a request, with its line end. Its schema wants the input even unchanged. */
export function claudeAnswerLine(requestId: string, answer: EngineAnswer): string {
  const response = answer.allow
    ? { behavior: 'allow', updatedInput: answer.input }
    : { behavior: 'deny', message: answer.message };
  return lineOf({ type: 'control_response', response: { subtype: 'success', request_id: requestId, response } });
}

/** The line on claude's stdin that ends the turn; the process ends once its stdin is closed too. */
export function claudeInterruptLine(requestId: string): string {
  return lineOf({ type: 'control_request', request_id: requestId, request: { subtype: 'interrupt' } });
}

/** The line on claude's stdin that starts a turn. */
export function claudePromptLine(prompt: string): string {
  return lineOf({ type: 'user', message: { role: 'user', content: [{ type: 'text', text: prompt }] } });
}

function lineOf(value: object): string {
  return `${JSON.stringify(value)}\n`;
}
