import { describe, expect, it } from 'vitest';
import { Gate } from './gate';

describe('Gate', () => {
  it('never runs more jobs than its limit, runs all of them and keeps their order', async () => {
    const gate = new Gate(3);
    const order: number[] = [];
    let running = 0;
    let most = 0;
    const job = async (number: number): Promise<number> => {
      order.push(number);
      running += 1;
      most = Math.max(most, running);
      await Promise.resolve();
      running -= 1;
      return number;
    };
    const numbers = Array.from({ length: 20 }, (_, number) => number);
    expect(await Promise.all(numbers.map(async (number) => gate.run(async () => job(number))))).toEqual(numbers);
    expect(order).toEqual(numbers);
    expect(most).toBe(3);
  });

  it('gives the place of a job that failed to the next one', async () => {
    const gate = new Gate(1);
    const failing = gate.run(async () => Promise.reject(new Error('no')));
    const next = gate.run(async () => Promise.resolve('yes'));
    await expect(failing).rejects.toThrow('no');
    expect(await next).toBe('yes');
  });
});
