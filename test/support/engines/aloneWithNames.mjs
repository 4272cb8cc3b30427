// Runs a command where every name that anybody looks up is noted and nobody is found: `aloneWithNames.mjs LOG COMMAND [ARG…]`.
// To be started in a network of its own, with 127.0.0.1 as its only name server.
import { Buffer } from 'node:buffer';
import { spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { lookup } from 'node:dns';
import { appendFileSync } from 'node:fs';

const [log, command, ...args] = process.argv.slice(2);
const HEADER_BYTES = 12;
const RESPONSE = 0x80;
const NO_SUCH_NAME = 3;

function nameIn(query) {
  const labels = [];
  for (let at = HEADER_BYTES; query[at] > 0; at += query[at] + 1) {
    labels.push(query.toString('latin1', at + 1, at + 1 + query[at]));
  }
  return labels.join('.');
}

const server = createSocket('udp4', (query, from) => {
  appendFileSync(log, `${nameIn(query)}\n`);
  const answer = Buffer.from(query);
  answer[2] |= RESPONSE;
  answer[3] = NO_SUCH_NAME;
  server.send(answer, from.port, from.address);
});
server.bind(53, '127.0.0.1', () => {
  // Proves that a look-up is noted.
  lookup('noted.invalid', () => {
    const child = spawn(command, args, { stdio: 'inherit' });
    child.once('exit', (code) => {
      server.close();
      process.exitCode = code ?? 1;
    });
  });
});
