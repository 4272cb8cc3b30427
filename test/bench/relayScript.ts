import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';

/** A bare relay: joins the two connections that begin with the same line, and looks at nothing that goes through it. */
function main([path = '']: readonly string[]): void {
  const alone = new Map<string, Socket>();
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    void once(socket, 'readable').then(() => {
      const pair = String(socket.read());
      const other = alone.get(pair);
      if (other === undefined) {
        alone.set(pair, socket);
      } else {
        socket.pipe(other);
        other.pipe(socket);
      }
    });
  });
  server.listen(path, () => {
    process.stdout.write('ready\n');
  });
}

main(process.argv.slice(2));
