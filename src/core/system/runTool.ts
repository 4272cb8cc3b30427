import { execFile } from 'node:child_process';

/** Runs a system tool and gives its stdout; rejects when it fails, is missing or takes longer than 10 s. No shell. */
export async function runTool(command: string, args: readonly string[], env?: NodeJS.ProcessEnv): Promise<string> {
  return await new Promise((resolve, reject) => {
    const options = { timeout: 10_000, maxBuffer: 16 * 1024 * 1024, windowsHide: true, env: env ?? process.env };
    execFile(command, [...args], options, (error, stdout) => {
      if (error === null) {
        resolve(stdout);
      } else {
        reject(new Error(`${command} failed: ${error.message}`, { cause: error }));
      }
    });
  });
}

/** Shares one running job among all who ask while it runs, so that many looks cost one listing. */
export function singleFlight<T>(job: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return async () => {
    running ??= job().finally(() => {
      running = undefined;
    });
    return await running;
  };
}
