/** By these a failed tool says that a write met a read-only place, which is how a sandbox stops one. No field says it. */
const READ_ONLY = /\bEROFS\b|Read-only file system/;

/** Whether the output of a tool that failed, a text or any JSON, tells of a write that a sandbox refused. */
export function isRefusedWrite(output: unknown): boolean {
  return READ_ONLY.test(JSON.stringify(output ?? ''));
}
