import type { SeededRandom } from './seededRandom';

/** One way to spoil a file that holds this JSON text. */
export interface Corruption {
  readonly name: string;
  readonly spoil: (text: string, random: SeededRandom) => Buffer;
}

const MEGABYTES_10 = 10 * 1024 * 1024;

/** Everything that crashes, editors, models and other encodings were seen to leave behind, and what they might. */
export const corruptions: readonly [Corruption, ...Corruption[]] = [
  { name: 'cut off', spoil: (text, random) => Buffer.from(text.slice(0, random.below(text.length))) },
  { name: 'cut off at the front', spoil: (text, random) => Buffer.from(text.slice(1 + random.below(text.length))) },
  { name: 'one bit flipped', spoil: (text, random) => flipped(Buffer.from(text), random, 1) },
  { name: 'many bits flipped', spoil: (text, random) => flipped(Buffer.from(text), random, 20) },
  { name: 'the status of a wrong type', spoil: (text, random) => replaced(text, random.pick(WRONG_TYPES)) },
  { name: 'the status a made-up word', spoil: (text, random) => replaced(text, random.pick(MADE_UP)) },
  { name: 'the status in other letters', spoil: (text, random) => replaced(text, random.pick(RELATIVES)) },
  { name: 'a huge number', spoil: (text, random) => added(text, `"items_processed": ${random.pick(HUGE)}`) },
  { name: 'a key twice', spoil: (text, random) => added(text, `"status": ${random.pick(RELATIVES)}`) },
  { name: 'keys that poison', spoil: (text) => added(text, '"__proto__": {"status": "failed"}, "constructor": 1') },
  { name: 'nested deep', spoil: (text, random) => added(text, `"x": ${nested(1 + random.below(20_000))}`) },
  { name: 'nothing but zeros', spoil: (text) => Buffer.alloc(text.length) },
  { name: 'zeros in the middle', spoil: (text, random) => spliced(text, random, '\0\0\0\0') },
  { name: 'zeros at the end', spoil: (text) => Buffer.concat([Buffer.from(text), Buffer.alloc(512)]) },
  { name: 'with a byte order mark', spoil: (text) => Buffer.from(`\uFEFF${text}`) },
  { name: 'with Windows line ends', spoil: (text) => Buffer.from(text.replaceAll('\n', '\r\n')) },
  { name: 'in UTF-16', spoil: (text) => Buffer.from(`\uFEFF${text}`, 'utf16le') },
  { name: 'in Latin-1', spoil: (text, random) => Buffer.from(spliced(text, random, 'ä').toString('utf8'), 'latin1') },
  { name: 'ten megabytes', spoil: (text) => Buffer.from(text.padEnd(MEGABYTES_10)) },
  { name: 'in a code fence', spoil: (text) => Buffer.from(`Here it is:\n\`\`\`json\n${text}\n\`\`\`\n`) },
  { name: 'with comments', spoil: (text) => Buffer.from(`// progress\n${text}/* the end */`) },
  { name: 'written twice', spoil: (text) => Buffer.from(text + text) },
  { name: 'mixed with an older one', spoil: (text, random) => Buffer.from(text + text.slice(random.below(60))) },
  { name: 'empty', spoil: () => Buffer.alloc(0) },
  { name: 'random bytes', spoil: (_text, random) => Buffer.from(Array.from({ length: 300 }, () => random.below(256))) },
  { name: 'another kind of JSON', spoil: (_text, random) => Buffer.from(random.pick(OTHER_JSON)) },
];

const WRONG_TYPES = ['5', 'null', 'true', '[]', '{}', '["completed"]', '{"status": "completed"}'] as const;
const MADE_UP = ['"almost"', '"completed?"', '"not failed"', '""', '"ᴄompleted"', '"com\\u0000pleted"'] as const;
const RELATIVES = ['"COMPLETED"', '"done"', '"Error"', '"in_progress"', '"cancelled"', '"stopped"'] as const;
const HUGE = ['1e400', '-1e308', '9007199254740993', '1'.repeat(400), '-1', '0.5'] as const;
const OTHER_JSON = ['[]', '7', '"completed"', 'null', '{}', '{"workers": 3}', '{"status": null}', '[{"a":1}]'] as const;

function flipped(bytes: Buffer, random: SeededRandom, count: number): Buffer {
  for (let flip = 0; flip < count; flip += 1) {
    const at = random.below(bytes.length);
    bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << random.below(8)), at);
  }
  return bytes;
}

/** With another value for one of the statuses in it. */
function replaced(text: string, value: string): Buffer {
  return Buffer.from(text.replace(/"status": "[a-z-]+"/, () => `"status": ${value}`));
}

/** With more keys at the end of the outermost object. */
function added(text: string, keys: string): Buffer {
  return Buffer.from(text.replace(/\s*\}\s*$/, () => `,\n${keys}}\n`));
}

function spliced(text: string, random: SeededRandom, piece: string): Buffer {
  const at = random.below(text.length);
  return Buffer.from(text.slice(0, at) + piece + text.slice(at));
}

function nested(depth: number): string {
  return '['.repeat(depth) + ']'.repeat(depth);
}
