/*
 * Agents write messages in the name of the user. They must not count as the user's, because a user message resets the
 * governor and reopens a conversation that it has ended.
 */

/** How known agents begin a message that asks the model to continue or to reply in another form. */
const harnessMessageStarts: readonly string[] = [
  // Cline, Roo Code, Kilo Code
  '[ERROR] You did not use a tool in your previous response!',
  // Gemini CLI
  'System: Potential loop detected.',
  // OpenHands
  'Please continue working on the task on whatever approach you think is suitable.',
  // Copilot CLI
  'You have not yet marked the task as complete using the task_complete tool.',
  // SWE-agent, mini-SWE-agent
  'Your output was not formatted correctly.',
  'Please always provide EXACTLY ONE action in triple backticks',
  'No tool calls found in the response.',
];

/** Returns what the user wrote, without what the agent adds to it; empty if the agent wrote all of it. */
export function extractUserText(text: string): string {
  const written = text.replaceAll(/<environment_details>[\s\S]*?<\/environment_details>/g, '').trim();
  return harnessMessageStarts.some((start) => written.startsWith(start)) ? '' : written;
}

/** Returns the user's text in the result of a completion tool, which is how some agents send it; null if there is none. */
export function extractUserFeedback(text: string): string | null {
  const [, , feedback = ''] = /<(feedback|user_message)>([\s\S]*?)<\/\1>/.exec(text) ?? [];
  return feedback.trim() === '' ? null : feedback.trim();
}
