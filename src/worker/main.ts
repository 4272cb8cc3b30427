import { systemClock } from '../core/base/clock';
import { errorText } from '../core/base/errorText';
import { builtinTypes } from './builtinTypes';
import { readOrder } from './workerOrder';
import { runWorker } from './workerRun';

async function main(): Promise<number> {
  const order = readOrder(process.argv.slice(2), process.env);
  if (!order.ok) {
    process.stderr.write(`${order.error}\n`);
    return 1;
  }
  const log = (line: string): void => {
    process.stdout.write(`${line}\n`);
  };
  return await runWorker(order.value, { clock: systemClock(), types: builtinTypes, log });
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    // Not even the worker's own folder can be written: the log is the last place that may still hear of it.
    process.stderr.write(`${errorText(error)}\n`);
    process.exitCode = 1;
  },
);
