import { describe, expect, it } from 'vitest';
import { handClock } from '../../../test/support/handClock';
import { silentLogger } from '../base/logger';
import type { MailItem } from '../protocol/keeper/mail';
import { Courier } from './courier';

function item(seq: number, letters = 0): MailItem {
  const payload = { text: 'x'.repeat(letters) };
  const message = { id: `m${String(seq)}`, type: 'Query', from: 'a', to: 'b', timestamp: '', payload };
  return { seq, message };
}

function items(count: number): readonly MailItem[] {
  return Array.from({ length: count }, (_none, index) => item(index + 1));
}

/** A courier whose keepers do as `deliver` says, and what each of them got. */
function courierWith(deliver: (agent: string) => Promise<void> = async () => Promise.resolve()) {
  const got = new Map<string, number[][]>();
  const clock = handClock();
  const courier = new Courier({
    clock,
    logger: silentLogger,
    deliver: async (agent, batch) => {
      await deliver(agent);
      got.set(agent, [...(got.get(agent) ?? []), batch.map(({ seq }) => seq)]);
    },
  });
  return { courier, clock, of: (agent: string): readonly number[] => (got.get(agent) ?? []).flat(), got };
}

describe('Courier', () => {
  it('carries mail in order and in few batches, and nothing to whom it knows no way', async () => {
    const { courier, of, got } = courierWith();
    courier.push('b', item(1));
    courier.open('b', items(1_000));
    courier.push('b', item(1_001));
    await courier.idle();
    expect(of('b')).toEqual(Array.from({ length: 1_001 }, (_none, index) => index + 1));
    expect(got.get('b')?.length).toBeLessThan(6);
  });

  it('sends one very long message alone', async () => {
    const { courier, got } = courierWith();
    courier.open('b', [item(1), item(2, 600_000), item(3)]);
    await courier.idle();
    expect(got.get('b')).toEqual([[1], [2], [3]]);
  });

  it('delays nobody because of one keeper that never answers', async () => {
    const never = new Promise<void>(() => undefined);
    const { courier, of } = courierWith(async (agent) => (agent === 'stuck' ? never : Promise.resolve()));
    courier.open('stuck', items(10));
    courier.open('b', items(10));
    await expect.poll(() => of('b')).toHaveLength(10);
    expect(of('stuck')).toEqual([]);
  });

  it('tries again with what a keeper did not take, and keeps the order', async () => {
    let full = true;
    const { courier, clock, of } = courierWith(async () => (full ? Promise.reject(new Error('full')) : undefined));
    courier.open('b', items(3));
    await courier.idle();
    courier.push('b', item(4));
    full = false;
    clock.go(1_000);
    await courier.idle();
    expect(of('b')).toEqual([1, 2, 3, 4]);
  });

  it('forgets what is not to be carried any more', async () => {
    let full = true;
    const { courier, clock, of } = courierWith(async () => (full ? Promise.reject(new Error('full')) : undefined));
    courier.open('b', items(4));
    await courier.idle();
    courier.forget('b', new Set([2, 3]));
    full = false;
    clock.go(1_000);
    await courier.idle();
    expect(of('b')).toEqual([1, 4]);
  });
});
