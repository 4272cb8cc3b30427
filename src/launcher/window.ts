import { join } from 'node:path';
import { runtimeDirOf } from '../core/system/runtimeDir';
import { compiledProgram } from './compiledProgram';

/** What the extension's bundle exports; what VS Code hands over passes through unseen. */
interface Extension {
  activate(context: unknown): unknown;
  deactivate(): Promise<void>;
}

const program = compiledProgram(join(__dirname, 'window.js'), runtimeDirOf());
const extension = program.run(require) as Extension;

/** Called by VS Code when the extension is wanted. */
export function activate(context: unknown): unknown {
  return extension.activate(context);
}

/** Called by VS Code when the window goes: then nobody waits for the compiled form to be written. */
export async function deactivate(): Promise<void> {
  await extension.deactivate();
  program.keep();
}
