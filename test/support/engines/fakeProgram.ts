/** The text of a `claude` that does as `plan` says, which is JavaScript: `line` writes an object as a line, `write` bytes as they are. */
export function fakeProgram(plan: string): string {
  return `#!${process.execPath}
const fs = require('node:fs');
const write = (bytes) => { for (let rest = Buffer.from(bytes); rest.length > 0; ) rest = rest.subarray(fs.writeSync(1, rest)); };
const line = (value) => write(JSON.stringify(value) + '\\n');
const begin = () => line({ type: 'system', subtype: 'init', session_id: 's-1', model: 'm' });
const say = (text) => line({ type: 'assistant', message: { id: 'a', content: [{ type: 'text', text }] } });
const end = (more) => line({ type: 'result', subtype: 'success', is_error: false, session_id: 's-1', ...more });
if (process.argv.includes('--version')) { console.log('1.2.3'); process.exit(0); }
if (process.argv[2] === 'auth') process.exit(0);
${plan}
`;
}
