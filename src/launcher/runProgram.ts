import { compiledProgram } from './compiledProgram';

/** Runs a program to the end of this process, and leaves its compiled form in `privateDir` for the next run. */
export function runProgram(file: string, privateDir: string, require: NodeJS.Require): void {
  const program = compiledProgram(file, privateDir);
  // At the end, so that the functions that this run needed are in it.
  process.once('exit', () => {
    program.keep();
  });
  program.run(require);
}
