// Bundles every program in memory and holds its limits: size, and what must not be in it.
import { fileURLToPath } from 'node:url';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import * as esbuild from 'esbuild';
import { bundleOptions, entries, presentEntries } from './build.mjs';

const kilobyte = 1000;
/** Weighs more than all of ours, and its proxy must not die with a keeper. */
const sandbox = /node_modules\/@anthropic-ai\/sandbox-runtime\//;
/** Its client is for the one process that asks a container engine. */
const docker = /node_modules\/(dockerode|docker-modem)\//;
const limits = {
  extension: { bytes: 10 * kilobyte, without: [sandbox, /node_modules\//, /^src\/(cli|extension|keeper|worker)\//] },
  window: { bytes: 600 * kilobyte, without: [sandbox, docker, /^src\/(cli|docker|engineAgent|keeper|worker)\//] },
  cli: { bytes: 10 * kilobyte, without: [sandbox, /node_modules\//, /^src\/(cli|extension|keeper|worker)\//] },
  'cli-program': {
    bytes: 600 * kilobyte,
    without: [sandbox, docker, /^src\/(docker|engineAgent|extension|keeper|worker)\//],
  },
  cron: { bytes: 40 * kilobyte, without: [/^src\//] },
  keeper: { bytes: 150 * kilobyte, without: [sandbox, /node_modules\/zod\//] },
  worker: { bytes: 150 * kilobyte, without: [sandbox, /node_modules\/zod\//] },
  agent: { bytes: 30 * kilobyte, without: [/node_modules\//, /^src\/(cli|extension|keeper|launcher|worker)\//] },
  'engine-agent': {
    bytes: 150 * kilobyte,
    without: [/node_modules\//, /^src\/(cli|docker|extension|keeper|launcher|worker)\//],
  },
  'rollcall-opencode': {
    bytes: 5 * kilobyte,
    without: [/node_modules\//, /^src\/(agent|cli|docker|engineAgent|extension|keeper|launcher|worker)\//],
  },
  docker: {
    bytes: 200 * kilobyte,
    without: [/node_modules\/(zod|ssh2|protobufjs|@grpc)\//, /^src\/(cli|extension|keeper|worker)\//],
  },
  srt: { bytes: 700 * kilobyte, without: [/^src\//] },
};
const vsixBytes = 3000 * kilobyte;
const root = fileURLToPath(new URL('..', import.meta.url));
const problems = [];

for (const name of Object.keys(entries).filter((entry) => !presentEntries().includes(entry))) {
  problems.push(`${name}: ${entries[name].entry} is missing`);
}
for (const name of presentEntries()) {
  const built = await esbuild.build({ ...bundleOptions(name), sourcemap: false, write: false, metafile: true });
  const size = built.outputFiles[0].contents.byteLength;
  const { bytes, without } = limits[name];
  console.log(`${name}.js ${(size / kilobyte).toFixed(0)} KB of ${bytes / kilobyte} KB`);
  if (size > bytes) {
    problems.push(`${name}.js has ${size} bytes, its limit is ${bytes}`);
  }
  // A module that is imported but wholly shaken out is no part of the bundle.
  const inputs = Object.values(built.metafile.outputs).flatMap((output) =>
    Object.entries(output.inputs).filter(([, input]) => input.bytesInOutput > 0),
  );
  const found = inputs.map(([input]) => input).find((input) => without.some((pattern) => pattern.test(input)));
  if (found !== undefined) {
    problems.push(`${name}.js must not contain ${found}`);
  }
}

const vsix = join(root, 'rollcall.vsix');
if (existsSync(vsix) && statSync(vsix).size > vsixBytes) {
  problems.push(`rollcall.vsix has ${statSync(vsix).size} bytes, its limit is ${vsixBytes}`);
}
for (const problem of problems) {
  console.error(problem);
}
process.exitCode = problems.length === 0 ? 0 : 1;
