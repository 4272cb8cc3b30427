/** The command line cannot mean anything: exit code 2. The message is for the person. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
