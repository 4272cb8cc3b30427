import { spawn } from 'node:child_process';

const keptOutput = 100_000;

/** How a tool is run: in `cwd`, with `env` as its whole environment. */
export interface ToolOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** Runs a program to its end and resolves with what it printed; rejects with the end of it when it fails. */
export async function runTool(program: string, args: readonly string[], options: ToolOptions = {}): Promise<string> {
  return await new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
    let output = '';
    const keep = (chunk: Buffer): void => {
      output = `${output}${chunk.toString('utf8')}`.slice(-keptOutput);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (code === 0) {
        resolve(output);
        return;
      }
      reject(new Error(`${program} ${args.join(' ')} failed (${String(code ?? signal)})\n${output.slice(-4000)}`));
    });
  });
}
