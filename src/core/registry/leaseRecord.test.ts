import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { epochsIn, formatLeaseRecord, leaseFileName, parseLeaseRecord, type LeaseRecord } from './leaseRecord';

const record: fc.Arbitrary<LeaseRecord> = fc.record({
  epoch: fc.nat(),
  pid: fc.nat(),
  startTime: fc.string(),
  bootId: fc.string(),
  host: fc.string(),
  surface: fc.string(),
  since: fc.string(),
  nonce: fc.string(),
  endpoint: fc.string(),
  released: fc.option(fc.string()),
});

describe('a lease record', () => {
  it('reads back as it was written', () => {
    fc.assert(
      fc.property(record, (written) => {
        expect(parseLeaseRecord(formatLeaseRecord(written))).toEqual(written);
      }),
    );
  });

  it('is null, never an error, for any other text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(parseLeaseRecord(text)).toBeNull();
      }),
    );
  });

  it('is null when any part of it is missing or of a wrong type', () => {
    const keys = ['epoch', 'pid', 'startTime', 'bootId', 'host', 'surface', 'since', 'nonce', 'endpoint'];
    fc.assert(
      fc.property(record, fc.constantFrom(...keys), fc.constantFrom(null, true, {}, 1.5), (written, key, wrong) => {
        expect(parseLeaseRecord(JSON.stringify({ ...written, [key]: wrong }))).toBeNull();
      }),
    );
  });
});

describe('the epochs of a folder', () => {
  it('come highest first and from lease files alone', () => {
    const names = [
      'registry.json',
      'leader.9.json',
      'leader.10.json',
      '.leader.11.json.1.tmp',
      'leader.x.json',
      'leader..json',
    ];
    expect(epochsIn(names)).toEqual([10, 9]);
    expect(epochsIn([leaseFileName(7)])).toEqual([7]);
  });
});
