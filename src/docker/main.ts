import { readFileSync } from 'node:fs';
import { errorText } from '../core/base/errorText';
import { readJson } from '../core/protocol/events/jsonGuards';
import { readDockerEndpoint } from '../core/protocol/features/dockerEndpoint';
import { readContainerJob } from '../core/protocol/keeper/readContainer';
import { ContainerRun } from './containerRun';
import { endContainer } from './endContainer';
import { imageTrouble } from './imageTrouble';
import { workerContainers } from './workerContainers';

// A process of its own, because an engine tells the whole environment of each container, and with it an API key: what
// may be known of it leaves this process on stdout, and the rest ends with it.
//   look <endpoint>            the containers of feature runs
//   check <endpoint> <image>   whether a worker's container can be made
//   run                        a worker's container from its start, or from now on, to its end; the job on stdin
//   end <job>                  ends and removes a worker's container

async function main([verb = '', ...args]: readonly string[]): Promise<void> {
  switch (verb) {
    case 'look':
      await answer(async () => ({ containers: await withEndpoint(args, workerContainers, []) }));
      return;
    case 'check':
      await answer(async () => ({
        trouble: await withEndpoint(args, async (endpoint) => imageTrouble(endpoint, args[1] ?? ''), null),
      }));
      return;
    case 'end':
      await answer(async () => ({ end: await endContainer(jobIn(args[0] ?? '')) }));
      return;
    case 'run':
      process.exitCode = await new ContainerRun(jobIn(readFileSync(0, 'utf8'))).untilEnd();
      return;
    default:
      throw new Error(`docker.js cannot ${verb}`);
  }
}

async function answer(ask: () => Promise<object>): Promise<void> {
  try {
    process.stdout.write(JSON.stringify(await ask()));
  } catch (error) {
    process.stdout.write(JSON.stringify({ error: errorText(error) }));
  }
}

async function withEndpoint<T>(
  [text = '']: readonly string[],
  ask: (endpoint: NonNullable<ReturnType<typeof readDockerEndpoint>>) => Promise<T>,
  none: T,
): Promise<T> {
  const endpoint = readDockerEndpoint(readJson(text));
  return endpoint === null ? none : await ask(endpoint);
}

function jobIn(text: string): NonNullable<ReturnType<typeof readContainerJob>> {
  const job = readContainerJob(text);
  if (job === null) {
    throw new Error('docker.js got a job that it does not understand');
  }
  return job;
}

void main(process.argv.slice(2));
